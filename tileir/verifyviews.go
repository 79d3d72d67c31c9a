package tileir

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// tensorType checks the type of a tensor in memory.
func (c *checker) tensorType(what string, t *TensorViewType) {
	if !c.elem(what, t, t.Elem) {
		return
	}
	if t.Elem == I4 {
		c.fail("%s: %v: there are no tensors of i4", what, t)
	}
	c.pointerAttr(what, t, t.PtrAttr)
	if len(t.Shape) != len(t.Strides) {
		c.fail("%s: %v has %d extents but %d strides", what, t, len(t.Shape), len(t.Strides))
	}
	for _, x := range slices.Concat(t.Shape, t.Strides) {
		if x < 1 && x != Dynamic {
			c.fail("%s: %v: %d is not a positive extent or stride", what, t, x)
		}
	}
}

// viewType checks the type of a view of tiles.
func (c *checker) viewType(what string, t ViewType) {
	tensor := t.TensorView()
	if tensor == nil {
		c.fail("%s is a view without a tensor", what)
		return
	}
	if !c.checkType(what, tensor) {
		return
	}
	rank := len(tensor.Shape)
	var tile []int
	var padding Padding
	switch t := t.(type) {
	case *PartitionViewType:
		tile, padding = t.Tile, t.Padding
		c.dimMap(what, t, t.DimMap, rank)
	case *StridedViewType:
		tile, padding = t.Tile, t.Padding
		c.viewSince(what, t)
		c.dimMap(what, t, t.DimMap, rank)
		if len(t.Traversal) != len(t.Tile) || slices.ContainsFunc(t.Traversal, func(x int) bool { return x < 1 || x > math.MaxInt32 }) {
			c.fail("%s: %v needs a positive traversal stride of 32 bits for each of its %d dimensions", what, t, len(t.Tile))
		}
	case *GatherScatterViewType:
		tile, padding = t.Tile, t.Padding
		c.viewSince(what, t)
		if t.SparseDim < 0 || t.SparseDim >= rank {
			c.fail("%s: %v: sparse dimension %d is not below the rank %d", what, t, t.SparseDim, rank)
		}
	}
	if len(tile) == 0 || len(tile) != rank {
		c.fail("%s: %v: the tile's rank %d is not the tensor's rank %d, or is 0", what, t, len(tile), rank)
	}
	c.tileShape(what, t, tile)
	c.evenTile(what, t, tensor.Elem, tile)
	if padding < NoPadding || int(padding) >= len(PaddingValue.Values) || padding > PadZero && !tensor.Elem.IsFloat() {
		c.fail("%s: %v: padding %v needs a float element", what, t, padding)
	}
}

func (c *checker) viewSince(what string, t ViewType) {
	if c.version < V13_3 {
		name, _, _ := strings.Cut(fmt.Sprint(t), "<")
		c.fail("%s: %s needs version %v, but the target is %v", what, name, V13_3, c.version)
	}
}

func (c *checker) dimMap(what string, t ViewType, m []int, rank int) {
	seen := make([]bool, rank)
	for _, d := range m {
		if d < 0 || d >= rank || seen[d] {
			c.fail("%s: %v: the dimension map %v is not a permutation of 0..%d", what, t, m, rank-1)
			return
		}
		seen[d] = true
	}
	if len(m) != rank {
		c.fail("%s: %v: the dimension map has %d entries, but the tensor's rank is %d", what, t, len(m), rank)
	}
}
