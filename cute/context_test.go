package cute_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
)

// TestContextOfACall: a parameter of type context.Context is the context of the call, and no part of the program.
func TestContextOfACall(t *testing.T) {
	dev, _ := open(t)
	x := must(cutile.FromSlice(dev, []int32{1, 2, 3, 4}))(t)
	add := cute.Jit(addTo)
	type key struct{}
	before := cute.CompileStats()
	for _, ctx := range []context.Context{t.Context(), context.WithValue(t.Context(), key{}, 1)} {
		check(t, add(ctx, cute.Of[int32](x), 10))
	}
	if got := cute.CompileStats().Evaluated - before.Evaluated; got != 1 {
		t.Errorf("compiled %d times for two contexts, want 1", got)
	}
	check(t, cute.Jit(adder.run)(adder{cute.C(int32(100))}, t.Context(), cute.Of[int32](x)))
	must(cute.Call(t.Context(), add, t.Context(), x, 1))(t)
	if got := must(x.Slice())(t); got[0] != 122 || got[3] != 125 {
		t.Errorf("got %v", got)
	}
}

// TestContextEnded: a call ends when the context among its arguments does, also where Call has another one.
func TestContextEnded(t *testing.T) {
	dev, _ := open(t)
	x := must(cutile.FromSlice(dev, []int32{1, 2, 3, 4}))(t)
	ended, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	fresh := func() func(context.Context, cute.Tensor[int32], int32) error {
		return cute.Jit(addTo, cute.Options{NoCache: true})
	}
	if err := fresh()(ended, cute.Of[int32](x), 1); !errors.Is(err, context.Canceled) && !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
	within, stop := context.WithTimeout(t.Context(), time.Hour)
	defer stop()
	if _, err := cute.Call(within, fresh(), ended, x, 1); !errors.Is(err, context.Canceled) && !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
	must(cute.Call(within, fresh(), t.Context(), x, 1))(t)
}

// TestContextRefused: no context at all, and a host function that asks its context something.
func TestContextRefused(t *testing.T) {
	dev, _ := open(t)
	x := must(cutile.FromSlice(dev, []int32{1, 2, 3, 4}))(t)
	var none context.Context
	wantError(t, cute.Jit(addTo)(none, cute.Of[int32](x), 1), "argument #1 (ctx) is nil: pass context.Background()")
	wantError(t, cute.Jit(asksContext)(t.Context(), cute.Of[int32](x)), "ctx.Err")
}

// TestWrapped: functions of package cute work on memory of the program in place.
func TestWrapped(t *testing.T) {
	dev, _ := open(t)
	data := []int32{1, 2, 3, 4}
	x := must(cutile.Wrap(dev, data))(t)
	check(t, cute.Jit(addTo)(t.Context(), cute.Of[int32](x), 10))
	check(t, dev.Sync(t.Context()))
	if data[0] != 11 || data[3] != 14 {
		t.Errorf("got %v", data)
	}
}
