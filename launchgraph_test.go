package cutile_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/testing/simttest"
	"github.com/cutile-go/cutile/tile"
)

// onGraphDevices runs a test on the CPU, with and without checks, on GPUs of drivers with graphs, and on a Vulkan device if the machine has one,
// which repeats launches.
func onGraphDevices(t *testing.T, test func(*testing.T, *cutile.Device)) {
	t.Run("cpu", func(t *testing.T) { test(t, open(t)) })
	t.Run("cpu without checks", func(t *testing.T) {
		t.Setenv("CUTILE_CHECKS", "off")
		dev, err := cutile.Open("cpu", cutile.WithWorkers(2))
		must(t, err)
		defer dev.Close()
		test(t, dev)
	})
	for name, gpu := range map[string]*simttest.GPU{
		"sm_75, CUDA 11.4": {Device: fake.Device{Major: 7, Minor: 5}, CUDA: 11040},
		"sm_90, CUDA 13.4": {Device: fake.Device{Major: 9}, CUDA: 13040},
	} {
		t.Run(name, func(t *testing.T) {
			drv := ptxGPU(t, gpu)
			dev, err := cutile.Open("cuda")
			must(t, err)
			test(t, dev)
			must(t, dev.Close())
			if leaks := drv.Leaks(); len(leaks) > 0 {
				t.Errorf("left on the device: %v", leaks)
			}
		})
	}
	t.Run("vulkan", func(t *testing.T) { test(t, onVulkan(t)) })
}

// step is a launch or a copy on some of a few tensors, and the same on slices.
type step struct {
	kind    int
	a, b, c int
	by      float32
}

func randomSteps(r *rand.Rand, tensors int) (steps []step) {
	for range 1 + r.IntN(12) {
		p := r.Perm(tensors)
		steps = append(steps, step{r.IntN(4), p[0], p[1], p[2], float32(r.IntN(5)) - 2})
	}
	return steps
}

func (s step) plain(v [][]float32) {
	for i := range v[0] {
		switch s.kind {
		case 0:
			v[s.c][i] = v[s.a][i] + v[s.b][i]
		case 1:
			v[s.c][i] = v[s.a][i] * s.by
		case 2:
			v[s.c][i] = v[s.a][i]
		case 3:
			v[s.a][i] *= 2
		}
	}
}

func (s step) queue(ctx context.Context, on *cutile.Stream, v []*cutile.Tensor[float32]) error {
	switch s.kind {
	case 0:
		return cutile.Launch(ctx, on, add[tile.D16], v[s.a], v[s.b], v[s.c])
	case 1:
		return cutile.Launch(ctx, on, scale[tile.D16], v[s.a], s.by, v[s.c])
	case 2:
		return v[s.c].Copy(ctx, v[s.a])
	}
	return cutile.Launch(ctx, on.Grid(v[s.a].Len()/16), double[tile.D16], v[s.a])
}

// TestLaunchGraph compares random sequences that are captured, replayed on random streams and updated with the same in plain Go.
func TestLaunchGraph(t *testing.T) {
	onGraphDevices(t, func(t *testing.T, dev *cutile.Device) {
		ctx, r := t.Context(), rand.New(rand.NewPCG(7, 7))
		for range 6 {
			const n = 64
			var v []*cutile.Tensor[float32]
			var want [][]float32
			for i := range 4 {
				want = append(want, make([]float32, n))
				for j := range want[i] {
					want[i][j] = float32(r.IntN(8))
				}
				x, err := cutile.FromSlice(dev, want[i])
				must(t, err)
				v = append(v, x)
			}
			streams := []*cutile.Stream{dev.Stream()}
			other, err := dev.NewStream()
			must(t, err)
			streams = append(streams, other)
			var g *cutile.LaunchGraph
			for update := range 3 {
				steps := append([]step{{kind: 3, a: 3}}, randomSteps(r, len(v))...)
				for i := range v { // so that copies are part of the capture
					steps = slices.Insert(steps, 0, step{kind: 3, a: i})
				}
				on := streams[r.IntN(2)]
				f := func() error {
					for _, s := range steps {
						if err := s.queue(ctx, on, v); err != nil {
							return err
						}
					}
					return nil
				}
				if update == 0 {
					g, err = on.Capture(f)
				} else {
					err = g.Update(on, f)
				}
				must(t, err)
				if g.Len() != len(steps) || g.Device() != dev {
					t.Errorf("the graph has %d launches on %v, want %d", g.Len(), g.Device(), len(steps))
				}
				for range 1 + r.IntN(3) {
					must(t, g.Replay(streams[r.IntN(2)]))
					for _, s := range steps {
						s.plain(want)
					}
				}
				if i := r.IntN(len(v)); update == 1 { // new data, after the work that is queued
					want[i] = slices.Repeat([]float32{3}, n)
					must(t, v[i].Write(ctx, want[i]))
				}
			}
			for i := range v {
				got, err := v[i].Slice()
				must(t, err)
				if !slices.Equal(got, want[i]) {
					t.Fatalf("tensor %d is %v, want %v", i, got[:4], want[i][:4])
				}
			}
			must(t, g.Close())
			must(t, other.Close())
			for _, x := range v {
				must(t, x.Close())
			}
		}
	})
}

// TestLaunchGraphKeeps: temporary tensors that were closed in the capture live as long as the graph, and numbers are those of the capture.
func TestLaunchGraphKeeps(t *testing.T) {
	onGraphDevices(t, func(t *testing.T, dev *cutile.Device) {
		ctx, s := t.Context(), dev.Stream()
		x, z := ramp(t, dev, 16), zeros[float32](t, dev, 16)
		by := float32(3)
		before := dev.Stats().Tensors
		g, err := s.Capture(func() error {
			temporary, err := cutile.NewTensor[float32](dev, 16)
			if err != nil {
				return err
			}
			defer temporary.Close()
			if err := cutile.Launch(ctx, s, scale[tile.D16], x, &by, temporary); err != nil {
				return err
			}
			return cutile.Launch(ctx, s, add[tile.D16], x, temporary, z)
		})
		must(t, err)
		by = 100
		other := zeros[float32](t, dev, 16) // may not take the place of the temporary tensor
		for range 2 {
			must(t, z.Fill(ctx, 0))
			must(t, g.Replay(s))
		}
		if got, err := z.Slice(); err != nil || got[4] != 20 {
			t.Errorf("z is %v, %v", got, err)
		}
		if got, err := other.Slice(); err != nil || got[4] != 0 {
			t.Errorf("another tensor is %v, %v", got, err)
		}
		must(t, other.Close())
		must(t, g.Close())
		must(t, dev.Sync(ctx))
		if n := dev.Stats().Tensors; n != before {
			t.Errorf("%d buffers are left of %d", n, before)
		}
		if err := g.Replay(s); !errors.Is(err, cutile.ErrClosed) {
			t.Errorf("replaying a closed graph gives %v", err)
		}
		x.Close()
		if _, err := s.Capture(func() error { return cutile.Launch(ctx, s, add[tile.D16], x, x, z) }); !errors.Is(err, cutile.ErrClosed) {
			t.Errorf("capturing a closed tensor gives %v", err)
		}
	})
}

// TestLaunchGraphRefuses: a program that reads what was only captured is told so, by the device's name.
func TestLaunchGraphRefuses(t *testing.T) {
	dev, another := open(t), open(t)
	ctx, s := t.Context(), dev.Stream()
	x, z := ramp(t, dev, 16), zeros[float32](t, dev, 16)
	g, err := s.Capture(func() error {
		must(t, cutile.Launch(ctx, s, add[tile.D16], x, x, z))
		for name, f := range map[string]func() error{
			"Slice": func() error { _, err := z.Slice(); return err },
			"Fill":  func() error { return z.Fill(ctx, 1) },
			"Sync":  func() error { return s.Sync(ctx) },
		} {
			if err := f(); err == nil || !strings.HasPrefix(err.Error(), "cutile: ") || !strings.Contains(err.Error(), "captur") {
				t.Errorf("%s gives %v", name, err)
			}
		}
		return nil
	})
	must(t, err)
	if err := g.Replay(another.Stream()); err == nil || !strings.Contains(err.Error(), "captured on another device") {
		t.Errorf("replaying on another device gives %v", err)
	}
	if err := g.Update(another.Stream(), func() error { return nil }); err == nil || !strings.Contains(err.Error(), "captured on another device") {
		t.Errorf("updating on another device gives %v", err)
	}
	must(t, g.Replay(s))
	if got, err := z.Slice(); err != nil || got[3] != 8 {
		t.Errorf("z is %v, %v", got, err)
	}
	must(t, z.Freeze(ctx))
	if err := g.Replay(s); !errors.Is(err, cutile.ErrFrozen) {
		t.Errorf("a graph that writes a frozen tensor gives %v", err)
	}
	must(t, dev.Close())
	if err := errors.Join(g.Replay(s)); !errors.Is(err, cutile.ErrClosed) {
		t.Errorf("after the device was closed: %v", err)
	}
	must(t, g.Close())
}

// TestCaptureErrors: Capture and Update give the error of f as it is, and an error of a graph or tensor names that, not the stream.
func TestCaptureErrors(t *testing.T) {
	onGraphDevices(t, func(t *testing.T, dev *cutile.Device) {
		ctx := t.Context()
		s, err := dev.NewStream()
		must(t, err)
		x, y, z := ramp(t, dev, 16), ramp(t, dev, 16), zeros[float32](t, dev, 16)
		g, err := s.Capture(func() error { return cutile.Launch(ctx, s, add[tile.D16], x, x, z) })
		must(t, err)
		for _, mine := range []error{errors.New("mine"), fmt.Errorf("mine: %w", cutile.ErrClosed), fmt.Errorf("mine: %w", cutile.ErrFrozen)} {
			f := func() error { return mine }
			if _, err := s.Capture(f); err != mine {
				t.Errorf("Capture gives %v, want %v", err, mine)
			}
			if err := g.Update(s, f); err != mine {
				t.Errorf("Update gives %v, want %v", err, mine)
			}
		}
		must(t, y.Close())
		_, err = s.Capture(func() error { return cutile.Launch(ctx, s, add[tile.D16], x, y, z) })
		if !errors.Is(err, cutile.ErrClosed) || !strings.Contains(err.Error(), "argument #2 (y)") {
			t.Errorf("a launch with a closed tensor gives %v", err)
		}
		must(t, z.Freeze(ctx))
		for what, err := range map[string]error{
			"Replay":            g.Replay(s),
			"Replay in Capture": func() error { _, err := s.Capture(func() error { return g.Replay(s) }); return err }(),
		} {
			if !errors.Is(err, cutile.ErrFrozen) || !strings.HasPrefix(err.Error(), "cutile: a tensor that the graph writes is frozen") {
				t.Errorf("%s with a frozen tensor gives %v", what, err)
			}
		}
		err = cutile.Launch(ctx, s, add[tile.D16], x, x, z)
		if !errors.Is(err, cutile.ErrFrozen) || strings.Contains(err.Error(), "stream") {
			t.Errorf("a launch that writes a frozen tensor gives %v", err)
		}
		must(t, g.Close())
		called := false
		for what, err := range map[string]error{"Replay": g.Replay(s), "Update": g.Update(s, func() error { called = true; return nil })} {
			if !errors.Is(err, cutile.ErrClosed) || err.Error() != "cutile: the graph is closed" {
				t.Errorf("%s of a closed graph gives %v", what, err)
			}
		}
		if called {
			t.Error("Update of a closed graph calls the function")
		}
	})
}

// TestCaptureBesideCopies: copies between tensors that no capture uses are done at once, and a capture that would miss one is an error.
func TestCaptureBesideCopies(t *testing.T) {
	onGraphDevices(t, func(t *testing.T, dev *cutile.Device) {
		ctx := t.Context()
		s, err := dev.NewStream()
		must(t, err)
		x, z := ramp(t, dev, 16), zeros[float32](t, dev, 16)
		from, to, late := ramp(t, dev, 16), zeros[float32](t, dev, 16), zeros[float32](t, dev, 16)
		var wrong error
		g, err := s.Capture(func() error {
			err := cutile.Launch(ctx, s, add[tile.D16], x, x, z)
			copied := make(chan error)
			go func() { copied <- errors.Join(to.Copy(ctx, from), late.Copy(ctx, from)) }()
			err = errors.Join(err, <-copied)
			wrong = cutile.Launch(ctx, s, add[tile.D16], late, x, z)
			return errors.Join(err, cutile.Launch(ctx, s, add[tile.D16], from, x, z), x.Copy(ctx, z))
		})
		must(t, err)
		if wrong == nil || !strings.Contains(wrong.Error(), "Do it before the capture") {
			t.Errorf("a launch of what was copied at once gives %v", wrong)
		}
		if got, err := to.Slice(); err != nil || got[3] != 4 {
			t.Errorf("the copy beside the capture gives %v, %v", got, err)
		}
		must(t, to.Fill(ctx, 0))
		must(t, g.Replay(s))
		if got, err := x.Slice(); err != nil || g.Len() != 3 || got[3] != 8 {
			t.Errorf("the graph of %d gives %v, %v", g.Len(), got, err)
		}
		if got, err := to.Slice(); err != nil || got[3] != 0 {
			t.Errorf("the copy beside the capture was repeated: %v, %v", got, err)
		}
	})
}

// TestCaptureSync: waiting for the device while a stream captures waits for the others' work, and is an error.
func TestCaptureSync(t *testing.T) {
	dev := open(t)
	ctx := t.Context()
	s, err := dev.NewStream()
	must(t, err)
	x, z := ramp(t, dev, 16), zeros[float32](t, dev, 16)
	_, err = s.Capture(func() error {
		must(t, cutile.Launch(ctx, dev, add[tile.D16], x, x, z))
		if err := dev.Sync(ctx); err == nil || !strings.Contains(err.Error(), "a stream captures") {
			t.Errorf("Sync in a capture gives %v", err)
		}
		return cutile.Launch(ctx, s, add[tile.D16], x, x, zeros[float32](t, dev, 16))
	})
	must(t, err)
	must(t, dev.Sync(ctx))
}

// TestClosedEvent: a closed event is an error wherever it is used, whether it was part of a capture or not.
func TestClosedEvent(t *testing.T) {
	onGraphDevices(t, func(t *testing.T, dev *cutile.Device) {
		ctx := t.Context()
		s, err := dev.NewStream()
		must(t, err)
		open, err := s.Record()
		must(t, err)
		ordinary, err := s.Record()
		must(t, err)
		var captured *cutile.Event
		_, err = s.Capture(func() (err error) { captured, err = s.Record(); return err })
		must(t, err)
		must(t, dev.Sync(ctx))
		for _, e := range []*cutile.Event{ordinary, captured} {
			must(t, e.Close())
			must(t, e.Close())
			for what, err := range map[string]error{
				"Sync":         e.Sync(ctx),
				"Wait":         dev.Stream().Wait(e),
				"Elapsed":      func() error { _, err := e.Elapsed(open); return err }(),
				"Elapsed from": func() error { _, err := open.Elapsed(e); return err }(),
			} {
				if !errors.Is(err, cutile.ErrClosed) || err.Error() != "cutile: the event is closed" {
					t.Errorf("%s of a closed event gives %v", what, err)
				}
			}
			if !e.Done() {
				t.Error("a loop that waits for a closed event never ends")
			}
		}
		must(t, open.Sync(ctx))
		must(t, open.Close())
	})
}

// TestLaunchGraphFault: the launches behind one that fails do not run, the error names the kernel, and the graph can be replayed again.
func TestLaunchGraphFault(t *testing.T) {
	dev := open(t)
	ctx, s := t.Context(), dev.Stream()
	x, y, z := ramp(t, dev, 16), zeros[float32](t, dev, 16), zeros[float32](t, dev, 16)
	g, err := s.Capture(func() error {
		return errors.Join(cutile.Launch(ctx, s, positive[tile.D16], x, y), cutile.Launch(ctx, s, add[tile.D16], x, x, z))
	})
	must(t, err)
	for _, sign := range []float32{-1, 1} {
		must(t, x.Fill(ctx, sign))
		must(t, g.Replay(s))
		err := s.Sync(ctx)
		var failed *cutile.Error
		if sign < 0 && (!errors.As(err, &failed) || !strings.Contains(failed.Kernel, "positive")) || sign > 0 && err != nil {
			t.Errorf("with x %v the error is %v", sign, err)
		}
		if got, err := z.Slice(); err != nil || got[0] != max(0, 2*sign) {
			t.Errorf("with x %v z is %v, %v", sign, got, err)
		}
	}
}

// TestLaunchGraphConcurrent: goroutines capture, replay, update and drop graphs of the same tensor, each on a stream of its own.
func TestLaunchGraphConcurrent(t *testing.T) {
	onGraphDevices(t, func(t *testing.T, dev *cutile.Device) {
		ctx := t.Context()
		x, y := zeros[float32](t, dev, 64), ramp(t, dev, 64)
		const goroutines, rounds = 6, 8
		var all sync.WaitGroup
		for range goroutines {
			all.Go(func() {
				s, err := dev.NewStream()
				if err != nil {
					t.Error(err)
					return
				}
				defer s.Close()
				f := func() error { // adds y to x
					temporary, err := cutile.NewTensor[float32](dev, 64)
					if err != nil {
						return err
					}
					defer temporary.Close()
					err = cutile.Launch(ctx, s, add[tile.D16], x, y, temporary)
					return errors.Join(err, x.Copy(ctx, temporary))
				}
				g, err := s.Capture(f)
				if err != nil {
					t.Error(err)
					return
				}
				for i := range rounds {
					err = errors.Join(err, g.Replay(s))
					if i%3 == 0 {
						err = errors.Join(err, g.Update(s, f))
					}
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		runtime.GC()
		if got, err := x.Slice(); err != nil || got[1] != 2*goroutines*rounds {
			t.Errorf("x is %v, %v, want %d", got[:2], err, 2*goroutines*rounds)
		}
	})
}

// TestLaunchGraphDoesNotAllocate: replaying allocates nothing.
func TestLaunchGraphDoesNotAllocate(t *testing.T) {
	t.Setenv("CUTILE_CHECKS", "off")
	dev, err := cutile.Open("cpu", cutile.WithWorkers(2))
	must(t, err)
	defer dev.Close()
	x, y, z := ramp(t, dev, 64), ramp(t, dev, 64), zeros[float32](t, dev, 64)
	ctx := t.Context()
	g, err := dev.Stream().Capture(func() error {
		return errors.Join(cutile.Launch(ctx, dev, add[tile.D64], x, y, z), cutile.Launch(ctx, dev, add[tile.D64], z, y, x))
	})
	must(t, err)
	settle(t, dev, 50, func() { g.Replay(dev.Stream()) })
	if n := testing.AllocsPerRun(50, func() { must(t, g.Replay(dev.Stream())) }); n != 0 {
		t.Errorf("%v allocations a replay, want 0", n)
	}
	must(t, dev.Sync(ctx))
}

// BenchmarkLaunchGraph is the time of 100 small launches on the CPU engine, prepared, and as a graph.
func BenchmarkLaunchGraph(b *testing.B) {
	b.Setenv("CUTILE_CHECKS", "off")
	dev, err := cutile.Open("cpu")
	must(b, err)
	defer dev.Close()
	x, y, z := ramp(b, dev, 64), ramp(b, dev, 64), zeros[float32](b, dev, 64)
	ctx := context.Background()
	p, err := cutile.Prepare(ctx, dev, add[tile.D64], x, y, z)
	must(b, err)
	hundred := func() error {
		for range 100 {
			if err := p.Launch(ctx); err != nil {
				return err
			}
		}
		return nil
	}
	g, err := dev.Stream().Capture(hundred)
	must(b, err)
	for _, c := range []struct {
		name string
		do   func() error
	}{{"launches", hundred}, {"replay", func() error { return g.Replay(dev.Stream()) }}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				must(b, c.do())
				must(b, dev.Sync(ctx))
			}
		})
	}
}

// TestLaunchGraphBeside: work that the program may have meant as part of a graph, and that is none, is an error where the graph depends on it.
func TestLaunchGraphBeside(t *testing.T) {
	onGraphDevices(t, func(t *testing.T, dev *cutile.Device) {
		ctx := t.Context()
		s, err := dev.NewStream()
		must(t, err)
		fork, err := dev.NewStream()
		must(t, err)
		x, y, z := ramp(t, dev, 64), zeros[float32](t, dev, 64), zeros[float32](t, dev, 64)
		captured := func() error { return cutile.Launch(ctx, s, add[tile.D16], x, y, z) }
		const beside = "uses a tensor that was written during the capture by what is no part of the graph"
		for name, c := range map[string]struct {
			f    func() error
			want string
		}{
			"a launch on another stream": {func() error { return errors.Join(cutile.Launch(ctx, fork, add[tile.D16], x, x, y), captured()) }, beside},
			"Fill":                       {func() error { return errors.Join(y.Fill(ctx, 1), captured()) }, beside},
			"Write":                      {func() error { return errors.Join(y.Write(ctx, make([]float32, 64)), captured()) }, beside},
			"of what is written":         {func() error { return errors.Join(z.Fill(ctx, 1), captured()) }, beside},
			"in another graph's capture": {func() error {
				g, err := s.Capture(captured)
				if err != nil {
					return err
				}
				return g.Close()
			}, "the stream captures already"},
			"other streams alone": {func() error { return cutile.Launch(ctx, dev, add[tile.D16], x, x, z) }, "queued nothing on the stream that captures, and launches on other streams"},
		} {
			if g, err := s.Capture(c.f); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, %v, want %q", name, g, err, c.want)
			}
		}
		var constant *cutile.Tensor[float32]
		g, err := s.Capture(func() error { // what it makes may be written beside it, and so may other tensors
			constant = ramp(t, dev, 64)
			return errors.Join(cutile.Launch(ctx, fork, add[tile.D16], x, x, y), cutile.Launch(ctx, s, add[tile.D16], x, constant, z))
		})
		must(t, err)
		must(t, g.Replay(s))
		holds(t, "z", z.Narrow(0, 0, 3), "[2 4 6]")
		if want := "graph of 1 launches and copies on " + dev.Name(); g.String() != want {
			t.Errorf("the graph is %v, want %s", g, want)
		}
		g, err = s.Capture(func() error { return nil })
		must(t, err)
		must(t, g.Replay(s))
	})
}
