package emit

import (
	"math/bits"
	"slices"

	"github.com/cutile-go/cutile/internal/graph/index"
	"github.com/cutile-go/cutile/internal/graph/loops"
)

// rowTiles divides the axes of a kernel without a matrix product.
type rowTiles struct {
	*Sizes
	k            *loops.Kernel
	axes         []axis
	near, across int             // see adjacent
	row          int             // the longest row that is one tile
	windows      bool            // there are short axes
	room         int             // how many elements tiles may still have
	places       []map[int]int64 // the multiples of axes that accesses of memory are at
	dims         []int           // the axes that have tiles, but for near
}

// divideRows gives tiles to the axis along which elements lie next to each other, then to those that are folded, then to others.
func (s *Sizes) divideRows(k *loops.Kernel, axes []axis) []int {
	t := &rowTiles{Sizes: s, k: k, axes: axes, row: s.Row, room: s.Map}
	t.near, t.across = adjacent(k)
	if k.Value.Kind == loops.ArgSort { // its axis is whole, and the last dimension
		t.near, t.across, t.row = k.Value.Along[0], -1, k.Axes[k.Value.Along[0]].Extent
	}
	t.findPlaces()
	for i := range axes {
		axes[i].short = t.short(i)
		t.windows = t.windows || axes[i].short
	}
	order := t.order()
	t.divideNear()
	for _, i := range order {
		t.divide(i)
	}
	slices.Sort(t.dims)
	if t.near >= 0 && axes[t.near].tile > 1 {
		t.dims = append(t.dims, t.near)
	}
	return t.dims
}

// order lists the axes that get tiles behind near: first one that makes loads and stores both of several neighbours. Those of few
// elements come last.
func (t *rowTiles) order() (order []int) {
	if t.across >= 0 && (t.k.Axes[t.across].Role != loops.Grid || t.k.Axes[t.across].Extent < fewElements) {
		t.across = -1
	}
	for i := len(t.k.Axes) - 1; i >= 0; i-- {
		role := t.k.Axes[i].Role
		if i == t.near || role == loops.Serial || t.axes[i].short {
			continue
		}
		order = append(order, i)
		if role != loops.Grid {
			t.room = t.Fold
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return t.rank(i) - t.rank(j) })
	return order
}

// rank tells which of two axes gets a tile first.
func (t *rowTiles) rank(i int) int {
	a := t.k.Axes[i]
	switch {
	case i == t.across:
		return 0
	case a.Role != loops.Grid:
		return 1
	case a.Extent >= fewElements:
		return 2
	}
	return 3
}

// divideNear gives the axis along which elements lie next to each other its tile.
func (t *rowTiles) divideNear() {
	if t.near < 0 {
		return
	}
	most, role := t.room, t.k.Axes[t.near].Role
	switch {
	case role == loops.Row || role == loops.Inner:
		t.room, most = t.Fold, 1<<bits.Len(uint(t.row-1))
	case t.room == t.Fold:
		most = t.Fold / 32 // leave room for what is folded
	case t.windows:
		most = t.Map / windowRows
	case t.across >= 0:
		most = square(t.room)
	}
	a := &t.axes[t.near]
	a.tile = fit(a.extent, most)
	if role == loops.Inner {
		a.tile = exact(a.extent, most)
	}
	t.room = max(t.room, a.tile) / a.tile
}

// divide gives a further axis its tile.
func (t *rowTiles) divide(i int) {
	if t.room < 2 || len(t.dims) == maxViewAxes-1 || !t.regular(i) { // one dimension is left for near
		return
	}
	most := t.room
	switch {
	case t.windows:
		most = min(most, 2*windowRows)
	case i == t.across:
		most = min(most, square(t.Map))
	}
	t.axes[i].tile = fit(t.axes[i].extent, most)
	t.room /= t.axes[i].tile
	if t.axes[i].tile > 1 {
		t.dims = append(t.dims, i)
	}
}

// square gives the side of a square tile of about n elements.
func square(n int) int { return 1 << (bits.Len(uint(n)) / 2) }

// findPlaces lists where the kernel's accesses through views are.
func (t *rowTiles) findPlaces() {
	add := func(at index.Expr) {
		if factors, ok := at.Affine(); ok {
			t.places = append(t.places, factors)
		}
	}
	add(t.k.At)
	t.k.Walk(func(e *loops.Expr) {
		if e.Kind == loops.Load {
			add(e.At)
		}
	})
}

// regular reports whether the tiles in memory that another axis is part of consist of rows at one distance, as engines like them.
// Axes that are at one distance everywhere are one axis, so there is one such axis for each access, beside near.
func (t *rowTiles) regular(i int) bool {
	if t.k.Axes[i].Role == loops.Row {
		return true
	}
	for _, factors := range t.places {
		if factors[i] == 0 {
			continue
		}
		for _, other := range t.dims {
			if factors[other] != 0 {
				return false
			}
		}
	}
	return true
}

// short reports whether a block goes along an axis element by element: one that is only folded, and has few elements, so that tiles
// are large along others, in which neighbours are neighbours in memory.
func (t *rowTiles) short(i int) bool {
	return t.k.Axes[i].Role == loops.Inner && t.k.Axes[i].Extent < fewElements && t.near >= 0 && t.k.Axes[t.near].Role == loops.Grid
}

// windowRows is how many rows tiles have at least where windows are folded. They overlap along the rows, and the wider these are, the better
// a cache holds what neighbours share.
const windowRows = 16

// fewElements is how many elements along an axis are few: a tile along another axis is better.
const fewElements = 16

// adjacent gives the axis along which most accesses have neighbouring elements, and another one along which some have them: -1
// if there is none.
func adjacent(k *loops.Kernel) (near, across int) {
	votes := make([]int64, len(k.Axes))
	vote := func(e index.Expr, weight int64) { // as many as there are elements
		for _, t := range e.Terms {
			weight *= extents(k, t.Atom)
		}
		for _, t := range e.Terms {
			if t.Atom.Kind == index.AxisAtom && t.Factor == 1 {
				votes[t.Atom.Axis] += weight
			}
		}
	}
	vote(k.At, 3)
	k.Walk(func(e *loops.Expr) {
		if e.Kind == loops.Load {
			vote(e.At, 2)
		}
	})
	most := func(not int) int {
		best := -1
		better := func(i int) bool {
			few, fewer := k.Axes[i].Extent < fewElements, k.Axes[best].Extent < fewElements
			if few != fewer {
				return fewer
			}
			return votes[i] >= votes[best]
		}
		for i, n := range votes {
			if i != not && n > 0 && k.Axes[i].Role != loops.Serial && (best < 0 || better(i)) {
				best = i
			}
		}
		return best
	}
	near = most(-1)
	return near, most(near)
}

// extents multiplies the extents of the axes that a part of a place depends on.
func extents(k *loops.Kernel, a *index.Atom) int64 {
	switch a.Kind {
	case index.AxisAtom:
		return int64(k.Axes[a.Axis].Extent)
	case index.ValueAtom:
		return 1
	}
	n := int64(1)
	for _, t := range a.Arg.Terms {
		n *= extents(k, t.Atom)
	}
	return n
}
