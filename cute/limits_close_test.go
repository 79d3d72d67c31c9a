package cute_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
)

// evaluating reports whether some goroutine evaluates a kernel.
func evaluating() bool {
	stacks := make([]byte, 1<<20)
	for {
		n := runtime.Stack(stacks, true)
		if n < len(stacks) {
			return strings.Contains(string(stacks[:n]), "/internal/simtc/eval.")
		}
		stacks = make([]byte, 2*len(stacks))
	}
}

// TestCloseEndsCompiling: Close of the device ends what is compiled for it, by each way of compiling.
func TestCloseEndsCompiling(t *testing.T) {
	unbounded := cutile.Limits{Operations: 1 << 30, Calls: 1 << 30, CompileMemory: 1 << 40}
	f := cute.Jit(runDoubling)
	for name, compile := range map[string]func(x any) error{
		"a call":         func(x any) error { return f(cute.Of[float32](x.(*cutile.Tensor[float32]))) },
		"Call":           func(x any) error { _, err := cute.Call(t.Context(), f, x); return err },
		"Compile":        func(x any) error { _, err := cute.Compile(t.Context(), f, x); return err },
		"another device": func(x any) error { _, err := cute.Call(t.Context(), f, x); return err }, // the attempt before leaves nothing
	} {
		t.Run(name, func(t *testing.T) {
			dev, err := cutile.Open("cpu", cutile.WithLimits(unbounded))
			if err != nil {
				t.Fatal(err)
			}
			x := vector(t, dev, 64)
			got := make(chan error, 1)
			go func() { got <- compile(x) }()
			for !evaluating() && len(got) == 0 {
				time.Sleep(time.Millisecond)
			}
			if err := dev.Close(); err != nil {
				t.Error(err)
			}
			if err := <-got; !errors.Is(err, cutile.ErrClosed) {
				t.Errorf("the error is %v", err)
			}
			for end := time.Now().Add(time.Minute); evaluating(); time.Sleep(5 * time.Millisecond) {
				if time.Now().After(end) {
					t.Fatal("the compilation goes on")
				}
			}
		})
	}
}

// stuck is a writer that does not return before it is closed.
type stuck chan struct{}

func (s stuck) Write(text []byte) (int, error) { <-s; return len(text), nil }

// TestBlockedWriter: a kernel's print whose writer does not return ends with the launch.
func TestBlockedWriter(t *testing.T) {
	for name, l := range map[string]cutile.Limits{
		"Close":           {Close: 100 * time.Millisecond},
		"Run":             {Run: 50 * time.Millisecond, Close: time.Hour},
		"a wait given up": {Close: time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			out := make(stuck)
			defer close(out)
			dev, err := cutile.Open("cpu", cutile.WithOutput(out), cutile.WithLimits(l))
			if err != nil {
				t.Fatal(err)
			}
			if err := runShouting(cute.Of[float32](vector(t, dev, 4))); err != nil {
				t.Fatal(err)
			}
			if name == "a wait given up" {
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
				defer cancel()
				if err := dev.Sync(ctx); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("Sync: %v", err)
				}
			}
			want := "stopped"
			if l.Run > 0 {
				want = "raise Limits.Run"
			}
			if err := dev.Close(); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("Close: %v", err)
			}
		})
	}
}
