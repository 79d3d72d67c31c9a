package cute

import "github.com/cutile-go/cutile/internal/layout"

// IntTuple is an integer or a tuple of tuples: (4,(2,8)). The integers are static or dynamic.
type IntTuple struct {
	t   layout.Tuple
	err error
}

// Names for the uses of an IntTuple.
type (
	// Shape holds the extents of a layout.
	Shape = IntTuple
	// Stride holds the distance between the elements of each mode.
	Stride = IntTuple
	// Coord is a position in a shape, in which [All] may stand for whole modes.
	Coord = IntTuple
)

// All stands for a whole mode in a coordinate: _ in CuTe's notation.
var All = IntTuple{t: layout.All}

// S returns a tuple of integers: S(4, 8) is (4,8).
//
//cutile:intrinsic tuple
func S(modes ...int) IntTuple { return hostTuple(modes) }

// I returns an integer as an IntTuple.
//
//cutile:intrinsic leaf
func I(n int) IntTuple { return hostLeaf(n) }

// Nest returns a tuple of tuples: Nest(S(2, 2), I(8)) is ((2,2),8).
//
//cutile:intrinsic nest
func Nest(modes ...IntTuple) IntTuple { return hostNest(modes) }

// Rank returns the number of modes: 1 for an integer.
//
//cutile:intrinsic rank
func (t IntTuple) Rank() int { return t.t.Rank() }

// Depth returns the depth to which the tuple is nested: 0 for an integer.
//
//cutile:intrinsic depth
func (t IntTuple) Depth() int { return t.t.Depth() }

// Size returns the product of the integers, or of those of the mode at a path.
//
//cutile:intrinsic size
func (t IntTuple) Size(path ...int) int { return hostInt(t.Mode(path...).t.Product()) }

// Mode returns the mode at a path: Mode(0, 1) is mode 1 of mode 0.
//
//cutile:intrinsic mode
func (t IntTuple) Mode(path ...int) IntTuple { return hostMode(t, path) }

// At returns the integer at a path.
//
//cutile:intrinsic int
func (t IntTuple) At(path ...int) int { return hostAt(t, path) }

// Flatten returns the integers as one flat tuple.
//
//cutile:intrinsic flat
func (t IntTuple) Flatten() IntTuple { return IntTuple{t: t.t.Flatten(), err: t.err} }

// ElemLess reports whether each integer of a coordinate is less than that of a shape, that is, whether the coordinate is
// inside.
//
//cutile:intrinsic elemless
func ElemLess(c Coord, s Shape) bool { return hostLess(c, s) }

// IdxToCrd returns the coordinate in a shape for an index that counts the first mode fastest.
//
//cutile:intrinsic idx2crd
func IdxToCrd(idx int, s Shape) Coord { return hostCrd(idx, s) }

// CrdToIdx returns the offset of a coordinate in a layout.
//
//cutile:intrinsic crd2idx
func CrdToIdx(c Coord, l Layout) int { return l.Index(c) }

// CeilDivEach divides a shape by another one, rounding up, mode by mode.
//
//cutile:intrinsic ceildiv
func CeilDivEach(a, b Shape) Shape { return hostPair(a, b, layout.CeilDiv) }

// RoundUpEach rounds a shape up to multiples of another one, mode by mode.
//
//cutile:intrinsic roundup
func RoundUpEach(a, b Shape) Shape { return hostPair(a, b, layout.RoundUp) }

// ShapeDiv divides a shape by another one as CuTe's shape_div does: 1 where the divisor is larger.
//
//cutile:intrinsic shapediv
func ShapeDiv(a, b Shape) Shape { return hostPair(a, b, layout.ShapeDiv) }

// CeilDiv returns a / b rounded up, for non-negative numbers. If b is 0 it panics as / does.
//
//cutile:intrinsic ceildivint
func CeilDiv(a, b int) int { return (a + b - 1) / b }
