package cute_test

import (
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
)

// TestCompileLimits: what a few lines make of the compiler's work is bounded, with an error that names the construct and
// the limit.
func TestCompileLimits(t *testing.T) {
	for _, test := range []struct {
		name   string
		fn     func(cute.Tensor[float32]) error
		limits cutile.Limits
		want   []string
	}{
		{"operations", runDoubling, cutile.Limits{Operations: 20000}, []string{"limits_kernels_test.go", "the call of d20", "20000 operations", "Limits.Operations"}},
		{"calls", runDoubling, cutile.Limits{Calls: 20000}, []string{"limits_kernels_test.go", "20000 inlined calls", "Limits.Calls"}},
		{"memory", runDoubling, cutile.Limits{CompileMemory: 10 << 20}, []string{"10485760 bytes", "Limits.CompileMemory"}},
		{"product of turns", runNest, cutile.Limits{Unrolled: 10000}, []string{"limits_kernels_test.go", "10000 iterations", "Limits.Unrolled"}},
		{"one loop", runNest, cutile.Limits{Unrolled: 100}, []string{"a loop of 200 turns", "Limits.Unrolled"}},
		{"text", text, cutile.Limits{}, []string{"bytes of the compiler's memory"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dev, err := cutile.Open("cpu", cutile.WithLimits(test.limits))
			if err != nil {
				t.Fatal(err)
			}
			defer dev.Close()
			_, err = cute.Call(t.Context(), cute.Jit(test.fn), vector(t, dev, 64))
			wantError(t, err, test.want...)
		})
	}
}

// TestOrdinaryFunction: functions that people write stay below the default limits, and would not below a quarter of them.
func TestOrdinaryFunction(t *testing.T) {
	for _, test := range []struct {
		limits cutile.Limits
		want   string
	}{{cutile.Limits{}, ""}, {cutile.Limits{Operations: 1 << 17}, "131072 operations"}} {
		dev, err := cutile.Open("cpu", cutile.WithLimits(test.limits))
		if err != nil {
			t.Fatal(err)
		}
		defer dev.Close()
		_, err = cute.Compile(t.Context(), cute.Jit(runOrdinary), vector(t, dev, 64))
		if test.want != "" {
			wantError(t, err, test.want)
		} else if err != nil {
			t.Error(err)
		}
	}
}
