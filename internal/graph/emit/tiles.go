package emit

import (
	"math/bits"
	"slices"

	"github.com/cutile-go/cutile/internal/graph/index"
	"github.com/cutile-go/cutile/internal/graph/loops"
)

// Sizes are the sizes of tiles, in elements. Results do not depend on them but for sums of floats.
type Sizes struct {
	Map  int // of a kernel without folds
	Fold int // of one that folds
	Row  int // the longest row that is one tile
	Dot  int // rows and columns of a matrix product
}

// DefaultSizes are the sizes for all devices.
var DefaultSizes = Sizes{Map: 4096, Fold: 8192, Row: 16384, Dot: 128}

// axis is an axis of a kernel, divided into tiles.
type axis struct {
	extent int
	tile   int // elements of a tile, a power of two
	dim    int // the dimension of tiles that it is, -1 if tiles have one element along it
	looped bool
}

func (a *axis) tiles() int { return (a.extent + a.tile - 1) / a.tile }

// ragged reports whether the last tile has elements outside.
func (a *axis) ragged() bool { return a.extent%a.tile != 0 }

func fit(extent, most int) int { return min(1<<bits.Len(uint(extent-1)), most) }

// divide chooses the tiles of a kernel, and the order of their dimensions.
func (s *Sizes) divide(k *loops.Kernel) (axes []axis, dims []int) {
	axes = make([]axis, len(k.Axes))
	for i, a := range k.Axes {
		axes[i] = axis{extent: a.Extent, tile: 1, dim: -1}
	}
	if k.Dot != nil {
		dims = s.divideDot(k, axes)
	} else {
		dims = s.divideRows(k, axes)
	}
	for d, i := range dims {
		axes[i].dim = d
	}
	for i, a := range k.Axes {
		axes[i].looped = a.Role != loops.Grid && a.Role != loops.DotLeft && a.Role != loops.DotRight && axes[i].tiles() > 1
	}
	return axes, dims
}

// divideDot gives the last axis of each kind a tile.
func (s *Sizes) divideDot(k *loops.Kernel, axes []axis) []int {
	var dims []int
	sizes := map[loops.Role]int{loops.DotLeft: s.Dot, loops.DotRight: s.Dot, loops.DotSum: max(s.Dot/8, s.Dot/k.Dot.Args[0].Elem.Size())}
	for _, role := range []loops.Role{loops.DotLeft, loops.DotRight, loops.DotSum} {
		if i := widest(k, role); i >= 0 {
			axes[i].tile = fit(axes[i].extent, sizes[role])
			if role != loops.DotSum && axes[i].tile > 1 {
				dims = append(dims, i)
			}
		}
	}
	return dims
}

// widest gives the last axis of a role that is not much shorter than the longest one.
func widest(k *loops.Kernel, role loops.Role) int {
	best := -1
	for i, a := range k.Axes {
		if a.Role == role && (best < 0 || a.Extent >= min(16, k.Axes[best].Extent)) {
			best = i
		}
	}
	return best
}

// divideRows gives tiles to the axis along which elements lie next to each other, then to those that are folded, then to others.
func (s *Sizes) divideRows(k *loops.Kernel, axes []axis) []int {
	near, across := adjacent(k)
	row := s.Row
	if k.Value.Kind == loops.ArgSort { // its axis is whole, and the last dimension
		near, across, row = k.Value.Along[0], -1, k.Axes[k.Value.Along[0]].Extent
	}
	order := []int{}
	room := s.Map
	if across >= 0 && k.Axes[across].Role == loops.Grid { // so that loads and stores are both of several neighbouring elements
		order = append(order, across)
	}
	for _, want := range [][]loops.Role{{loops.Row, loops.Inner}, {loops.Grid}} {
		for i := len(k.Axes) - 1; i >= 0; i-- {
			if i != near && !slices.Contains(order, i) && slices.Contains(want, k.Axes[i].Role) && !short(k, i, near) {
				order = append(order, i)
				if want[0] == loops.Row {
					room = s.Fold
				}
			}
		}
	}
	if near >= 0 {
		most := room
		switch {
		case k.Axes[near].Role == loops.Row || k.Axes[near].Role == loops.Inner:
			room, most = s.Fold, 1<<bits.Len(uint(row-1))
		case room == s.Fold:
			most = s.Fold / 32 // leave room for what is folded
		case across >= 0:
			most = 1 << (bits.Len(uint(room)) / 2)
		}
		axes[near].tile = fit(axes[near].extent, most)
		room = max(room, axes[near].tile)
		room /= axes[near].tile
	}
	dims := []int{}
	for n, i := range order {
		if room < 2 || len(dims) == maxViewAxes-1 { // one is left for near
			break
		}
		most := room
		if n == 0 && i == across {
			most = 1 << (bits.Len(uint(s.Map)) / 2)
		}
		axes[i].tile = fit(axes[i].extent, min(room, most))
		room /= axes[i].tile
		if axes[i].tile > 1 {
			dims = append(dims, i)
		}
	}
	slices.Sort(dims)
	if near >= 0 && axes[near].tile > 1 {
		dims = append(dims, near)
	}
	return dims
}

// fewElements is how many elements along an axis are few: a tile along another axis is better.
const fewElements = 16

// short reports whether a block goes along an axis element by element: one that is only folded, and has few elements, so that tiles
// are large along others, in which neighbours are neighbours in memory.
func short(k *loops.Kernel, i, near int) bool {
	return k.Axes[i].Role == loops.Inner && k.Axes[i].Extent < fewElements && near >= 0 && k.Axes[near].Role == loops.Grid
}

// adjacent gives the axis along which most accesses have neighbouring elements, and another one along which some have them: -1
// if there is none.
func adjacent(k *loops.Kernel) (near, across int) {
	votes := make([]int, len(k.Axes))
	vote := func(e index.Expr, weight int) {
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
