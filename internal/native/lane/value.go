package lane

import "github.com/cutile-go/cutile/tileir"

// TileOf is the type of a value that is a tile, else nil.
func TileOf(v *tileir.Value) *tileir.TileType {
	t, _ := v.Type.(*tileir.TileType)
	return t
}

// ConstantBits gives the element of a constant whose elements are all the same, else nil.
func ConstantBits(v *tileir.Value) *uint64 {
	if v.Def == nil || v.Def.Info.Opcode != tileir.OpConstant {
		return nil
	}
	if k, ok := v.Def.Attr("value").(*tileir.Constant); ok {
		if bits, all := k.Splat(); all {
			return &bits
		}
	}
	return nil
}
