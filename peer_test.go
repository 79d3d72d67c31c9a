package cutile_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/driver/cudrv"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/tile"
)

// twoGPUs opens both GPUs of a fake driver whose kernels double.
func twoGPUs(t *testing.T, o fake.Options, opts ...cutile.Option) (drv *fake.Driver, a, b *cutile.Device) {
	t.Helper()
	o.Devices = []fake.Device{{Name: "one", Major: 9, Memory: 1 << 26}, {Name: "two", Major: 9, Memory: 1 << 26}}
	if o.Run == nil {
		o.Run = runDouble
	}
	drv = fake.New(o)
	t.Cleanup(engine.Register(cuda.Kind(cuda.Options{Driver: drv, Assembler: assembler{}})))
	a, err := cutile.Open("cuda:0", opts...)
	must(t, err)
	b, err = cutile.Open("cuda:1", opts...)
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

// TestPeerCapture: a copy of another GPU's tensor is no part of a capture, and captured work that uses what it has written is an error, as for other
// work beside a capture.
func TestPeerCapture(t *testing.T) {
	_, a, b := twoGPUs(t, fake.Options{Quiet: true})
	ctx := t.Context()
	s, err := b.NewStream()
	must(t, err)
	x, y, z := ramp(t, a, 64), zeros[float32](t, b, 64), zeros[float32](t, b, 64)
	launch := func(y *cutile.Tensor[float32]) error { return cutile.Launch(ctx, s.Grid(4), double[tile.D16], y) }
	for name, c := range map[string]struct {
		f    func() error
		want string
	}{
		"a copy, and its use": {func() error { return errors.Join(y.Copy(ctx, x), launch(y)) }, "written during the capture by what is no part of the graph"},
		"of rows with gaps": {func() error {
			return errors.Join(y.Reshape(8, 8).Narrow(1, 0, 4).Copy(ctx, x.Reshape(8, 8).Narrow(1, 0, 4)), launch(y))
		}, "written during the capture by what is no part of the graph"},
		"a copy to what is captured": {func() error { return errors.Join(launch(y), y.Copy(ctx, x)) }, "work that was captured uses its memory"},
		"a copy of what is captured": {func() error { return errors.Join(launch(y), x.Copy(ctx, y)) }, "work that was captured uses its memory"},
		"a copy for others":          {func() error { return errors.Join(y.Copy(ctx, x), launch(z)) }, ""},
	} {
		g, err := s.Capture(c.f)
		switch {
		case c.want != "":
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, %v", name, g, err)
			}
		case err != nil || g.Len() != 1:
			t.Errorf("%s: %v, %v", name, g, err)
		}
	}
}

// TestTracedErrors: work that is traced leaves no events where it cannot be queued.
func TestTracedErrors(t *testing.T) {
	drv, a, b := twoGPUs(t, fake.Options{Quiet: true}, cutile.WithTrace(io.Discard))
	ctx := t.Context()
	x, y, p := ramp(t, a, 64), zeros[float32](t, b, 64), pinned(t, b, 64)
	w := ramp(t, b, 64)
	must(t, cutile.Launch(ctx, b.Grid(4), double[tile.D16], y))
	for call, f := range map[string]func() error{
		"cuMemcpyPeerAsync": func() error { return y.Copy(ctx, x) },
		"cuMemcpyDtoDAsync": func() error { return y.Copy(ctx, w) },
		"cuMemcpyHtoDAsync": func() error { return p.CopyTo(ctx, b.Stream(), y) },
		"cuMemcpyDtoHAsync": func() error { return p.CopyFrom(ctx, b.Stream(), y) },
		"cuLaunchKernel":    func() error { return cutile.Launch(ctx, b.Grid(4), double[tile.D16], y) },
	} {
		for _, code := range []cudrv.Result{cudrv.NotFound, cudrv.InvalidValue} {
			if err := errors.Join(f(), a.Sync(ctx), b.Sync(ctx)); err != nil { // the times of what was traced are known
				t.Fatal(err)
			}
			before := counted(drv.Leaks())
			for range 10 {
				drv.Fail(call, 1, code)
				if err := f(); err == nil && (call != "cuMemcpyPeerAsync" || code != cudrv.NotFound) {
					t.Errorf("%s: no error", call)
				}
			}
			if err := errors.Join(a.Sync(ctx), b.Sync(ctx)); err != nil {
				t.Fatal(err)
			}
			if after := counted(drv.Leaks()); after > before {
				t.Errorf("%s, %v: %d events and streams, %d before", call, code, after, before)
			}
		}
	}
}
