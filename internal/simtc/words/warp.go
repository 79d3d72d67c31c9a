package words

import (
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simtc/emit"
)

// warpWords lists the words for warps and blocks.
var warpWords = map[string]intrinsic{
	"shuffle":     (*call).shuffle,
	"elect":       (*call).elect,
	"blockextent": (*call).blockExtent,
}

// shuffle gives the value that another lane has.
func (c *call) shuffle() []emit.Value {
	// The width is part of the instruction.
	width := c.static(3, "the width of a group of lanes")
	c.Must(width > 0 && width <= 32 && width&(width-1) == 0, c.pos, "lanes exchange values in groups of 2, 4, 8, 16 or 32, not of %d", width)
	kind := c.text(0)
	last := int64(31) // the last lane of a group that a value can come from
	// In an upward shuffle values come from lower lanes, so the bound is the lowest lane.
	if kind == "up" {
		last = 0
	}
	op := "shfl.sync." + kind + ".b32"
	lane, mask := c.lane(2), c.Operand(c.arg(4), emit.U32, false)
	// The operand c of the instruction holds the width of the groups in its upper bits and the last
	// lane in its lower ones.
	one := func(r simt.Operand) simt.Operand {
		return c.B.Value(simt.B32, op, r, lane, simt.I(int64(32-width)<<8|last), mask)
	}
	e, _ := emit.Numbers(c.resultType(0))
	if v, ok := c.arg(1).(*emit.Vec); ok {
		return give(v.Each(e, func(x emit.Value) emit.Value { return c.shuffled(x, e, one) }))
	}
	return give(c.shuffled(c.arg(1), e, one))
}

// lane gives an argument that counts lanes, in 32 bits.
func (c *call) lane(i int) simt.Operand {
	if n, ok := c.arg(i).(*emit.Num); ok && n.Class() == simt.B64 {
		return c.Resize(n, n.Elem, false).Op()
	}
	return c.Operand(c.arg(i), emit.Int, false)
}

// shuffled gives the number that another lane has, 32 bits at a time. A known number is the same in
// all lanes and needs no instruction.
func (c *call) shuffled(x emit.Value, e *emit.Elem, one func(simt.Operand) simt.Operand) emit.Value {
	n, ok := x.(*emit.Num)
	if !ok {
		return x
	}
	c.Own(n)
	if n.Class() != simt.B64 {
		r := one(c.Raw(n, e))
		// All lanes run the same code, so an integer keeps the range that it has here.
		if n.Elem.IsInt() {
			s := *n
			// The other lane's number may have other divisors.
			s.Reg, s.Mut, s.Div = r.Reg, false, 1
			return &s
		}
		return c.FromRaw(r, e)
	}
	lo, hi := simt.R(c.B.NewReg(simt.B32)), simt.R(c.B.NewReg(simt.B32))
	// Lanes exchange 32 bits at a time.
	c.B.Emit("mov.b64", []simt.Operand{simt.V(lo, hi)}, n.Op())
	// Both halves come from the same lane, so that they belong together.
	r := *n
	r.Mut, r.Div = false, 1
	r.Reg = c.B.Value(simt.B64, "mov.b64", simt.V(one(lo), one(hi))).Reg
	return &r
}

// elect gives a truth value that is true in exactly one lane.
func (c *call) elect() []emit.Value {
	n := c.NewNum(emit.Bool)
	c.B.Emit("elect.sync", []simt.Operand{{Kind: simt.Sink, Reg: simt.NoReg}, n.Op()}, c.Operand(c.arg(0), emit.U32, false))
	return give(n)
}

// blockExtent gives the number of threads of a block along an axis. It is static, as the block is
// part of the kernel.
func (c *call) blockExtent() []emit.Value {
	c.Must(!c.B.Host, c.pos, "a host function has no block: ask for its threads in a kernel")
	return give(emit.Number(c.B.Block[c.static(0, "an axis")]))
}
