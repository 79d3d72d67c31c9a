package emit

import (
	"cmp"
	"math"
	"math/bits"

	"github.com/cutile-go/cutile/internal/graph/loops"
)

// Sizes are the sizes of tiles, in elements. Results do not depend on them but for sums of floats.
type Sizes struct {
	Map  int // of a kernel without folds
	Fold int // of one that folds
	Row  int // the longest row that is one tile
	Dot  int // rows and columns of a matrix product
	Keys int // queries, and keys, of attention
}

// DefaultSizes are the sizes for all devices.
var DefaultSizes = Sizes{Map: 4096, Fold: 8192, Row: 16384, Dot: 128, Keys: 64}

// axis is an axis of a kernel, divided into tiles.
type axis struct {
	extent int
	tile   int // elements of a tile, a power of two
	dim    int // the dimension of tiles that it is, -1 if tiles have one element along it
	looped bool
	short  bool // it is folded element by element, and has few
	shift  bool // the last tile begins so early that it lies inside; what it has in common with the one before, it stores alone
}

func (a *axis) tiles() int { return (a.extent + a.tile - 1) / a.tile }

// ragged reports whether the last tile has elements outside.
func (a *axis) ragged() bool { return a.extent%a.tile != 0 && !a.shift }

func fit(extent, most int) int { return min(1<<bits.Len(uint(extent-1)), most) }

// exact is the size of tiles of which none has elements outside, or that of [fit] where these would have few elements.
func exact(extent, most int) int {
	if t := min(extent&-extent, most); t >= 4*fewElements {
		return t
	}
	return fit(extent, most)
}

// divide chooses the tiles of a kernel, and the order of their dimensions.
func (s *Sizes) divide(k *loops.Kernel) (axes []axis, dims []int) {
	axes = make([]axis, len(k.Axes))
	for i, a := range k.Axes {
		axes[i] = axis{extent: a.Extent, tile: 1, dim: -1}
	}
	switch {
	case k.Attention != nil:
		dims = s.divideAttention(k, axes)
	case k.Dot != nil:
		dims = s.divideDot(k, axes)
	default:
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
func (s *Sizes) divideDot(k *loops.Kernel, axes []axis) (dims []int) {
	cut := false // tiles of the result may have elements outside, which take no time: engines make a product of the loop along the sum
	if i := widest(k, loops.DotSum); i >= 0 {
		most := max(s.Dot/8, s.Dot/k.Dot.Args[0].Elem.Size())
		if axes[i].extent <= 2*most { // no loop, as its last turn would be a ragged one
			most *= 2
		}
		axes[i].tile = fit(axes[i].extent, most)
		if part := axes[i].extent & -axes[i].extent; axes[i].extent%axes[i].tile != 0 && part >= leastSum {
			axes[i].tile = min(part, most)
		}
		cut = axes[i].tiles() > 1 && axes[i].extent%axes[i].tile == 0
	}
	for _, role := range []loops.Role{loops.DotLeft, loops.DotRight} {
		if i := widest(k, role); i >= 0 {
			axes[i].covering(s.Dot, loading[role], cut)
			if axes[i].tile > 1 {
				dims = append(dims, i)
			}
		}
	}
	return dims
}

// leastSum is the least size of tiles along the sum of a product that is better than tiles with elements outside: engines join the turns of
// the loop.
const leastSum = 8

// divideAttention gives the queries, the keys and the values tiles. That of values has all of them, as scores are computed again
// for each.
func (s *Sizes) divideAttention(k *loops.Kernel, axes []axis) (dims []int) {
	sizes := map[loops.Role]int{loops.DotRight: 4 * s.Keys}
	for _, role := range []loops.Role{loops.DotLeft, loops.Key, loops.DotRight, loops.DotSum} {
		i := widest(k, role)
		if i < 0 {
			continue
		}
		most := cmp.Or(sizes[role], s.Keys)
		axes[i].tile = fit(axes[i].extent, most)
		if role == loops.DotLeft {
			axes[i].covering(most, loading[role], false)
		}
		if role != loops.DotSum && axes[i].tile > 1 {
			dims = append(dims, i) // as the matrices have them
		}
	}
	return dims
}

// loading is how many rows, and how many columns, of a tile of a matrix product take as long as loading the factors does beyond
// what all tiles load.
var loading = map[loops.Role]float64{loops.DotLeft: 4, loops.DotRight: 4}

// covering divides an axis of a matrix product into tiles that cover it in the least time: large ones load less for each element. What the
// last tile has outside takes no time if it may be cut; otherwise several tiles overlap instead, and small ones cover fewer elements twice.
func (a *axis) covering(most int, loading float64, cut bool) {
	least := math.Inf(1)
	for t := fit(a.extent, most); t >= 1; t /= 2 {
		tiles := (a.extent + t - 1) / t
		covered := tiles * t
		if rest := a.extent % t; cut && rest > 0 {
			covered += max(rest, fewRows) - t
		}
		if time := float64(covered) + float64(tiles)*loading; time < least {
			a.tile, least = t, time
		}
	}
	a.shift = !cut && a.extent > a.tile && a.extent%a.tile != 0
}

// fewRows is how many rows of a product take as long as fewer ones.
const fewRows = 8

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
