package numerics_test

import (
	"errors"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/vulkan"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/internal/testing/threadtest"
	"github.com/cutile-go/cutile/tileir"
)

// largest is how many elements a tile has at most that a block computes on a Vulkan device: drivers take long to compile more.
const largest = 256

// TestVulkan compares a Vulkan device, as programs open it, with the CPU engine, bit for bit: every operation, element type and attribute.
// Elements that can be loaded alone are computed one by one, others in whole tiles if these are small.
func TestVulkan(t *testing.T) { onVulkan(t) }

// TestVulkanPairs does so where the device lacks integers of 64 bits.
func TestVulkanPairs(t *testing.T) { onVulkan(t, threadtest.Pairs...) }

// onVulkan compares a device that lacks features.
func onVulkan(t *testing.T, lacking ...string) {
	testenv.Elsewhere(t)
	threadtest.NeedsVulkan(t)
	threadtest.Lacking(t, lacking...)
	dev, err := cutile.Open("vulkan:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	d, compared, refused := dev.Internal().Engine().(*vulkan.Device), 0, map[string]int{}
	step := 1
	if testing.Short() {
		step = 30
	}
	for op, list := range byOperation(eachNth(step)) {
		t.Run(op, func(t *testing.T) {
			for _, c := range list {
				if c.onVulkan(t, d, refused) {
					compared++
				}
			}
		})
	}
	if least := len(cases()) / step / 2; compared < least && len(refused) == 0 {
		t.Errorf("only %d cases were compared, want %d", compared, least)
	}
	t.Logf("%d cases are equal, refused are %v", compared, refused)
}

// onVulkan compares a case, or reports that its tiles are too large, or that the device lacks what it takes.
func (c *testCase) onVulkan(t *testing.T, d *vulkan.Device, refused map[string]int) bool {
	var m *tileir.Module
	c = c.withoutZeroDivisors()
	n, blocks, step := c.results(), 1, 1
	switch {
	case c.form == elementwise && !c.shared():
		blocks = min(n, scalars)
		step = max(1, n/blocks-1)
		m = c.scalarModule(step)
	case n > largest, len(c.args) > 0 && c.args[0].len() > largest:
		return false
	default:
		m = c.module()
	}
	got, err := c.runOn(d, m, blocks, n)
	var no engine.CompileError
	if errors.As(err, &no) {
		if lacks := threadtest.Refuses(d.Caps(), no.Why()); lacks != "" {
			refused[lacks]++
			return false
		}
		t.Errorf("%s: refused: %s", c.name(), no.Why())
		return false
	} else if err != nil {
		t.Fatalf("%s: %v", c.name(), err)
	}
	want := c.usual(t)
	for i := 0; i < want.len(); i += step {
		if c.form == elementwise && !c.shared() && i/step >= blocks {
			break
		}
		if g, w := got.at(i), want.at(i); !c.same(g, w) {
			t.Errorf("%s: %s: Vulkan gives %s, the CPU %s", c.name(), c.describe(i), show(c.result, g), show(c.result, w))
			break
		}
	}
	return true
}
