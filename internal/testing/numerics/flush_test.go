package numerics_test

import (
	"math"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/tileir"
)

// TestFlushToZero compares devices that may take subnormal numbers as zeros with the usual one, which computes as the interpreter does. Results are the same where
// docs/numerics.md says so: of operands that are not subnormal, unless both results are small; and of operations that move bits.
func TestFlushToZero(t *testing.T) {
	for _, l := range host.Levels()[1:] {
		d, zeros := alone(t, cpu.Options{Level: l, FlushToZero: true}), 0
		for i, c := range some() {
			if c.form != elementwise || i%8 > 0 && !testing.Short() && !testenv.Required("slow") {
				continue
			}
			want, got := c.usual(t), c.whole(t, d)
			for i := range want.len() {
				g, w := got.at(i), want.at(i)
				switch {
				case c.same(g, w):
				case c.raw || !c.hasSubnormal(i) && !(small(c, g) && small(c, w)):
					t.Errorf("level %v: %s: %s gives %s, exact %s", l, c.name(), c.describe(i), show(c.result, g), show(c.result, w))
				default:
					zeros++
				}
				if t.Failed() {
					return
				}
			}
		}
		if zeros == 0 {
			t.Errorf("level %v: no result shows that subnormal numbers are zeros", l)
		}
	}
}

// hasSubnormal reports whether an operand of an element is subnormal where it is computed with: as float64 or as float32.
func (c *testCase) hasSubnormal(i int) bool {
	for _, a := range c.args {
		l, ok := layouts[a.elem]
		least := 0x1p-126
		if a.elem == tileir.F64 {
			least = 0x1p-1022
		}
		if a.elem == tileir.F8E8M0FNU && a.at(i) == 0 { // 2^-127
			return true
		}
		if x := math.Abs(l.value(a.at(i) >> pad(a.elem))); ok && x > 0 && x < least {
			return true
		}
	}
	return false
}

// small reports whether a result is so small that it may have lost bits, or all of it, on the way.
func small(c *testCase, bits uint64) bool {
	l, ok := layouts[c.result]
	bound := 0x1p-125
	if c.result == tileir.F64 {
		bound = 0x1p-900
	}
	return ok && math.Abs(l.value(bits>>pad(c.result))) < bound
}
