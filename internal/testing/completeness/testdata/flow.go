package flow

import (
	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// inRegisters lists the operations whose results, if they are single numbers, get registers of their own from their rules.
var inRegisters = map[int]bool{
	tileir.OpGetTileBlockId: true, tileir.OpGetNumTileBlocks: true, tileir.OpGetTensorShape: true, tileir.OpGetIndexSpaceShape: true,
}

// rule is a wrapper: it changes the bits of results in registers, and leaves other operations to the engine, whose steps have the
// fault.
func (b *builder) rule(op *tileir.Op) bool {
	if !tileir.Mutant("engine result", op.Info.Mnemonic) {
		return b.ruleUnchanged(op)
	}
	if !inRegisters[op.Info.Opcode] || !b.ruleUnchanged(op) {
		return false
	}
	for _, v := range op.Results {
		form, _ := lane.Form(lane.TileOf(v))
		b.let(v, b.Do(vec.Xor, form, b.reg(v), b.Bits(form, 0x15)))
	}
	return true
}
