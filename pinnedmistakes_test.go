package cutile_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/driver/cudrv"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/tile"
)

// TestPinnedFails: what a kernel should have computed, but did not, is an error of Use, on whichever stream it was copied.
func TestPinnedFails(t *testing.T) {
	for _, checks := range []string{"on", "off"} {
		t.Setenv("CUTILE_CHECKS", checks)
		dev, err := cutile.Open("cpu")
		must(t, err)
		defer dev.Close()
		other, err := dev.NewStream()
		must(t, err)
		for _, s := range []*cutile.Stream{dev.Stream(), other} {
			x, y, p := ramp(t, dev, 16), ramp(t, dev, 16), pinned(t, dev, 16)
			must(t, cutile.Launch(t.Context(), dev.Grid(1), breaks[tile.D16], x))
			must(t, p.CopyFrom(t.Context(), s, x))
			err := p.Use(t.Context(), func([]float32) error { return errors.New("it is called") })
			var e *cutile.Error
			if !errors.As(err, &e) || e.Stage != cutile.StageRun || !strings.Contains(e.Kernel, "breaks") {
				t.Errorf("checks %s: Use gives %v", checks, err)
			}
			must(t, dev.Sync(t.Context())) // the error was told
			must(t, p.CopyFrom(t.Context(), s, y))
			holdsPinned(t, p, 1, 1)
		}
	}
}

// TestPinnedMistakes: what cannot be is an error that says why.
func TestPinnedMistakes(t *testing.T) {
	dev, other := open(t), open(t)
	p, x := pinned(t, dev, 6), ramp(t, dev, 2, 3)
	frozen, closed := ramp(t, dev, 6), ramp(t, dev, 6)
	must(t, errors.Join(frozen.Freeze(t.Context()), closed.Close()))
	ctx, s := t.Context(), dev.Stream()
	ended, cancel := context.WithCancel(ctx)
	cancel()
	inside := func(f func() error) func() error {
		return func() error { return p.Use(ctx, func([]float32) error { return f() }) }
	}
	g, err := s.Capture(func() error { return p.CopyTo(ctx, s, x) })
	must(t, err)
	gone := pinned(t, dev, 6)
	must(t, gone.Close())
	for _, c := range []struct {
		name string
		do   func() error
		want string
	}{
		{"length", func() error { return p.CopyTo(ctx, s, ramp(t, dev, 7)) }, "Pinned[float32] of 6 elements for cpu: it has 6 elements, but the tensor has 7"},
		{"transposed", func() error { return p.CopyFrom(ctx, s, x.T()) }, "the tensor of shape [3 2] and strides [1 3] is not contiguous: copy it first, by Contiguous or Copy"},
		{"other tensor", func() error { return p.CopyTo(ctx, s, ramp(t, other, 6)) }, "the tensor belongs to another device that was opened as cpu, too"},
		{"other stream", func() error { return p.CopyTo(ctx, other.Stream(), x) }, "the stream belongs to another device"},
		{"frozen", func() error { return p.CopyTo(ctx, s, frozen) }, "a tensor that the work writes is frozen"},
		{"closed tensor", func() error { return p.CopyTo(ctx, s, closed) }, "Tensor[float32] of shape [6] on cpu is closed"},
		{"closed", func() error { return gone.CopyTo(ctx, s, x) }, "Pinned[float32] of 6 elements for cpu is closed"},
		{"closed use", func() error { return gone.Use(ctx, func([]float32) error { return nil }) }, "Pinned[float32] of 6 elements for cpu is closed"},
		{"ended context", func() error { return p.CopyTo(ended, s, x) }, "context canceled"},
		{"nil function", func() error { return p.Use(ctx, nil) }, "the function is nil"},
		{"negative", func() error { _, err := cutile.NewPinned[float32](dev, -1); return err }, "pinned memory of -1 elements: give 0 or more"},
		{"too much", func() error { _, err := cutile.NewPinned[float64](dev, 1<<61); return err }, "no machine has so much"},
		{"copy inside", inside(func() error { return p.CopyTo(ctx, s, x) }), "a function that Use has called has not returned"},
		{"use inside", inside(func() error { return p.Use(ctx, func([]float32) error { return nil }) }), "a function that Use has called has not returned"},
		{"close inside", inside(p.Close), "it cannot be closed: the program uses the pinned memory"},
		{"replay inside", inside(func() error { return g.Replay(s) }), "a function that Use has called has not returned"},
		{"captured", func() error {
			_, err := s.Capture(func() error {
				return errors.Join(p.CopyTo(ctx, s, x), p.Use(ctx, func([]float32) error { return nil }))
			})
			return err
		}, "work that was captured uses its memory and has not run"},
	} {
		if err := c.do(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %s", c.name, err, c.want)
		}
	}
	own := errors.New("own")
	if err := inside(func() error { return own })(); err != own {
		t.Errorf("the error of the function is %v", err)
	}
	holdsPinned(t, pinned(t, dev, 100), 0, 0) // zeros
	must(t, pinned(t, dev, 0).CopyTo(ctx, s, zeros[float32](t, dev, 0)))
}

// TestPinnedLimits: the limit counts what is in use; what is dropped is found in time; what is closed is kept and given back by Trim.
func TestPinnedLimits(t *testing.T) {
	t.Setenv("CUTILE_LIMITS", "pinned=1MiB")
	drv := fake.New(fake.Options{})
	t.Cleanup(engine.Register(cuda.Kind(cuda.Options{Driver: drv, Assembler: assembler{}})))
	for _, name := range []string{"cpu", "cuda"} {
		dev, err := cutile.Open(name)
		must(t, err)
		p := pinned(t, dev, 200<<10)
		_, err = cutile.NewPinned[byte](dev, 300<<10)
		if err == nil || !strings.Contains(err.Error(), "307200 bytes are too many beside the 819200 of the device's other pinned memory: at most 1048576 are allowed; close pinned memory, or raise Limits.Pinned") {
			t.Errorf("%s: error %v", name, err)
		}
		if s := dev.Stats(); s.PinnedBytes != 800<<10 || s.Tensors != 0 || s.MemoryBytes != 0 {
			t.Errorf("%s: %+v", name, s)
		}
		must(t, p.Close())
		kept := map[string]int64{"cuda": 1 << 20}[name]
		if s := dev.Stats(); s.PinnedBytes != 0 || s.UnusedPinnedBytes != kept {
			t.Errorf("%s: %+v", name, s)
		}
		for range 50 {
			p := pinned(t, dev, 150<<10) // dropped at once
			holdsPinned(t, p, 0, 0)
			fillPinned(t, p, 1)
		}
		runtime.GC()
		must(t, errors.Join(dev.Trim(), dev.Close()))
		if s := dev.Stats(); s.PinnedBytes != 0 || s.UnusedPinnedBytes != 0 {
			t.Errorf("%s after Close: %+v", name, s)
		}
	}
	asked := 0
	for _, c := range drv.Trace() {
		if c.Name == "cuMemHostAlloc" {
			asked++
		}
	}
	if asked > 10 { // of 51: the others were kept
		t.Errorf("the driver was asked for pinned memory %d times", asked)
	}
	if leaks := drv.Leaks(); len(leaks) > 0 {
		t.Errorf("left on the device: %v", leaks)
	}
}

// TestPinnedDriverFails fails each call of the driver once: the error names it, or the memory is Go's, and nothing is left.
func TestPinnedDriverFails(t *testing.T) {
	for _, c := range []struct {
		call string
		code cudrv.Result
		want string // "" for none
	}{
		{"cuMemHostAlloc", cudrv.OutOfMemory, ""}, // the first time only
		{"cuMemHostAlloc", cudrv.NotFound, ""},
		{"cuMemHostAlloc", cudrv.InvalidValue, ""}, // it is asked once more
		{"cuMemcpyHtoDAsync", cudrv.InvalidValue, "cuMemcpyHtoDAsync"},
		{"cuMemcpyDtoHAsync", cudrv.InvalidValue, "cuMemcpyDtoHAsync"},
		{"cuEventRecord", cudrv.InvalidValue, ""}, // Use waits for the stream
		{"cuEventCreate", cudrv.OutOfMemory, ""},
	} {
		drv := fake.New(fake.Options{})
		t.Cleanup(engine.Register(cuda.Kind(cuda.Options{Driver: drv, Assembler: assembler{}})))
		dev, err := cutile.Open("cuda")
		must(t, err)
		x := zeros[float32](t, dev, 100)
		drv.Fail(c.call, 1, c.code)
		err = func() error {
			p, err := cutile.NewPinned[float32](dev, 100)
			if err != nil {
				return err
			}
			fillPinned(t, p, 3)
			if err := p.CopyTo(t.Context(), dev.Stream(), x); err != nil {
				return err
			}
			fillPinned(t, p, -1)
			if err := p.CopyFrom(t.Context(), dev.Stream(), x); err != nil {
				return err
			}
			holdsPinned(t, p, 3, 1)
			return nil
		}()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s fails with %v: error %v, want %q", c.call, c.code, err, c.want)
		}
		must(t, dev.Close())
		if leaks := drv.Leaks(); len(leaks) > 0 {
			t.Errorf("%s: left on the device: %v", c.call, leaks)
		}
	}
	drv := fake.New(fake.Options{})
	t.Cleanup(engine.Register(cuda.Kind(cuda.Options{Driver: drv, Assembler: assembler{}})))
	dev, err := cutile.Open("cuda")
	must(t, err)
	defer dev.Close()
	for range 100 {
		drv.Fail("cuMemHostAlloc", 1, cudrv.OutOfMemory)
	}
	if _, err := cutile.NewPinned[byte](dev, 3<<20); err == nil || !strings.Contains(err.Error(), "cuda:0: cannot lock 3") {
		t.Errorf("error %v", err)
	}
}

// TestPinnedEvents: memory that is closed leaves no events of its copies.
func TestPinnedEvents(t *testing.T) {
	drv := fake.New(fake.Options{})
	t.Cleanup(engine.Register(cuda.Kind(cuda.Options{Driver: drv, Assembler: assembler{}})))
	dev, err := cutile.Open("cuda")
	must(t, err)
	defer dev.Close()
	p, x := pinned(t, dev, 100), zeros[float32](t, dev, 100)
	for range 20 {
		s, err := dev.NewStream()
		must(t, err)
		must(t, errors.Join(p.CopyTo(t.Context(), s, x), p.CopyTo(t.Context(), s, x), p.CopyFrom(t.Context(), s, x), s.Close()))
	}
	must(t, errors.Join(p.Close(), dev.Sync(t.Context())))
	for _, left := range drv.Leaks() {
		if strings.HasPrefix(left, "event") {
			t.Errorf("left: %s", left)
		}
	}
}

// TestPinnedClose: a device that is closed while work is queued frees its pinned memory, and what is left says so.
func TestPinnedClose(t *testing.T) {
	for _, dev := range []*cutile.Device{open(t), fakeGPU(t, fake.Options{})} {
		p, x := pinned(t, dev, 5000), ramp(t, dev, 5000)
		must(t, p.CopyFrom(t.Context(), dev.Stream(), x))
		must(t, dev.Close())
		for _, err := range []error{p.Use(t.Context(), func([]float32) error { return nil }), p.CopyTo(t.Context(), dev.Stream(), x)} {
			if !errors.Is(err, cutile.ErrClosed) {
				t.Errorf("%s: error %v", dev.Name(), err)
			}
		}
		must(t, p.Close())
	}
}
