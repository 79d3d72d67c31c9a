package cpu_test

import (
	"errors"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/native/host"
)

// TestMapRefused: a kernel for which the system refuses executable memory is interpreted. Other errors are errors.
func TestMapRefused(t *testing.T) {
	if !machineCode() {
		t.Skip("the machine has no machine code")
	}
	var refusal error
	d := newDevice(t, cpu.WithMap(cpu.Options{}, func(code []byte, functions ...host.Function) (*host.Code, error) {
		if refusal != nil {
			return nil, refusal
		}
		return host.Map(code, functions...)
	}))
	checkMapped(t, d, true)
	refusal = &host.RefusedError{Step: "pages to write", Err: errors.New("there are too many")}
	checkMapped(t, d, false)
	refusal = errors.New("a file cannot be written")
	k := squareProduct(t, 16)
	if _, err := d.Compile(bg, k.module, k.entry.Name); !errors.Is(err, refusal) {
		t.Errorf("compiling gives %v, want %v", err, refusal)
	}
	refusal = nil
	checkMapped(t, d, true)
}

// checkMapped runs a sum and products, of which some have machine code or none has.
func checkMapped(t *testing.T, d *cpu.Device, code bool) {
	t.Helper()
	const n = 32
	k := squareProduct(t, n)
	if got := cpu.HasCode(k.compile(d)); got != code {
		t.Errorf("the kernel has machine code: %v, want %v", got, code)
	}
	for name, got := range map[string][]float32{
		"sum": subnormalSum(t, d, n, 1), "product": subnormalProduct(t, d, n, 1, false), "loop": subnormalProduct(t, d, n, 1, true),
	} {
		for i, x := range got {
			if x != 3 {
				t.Fatalf("with machine code: %v: element %d of the %s is %v, want 3", code, i, name, x)
			}
		}
	}
}
