package cutile_test

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/tile"
)

// twoGPUs opens both GPUs of a fake driver whose kernels double.
func twoGPUs(t *testing.T, o fake.Options) (drv *fake.Driver, a, b *cutile.Device) {
	t.Helper()
	o.Devices = []fake.Device{{Name: "one", Major: 9, Memory: 1 << 26}, {Name: "two", Major: 9, Memory: 1 << 26}}
	if o.Run == nil {
		o.Run = runDouble
	}
	drv = fake.New(o)
	t.Cleanup(engine.Register(cuda.Kind(cuda.Options{Driver: drv, Assembler: assembler{}})))
	a, err := cutile.Open("cuda:0")
	must(t, err)
	b, err = cutile.Open("cuda:1")
	must(t, err)
	t.Cleanup(func() {
		a.Close()
		b.Close()
		if leaks := drv.Leaks(); len(leaks) > 0 {
			t.Errorf("left on the devices: %v", leaks)
		}
	})
	return drv, a, b
}

// TestPeerCopy: a copy between two GPUs does not go through the host, comes after the work on both tensors, and before what writes them next.
func TestPeerCopy(t *testing.T) {
	gate := make(chan bool)
	drv, a, b := twoGPUs(t, fake.Options{Run: func(l *fake.Launch) error {
		<-gate
		return runDouble(l)
	}})
	ctx := t.Context()
	x, y := ramp(t, a, 64), zeros[float32](t, b, 64)
	other, err := a.NewStream()
	must(t, err)
	drv.ResetTrace()
	must(t, cutile.Launch(ctx, a.Grid(4), double[tile.D16], x))
	must(t, y.Narrow(0, 16, 48).Copy(ctx, x.Narrow(0, 32, 64)))
	must(t, cutile.Launch(ctx, other.Grid(4), double[tile.D16], x)) // must not be seen by the copy
	must(t, cutile.Launch(ctx, b.Grid(4), double[tile.D16], y))
	must(t, x.Close())
	close(gate)
	got, err := y.Slice()
	must(t, err)
	if want := []float32{0, 4 * 33, 4 * 34}; !slices.Equal(got[15:18], want) {
		t.Errorf("y is %v, want %v", got[15:18], want)
	}
	names := drv.Names()
	if i := slices.Index(names, "cuMemcpyDtoHAsync"); !slices.Contains(names, "cuMemcpyPeerAsync") || slices.Contains(names[:i], "cuMemcpyHtoDAsync") {
		t.Errorf("the calls are %v", names)
	}
	if !slices.Contains(names, "cuMemPoolSetAccess") {
		t.Error("the pool was not made accessible")
	}
	must(t, b.Close())
	if err := y.Copy(ctx, zeros[float32](t, a, 64)); !errors.Is(err, cutile.ErrClosed) {
		t.Errorf("a copy to a closed device gives %v", err)
	}
}

// TestPeerCopies copies in both directions from many goroutines.
func TestPeerCopies(t *testing.T) {
	_, a, b := twoGPUs(t, fake.Options{Quiet: true})
	ctx := t.Context()
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			from, to := a, b
			if i%2 == 1 {
				from, to = b, a
			}
			for range 50 {
				x, err := cutile.Full(from, float32(3), 32)
				if err != nil {
					t.Error(err)
					return
				}
				y, err := cutile.NewTensor[float32](to, 32)
				err = errors.Join(err, cutile.Launch(ctx, from.Grid(2), double[tile.D16], x), y.Copy(ctx, x), x.Close(),
					cutile.Launch(ctx, to.Grid(2), double[tile.D16], y))
				if got, failed := y.Slice(); err != nil || failed != nil || got[31] != 12 {
					t.Errorf("y is %v, %v, %v", got, err, failed)
				}
				y.Close()
			}
		})
	}
	all.Wait()
}
