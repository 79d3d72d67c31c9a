package nest

import "github.com/cutile-go/cutile/tileir"

// Adjacent reports whether each element of a tile of integers is one more than the one before, modulo their width, within each sixteen
// elements at least. Offsets that do so and lie in memory are those of adjacent places. same reports whether all elements of a tile are
// the same.
func Adjacent(v *tileir.Value, same func(v *tileir.Value) bool) bool {
	if v.Def == nil {
		return false
	}
	switch op := v.Def; op.Info.Opcode {
	case tileir.OpIota:
		return true
	case tileir.OpReshape, tileir.OpAssume:
		return Adjacent(op.Operands[0], same)
	case tileir.OpAddI:
		x, y := op.Operands[0], op.Operands[1]
		return Adjacent(x, same) && same(y) || same(x) && Adjacent(y, same)
	case tileir.OpSubI:
		return Adjacent(op.Operands[0], same) && same(op.Operands[1])
	}
	return false
}
