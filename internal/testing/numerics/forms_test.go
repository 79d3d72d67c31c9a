package numerics_test

import (
	"slices"
	"testing"

	"github.com/cutile-go/cutile/tileir"
)

// scalars is how many elements of a case are computed as tiles of rank 0, too.
const scalars = 1024

// TestScalars computes elements one by one, for which the engine has code of its own, and compares with whole tiles.
func TestScalars(t *testing.T) {
	for _, c := range some() {
		if c.form != elementwise || c.shared() {
			continue
		}
		c = c.withoutZeroDivisors()
		want := c.usual(t)
		n := want.len()
		blocks := min(n, scalars)
		step := max(1, n/blocks-1) // odd, so that edges of all operands meet
		got := c.run(t, usual(), c.scalarModule(step), blocks, n)
		for i := range blocks {
			if g, w := got.at(i*step), want.at(i*step); !c.same(g, w) {
				t.Errorf("%s: %s: alone it is %s, in a tile %s", c.name(), c.describe(i*step), show(c.result, g), show(c.result, w))
				break
			}
		}
	}
}

// TestSplats computes edge values with one operand that is the same for all elements.
func TestSplats(t *testing.T) {
	for _, c := range some() {
		if c.form != elementwise || c.shared() || len(c.types) != 2 || c.types[0] != c.types[1] {
			continue
		}
		want, edges := c.usual(t), len(edgesOf(c.types[0]))
		for splat := range 2 {
			got := c.run(t, usual(), c.splatModule(splat, edges), edges, edges*edges)
			for i := range edges * edges {
				k := i
				if splat == 1 { // rows and columns change places
					k = i%edges*edges + i/edges
				}
				if g, w := got.at(i), want.at(k); !c.same(g, w) {
					t.Errorf("%s: %s: with operand %d for all it is %s, else %s", c.name(), c.describe(k), splat, show(c.result, g), show(c.result, w))
					break
				}
			}
		}
	}
}

// shared reports whether elements share bytes in memory, so that one cannot be loaded alone.
func (c *testCase) shared() bool {
	return slices.ContainsFunc(append(argElems(c), c.result), func(e tileir.Elem) bool {
		_, per := stored(e)
		return per > 1
	})
}

// withoutZeroDivisors gives divisions of integers other divisors: by zero, single numbers end a kernel.
func (c *testCase) withoutZeroDivisors() *testCase {
	if c.in.Opcode != tileir.OpDivI && c.in.Opcode != tileir.OpRemI {
		return c
	}
	other := *c
	by := c.args[1]
	other.args = []*array{c.args[0], filled(by.len(), by.elem, func(i int) uint64 { return max(1, by.at(i)) })}
	return &other
}
