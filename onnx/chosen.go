package onnx

import (
	"slices"

	"github.com/cutile-go/cutile/graph"
)

// chosenOperators have results whose shapes depend on elements, which must be known.
var chosenOperators = map[string]operator{
	"NonZero": {9, 0, 1, 1, nonZero, false}, "Compress": {9, 0, 2, 2, compress, false},
}

func nonZero(c *call) []*val {
	k := c.known(0)
	var at [][]int
	for i := range k.len() {
		if k.float(i) != 0 {
			at = append(at, unravel(i, k.shape))
		}
	}
	flat := make([]int, 0, len(k.shape)*len(at))
	for a := range k.shape {
		for _, p := range at {
			flat = append(flat, p[a])
		}
	}
	return []*val{c.b.reshape(constantInts(flat...), []int{len(k.shape), len(at)})}
}

func compress(c *call) []*val {
	k := c.known(1)
	x := c.in[0]
	a := 0
	if c.attrs["axis"] == nil {
		x = c.b.reshape(x, []int{x.len()})
	} else {
		a = axis(c.int("axis", 0), x.rank())
	}
	var keep []int
	for i, on := range k.ints {
		if on != 0 {
			keep = append(keep, i)
		}
	}
	if len(keep) > 0 && keep[len(keep)-1] >= x.shape[a] {
		refuse("the condition has %d elements for axis %d of shape %v", k.len(), a, slices.Clone(x.shape))
	}
	if len(keep) == 0 {
		return []*val{c.b.narrow(x, a, 0, 0)}
	}
	return []*val{computed(graph.Gather(c.b.of(x), c.b.of(constantInts(keep...)), a), x)}
}
