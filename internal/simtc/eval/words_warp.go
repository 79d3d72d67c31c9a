package eval

import "github.com/cutile-go/cutile/internal/simt"

// warpWords are the words for warps and blocks.
var warpWords = map[string]intrinsic{
	"shuffle":     (*ctx).shuffle,
	"elect":       (*ctx).elect,
	"blockextent": (*ctx).blockExtent,
}

// shuffle gives a value of another lane.
func (c *ctx) shuffle() []value {
	width := c.static(3, "the width of a group of lanes")
	c.Must(width > 0 && width <= 32 && width&(width-1) == 0, c.pos, "lanes exchange in groups of 2, 4, 8, 16 or 32, not %d", width)
	kind := c.text(0)
	last := int64(31) // the highest lane that a value comes from
	if kind == "up" {
		last = 0
	}
	op := "shfl.sync." + kind + ".b32"
	lane, mask := c.lane(2), c.operand(c.arg(4), u32Elem, false)
	one := func(r simt.Operand) simt.Operand {
		return c.b.Value(simt.B32, op, r, lane, simt.I(int64(32-width)<<8|last), mask)
	}
	e, _ := numbers(c.resultType(0))
	if v, ok := c.arg(1).(*vec); ok {
		return give(v.each(e, func(x value) value { return c.shuffled(x, e, one) }))
	}
	return give(c.shuffled(c.arg(1), e, one))
}

// lane is an argument that counts lanes.
func (c *ctx) lane(i int) simt.Operand {
	if n, ok := c.arg(i).(*num); ok && n.class() == simt.B64 {
		return c.resize(n, n.elem, false).op()
	}
	return c.operand(c.arg(i), intElem, false)
}

// shuffled is a number of another lane, 32 bits at a time. What is known is the same in all lanes.
func (c *ctx) shuffled(x value, e *Elem, one func(simt.Operand) simt.Operand) value {
	n, ok := x.(*num)
	if !ok {
		return x
	}
	c.own(n)
	if n.class() != simt.B64 {
		r := one(c.raw(n, e))
		if n.elem.isInt() { // an integer in its register keeps its range
			s := *n
			s.reg, s.mut, s.div = r.Reg, false, 1
			return &s
		}
		return c.fromRaw(r, e)
	}
	lo, hi := simt.R(c.b.NewReg(simt.B32)), simt.R(c.b.NewReg(simt.B32))
	c.b.Emit("mov.b64", []simt.Operand{simt.V(lo, hi)}, n.op())
	r := *n
	r.mut, r.div = false, 1
	r.reg = c.b.Value(simt.B64, "mov.b64", simt.V(one(lo), one(hi))).Reg
	return &r
}

// elect is true in one lane.
func (c *ctx) elect() []value {
	n := c.newNum(boolElem)
	c.b.Emit("elect.sync", []simt.Operand{{Kind: simt.Sink, Reg: simt.NoReg}, n.op()}, c.operand(c.arg(0), u32Elem, false))
	return give(n)
}

// blockExtent is the number of threads of a block along an axis.
func (c *ctx) blockExtent() []value {
	c.Must(!c.b.Host, c.pos, "a host function has no block: ask for its threads in a kernel")
	return give(number(c.b.Block[c.static(0, "an axis")]))
}
