package cutile_test

import (
	stdbytes "bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/npy"
)

// TestFile writes tensors of every element type and reads them again.
func TestFile(t *testing.T) { onEach(t, testFile) }

func testFile(t *testing.T, dev *cutile.Device) {
	there[bool](t, dev, true, false, true)
	there[int8](t, dev, -128, 0, 127)
	there[int16](t, dev, -32768, 5, 32767)
	there[int32](t, dev, -1<<31, 5, 1<<31-1)
	there[int64](t, dev, -1<<63, 5, 1<<63-1)
	there[uint8](t, dev, 0, 5, 255)
	there[uint16](t, dev, 0, 5, 65535)
	there[uint32](t, dev, 0, 5, 1<<32-1)
	there[uint64](t, dev, 0, 5, 1<<64-1)
	there[float32](t, dev, 0.1, -2, 3e38)
	there[float64](t, dev, 0.1, -2, 3e300)
	there[dtype.Float16](t, dev, 1, 0x3c00, 0x7c00)
	there[dtype.BFloat16](t, dev, 1, 0x3c00, 0x7f80)
	there[dtype.Float8E4M3FN](t, dev, 1, 0x38, 0x7f)
	there[dtype.Float8E5M2](t, dev, 1, 0x38, 0x7c)
	there[dtype.Float8E8M0FNU](t, dev, 1, 0x38, 0xff)
	_, err := zeros[dtype.TensorFloat32](t, dev, 3).WriteTo(io.Discard)
	fails(t, err, "Tensor[tf32] of shape [3] on "+dev.Name()+": NumPy has no elements of tf32: convert them to float32")
	_, err = zeros[dtype.Float8E5M3FNU](t, dev, 3).WriteTo(io.Discard)
	fails(t, err, "NumPy has no elements of float8_e5m3fnu")
}

// there writes a tensor of three elements and reads it back.
func there[E dtype.Elem](t *testing.T, dev *cutile.Device, data ...E) {
	t.Helper()
	x, err := cutile.FromSlice(dev, data, 1, 3)
	must(t, err)
	back := reread(t, x)
	if got, err := back.Slice(); err != nil || !slices.Equal(got, data) || !slices.Equal(back.Shape(), []int{1, 3}) {
		t.Errorf("%T: got %v of shape %v, %v; want %v", data, got, back.Shape(), err, data)
	}
}

// reread writes a tensor to a file and reads it.
func reread[E dtype.Elem](t *testing.T, x *cutile.Tensor[E]) *cutile.Tensor[E] {
	t.Helper()
	var file stdbytes.Buffer
	n, err := x.WriteTo(&file)
	must(t, err)
	if n != int64(file.Len()) {
		t.Errorf("WriteTo says that it wrote %d bytes, not %d", n, file.Len())
	}
	file.WriteString("what follows")
	back, err := cutile.ReadTensor[E](x.Device(), &file)
	must(t, err)
	if file.String() != "what follows" {
		t.Errorf("%d bytes are left behind the file", file.Len())
	}
	return back
}

// TestFileViews: views of every kind, small and in several parts.
func TestFileViews(t *testing.T) { onEach(t, testFileViews) }

func testFileViews(t *testing.T, dev *cutile.Device) {
	for _, shape := range [][]int{{3, 4, 5}, {3, 700, 701}, {1 << 20}, {2, 1<<18 + 1, 1}, {1, 3, 0}, {}} {
		x := zeros[int32](t, dev, shape...)
		data := make([]int32, x.Len())
		for i := range data {
			data[i] = int32(i)
		}
		must(t, x.Write(t.Context(), data))
		views := map[string]*cutile.Tensor[int32]{"whole": x}
		if len(shape) == 3 && shape[2] > 0 {
			views["transposed"], views["reversed"] = x.T(), x.Permute(2, 1, 0)
			views["narrowed"], views["selected"] = x.Narrow(1, 1, 3), x.Select(1, 2)
			views["broadcast"] = x.Narrow(1, 1, 2).Broadcast(shape[0], 3, shape[2])
		}
		for name, v := range views {
			want, err := v.Slice()
			must(t, err)
			back := reread(t, v)
			got, err := back.Slice()
			if err != nil || !slices.Equal(got, want) || !slices.Equal(back.Shape(), v.Shape()) {
				t.Errorf("%s of %v: it comes back with shape %v and other elements, %v", name, shape, back.Shape(), err)
			}
			if reversed := name == "reversed"; reversed && !slices.Equal(back.Strides(), v.Strides()) {
				t.Errorf("%s of %v: the strides are %v, not %v", name, shape, back.Strides(), v.Strides())
			}
		}
	}
}

// TestFileWrong: what cannot be read or written, and the errors.
func TestFileWrong(t *testing.T) {
	dev := open(t)
	file := func(h npy.Header, elements int) io.Reader {
		var b stdbytes.Buffer
		_, err := h.WriteTo(&b)
		must(t, err)
		b.Write(make([]byte, elements))
		return &b
	}
	_, err := cutile.ReadTensor[float64](dev, file(npy.Header{Type: npy.Float32, Shape: []int{2}}, 8))
	fails(t, err, "cutile: ReadTensor[float64]: the file has elements of float32: read a Tensor of that type, or convert the array before it is saved")
	_, err = cutile.ReadTensor[dtype.Float16](dev, file(npy.Header{Type: npy.BFloat16, Shape: []int{2}}, 4))
	fails(t, err, "ReadTensor[float16]: the file has elements of raw16")
	_, err = cutile.ReadTensor[float32](dev, strings.NewReader("PK"))
	fails(t, err, "npy: not a .npy file: the magic number is missing")
	_, err = cutile.ReadTensor[float32](dev, file(npy.Header{Type: npy.Float32, Shape: []int{1 << 40}}, 3<<20)) // it claims 4 TiB
	fails(t, err, "npy: float32 of shape [1099511627776] has 4398046511104 bytes of elements, but the file has 3145728")
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%v is no io.ErrUnexpectedEOF", err)
	}
	_, err = cutile.ReadTensor[float32](dev, nil)
	fails(t, err, "cutile: ReadTensor: the reader is nil")
	_, err = cutile.ReadTensor[float32](nil, strings.NewReader(""))
	fails(t, err, "the device is nil")
	x := ramp(t, dev, 1000)
	broken := errors.New("the disk is full")
	if n, err := x.WriteTo(failing{100, broken}); err != broken || n != 100 {
		t.Errorf("got %d, %v", n, err)
	}
	must(t, x.Close())
	_, err = x.WriteTo(io.Discard)
	fails(t, err, "is closed")
	odd, err := cutile.ReadTensor[bool](dev, io.MultiReader(file(npy.Header{Type: npy.Bool, Shape: []int{3}}, 0), strings.NewReader("\x00\x01\xfe")))
	must(t, err)
	holds(t, "bytes that are no booleans of Go", odd, "[false true true]")
}

// failing takes some bytes and then fails.
type failing struct {
	n   int
	err error
}

func (f failing) Write(p []byte) (int, error) { return min(len(p), f.n), f.err }

// TestFileNumPy has NumPy read what tensors write, and write what they read.
func TestFileNumPy(t *testing.T) {
	python := testenv.Oracle(t)
	dev := open(t)
	dir := t.TempDir()
	x := ramp(t, dev, 3, 4)
	half, err := cutile.FromSlice(dev, dtype.Floats[dtype.BFloat16]([]float32{1.5, -2, 0.1}))
	must(t, err)
	var npz stdbytes.Buffer
	w := npy.NewArchiveWriter(&npz)
	w.Compress()
	for name, tensor := range map[string]io.WriterTo{"x": x, "xt": x.T(), "middle": x.Narrow(1, 1, 3), "half": half} {
		f, err := w.Create(name)
		must(t, err)
		_, err = tensor.WriteTo(f)
		must(t, err)
	}
	must(t, w.Close())
	must(t, os.WriteFile(filepath.Join(dir, "ours.npz"), npz.Bytes(), 0o666))
	cmd := exec.Command(python, "-c", `
import sys, numpy as np, ml_dtypes
a = np.load("ours.npz")
x = np.arange(1, 13, dtype=np.float32).reshape(3, 4)
assert (a["x"] == x).all() and (a["xt"] == x.T).all() and (a["middle"] == x[:, 1:3]).all()
assert a["xt"].flags.f_contiguous and a["x"].dtype == np.float32
assert (a["half"].view(ml_dtypes.bfloat16) == np.array([1.5, -2, 0.1], ml_dtypes.bfloat16)).all()
np.savez_compressed("theirs.npz", c=x, f=np.asfortranarray(x), big=x.astype(">f4"), half=a["half"])
np.savez("stored.npz", x)
`)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for file, arrays := range map[string][]string{"theirs.npz": {"c", "f", "big"}, "stored.npz": {"arr_0"}} {
		data, err := os.ReadFile(filepath.Join(dir, file))
		must(t, err)
		a, err := npy.OpenArchive(stdbytes.NewReader(data), int64(len(data)))
		must(t, err)
		for _, name := range arrays {
			f, err := a.Open(name)
			must(t, err)
			got, err := cutile.ReadTensor[float32](dev, f)
			must(t, err)
			holds(t, name, got, "[1 2 3 4 5 6 7 8 9 10 11 12]")
			if want := fmt.Sprint([]int{3, 4}); fmt.Sprint(got.Shape()) != want {
				t.Errorf("%s has shape %v", name, got.Shape())
			}
		}
	}
}
