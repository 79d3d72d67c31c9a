package nest

import (
	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/tileir"
)

// Adjacent reports whether each element of a tile of integers is one more than the one before, modulo their width, within each sixteen
// elements at least. Offsets that do so and lie in memory are those of adjacent places.
func Adjacent(v *tileir.Value) bool {
	if v.Def == nil {
		return false
	}
	switch op := v.Def; op.Info.Opcode {
	case tileir.OpIota:
		return true
	case tileir.OpReshape, tileir.OpAssume:
		return Adjacent(op.Operands[0])
	case tileir.OpAddI:
		x, y := op.Operands[0], op.Operands[1]
		return Adjacent(x) && same(y) || same(x) && Adjacent(y)
	case tileir.OpSubI:
		return Adjacent(op.Operands[0]) && same(op.Operands[1])
	}
	return false
}

// same reports whether all elements of a tile are the same.
func same(v *tileir.Value) bool {
	switch {
	case lane.TileOf(v).Size() == 1 || lane.ConstantBits(v) != nil:
		return true
	case v.Def == nil:
		return false
	}
	switch op := v.Def; op.Info.Opcode {
	case tileir.OpBroadcast, tileir.OpReshape:
		return same(op.Operands[0])
	}
	return false
}
