package conformance

import (
	"testing"

	"github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/testing/levels"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// newCPU makes a runner on the CPU engine.
func newCPU(t testing.TB) *Runner {
	t.Helper()
	out := &Output{}
	d, err := device.Open(levels.New(cpu.Options{Output: out, CheckAssumes: true}), limit.Default)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return &Runner{Device: d, Output: out}
}

// TestCPU runs every case on the CPU engine, as compiled and through each version of the bytecode.
func TestCPU(t *testing.T) {
	cases, err := chosen()
	if err != nil {
		t.Fatal(err)
	}
	r := newCPU(t)
	for i, c := range cases {
		if testenv.Few() && i%6 > 0 {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			if err := r.Run(t.Context(), &c, Matrix["cpu"]); err != nil {
				t.Error(err)
			}
		})
	}
}
