package cute_test

import (
	"context"
	"log/slog"
	"runtime"
	"testing"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
)

// TestStreamsKeptByCalls: a call keeps the streams that it was given, however often the garbage collector runs while it compiles.
func TestStreamsKeptByCalls(t *testing.T) {
	dev, err := cutile.Open("cpu", cutile.WithLogger(slog.New(collector{slog.DiscardHandler})))
	check(t, err)
	defer dev.Close()
	for name, call := range map[string]func(x, y *cutile.Tensor[float32], a, b *cutile.Stream) error{
		"Jit": func(x, y *cutile.Tensor[float32], a, b *cutile.Stream) error {
			return cute.Jit(chained)(cute.Of[float32](x), cute.Of[float32](y), cute.StreamOf(a), cute.StreamOf(b))
		},
		"Call": func(x, y *cutile.Tensor[float32], a, b *cutile.Stream) error {
			_, err := cute.Call(t.Context(), cute.Jit(chained), x, y, a, b)
			return err
		},
	} {
		x, err := cutile.NewTensor[float32](dev, 64)
		check(t, err)
		y, err := cutile.NewTensor[float32](dev, 64)
		check(t, err)
		if err := onDropped(t, dev, x, y, call); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		check(t, dev.Sync(t.Context()))
	}
}

// onDropped makes a call on streams that only the call has.
func onDropped(t *testing.T, dev *cutile.Device, x, y *cutile.Tensor[float32], call func(x, y *cutile.Tensor[float32], a, b *cutile.Stream) error) error {
	a, err := dev.NewStream()
	check(t, err)
	b, err := dev.NewStream()
	check(t, err)
	return call(x, y, a, b)
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
