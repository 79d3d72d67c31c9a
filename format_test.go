package cutile_test

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/tile"
)

// printed is an array and what NumPy prints for it, as testdata/printed/printed.py writes them.
type printed struct {
	Type      string
	Shape     []int
	Precision int
	View      string
	Data      *string
	Text      string
}

// TestFormatNumPy compares what %v prints with what NumPy prints, but for the words nan, inf and True and for the dots.
func TestFormatNumPy(t *testing.T) { onEach(t, testFormatNumPy) }

func testFormatNumPy(t *testing.T, dev *cutile.Device) {
	f, err := os.Open("testdata/printed/printed.jsonl")
	must(t, err)
	defer f.Close()
	print := map[string]func(*testing.T, *cutile.Device, printed) string{
		"bool": printTensor[bool], "int8": printTensor[int8], "uint8": printTensor[uint8], "int16": printTensor[int16],
		"int32": printTensor[int32], "int64": printTensor[int64], "uint64": printTensor[uint64],
		"float16": printTensor[dtype.Float16], "float32": printTensor[float32], "float64": printTensor[float64],
	}
	words := strings.NewReplacer("nan", "NaN", "inf", "Inf", "...", "…", " True", " true", "[ True", "[ true", "False", "false")
	lines := 0
	for r := bufio.NewScanner(f); r.Scan(); lines++ {
		var p printed
		must(t, json.Unmarshal(r.Bytes(), &p))
		got := print[p.Type](t, dev, p)
		if want := words.Replace(p.Text); got != want {
			t.Errorf("%s of shape %v, %s, precision %d:\n%s\nwant\n%s", p.Type, p.Shape, p.View, p.Precision, got, want)
		}
	}
	if lines < 90 {
		t.Errorf("%d cases", lines)
	}
}

func printTensor[E dtype.Elem](t *testing.T, dev *cutile.Device, p printed) string {
	t.Helper()
	x := zeros[E](t, dev, p.Shape...)
	data := make([]E, x.Len())
	if p.Data != nil {
		bytes, err := hex.DecodeString(*p.Data)
		must(t, err)
		copy(data, unsafe.Slice((*E)(unsafe.Pointer(unsafe.SliceData(append(bytes, 0)))), len(data)))
	} else {
		for i := range data {
			switch e := any(&data[i]).(type) {
			case *int16:
				*e = int16(i)
			case *int32:
				*e = int32(i)
			case *int64:
				*e = int64(i)
			case *float32:
				*e = float32(i)
			case *float64:
				*e = float64(i)
			default:
				t.Fatalf("no indices of %T", data)
			}
		}
	}
	must(t, x.Write(t.Context(), data))
	if p.View == "T" {
		x = x.T()
	}
	if p.Precision != 8 {
		return fmt.Sprintf("%.*v", p.Precision, x)
	}
	return fmt.Sprint(x)
}

// TestFormat: verbs, flags, views, and the types that NumPy lacks.
func TestFormat(t *testing.T) {
	dev := open(t)
	x := ramp(t, dev, 2, 3)
	half, err := cutile.FromSlice(dev, []dtype.BFloat16{0x3fc0, 0xbdcd, 0x7f80})
	must(t, err)
	eight, err := cutile.FromSlice(dev, []dtype.Float8E4M3FN{0x38, 0x7e, 0x01})
	must(t, err)
	ints, err := cutile.FromSlice(dev, []int32{-1, 10, 255})
	must(t, err)
	bools, err := cutile.FromSlice(dev, []bool{true, false})
	must(t, err)
	scalar := zeros[float32](t, dev)
	must(t, scalar.Fill(t.Context(), 2.5))
	for _, c := range []struct {
		format string
		x      any
		want   string
	}{
		{"%v", x, "[[1. 2. 3.]\n [4. 5. 6.]]"},
		{"%+v", x, "Tensor[float32] of shape [2 3] on cpu\n[[1. 2. 3.]\n [4. 5. 6.]]"},
		{"%s", x, "Tensor[float32] of shape [2 3] on cpu"},
		{"%q", x.T(), `"Tensor[float32] of shape [3 2] on cpu"`},
		{"%.2f", x, "[[1.00 2.00 3.00]\n [4.00 5.00 6.00]]"},
		{"%6.2f", x.Narrow(1, 1, 3), "[[  2.00   3.00]\n [  5.00   6.00]]"},
		{"%5v", x.Select(0, 1), "[   4.    5.    6.]"},
		{"%-5v|", x.Select(0, 1), "[4.    5.    6.   ]|"},
		{"%+.1e", x.Select(1, 0), "[+1.0e+00 +4.0e+00]"},
		{"%v", x.Narrow(0, 1, 1), "[]"},
		{"%v", x.Select(0, 0).Broadcast(2, 3), "[[1. 2. 3.]\n [1. 2. 3.]]"},
		{"%v", half, "[ 1.5 -0.1  Inf]"},
		{"%.3g", half, "[ 1.5 -0.1 +Inf]"},
		{"%v", eight, "[1.0e+00 4.5e+02 2.0e-03]"},
		{"%.1f", eight, "[  1.0 448.0   0.0]"},
		{"%v", ints, "[ -1  10 255]"},
		{"%04d", ints, "[-001 0010 0255]"},
		{"%x", ints, "[-1  a ff]"},
		{"%f", ints.Narrow(0, 0, 1), "[%!f(int32=-1)]"},
		{"%v", bools, "[ true false]"},
		{"%t", bools, "[ true false]"},
		{"%v", scalar, "2.5"},
		{"%.3f", scalar, "2.500"},
		{"%v", x.Narrow(0, 5, 6), "<error: cutile: Narrow of Tensor[float32]: range [5, 6) is not within axis 0 of shape [2 3]>"},
		{"%v", (*cutile.Tensor[int8])(nil), "<nil>"},
		{"%v", new(cutile.Tensor[int8]), "<error: cutile: the tensor was not made by NewTensor or FromSlice>"},
	} {
		if got := fmt.Sprintf(c.format, c.x); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.format, got, c.want)
		}
	}
	must(t, x.Close())
	if got := fmt.Sprint(x); got != "<error: cutile: Tensor[float32] of shape [2 3] on cpu is closed>" {
		t.Errorf("a closed tensor is %s", got)
	}
}

// TestFormatFailed: the error of the kernel that was to make the elements is printed in their place.
func TestFormatFailed(t *testing.T) {
	dev := open(t)
	x, err := cutile.FromSlice(dev, []float32{-1, 1})
	must(t, err)
	z := zeros[float32](t, dev, 2)
	must(t, cutile.Launch(t.Context(), dev, positive[tile.D2], x, z))
	if got := fmt.Sprint(z); !strings.HasPrefix(got, "<error: ") || !strings.Contains(got, "x must not be negative") {
		t.Errorf("got %s", got)
	}
}

// TestFormatReads counts the bytes that leave a device whose memory the program cannot address.
func TestFormatReads(t *testing.T) {
	drv := fake.New(fake.Options{})
	t.Cleanup(engine.Register(cuda.Kind(cuda.Options{Driver: drv, Assembler: assembler{}})))
	dev, err := cutile.Open("cuda")
	must(t, err)
	defer dev.Close()
	x := zeros[float32](t, dev, 200, 200, 200)
	for name, x := range map[string]*cutile.Tensor[float32]{"whole": x, "transposed": x.T(), "permuted": x.Permute(2, 0, 1), "narrowed": x.Narrow(2, 5, 90)} {
		drv.ResetTrace()
		text := fmt.Sprint(x)
		read := 0
		for _, c := range drv.Trace() {
			if strings.HasPrefix(c.Name, "cuMemcpyDtoH") {
				read += c.Args[1].(int)
			}
		}
		if n := 6 * 6 * 6 * 4; read < n || read > 6*6*(n/36+4096+1024) {
			t.Errorf("%s: %d bytes are read for %d bytes of shown elements", name, read, n)
		}
		if strings.Count(text, "0.") != 216 || strings.Count(text, "…") != 36+6+1 {
			t.Errorf("%s: %s", name, text)
		}
	}
}
