package cutile_test

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tile"
)

// TestWrap: kernels and transfers use the elements of a slice in place, at every alignment, and none beside them.
func TestWrap(t *testing.T) {
	dev := open(t)
	const n, guard = 100, -7
	for skew := range 20 {
		whole := slices.Repeat([]float32{guard}, n+40)
		data := whole[skew : skew+n]
		z, err := cutile.Wrap(dev, data)
		must(t, err)
		x := ramp(t, dev, n)
		must(t, cutile.Launch(t.Context(), dev, add[tile.D16], x, x, z))
		must(t, dev.Sync(t.Context()))
		for i, v := range whole {
			want := float32(guard)
			if skew <= i && i < skew+n {
				want = 2 * float32(i-skew+1)
			}
			if v != want {
				t.Fatalf("skew %d: element %d is %v, want %v", skew, i, v, want)
			}
		}
		data[3] = 1000 // the program's turn
		must(t, cutile.Launch(t.Context(), dev, add[tile.D16], z, z, x))
		if got, err := x.Slice(); err != nil || got[3] != 2000 || got[4] != 20 {
			t.Errorf("skew %d: got %v, %v", skew, got[:5], err)
		}
		must(t, z.Close())
	}
}

// TestWrapViews: what else is done with tensors works on memory of the program.
func TestWrapViews(t *testing.T) {
	dev := open(t)
	data := []int32{1, 2, 3, 4, 5, 6}
	x, err := cutile.Wrap(dev, data, 2, 3)
	must(t, err)
	holds(t, "transposed", x.T(), "[1 4 2 5 3 6]")
	must(t, x.Narrow(1, 1, 2).Fill(t.Context(), -1))
	must(t, x.Select(0, 1).Write(t.Context(), []int32{7, 8, 9}))
	if want := []int32{1, -1, 3, 7, 8, 9}; !slices.Equal(data, want) {
		t.Errorf("got %v, want %v", data, want)
	}
	y := zeros[int32](t, dev, 2, 3)
	must(t, y.Copy(t.Context(), x))
	holds(t, "copied", y, "[1 -1 3 7 8 9]")
	must(t, x.Close())
	if data[5] != 9 {
		t.Error("the elements are gone with the tensor")
	}
	empty, err := cutile.Wrap(dev, []int8(nil), 0, 4)
	must(t, err)
	holds(t, "empty", empty, "[]")
}

// TestWrapElements: every element type.
func TestWrapElements(t *testing.T) {
	dev := open(t)
	wraps(t, dev, []bool{true, false}, false)
	wraps(t, dev, []int8{1, 2}, -128)
	wraps(t, dev, []uint16{1, 2}, 65535)
	wraps(t, dev, []int64{1, 2}, math.MinInt64)
	wraps(t, dev, []float64{1, 2}, math.Inf(1))
	wraps(t, dev, []dtype.Float16{1, 2}, 0x7c00)
	wraps(t, dev, []dtype.BFloat16{1, 2}, 3)
	wraps(t, dev, []dtype.TensorFloat32{1, 2}, 0x3f000000)
	wraps(t, dev, []dtype.Float8E4M3FN{1, 2}, 4)
}

func wraps[E dtype.Elem](t *testing.T, dev *cutile.Device, data []E, v E) {
	t.Helper()
	x, err := cutile.Wrap(dev, data)
	must(t, err)
	must(t, x.Narrow(0, 1, 2).Fill(t.Context(), v))
	if fmt.Sprint(data[1]) != fmt.Sprint(v) {
		t.Errorf("%T: got %v, want %v", v, data, v)
	}
}

// TestWrapTwice: memory belongs to one tensor at a time, on all devices together.
func TestWrapTwice(t *testing.T) {
	dev, other := open(t), open(t)
	data := make([]float32, 64)
	x, err := cutile.Wrap(dev, data[16:32])
	must(t, err)
	for _, part := range [][]float32{data, data[16:32], data[:17], data[31:], data[20:21]} {
		for _, d := range []*cutile.Device{dev, other} {
			_, err := cutile.Wrap(d, part)
			fails(t, err, "a part of this memory is wrapped by a tensor already: close that one first")
		}
	}
	for _, part := range [][]float32{data[:16], data[32:]} {
		y, err := cutile.Wrap(other, part)
		must(t, err)
		must(t, y.Close())
	}
	must(t, x.Close())
	x, err = cutile.Wrap(dev, data[10:40])
	must(t, err)
	fails(t, cutile.Launch(t.Context(), other, add[tile.D16], x, x, x), "argument #1 (x) to be on device cpu, but it is on another one")
	must(t, dev.Close())
	y, err := cutile.Wrap(other, data)
	must(t, err)
	must(t, y.Close())
}

// TestWrapDropped: a tensor that nothing refers to is in nobody's way.
func TestWrapDropped(t *testing.T) {
	dev := open(t)
	data := make([]float32, 64)
	func() {
		x, err := cutile.Wrap(dev, data)
		must(t, err)
		must(t, cutile.Launch(t.Context(), dev, add[tile.D16], x, x, zeros[float32](t, dev, 64)))
	}()
	for range 100 {
		if x, err := cutile.Wrap(dev, data); err == nil {
			must(t, x.Close())
			return
		}
		runtime.Gosched()
	}
	t.Error("the memory is not free")
}

// TestWrapRefused: what Wrap does not take is an error before anything is wrapped.
func TestWrapRefused(t *testing.T) {
	dev := open(t)
	data := make([]float32, 6)
	_, err := cutile.Wrap(dev, data, 2, 4)
	fails(t, err, "cutile: shape [2 4] has 8 elements, but the slice has 6")
	_, err = cutile.Wrap(dev, data, -1)
	fails(t, err, "cutile: tensor of float32: ")
	_, err = cutile.Wrap(nil, data)
	fails(t, err, "cutile: tensor of float32: the device is nil")

	restore := engine.Register(engine.Kind{Name: "apart", List: func() ([]string, error) { return []string{"apart"}, nil },
		Open: func(int, engine.Options) (engine.Device, error) { return apart{cpu.New(cpu.Options{})}, nil }})
	defer restore()
	elsewhere, err := cutile.Open("apart")
	must(t, err)
	defer elsewhere.Close()
	_, err = cutile.Wrap(elsewhere, data)
	fails(t, err, "apart has memory of its own, in which memory of the program cannot be used: copy it with FromSlice")

	x, err := cutile.Wrap(dev, data)
	must(t, err)
	must(t, x.Close())
	closed := open(t)
	must(t, closed.Close())
	if _, err := cutile.Wrap(closed, data); err == nil {
		t.Error("a device that is closed wraps memory")
	}
}

// apart is an engine with memory of its own.
type apart struct{ engine.Device }

func (apart) Name() string { return "apart" }
