package cutile_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile"
)

// blocked is a writer that does not return before it is closed.
type blocked chan struct{}

func (b blocked) Write(text []byte) (int, error) { <-b; return len(text), nil }

// waits is a writer that waits for the device on which the kernel that prints runs.
type waits struct {
	dev   *cutile.Device
	begun chan struct{}
}

func (w *waits) Write(text []byte) (int, error) {
	close(w.begun)
	return len(text), w.dev.Sync(context.Background())
}

// TestBlockedWriter: a print whose writer does not return ends with its launch, in each way in which a launch is ended.
func TestBlockedWriter(t *testing.T) {
	opened := func(l cutile.Limits) *cutile.Device {
		stuck := make(blocked)
		t.Cleanup(func() { close(stuck) })
		dev := open(t, cutile.WithOutput(stuck), cutile.WithLimits(l))
		must(t, cutile.Launch(t.Context(), dev, printing, ramp(t, dev, 16)))
		return dev
	}
	soon := cutile.Limits{Close: 100 * time.Millisecond}
	closes(t, "a device whose writer blocks", func() (time.Duration, error) { return timed(opened(soon).Close) })
	closes(t, "a stream whose writer blocks", func() (time.Duration, error) { return timed(opened(soon).Stream().Close) })

	w := &waits{begun: make(chan struct{})}
	w.dev = open(t, cutile.WithOutput(w), cutile.WithLimits(soon))
	must(t, cutile.Launch(t.Context(), w.dev, printing, ramp(t, w.dev, 16)))
	<-w.begun
	closed := make(chan error, 1)
	go func() { closed <- w.dev.Close() }() // the error is that of Close, or of the writer's Sync: whichever waits first
	select {
	case <-closed:
	case <-time.After(30 * time.Second):
		t.Fatal("Close of a device whose writer waits for it does not end")
	}

	dev := opened(cutile.Limits{Run: 50 * time.Millisecond})
	if err := dev.Sync(t.Context()); err == nil || !strings.Contains(err.Error(), "longer than 50ms: raise Limits.Run") {
		t.Errorf("Limits.Run: %v", err)
	}

	dev = opened(cutile.Limits{Close: time.Hour})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := dev.Sync(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Sync: %v", err)
	}
	if err := dev.Close(); err == nil || !strings.Contains(err.Error(), "stopped") {
		t.Errorf("Close after a wait was given up: %v", err)
	}
}
