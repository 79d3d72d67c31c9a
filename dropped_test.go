package cutile_test

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/testing/simttest"
	"github.com/cutile-go/cutile/tile"
)

// collected waits for something that the garbage collector brings about.
func collected(t *testing.T, what string, holds func() bool) {
	t.Helper()
	waitFor(t, what, func() bool { runtime.GC(); return holds() })
}

// dropped launches a kernel on a stream that nothing refers to afterwards.
func dropped(t *testing.T, dev *cutile.Device, use func(s *cutile.Stream)) {
	t.Helper()
	s, err := dev.NewStream()
	must(t, err)
	use(s)
}

// TestStreamDropped: streams that nobody closes end after their work, on every device, and so does each kind of use of them.
func TestStreamDropped(t *testing.T) {
	const many = 20
	ctx := t.Context()
	test := func(t *testing.T, dev *cutile.Device, left func() int) {
		x, z := ramp(t, dev, 16), zeros[float32](t, dev, 16)
		launch := func(s *cutile.Stream) { must(t, cutile.Launch(ctx, s, add[tile.D16], x, x, z)) }
		dropped(t, dev, launch)
		for name, use := range map[string]func(s *cutile.Stream){
			"nothing": func(*cutile.Stream) {},
			"launch":  launch,
			"sync":    func(s *cutile.Stream) { launch(s); must(t, s.Sync(ctx)) },
			"events": func(s *cutile.Stream) {
				launch(s)
				e, err := s.Record()
				must(t, err)
				must(t, dev.Stream().Wait(e))
			},
			"prepared": func(s *cutile.Stream) {
				p, err := cutile.Prepare(ctx, s, add[tile.D16], x, x, z)
				must(t, err)
				must(t, p.Launch(ctx))
			},
			"a graph, replayed on another stream": func(s *cutile.Stream) {
				g, err := s.Capture(func() error { return cutile.Launch(ctx, s, add[tile.D16], x, x, z) })
				must(t, err)
				must(t, g.Replay(dev.Stream()))
				must(t, dev.Sync(ctx))
				must(t, g.Close())
			},
			"a capture that fails": func(s *cutile.Stream) {
				if _, err := s.Capture(func() error { launch(s); return context.Canceled }); err != context.Canceled {
					t.Error(err)
				}
			},
		} {
			collected(t, name+": the end of earlier streams", func() bool { return left() <= 1 })
			for range many {
				dropped(t, dev, use)
			}
			must(t, dev.Sync(ctx))
			collected(t, name+": the end of the streams", func() bool { return left() <= 1 })
		}
		holds(t, "the sum", z, "[2 4 6 8 10 12 14 16 18 20 22 24 26 28 30 32]")
	}
	t.Run("cpu", func(t *testing.T) {
		dev := open(t)
		must(t, dev.Sync(ctx))
		test(t, dev, func() int { return strings.Count(stacks(), "cpu.(*Stream).serve(") })
	})
	t.Run("cuda", func(t *testing.T) {
		drv := ptxGPU(t, &simttest.GPU{Device: fake.Device{Major: 9}, CUDA: 13040})
		dev, err := cutile.Open("cuda")
		must(t, err)
		defer dev.Close()
		before := counted(drv.Leaks())
		test(t, dev, func() int { return counted(drv.Leaks()) - before })
	})
}

// stacks are those of all goroutines.
func stacks() string {
	b := make([]byte, 1<<20)
	return string(b[:runtime.Stack(b, true)])
}

// counted counts the streams and events of a driver.
func counted(leaks []string) (n int) {
	for _, l := range leaks {
		if strings.Contains(l, "stream") || strings.Contains(l, "event") {
			n++
		}
	}
	return n
}

// TestDroppedWorkGoesOn: the work of a stream that nobody can use is not stopped, however long it takes, also if a wait for it was given up.
func TestDroppedWorkGoesOn(t *testing.T) {
	dev := open(t, cutile.WithLimits(cutile.Limits{Close: time.Millisecond}))
	ctx := t.Context()
	x, before := ramp(t, dev, 16), runtime.NumGoroutine()
	must(t, cutile.Launch(ctx, dev.Grid(1), slow, x, 1)) // it is compiled
	must(t, dev.Sync(ctx))
	var all []*cutile.Tensor[float32]
	for range 2 {
		x := ramp(t, dev, 16)
		all = append(all, x)
		dropped(t, dev, func(s *cutile.Stream) {
			must(t, cutile.Launch(ctx, s.Grid(1), slow, x, 3_000_000))
			given, cancel := context.WithCancel(ctx)
			cancel()
			if err := s.Sync(given); err == nil {
				t.Error("a wait that was given up has no error")
			}
		})
		runtime.GC()
		time.Sleep(3 * time.Millisecond) // in which a close would stop the work
	}
	must(t, dev.Sync(ctx))
	for i, x := range all {
		holds(t, fmt.Sprint("what work ", i, " leaves"), x, "["+strings.TrimSpace(strings.Repeat("2 ", 16))+"]")
	}
	collected(t, "the end of the streams", func() bool { return runtime.NumGoroutine() <= before+2 })
}

// TestDroppedErrors: an error on a stream that nobody can use is told once, to who reads what the work wrote, who waits for the device, or who closes
// that. The stream ends then.
func TestDroppedErrors(t *testing.T) {
	ctx := t.Context()
	for name, tells := range map[string]func(dev *cutile.Device, z *cutile.Tensor[float32]) error{
		"read":  func(_ *cutile.Device, z *cutile.Tensor[float32]) error { _, err := z.Slice(); return err },
		"sync":  func(dev *cutile.Device, _ *cutile.Tensor[float32]) error { return dev.Sync(ctx) },
		"close": func(dev *cutile.Device, _ *cutile.Tensor[float32]) error { return dev.Close() },
	} {
		for _, shadow := range []string{"off", "on"} {
			t.Setenv("CUTILE_SHADOW", shadow)
			dev := open(t)
			x, z := zeros[float32](t, dev, 16), zeros[float32](t, dev, 16)
			must(t, x.Fill(ctx, -1))
			must(t, dev.Sync(ctx))
			before := strings.Count(stacks(), ".serve(")
			dropped(t, dev, func(s *cutile.Stream) { must(t, cutile.Launch(ctx, s, positive[tile.D16], x, z)) })
			for range 20 { // the stream stays meanwhile
				runtime.GC()
				time.Sleep(time.Millisecond)
			}
			fails(t, tells(dev, z), "x must not be negative")
			if err := dev.Sync(ctx); err != nil && name != "close" {
				t.Errorf("%s: the error is told again: %v", name, err)
			}
			collected(t, name+": the end of the stream", func() bool { return strings.Count(stacks(), ".serve(") <= before })
			must(t, dev.Close())
		}
	}
}

// TestStreamKeptByCalls: a call keeps the stream that it was given, however often the collector runs meanwhile.
func TestStreamKeptByCalls(t *testing.T) {
	ctx := t.Context()
	dev := open(t, cutile.WithLogger(slog.New(collector{slog.DiscardHandler})))
	x := ramp(t, dev, 64)
	for i, k := range []any{add[tile.D2], add[tile.D4], add[tile.D8], add[tile.D16]} { // each is compiled, which is logged
		z := zeros[float32](t, dev, 64)
		dropped(t, dev, func(s *cutile.Stream) {
			if err := cutile.Launch(ctx, s, k, x, x, z); err != nil {
				t.Errorf("launch %d: %v", i, err)
			}
		})
		holds(t, "z", z.Narrow(0, 62, 64), "[126 128]")
	}
}

// collector is a handler that lets the garbage collector run, and what that finds be closed.
type collector struct{ slog.Handler }

func (collector) Enabled(context.Context, slog.Level) bool { return true }

func (collector) Handle(context.Context, slog.Record) error {
	for range 3 {
		runtime.GC()
		time.Sleep(5 * time.Millisecond)
	}
	return nil
}
