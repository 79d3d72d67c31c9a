package numerics_test

import (
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/native/host"
)

// TestLevels compares machine code of each level that this machine has with the interpreter, bit for bit.
func TestLevels(t *testing.T) {
	interpreter := alone(t, cpu.Options{Interpret: true})
	devices := map[host.Level]*cpu.Device{}
	for _, l := range host.Levels()[1:] {
		devices[l] = alone(t, cpu.Options{Level: l})
	}
	for op, list := range byOperation(some()) {
		t.Run(op, func(t *testing.T) {
			for _, c := range list {
				want := c.whole(t, interpreter)
				for l, d := range devices {
					c.compareLevel(t, l, c.whole(t, d), want)
				}
			}
		})
	}
}

func (c *testCase) compareLevel(t *testing.T, l host.Level, got, want *array) {
	for i := range want.len() {
		if g, w := got.at(i), want.at(i); !c.same(g, w) {
			t.Errorf("%s: %s: machine code of level %v gives %s, the interpreter %s", c.name(), c.describe(i), l, show(c.result, g), show(c.result, w))
			return
		}
	}
}
