//go:build linux && (amd64 || arm64)

package interop_test

import (
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/driver/shlib"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/interop"
)

// peer is the C library of the tests.
type peer struct{ handle uintptr }

func load(t *testing.T) peer {
	t.Helper()
	lib := filepath.Join(t.TempDir(), "libpeer.so")
	if out, err := exec.Command(testenv.CC(t), "-shared", "-fPIC", "-o", lib, "testdata/peer.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	h, err := shlib.Open(lib)
	must(t, err)
	return peer{h}
}

func (p peer) call(name string, args ...uintptr) uintptr {
	return shlib.Call(shlib.Symbol(p.handle, name), args...)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T) *cutile.Device {
	t.Helper()
	dev, err := cutile.Open("cpu")
	must(t, err)
	t.Cleanup(func() { dev.Close() })
	return dev
}

// within waits until something holds.
func within(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s did not happen", what)
		}
	}
}

// TestImport: tensors of a C library are used in place, with strides and offsets, and given back once.
func TestImport(t *testing.T) {
	p, dev := load(t), open(t)
	for i, c := range []struct {
		give   func() uintptr
		in     func(*cutile.Device, uintptr) (device.AnyTensor, error)
		want   []float32
		stride int
		adds   uintptr
	}{
		{func() uintptr { return p.call("give", 2, 3, 5, 0, 2, 32, 1, 1) }, interop.Import, []float32{2, 3, 4, 7, 8, 9}, 5, 1},
		{func() uintptr { return p.call("give", 3, 2, 0, 0, 2, 32, 1, 1) }, interop.Import, []float32{2, 3, 4, 5, 6, 7}, 2, 1},
		{func() uintptr { return p.call("give_old", 2, 2, 3) }, interop.ImportOld, []float32{2, 3, 5, 6}, 3, 10},
		{func() uintptr { return p.call("give", 0, 2, 3, 0, 2, 32, 1, 1) }, interop.Import, []float32{}, 2, 1},
	} {
		before := p.call("deletions")
		any, err := c.in(dev, c.give())
		must(t, err)
		x := any.(*cutile.Tensor[float32])
		if got, err := x.Slice(); err != nil || !slices.Equal(got, c.want) || x.Strides()[0] != c.stride {
			t.Errorf("%d: %v with strides %v, %v", i, got, x.Strides(), err)
		}
		must(t, x.Fill(t.Context(), 50))
		must(t, dev.Sync(t.Context()))
		must(t, x.Close())
		within(t, "the deletion", func() bool { return p.call("deletions") == before+c.adds })
	}
	any, err := interop.Import(dev, p.call("give", 2, 2, 0, 1, 2, 32, 1, 1)) // read-only
	must(t, err)
	if err := any.(*cutile.Tensor[float32]).Fill(t.Context(), 1); !errors.Is(err, cutile.ErrFrozen) {
		t.Errorf("writing memory that is read-only gives %v", err)
	}
	before := p.call("deletions")
	must(t, dev.Close()) // gives back what was left open
	within(t, "the deletion", func() bool { return p.call("deletions") == before+1 })
}

// TestImportMistakes: what cannot be a tensor of the device is an error, and stays with its owner.
func TestImportMistakes(t *testing.T) {
	p, dev := load(t), open(t)
	give := func(args ...uintptr) func() (device.AnyTensor, error) {
		return func() (device.AnyTensor, error) { return interop.Import(dev, p.call("give", args...)) }
	}
	minus := ^uintptr(0)
	for want, in := range map[string]func() (device.AnyTensor, error){
		"of DLPack 2.2, but 1.x was expected":                           give(2, 2, 0, 0, 2, 32, 1, 2),
		"code 5, 64 bits and 1 lanes: no tensors have such elements":    give(2, 2, 0, 0, 5, 64, 1, 1),
		"its memory is of a cuda, but the device is cpu":                give(2, 2, 0, 0, 2, 32, 2, 1),
		"DLPack's kind 7: only that of CPUs (1, 3) and of CUDA (2, 13)": give(2, 2, 0, 0, 2, 32, 7, 1),
		"shape [-1 2]: the extent of axis 0 is negative":                give(minus, 2, 0, 0, 2, 32, 1, 1),
		"strides [-1 1]: that of axis 0 is negative":                    give(2, 2, minus, 0, 2, 32, 1, 1),
		"spans more than 2^60 elements":                                 give(1<<40, 2, 1<<40, 0, 2, 32, 1, 1),
		"the address of the DLPack tensor is 0":                         func() (device.AnyTensor, error) { return interop.Import(dev, 0) },
		"which 8 does not divide":                                       func() (device.AnyTensor, error) { return interop.ImportOld(dev, 12) },
		"the device is nil":                                             func() (device.AnyTensor, error) { return interop.Import(nil, 8) },
	} {
		if x, err := in(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, %v, want %s", x, err, want)
		}
	}
	first, err := give(2, 2, 0, 0, 2, 32, 1, 1)()
	must(t, err)
	if _, err := give(2, 2, 0, 0, 2, 32, 1, 1)(); err == nil || !strings.Contains(err.Error(), "close that one first") {
		t.Errorf("memory of two tensors: %v", err)
	}
	if n := p.call("deletions"); n != 0 {
		t.Errorf("%d were deleted", n)
	}
	must(t, first.Close())
}

// TestExport: a C library reads and writes a tensor in place, with the strides of a view, and tells when it is done.
func TestExport(t *testing.T) {
	p, dev := load(t), open(t)
	x, err := cutile.Arange(dev, float32(0), 12, 1)
	must(t, err)
	m := x.Reshape(3, 4)
	for i, c := range []struct {
		view *cutile.Tensor[float32]
		sum  uintptr
	}{{m, 66}, {m.T().Narrow(0, 1, 3), 2 * (1 + 5 + 9 + 2 + 6 + 10)}, {m.Select(0, 2), 2*8 + 4*9 + 4*10 + 2*11}, {m.Narrow(0, 1, 1), 0}} {
		for name, out := range map[string]func(context.Context, device.AnyTensor, func()) (uintptr, error){"take": interop.Export, "take_old": interop.ExportOld} {
			if name == "take_old" && i > 0 {
				continue // every turn doubles what it takes
			}
			if name == "take_old" {
				c.sum = 0
				all, err := c.view.Slice()
				must(t, err)
				for _, v := range all {
					c.sum += uintptr(v)
				}
			}
			done := make(chan bool)
			at, err := out(t.Context(), c.view, func() { close(done) })
			must(t, err)
			all, err := c.view.Slice()
			must(t, err)
			c.sum = 0
			for _, v := range all {
				c.sum += uintptr(v)
			}
			if got := p.call(name, at); got != c.sum {
				t.Errorf("%d: %s gives %d, want %d", i, name, int64(got), c.sum)
			}
			<-done
			doubled, err := c.view.Slice()
			must(t, err)
			for j := range all {
				if doubled[j] != 2*all[j] {
					t.Errorf("%d: element %d is %v, want %v", i, j, doubled[j], 2*all[j])
				}
			}
		}
	}
	must(t, x.Freeze(t.Context()))
	at, err := interop.Export(t.Context(), x, nil)
	must(t, err)
	before, _ := x.Slice()
	p.call("take", at)
	if after, _ := x.Slice(); !slices.Equal(before, after) {
		t.Error("a frozen tensor was not read-only")
	}
	if _, err := interop.ExportOld(t.Context(), x, nil); err == nil || !strings.Contains(err.Error(), "use Export") {
		t.Errorf("a frozen tensor for an old consumer: %v", err)
	}
	y, err := cutile.NewTensor[dtype.TensorFloat32](dev, 4)
	must(t, err)
	if _, err := interop.Export(t.Context(), y, nil); err == nil || !strings.Contains(err.Error(), "DLPack has no elements of") {
		t.Errorf("elements that DLPack lacks: %v", err)
	}
	y.Close()
	if _, err := interop.Export(t.Context(), y, nil); !errors.Is(err, cutile.ErrClosed) {
		t.Errorf("a closed tensor: %v", err)
	}
}

// TestRoundTrip: every element type that DLPack has comes back as it went, by way of its own export.
func TestRoundTrip(t *testing.T) {
	dev, other := open(t), open(t)
	for _, typ := range dtype.Types() {
		x := tensorOf(t, dev, typ)
		at, err := interop.Export(t.Context(), x, nil)
		if err != nil {
			if typ != dtype.TF32 && typ != dtype.F8E5M3FNU {
				t.Errorf("%v: %v", typ, err)
			}
			continue
		}
		y, err := interop.Import(other, at)
		must(t, err)
		if y.DType() != typ || !slices.Equal(y.Shape(), []int{2, 3}) || y.String() != x.String() {
			t.Errorf("%v came back as %v of %v: %v", typ, y.DType(), y.Shape(), y)
		}
		must(t, y.Close())
	}
}

// TestImportOffset: a byte_offset that leads beyond the end of the address space is an error, and leaves the tensor with the caller.
func TestImportOffset(t *testing.T) {
	dev, other := open(t), open(t)
	x := tensorOf(t, dev, dtype.F32)
	at, err := interop.Export(t.Context(), x, nil)
	must(t, err)
	const byteOffset = 32 + 40 // in a DLManagedTensorVersioned
	field := at + byteOffset
	offset := *(**uint64)(unsafe.Pointer(&field))
	was := *offset
	for _, wrong := range []uint64{1<<64 - 4, 1<<64 - 1} {
		*offset = wrong
		if _, err := interop.Import(other, at); err == nil || !strings.Contains(err.Error(), "beyond the end of the address space") {
			t.Errorf("the offset %d gives %v", wrong, err)
		}
	}
	*offset = was
	y, err := interop.Import(other, at)
	must(t, err)
	must(t, y.Close())
}

// TestCUDA: memory of a GPU is imported by its address, of the right device alone, and its facts are those of the CUDA array interface.
func TestCUDA(t *testing.T) {
	drv := fake.New(fake.Options{Devices: []fake.Device{{Name: "a", Major: 9, Memory: 1 << 20}, {Name: "b", Major: 9, Memory: 1 << 20}}})
	t.Cleanup(engine.Register(cuda.Kind(cuda.Options{Driver: drv})))
	a, err := cutile.Open("cuda:0")
	must(t, err)
	defer a.Close()
	b, err := cutile.Open("cuda:1")
	must(t, err)
	defer b.Close()
	x, err := cutile.FromSlice(a, []float32{1, 2, 3, 4, 5, 6}, 2, 3)
	must(t, err)
	at, err := interop.Export(t.Context(), x.T(), nil)
	must(t, err)
	if _, err := interop.Import(b, at); err == nil || !strings.Contains(err.Error(), "its memory is of cuda:0, but the device is cuda:1") {
		t.Errorf("importing it on another GPU gives %v", err)
	}
	y, err := interop.Import(a, at)
	must(t, err)
	if got, err := y.(*cutile.Tensor[float32]).Slice(); err != nil || !slices.Equal(got, []float32{1, 4, 2, 5, 3, 6}) {
		t.Errorf("it is %v, %v", got, err)
	}
	must(t, y.Close())
	f, err := device.Share(t.Context(), x)
	must(t, err)
	for want, f := range map[string]device.Foreign{
		"the driver knows no memory at 0x1000": {Address: 4096, Type: dtype.F32, Shape: []int{4}},
		"give one that 4 divides":              {Address: f.Address + 2, Type: dtype.F32, Shape: []int{4}},
	} {
		if _, err := device.FromForeign(a, f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := device.FromForeign(b, f); err == nil || !strings.Contains(err.Error(), "is of cuda:0") {
		t.Errorf("memory of another GPU: %v", err)
	}
	facts, err := interop.CUDAArrayOf(t.Context(), x.T())
	must(t, err)
	facts.Data[0] = 77
	text, err := json.Marshal(facts)
	must(t, err)
	if want := `{"shape":[3,2],"typestr":"\u003cf4","data":[77,false],"strides":[4,12],"version":3,"stream":null}`; string(text) != want {
		t.Errorf("the facts are %s, want %s", text, want)
	}
	if _, err := interop.CUDAArrayOf(t.Context(), tensorOf(t, open(t), dtype.F32)); err == nil || !strings.Contains(err.Error(), "is on cpu") {
		t.Errorf("the facts of a tensor on the CPU: %v", err)
	}
}

// tensorOf makes a tensor of 2 by 3 elements of a type, with other bits in each.
func tensorOf(t *testing.T, dev *cutile.Device, typ dtype.Type) device.AnyTensor {
	t.Helper()
	raw := make([]byte, 6*typ.Size()+64)
	for i := range raw {
		raw[i] = byte(i%2) * byte(i/typ.Size()%6) // no NaN, and no number that is not finite
	}
	at := (64 - uintptr(addressOf(raw))%64) % 64
	columns, err := device.FromForeign(dev, device.Foreign{Address: addressOf(raw) + at, Type: typ, Shape: []int{2, 3}, Strides: []int{1, 2}})
	must(t, err)
	x, err := device.Contiguous(columns) // a copy
	must(t, err)
	must(t, columns.Close())
	runtime.KeepAlive(raw)
	return x
}

func addressOf(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }
