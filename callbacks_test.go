package cutile_test

import (
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

// writerFunc is a writer.
type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// callbacks are the options by which a device calls functions of the program while it does something for it, with what names them in errors.
var callbacks = []struct {
	name, called string
	option       func(call func()) cutile.Option
}{
	{"logger", "the logger panicked", func(call func()) cutile.Option {
		w := writerFunc(func(p []byte) (int, error) { call(); return len(p), nil })
		return cutile.WithLogger(slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug})))
	}},
	{"trace", "the writer of the trace panicked", func(call func()) cutile.Option {
		return cutile.WithTrace(writerFunc(func(p []byte) (int, error) { call(); return len(p), nil }))
	}},
}

// everything opens a device and does all for which it calls functions of the program; dev is told as soon as it is there.
func everything(t *testing.T, opened *atomic.Pointer[cutile.Device], opts ...cutile.Option) error {
	ctx := t.Context()
	dev, err := cutile.Open("cpu", opts...)
	if err != nil {
		return err
	}
	opened.Store(dev)
	s, err := dev.NewStream()
	if err != nil {
		return err
	}
	x, z := ramp(t, dev, 64), zeros[float32](t, dev, 64)
	for _, k := range []any{add[tile.D16], add[tile.D32]} {
		must(t, cutile.Launch(ctx, s, k, x, x, z))
		must(t, cutile.Launch(ctx, dev, k, x, x, z))
		must(t, z.Copy(ctx, x))
		must(t, s.Sync(ctx))
		holds(t, "z", z.Narrow(0, 0, 2), "[1 2]")
	}
	if err := cutile.Launch(ctx, dev, wrong, zeros[float32](t, dev, 4)); err == nil || strings.Contains(err.Error(), "BUG") {
		t.Errorf("a kernel with a mistake: %v", err)
	}
	must(t, s.Close())
	return dev.Close()
}

// TestCallbacksAskTheDevice: a logger and a trace's writer may ask the device for its counts, whatever it does just then.
func TestCallbacksAskTheDevice(t *testing.T) {
	for _, c := range callbacks {
		t.Run(c.name, func(t *testing.T) {
			var dev atomic.Pointer[cutile.Device]
			var asked atomic.Int64
			done := make(chan error, 1)
			go func() {
				done <- everything(t, &dev, c.option(func() {
					if d := dev.Load(); d != nil {
						d.Stats()
						asked.Add(1)
					}
				}))
			}()
			select {
			case err := <-done:
				if err != nil || asked.Load() < 3 {
					t.Errorf("%v, %d calls", err, asked.Load())
				}
			case <-time.After(time.Minute):
				t.Fatalf("the program hangs:\n%s", stacks())
			}
		})
	}
}

// TestCallbacksPanic: a panic of a logger or a trace's writer, in whichever call, neither ends the program nor spoils the work: Close of the device
// gives it as an error that names who panicked.
func TestCallbacksPanic(t *testing.T) {
	for _, c := range callbacks {
		t.Run(c.name, func(t *testing.T) {
			for n := int64(1); ; n++ {
				var dev atomic.Pointer[cutile.Device]
				var calls atomic.Int64
				err := everything(t, &dev, c.option(func() {
					if calls.Add(1) == n {
						panic(errors.New("out of paper"))
					}
				}))
				if calls.Load() < n {
					if err != nil || n < 4 {
						t.Errorf("%d calls, and nobody panicked: %v", calls.Load(), err)
					}
					return
				}
				if err == nil || strings.Contains(err.Error(), "BUG") {
					t.Fatalf("panic in call %d: %v", n, err)
				}
				fails(t, err, c.called, "out of paper")
			}
		})
	}
}
