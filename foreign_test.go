package cutile_test

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/testing/simttest"
	"github.com/cutile-go/cutile/tile"
)

// TestForeign: kernels work in place on memory that a tensor of another device shares, with strides, and the owner is told once when nothing uses
// it any more.
func TestForeign(t *testing.T) {
	dev, owner := open(t), open(t)
	ctx := t.Context()
	x := ramp(t, owner, 4, 16)
	f, err := cutile.Share(ctx, x.Narrow(0, 1, 3))
	must(t, err)
	var released atomic.Int32
	f.Release = func() { released.Add(1) }
	any, err := cutile.FromForeign(dev, f)
	must(t, err)
	y := any.(*cutile.Tensor[float32])
	if _, err := cutile.FromForeign(dev, f); err == nil || !strings.Contains(err.Error(), "close that one first") {
		t.Errorf("the same memory twice: %v", err)
	}
	z := zeros[float32](t, dev, 2, 16)
	must(t, cutile.Launch(ctx, dev.Grid(2), double[tile.D16], y.Flatten()))
	must(t, cutile.Launch(ctx, dev, addMatrix[tile.D2, tile.D16], y, y, z))
	must(t, y.Close()) // while work may use it
	must(t, dev.Sync(ctx))
	waitFor(t, "the release", func() bool { return released.Load() == 1 })
	if got, err := x.Slice(); err != nil || got[15] != 16 || got[16] != 34 || got[47] != 96 || got[48] != 49 {
		t.Errorf("x is %v, %v", got, err)
	}
	if got, err := z.Slice(); err != nil || got[0] != 68 {
		t.Errorf("z is %v, %v", got, err)
	}
	f.ReadOnly = true
	any, err = cutile.FromForeign(dev, f) // is dropped with its device
	must(t, err)
	if err := cutile.Launch(ctx, dev.Grid(2), double[tile.D16], any.(*cutile.Tensor[float32]).Flatten()); !errors.Is(err, cutile.ErrFrozen) {
		t.Errorf("a kernel that writes memory that is read-only: %v", err)
	}
	again, err := cutile.Share(ctx, any)
	if err != nil || !again.ReadOnly || again.Address != f.Address || !slices.Equal(again.Shape, []int{2, 16}) || again.Type != dtype.F32 {
		t.Errorf("shared again: %+v, %v", again, err)
	}
	must(t, dev.Close())
	waitFor(t, "the second release", func() bool { return released.Load() == 2 })
}

// TestForeignDropped: memory of a tensor that nobody closes goes back to its owner, too.
func TestForeignDropped(t *testing.T) {
	dev, owner := open(t), open(t)
	f, err := cutile.Share(t.Context(), ramp(t, owner, 16))
	must(t, err)
	var released atomic.Bool
	f.Release = func() { released.Store(true) }
	_, err = cutile.FromForeign(dev, f)
	must(t, err)
	waitFor(t, "the release", func() bool {
		runtime.GC()
		return released.Load()
	})
}

// TestForeignReleasedBehindWork: memory that is closed while kernels use it goes back when they have ended, without another call of the device. So
// does memory that a graph kept, and that of a stream that is closed.
func TestForeignReleasedBehindWork(t *testing.T) {
	onForeignDevices(t, func(t *testing.T, dev, owner *cutile.Device) {
		ctx := t.Context()
		other, err := dev.NewStream()
		must(t, err)
		before := dev.Stats().Tensors
		for name, use := range map[string]func(y *cutile.Tensor[float32]) error{
			"launch": func(y *cutile.Tensor[float32]) error { return cutile.Launch(ctx, dev.Grid(1), slow, y, 200_000) },
			"two streams": func(y *cutile.Tensor[float32]) error {
				z, err := cutile.NewTensor[float32](dev, 16)
				if err != nil {
					return err
				}
				defer z.Close()
				return errors.Join(cutile.Launch(ctx, dev, add[tile.D16], y, y, z), cutile.Launch(ctx, other.Grid(1), slow, y, 200_000))
			},
			"graph": func(y *cutile.Tensor[float32]) error {
				g, err := other.Capture(func() error { return cutile.Launch(ctx, other.Grid(1), slow, y, 200_000) })
				if err != nil {
					return err
				}
				return errors.Join(g.Replay(dev.Stream()), y.Close(), g.Close())
			},
			"stream": func(y *cutile.Tensor[float32]) error {
				s, err := dev.NewStream()
				if err != nil {
					return err
				}
				err = cutile.Launch(ctx, s.Grid(1), slow, y, 200_000)
				go s.Close()
				return err
			},
		} {
			x := ramp(t, owner, 16)
			f, err := cutile.Share(ctx, x)
			must(t, err)
			var released atomic.Int32
			f.Release = func() { released.Add(1) }
			y, err := cutile.FromForeign(dev, f)
			must(t, err)
			must(t, use(y.(*cutile.Tensor[float32])))
			must(t, y.Close())
			waitFor(t, name+": the release", func() bool { return released.Load() == 1 })
			if owner != dev {
				waitFor(t, name+": the end of the tensor", func() bool { return dev.Stats().Tensors <= before })
			}
			must(t, x.Close())
		}
		must(t, dev.Sync(ctx))
	})
}

// TestForeignOverlap: strides by which two indices name one element can be read, and not written by kernels, transfers or copies; strides that
// interleave without that can be written.
func TestForeignOverlap(t *testing.T) {
	dev, owner := open(t), open(t)
	ctx := t.Context()
	x := ramp(t, owner, 64)
	f, err := cutile.Share(ctx, x)
	must(t, err)
	for _, c := range []struct {
		strides []int
		fine    bool
	}{{[]int{1, 1}, false}, {[]int{8, 3}, true}, {[]int{6, 3}, false}, {[]int{1, 2}, true}, {[]int{3, 2}, true}, {[]int{5, 2}, true}, {[]int{2, 2}, false}, {[]int{0, 1}, false}} {
		f.Shape, f.Strides = []int{2, 4}, c.strides
		if c.strides[1] == 2 && c.strides[0] < 4 {
			f.Shape = []int{2, 2}
		}
		any, err := cutile.FromForeign(dev, f)
		must(t, err)
		y := any.(*cutile.Tensor[float32])
		plain := zeros[float32](t, dev, f.Shape...)
		before, err := y.Slice()
		must(t, err)
		must(t, plain.Copy(ctx, y))
		for what, err := range map[string]error{
			"Copy":   y.Copy(ctx, plain),
			"Write":  y.Write(ctx, before),
			"Fill":   y.Fill(ctx, before[0]),
			"Launch": cutile.Launch(ctx, dev, addMatrix[tile.D2, tile.D2], plain, plain, y),
		} {
			if (err == nil) != c.fine || err != nil && !strings.Contains(err.Error(), "two of its indices are one element") {
				t.Errorf("%s with shape %v and strides %v gives %v", what, f.Shape, f.Strides, err)
			}
		}
		must(t, dev.Sync(ctx))
		must(t, y.Close())
	}
}

// onForeignDevices runs a test on the devices that take memory of others, with one that has such memory.
func onForeignDevices(t *testing.T, test func(t *testing.T, dev, owner *cutile.Device)) {
	t.Run("cpu", func(t *testing.T) {
		t.Setenv("CUTILE_CHECKS", "off")
		test(t, open(t), open(t))
	})
	t.Run("cuda", func(t *testing.T) {
		ptxGPU(t, &simttest.GPU{Device: fake.Device{Major: 9}, CUDA: 13040})
		dev, err := cutile.Open("cuda")
		must(t, err)
		defer dev.Close()
		test(t, dev, dev)
	})
}

func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s did not happen", what)
		}
	}
}

// TestForeignMistakes: what cannot be a tensor is an error, and the owner is not told.
func TestForeignMistakes(t *testing.T) {
	dev, gpu := open(t), fakeGPU(t, fake.Options{})
	raw := make([]float64, 64)
	at := uintptr(unsafe.Pointer(&raw[0]))
	for address, shape := range map[uintptr][]int{^uintptr(0) - 3: {4}, ^uintptr(0) - 15: {4}, ^uintptr(0) - 7: {2}, 1 << 63: {1 << 59, 2}, 4: {1 << 60}} {
		f := cutile.Foreign{Address: address, Type: dtype.F32, Shape: shape, Release: func() { t.Error("the owner was told") }}
		for _, strides := range [][]int{nil, make([]int, len(shape))} {
			if f.Strides = strides; strides != nil {
				f.Shape, f.Strides = []int{2}, []int{shape[0]<<1 - 1}
			}
			for _, dev := range []*cutile.Device{dev, gpu} {
				if _, err := cutile.FromForeign(dev, f); err == nil {
					t.Errorf("%d elements at %#x are no mistake", shape, address)
				}
			}
		}
	}
	for want, f := range map[string]cutile.Foreign{
		"beyond the end of the address space": {Address: ^uintptr(0) - 3, Type: dtype.F32, Shape: []int{4}},
		"spans 1152921504606846976 elements":  {Address: 8, Type: dtype.I64, Shape: []int{2}, Strides: []int{1<<60 - 1}},
		"the extent of axis 1 is negative":    {Address: at, Type: dtype.F32, Shape: []int{2, -1}},
		"has 1 axes, but there are 2 strides": {Address: at, Type: dtype.F32, Shape: []int{2}, Strides: []int{1, 1}},
		"that of axis 0 is negative":          {Address: at, Type: dtype.F32, Shape: []int{2}, Strides: []int{-1}},
		"spans more than 2^60 elements":       {Address: at, Type: dtype.F32, Shape: []int{3}, Strides: []int{1 << 59}},
		"the address is 0x0":                  {Type: dtype.F32, Shape: []int{2}},
		"there are no tensors of":             {Address: at, Type: 200, Shape: []int{2}},
		"give one that 4 divides":             {Address: at + 1, Type: dtype.F32, Shape: []int{2}},
	} {
		f.Release = func() { t.Error("the owner was told") }
		if _, err := cutile.FromForeign(dev, f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := cutile.FromForeign(gpu, cutile.Foreign{Address: at, Type: dtype.F32, Shape: []int{2}}); err == nil || !strings.Contains(err.Error(), "knows no memory") {
		t.Errorf("memory of the host on a GPU: %v", err)
	}
	if _, err := cutile.Share(t.Context(), zeros[float32](t, gpu, 4)); err != nil {
		t.Errorf("memory of a GPU: %v", err)
	}
	x := zeros[float32](t, dev, 4)
	x.Close()
	if _, err := cutile.Share(t.Context(), x); !errors.Is(err, cutile.ErrClosed) {
		t.Errorf("a closed tensor: %v", err)
	}
}
