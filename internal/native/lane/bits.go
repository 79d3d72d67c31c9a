package lane

import (
	"math"

	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// asNumbers are the operations that take i1 as numbers of one bit.
var asNumbers = map[int]bool{
	tileir.OpAddI: true, tileir.OpSubI: true, tileir.OpMulI: true, tileir.OpMulhiI: true, tileir.OpDivI: true, tileir.OpRemI: true, tileir.OpNegI: true,
	tileir.OpAbsI: true, tileir.OpMaxI: true, tileir.OpMinI: true, tileir.OpCmpI: true, tileir.OpShLI: true, tileir.OpShRI: true,
}

// inBytes computes i1 as bytes, of whose result the last bit counts: signed operations see 0 and -1, others 0 and 1.
func (c *call) inBytes(r rule) vec.Reg {
	one := uint64(math.MaxUint64)
	if c.op.Info.Opcode == tileir.OpMulhiI || c.op.Info.AttrIndex("signedness") >= 0 && !c.signed() {
		one = 1
	}
	args := make([]vec.Reg, len(c.args))
	for i, m := range c.args {
		args[i] = c.Pick(vec.I8, m, c.Bits(vec.I8, one), c.Bits(vec.I8, 0))
	}
	c.args, c.form = args, vec.I8
	x := r(c)
	if x == 0 || c.op.Info.Opcode == tileir.OpCmpI {
		return x
	}
	return c.lastBit(x, vec.I8)
}

// lastBit is the mask of the lanes whose last bit is set.
func (c *call) lastBit(x vec.Reg, t vec.Type) vec.Reg {
	return c.Compare(t, vec.NE, c.Do(vec.And, t, x, c.Bits(t, 1)), c.Bits(t, 0))
}
