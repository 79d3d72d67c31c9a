package lane

import (
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// Emit is a wrapper: it changes the bits of the result.
func Emit(b *vec.Builder, op *tileir.Op, args []vec.Reg) (result vec.Reg, ok bool) {
	result, ok = emitUnchanged(b, op, args)
	if !ok || !tileir.Mutant("engine result", op.Info.Mnemonic) {
		return result, ok
	}
	switch form, _ := Form(op.Results[0].Type.(*tileir.TileType)); form {
	case vec.NoType:
		return b.Do(vec.MXor, vec.NoType, result, b.DoImm(vec.MConst, vec.NoType, 1)), true
	case vec.F32: // the upper half alone is there of a bf16
		return b.Do(vec.Xor, vec.I32, result, b.Bits(vec.I32, 0x15<<16)), true
	case vec.F16:
		return b.Do(vec.Xor, vec.I16, result, b.Bits(vec.I16, 0x15)), true
	case vec.F64:
		return b.Do(vec.Xor, vec.I64, result, b.Bits(vec.I64, 0x15)), true
	default:
		return b.Do(vec.Xor, form, result, b.Bits(form, 0x15)), true
	}
}
