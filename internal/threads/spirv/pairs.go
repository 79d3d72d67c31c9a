package spirv

import "github.com/cutile-go/cutile/internal/spirv"

// pairOps are the operations on pairs, and those that make pairs of other integers or the reverse. t is the type of the result.
var pairOps map[spirv.Op]func(c *code, op spirv.Op, t spirv.ID, x []spirv.ID) spirv.ID

func init() {
	each := func(c *code, op spirv.Op, _ spirv.ID, x []spirv.ID) spirv.ID {
		a, b := c.split(x[0]), c.split(x[1])
		return c.join(c.do(op, a.lo, b.lo), c.do(op, a.hi, b.hi))
	}
	pairOps = map[spirv.Op]func(c *code, op spirv.Op, t spirv.ID, x []spirv.ID) spirv.ID{
		spirv.OpBitwiseAnd: each, spirv.OpBitwiseOr: each, spirv.OpBitwiseXor: each,
		spirv.OpNot: func(c *code, _ spirv.Op, _ spirv.ID, x []spirv.ID) spirv.ID {
			a := c.split(x[0])
			return c.join(c.Builder.Unary(spirv.OpNot, a.lo), c.Builder.Unary(spirv.OpNot, a.hi))
		},
		spirv.OpSelect: func(c *code, _ spirv.Op, _ spirv.ID, x []spirv.ID) spirv.ID {
			return c.choose(x[0], c.split(x[1]), c.split(x[2])).of(c)
		},
		spirv.OpIAdd: func(c *code, _ spirv.Op, _ spirv.ID, x []spirv.ID) spirv.ID {
			return c.plus(c.split(x[0]), c.split(x[1])).of(c)
		},
		spirv.OpISub: func(c *code, _ spirv.Op, _ spirv.ID, x []spirv.ID) spirv.ID {
			return c.minus(c.split(x[0]), c.split(x[1])).of(c)
		},
		spirv.OpIMul: func(c *code, _ spirv.Op, _ spirv.ID, x []spirv.ID) spirv.ID {
			return c.times(c.split(x[0]), c.split(x[1])).of(c)
		},
		spirv.OpUDiv: func(c *code, _ spirv.Op, _ spirv.ID, x []spirv.ID) spirv.ID { return c.Call(c.divide, x...) },
		spirv.OpUMod: func(c *code, _ spirv.Op, t spirv.ID, x []spirv.ID) spirv.ID {
			q := c.Call(c.divide, x...)
			return c.Binary(spirv.OpISub, x[0], c.Binary(spirv.OpIMul, q, x[1]))
		},
		spirv.OpShiftLeftLogical: shiftPair, spirv.OpShiftRightLogical: shiftPair, spirv.OpShiftRightArithmetic: shiftPair,
		spirv.OpUConvert: convertPair, spirv.OpSConvert: convertPair,
	}
	for op := range pairConds {
		pairOps[op] = comparePairs
	}
}

// word is a constant of one word.
func (c *code) word(n uint32) spirv.ID {
	id := c.ConstUint(n)
	c.known[id] = n
	return id
}

// is reports whether a word is a constant.
func (c *code) is(x spirv.ID, n uint32) bool {
	k, ok := c.known[x]
	return ok && k == n
}

// join makes a pair.
func (c *code) join(lo, hi spirv.ID) spirv.ID {
	id := c.Composite(c.wide, lo, hi)
	c.parts[id] = pair{lo, hi}
	return id
}

func (p pair) of(c *code) spirv.ID { return c.join(p.lo, p.hi) }

// split gives the words of a pair. Those of one that is not made of words are extracted anew, since what a branch has extracted is not to
// be seen behind it.
func (c *code) split(x spirv.ID) pair {
	if p, ok := c.parts[x]; ok {
		return p
	}
	return pair{c.Extract(x, 0), c.Extract(x, 1)}
}

// zeros says what operations on words give where one is 0: of the first or the second operand.
var zeros = map[spirv.Op]struct{ first, second zero }{
	spirv.OpIAdd: {other, other}, spirv.OpISub: {computed, other}, spirv.OpIMul: {nothing, nothing},
	spirv.OpBitwiseOr: {other, other}, spirv.OpBitwiseXor: {other, other}, spirv.OpBitwiseAnd: {nothing, nothing},
	spirv.OpShiftLeftLogical: {nothing, other}, spirv.OpShiftRightLogical: {nothing, other}, spirv.OpShiftRightArithmetic: {nothing, other},
}

// zero is what an operation gives where an operand is 0.
type zero uint8

const (
	computed zero = iota // it has to be computed
	other                // the other operand
	nothing              // 0
)

// do writes an operation on words. Many words are 0, as the numbers are small or known: then there is less to do.
func (c *code) do(op spirv.Op, x, y spirv.ID) spirv.ID {
	rule := zeros[op]
	switch zeroX, zeroY := c.is(x, 0), c.is(y, 0); {
	case zeroX && rule.first == nothing || zeroY && rule.second == other:
		return x
	case zeroY && rule.second == nothing || zeroX && rule.first == other:
		return y
	}
	return c.Builder.Binary(op, x, y)
}

// pick gives one of two words.
func (c *code) pick(cond, x, y spirv.ID) spirv.ID {
	if x == y {
		return x
	}
	return c.Builder.Select(cond, x, y)
}

func (c *code) choose(cond spirv.ID, x, y pair) pair {
	return pair{c.pick(cond, x.lo, y.lo), c.pick(cond, x.hi, y.hi)}
}

// bit is 1 where a condition holds, else 0.
func (c *code) bit(cond spirv.ID) spirv.ID { return c.pick(cond, c.word(1), c.word(0)) }

func (c *code) below(x, y spirv.ID) spirv.ID { return c.Builder.Compare(spirv.OpULessThan, x, y) }

// plus adds with the carry of the lower words: their sum is below each of them if it has wrapped around.
func (c *code) plus(x, y pair) pair {
	lo, hi := c.do(spirv.OpIAdd, x.lo, y.lo), c.do(spirv.OpIAdd, x.hi, y.hi)
	if !c.is(x.lo, 0) && !c.is(y.lo, 0) {
		hi = c.do(spirv.OpIAdd, hi, c.bit(c.below(lo, x.lo)))
	}
	return pair{lo, hi}
}

func (c *code) minus(x, y pair) pair {
	lo, hi := c.do(spirv.OpISub, x.lo, y.lo), c.do(spirv.OpISub, x.hi, y.hi)
	if !c.is(y.lo, 0) {
		hi = c.do(spirv.OpISub, hi, c.bit(c.below(x.lo, y.lo)))
	}
	return pair{lo, hi}
}

// long is the product of two words.
func (c *code) long(x, y spirv.ID) pair {
	if zero := c.word(0); x == zero || y == zero {
		return pair{zero, zero}
	}
	t := c.Builder.Uint(32)
	p := c.Builder.Op(spirv.OpUMulExtended, c.Struct(t, t), x, y)
	return pair{c.Extract(p, 0), c.Extract(p, 1)}
}

// times is the lower half of a product.
func (c *code) times(x, y pair) pair {
	p := c.long(x.lo, y.lo)
	p.hi = c.do(spirv.OpIAdd, p.hi, c.do(spirv.OpIMul, x.lo, y.hi))
	p.hi = c.do(spirv.OpIAdd, p.hi, c.do(spirv.OpIMul, x.hi, y.lo))
	return p
}

// pairProduct is the product of two pairs, as two pairs: each word of one by each word of the other, where sums of a word of 32 bits, a carry
// and an upper half do not leave 64 bits.
func (c *code) pairProduct(x, y spirv.ID) (lo, hi spirv.ID) {
	a, b, zero := c.split(x), c.split(y), c.word(0)
	low := c.long(a.lo, b.lo)
	middle := c.plus(c.long(a.lo, b.hi), pair{low.hi, zero})
	other := c.plus(c.long(a.hi, b.lo), pair{middle.lo, zero})
	top := c.plus(c.long(a.hi, b.hi), pair{middle.hi, zero})
	return c.join(low.lo, other.lo), c.plus(top, pair{other.hi, zero}).of(c)
}

// pairConds has comparisons of pairs: that of the upper words, which decides unless they are equal, and that of the lower ones.
var pairConds = map[spirv.Op][2]spirv.Op{
	spirv.OpIEqual: {spirv.OpNop, spirv.OpIEqual}, spirv.OpINotEqual: {spirv.OpINotEqual, spirv.OpINotEqual},
	spirv.OpULessThan: {spirv.OpULessThan, spirv.OpULessThan}, spirv.OpULessThanEqual: {spirv.OpULessThan, spirv.OpULessThanEqual},
	spirv.OpUGreaterThan: {spirv.OpUGreaterThan, spirv.OpUGreaterThan}, spirv.OpUGreaterThanEqual: {spirv.OpUGreaterThan, spirv.OpUGreaterThanEqual},
	spirv.OpSLessThan: {spirv.OpSLessThan, spirv.OpULessThan}, spirv.OpSLessThanEqual: {spirv.OpSLessThan, spirv.OpULessThanEqual},
	spirv.OpSGreaterThan: {spirv.OpSGreaterThan, spirv.OpUGreaterThan}, spirv.OpSGreaterThanEqual: {spirv.OpSGreaterThan, spirv.OpUGreaterThanEqual},
}

func comparePairs(c *code, op spirv.Op, _ spirv.ID, x []spirv.ID) spirv.ID {
	a, b := c.split(x[0]), c.split(x[1])
	conds := pairConds[op]
	if a.hi == b.hi {
		return c.Builder.Compare(conds[1], a.lo, b.lo)
	}
	low := c.Builder.Binary(spirv.OpLogicalAnd, c.Builder.Compare(spirv.OpIEqual, a.hi, b.hi), c.Builder.Compare(conds[1], a.lo, b.lo))
	if conds[0] == spirv.OpNop { // unequal upper words decide that it does not hold
		return low
	}
	return c.Builder.Binary(spirv.OpLogicalOr, c.Builder.Compare(conds[0], a.hi, b.hi), low)
}

// convertPair extends an integer, or cuts off its upper bits.
func convertPair(c *code, op spirv.Op, t spirv.ID, x []spirv.ID) spirv.ID {
	u32 := c.Builder.Uint(32)
	if !c.isPair(t) {
		return c.Builder.Convert(op, t, c.split(x[0]).lo)
	}
	lo, hi := c.Builder.Convert(op, u32, x[0]), c.word(0)
	if op == spirv.OpSConvert {
		hi = c.Builder.Binary(spirv.OpShiftRightArithmetic, lo, c.word(31))
	}
	return c.join(lo, hi)
}
