package nest

import (
	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// Adjacent reports whether each element of a tile of integers is one more than the one before, modulo their width, within each sixteen
// elements at least. Offsets that do so and lie in memory are those of adjacent places. same reports whether all elements of a tile are
// the same.
func Adjacent(v *tileir.Value, same func(v *tileir.Value) bool) bool {
	n, ok := distance(v, same)
	return ok && n == 1
}

// distance is how much more each element of a tile of integers is than the one before, modulo their width, within each sixteen elements at
// least; ok is false if that is not known.
func distance(v *tileir.Value, same func(v *tileir.Value) bool) (n int64, ok bool) {
	f := distances{same, mostLooks}
	return f.of(v)
}

// mostLooks bounds the values that are looked at for a distance.
const mostLooks = 64

// distances finds distances.
type distances struct {
	same func(v *tileir.Value) bool
	left int // of mostLooks
}

func (f *distances) of(v *tileir.Value) (n int64, ok bool) {
	if f.same(v) {
		return 0, true
	}
	if f.left--; f.left < 0 || v.Def == nil {
		return 0, false
	}
	switch op := v.Def; op.Info.Opcode {
	case tileir.OpIota:
		return 1, true
	case tileir.OpReshape, tileir.OpAssume:
		return f.of(op.Operands[0])
	case tileir.OpBroadcast:
		return f.ofBroadcast(op)
	case tileir.OpAddI, tileir.OpSubI, tileir.OpMulI:
		x, xs := f.of(op.Operands[0])
		y, ys := f.of(op.Operands[1])
		if !xs || !ys {
			return 0, false
		}
		return combined(op, x, y)
	}
	return 0, false
}

// ofBroadcast is the distance of a broadcast along whole groups of sixteen elements.
func (f *distances) ofBroadcast(op *tileir.Op) (n int64, ok bool) {
	from, to := lane.TileOf(op.Operands[0]).Shape, lane.TileOf(op.Results[0]).Shape
	if len(to) == 0 || to[len(to)-1]%vec.Lanes != 0 {
		return 0, false
	}
	if from[len(from)-1] == 1 {
		return 0, true
	}
	return f.of(op.Operands[0])
}

// combined is the distance of a sum, difference or product, from those of its operands.
func combined(op *tileir.Op, x, y int64) (n int64, ok bool) {
	switch op.Info.Opcode {
	case tileir.OpAddI:
		return x + y, true
	case tileir.OpSubI:
		return x - y, true
	}
	return 0, x == 0 && y == 0
}
