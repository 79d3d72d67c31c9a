package cute_test

import (
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
			return strings.Contains(string(stacks[:n]), "/internal/simt/eval.")
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
		"Call":           func(x any) error { _, err := cute.Call(f, x); return err },
		"Compile":        func(x any) error { _, err := cute.Compile(f, x); return err },
		"another device": func(x any) error { _, err := cute.Call(f, x); return err }, // the attempt before leaves nothing
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
