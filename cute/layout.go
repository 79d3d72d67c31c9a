package cute

import "github.com/cutile-go/cutile/internal/layout"

// Layout is a function from coordinates to offsets, written as a shape and a stride: (4,8):(1,4). A swizzled layout applies a
// swizzle to the offsets; see [Swizzle.Of].
type Layout struct {
	l     layout.Layout
	outer *layout.Composed
	err   error
}

// ComposedLayout is a [Layout]; the name documents that it is expected to have a swizzle.
type ComposedLayout = Layout

// Tiler is what a layout is divided by or composed with: a [Shape], which applies mode by mode, a [Layout], which applies to
// the whole domain, or a [Tile].
type Tiler interface{ isTiler() }

// Tile is a tiler with an entry for each mode: a layout, a shape, or [All] for a mode that stays unchanged.
type Tile []Tiler

func (IntTuple) isTiler() {}
func (Layout) isTiler()   {}
func (Tile) isTiler()     {}

// View is an operand of layout operations: a [Layout], a [Tensor] or a [CoordTensor].
type View[V any] interface {
	Slice(crd ...Coord) V
	Layout() Layout
}

// MakeLayout returns the layout with a shape and a stride; without a stride, the layout without gaps whose first mode is
// fastest.
//
//cutile:intrinsic makelayout
func MakeLayout(shape Shape, stride ...Stride) Layout { return hostMake(shape, stride) }

// MakeOrderedLayout returns the layout without gaps in which the mode with the lowest order is fastest.
//
//cutile:intrinsic orderedlayout
func MakeOrderedLayout(shape Shape, order IntTuple) Layout { return hostOrdered(shape, order) }

// MakeLayoutTV returns the tile that all threads with their values cover, and the layout from (thread, value) to the
// position in that tile.
//
//cutile:intrinsic layouttv
func MakeLayoutTV(threads, values Layout) (tiler Shape, tv Layout) { return hostTV(threads, values) }

// MakeIdentityLayout returns the layout that maps each coordinate in a shape to itself; [Identity] is usually what is needed.
//
//cutile:intrinsic identitylayout
func MakeIdentityLayout(shape Shape) Layout { return hostIdentity(shape) }

// Shape returns the shape, or that of the mode at a path.
//
//cutile:intrinsic shape
func (l Layout) Shape(path ...int) Shape { return hostShape(l).Mode(path...) }

// Stride returns the stride, or that of the mode at a path.
//
//cutile:intrinsic stride
func (l Layout) Stride(path ...int) Stride { return hostStride(l).Mode(path...) }

// Size returns the number of coordinates, or that of the mode at a path.
//
//cutile:intrinsic size
func (l Layout) Size(path ...int) int { return l.Shape(path...).Size() }

// Cosize returns one more than the greatest offset.
//
//cutile:intrinsic cosize
func (l Layout) Cosize() int { return hostCosize(l) }

// Rank returns the number of modes.
//
//cutile:intrinsic rank
func (l Layout) Rank() int { return l.l.Rank() }

// Depth returns the depth to which the shape is nested.
//
//cutile:intrinsic depth
func (l Layout) Depth() int { return l.l.Depth() }

// At returns the offset of a coordinate, an integer for each mode or one for all.
//
//cutile:intrinsic offset
func (l Layout) At(crd ...int) int { return hostOffset(l, hostCoord(crd)) }

// Index returns the offset of a coordinate.
//
//cutile:intrinsic offset1
func (l Layout) Index(crd Coord) int { return hostOffset(l, crd) }

// Mode returns the mode at a path as a layout.
//
//cutile:intrinsic getmode
func (l Layout) Mode(path ...int) Layout { return hostLayoutMode(l, path) }

// Slice keeps the modes whose coordinate is [All].
//
//cutile:intrinsic slice
func (l Layout) Slice(crd ...Coord) Layout { return hostSlice(l, crd) }

// Layout returns the layout itself.
//
//cutile:intrinsic layout
func (l Layout) Layout() Layout { return l }

// Inner returns the layout before the swizzle.
//
//cutile:intrinsic inner
func (l Layout) Inner() Layout { return Layout{l: l.l, err: l.err} }

// Coalesce returns the layout with as few modes as possible that is the same function of an integer.
//
//cutile:intrinsic coalesce
func Coalesce[V View[V]](v V) V { return onHost(v, sure(layout.Coalesce)) }

// CoalesceBy coalesces each part that corresponds to a leaf of a profile.
//
//cutile:intrinsic coalesceby
func CoalesceBy[V View[V]](v V, profile IntTuple) V { return byTuple(v, profile, layout.CoalesceBy) }

// Flatten returns the layout whose modes are the leaves.
//
//cutile:intrinsic flatten
func Flatten[V View[V]](v V) V { return onHost(v, sure(layout.Flatten)) }

// Filter drops the modes whose stride is known to be 0 or whose size is known to be 1 when the function is compiled.
//
//cutile:intrinsic filter
func Filter[V View[V]](v V) V { return onHost(v, sure(layout.Filter)) }

// FilterZeros sets the size of every mode to 1 whose stride is known to be 0 when the function is compiled.
//
//cutile:intrinsic filterzeros
func FilterZeros[V View[V]](v V) V { return onHost(v, sure(layout.FilterZeros)) }

// SelectModes returns the named modes, in that order.
//
//cutile:intrinsic select
func SelectModes[V View[V]](v V, modes ...int) V { return hostSelect(v, modes) }

// GroupModes combines the modes from begin up to, but not including, end into one mode.
//
//cutile:intrinsic group
func GroupModes[V View[V]](v V, begin, end int) V { return hostGroup(v, begin, end) }

// Append adds a mode at the end.
//
//cutile:intrinsic append
func Append(l, mode Layout) Layout { return byLayout(l, mode, joined(layout.Append)) }

// Prepend adds a mode in front.
//
//cutile:intrinsic prepend
func Prepend(l, mode Layout) Layout { return byLayout(l, mode, joined(layout.Prepend)) }

// Composition returns R with R(c) = v(tiler(c)). Such a layout exists only if the numbers of the two divide one another, for
// example a step of the tiler and the extent of the mode that it passes through. Static numbers that do not are refused.
// Dynamic numbers are trusted, as in CuTe, and R is wrong if they do not; a device with cutile.WithChecks reports that. The
// same holds for divisions by a layout of several modes, which are compositions.
//
//cutile:intrinsic composition
func Composition[V View[V]](v V, tiler Tiler) V { return byTiler(v, tiler, layout.Compose) }

// Complement returns the layout of the offsets below a number that a layout does not reach.
//
//cutile:intrinsic complement
func Complement(l Layout, target int) Layout { return hostComplement(l, target) }

// LeftInverse returns R with l(R(l(i))) = l(i).
//
//cutile:intrinsic leftinverse
func LeftInverse(l Layout) Layout { return onHost(l, layout.LeftInverse) }

// RightInverse returns the longest R with l(R(i)) = i.
//
//cutile:intrinsic rightinverse
func RightInverse(l Layout) Layout { return onHost(l, layout.RightInverse) }

// LogicalDivide splits into (tile, rest), mode by mode for a shape or a [Tile].
//
//cutile:intrinsic logicaldivide
func LogicalDivide[V View[V]](v V, tiler Tiler) V { return byTiler(v, tiler, layout.LogicalDivide) }

// ZippedDivide splits into ((tiles...), (rests...)).
//
//cutile:intrinsic zippeddivide
func ZippedDivide[V View[V]](v V, tiler Tiler) V { return byTiler(v, tiler, layout.ZippedDivide) }

// TiledDivide splits into ((tiles...), rest, rest...).
//
//cutile:intrinsic tileddivide
func TiledDivide[V View[V]](v V, tiler Tiler) V { return byTiler(v, tiler, layout.TiledDivide) }

// FlatDivide splits into (tile, tile..., rest, rest...).
//
//cutile:intrinsic flatdivide
func FlatDivide[V View[V]](v V, tiler Tiler) V { return byTiler(v, tiler, layout.FlatDivide) }

// LogicalProduct repeats a block by a tiler: (block, repetitions).
//
//cutile:intrinsic logicalproduct
func LogicalProduct(l Layout, tiler Tiler) Layout { return byTiler(l, tiler, layout.LogicalProduct) }

// ZippedProduct repeats into ((blocks...), (repetitions...)).
//
//cutile:intrinsic zippedproduct
func ZippedProduct(l Layout, tiler Tiler) Layout { return byTiler(l, tiler, layout.ZippedProduct) }

// TiledProduct repeats into ((blocks...), repetition, repetition...).
//
//cutile:intrinsic tiledproduct
func TiledProduct(l Layout, tiler Tiler) Layout { return byTiler(l, tiler, layout.TiledProduct) }

// FlatProduct repeats into (block..., repetition...).
//
//cutile:intrinsic flatproduct
func FlatProduct(l Layout, tiler Tiler) Layout { return byTiler(l, tiler, layout.FlatProduct) }

// BlockedProduct repeats a block along the modes of b, with the blocks side by side.
//
//cutile:intrinsic blockedproduct
func BlockedProduct(l, b Layout) Layout { return byLayout(l, b, layout.BlockedProduct) }

// RakedProduct repeats a block along the modes of b, with the elements interleaved.
//
//cutile:intrinsic rakedproduct
func RakedProduct(l, b Layout) Layout { return byLayout(l, b, layout.RakedProduct) }

// MaxCommon returns the layout of the longest vector that is laid out alike in both.
//
//cutile:intrinsic maxcommon
func MaxCommon(a, b Layout) Layout { return byLayout(a, b, layout.MaxCommon) }

// TileToShape repeats a layout, in a given order of modes, until it covers a shape.
//
//cutile:intrinsic tiletoshape
func TileToShape(l Layout, shape Shape, order IntTuple) Layout {
	return hostTileToShape(l, shape, order)
}

// RecastLayout converts a layout of elements of one width, in bits, to elements of another width. A dynamic stride must be a
// whole number of the wider elements: a device with cutile.WithChecks reports one that is not.
//
//cutile:intrinsic recast
func RecastLayout(l Layout, to, from int) Layout { return hostRecast(l, to, from) }

// Swizzle exchanges bits of an offset: bits base to base+b are xor-ed with those shift further up (S<b,base,shift>).
type Swizzle struct{ Bits, Base, Shift int }

// Of returns the layout followed by the swizzle.
func (s Swizzle) Of(l Layout) ComposedLayout { return swizzled(s.Bits, s.Base, s.Shift, l) }

//cutile:intrinsic compose
func swizzled(bits, base, shift int, l Layout) ComposedLayout {
	return hostSwizzled(bits, base, shift, l)
}
