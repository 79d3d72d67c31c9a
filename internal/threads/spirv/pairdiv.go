package spirv

import "github.com/cutile-go/cutile/internal/spirv"

// dividePairs writes the function that divides pairs: as in Hacker's Delight (Warren, 2nd edition), section 9-5, of a division of 64 by 32
// bits, which is section 9-4's, without branches.
func (c *code) dividePairs() {
	t, one := c.wide, c.word(1)
	id, x := c.Function("divide", t, t, t)
	u, v, zero := c.split(x[0]), c.split(x[1]), c.word(0)
	wide := c.Builder.Compare(spirv.OpINotEqual, v.hi, zero)
	top := c.GLSL(spirv.GLSLFindUMsb, c.Builder.Uint(32), c.pick(wide, v.hi, v.lo))
	up := c.do(spirv.OpBitwiseAnd, c.do(spirv.OpISub, c.word(31), top), c.word(31))
	shifted := func(op spirv.Op, x pair, n spirv.ID) pair { return c.split(c.Binary(op, x.of(c), c.join(n, zero))) }

	// A divisor of one word: the upper word of the quotient comes first, and leaves a remainder below the divisor.
	first := c.do(spirv.OpUDiv, u.hi, c.GLSL(spirv.GLSLUMax, c.Builder.Uint(32), v.lo, one))
	rest := pair{u.lo, c.do(spirv.OpISub, u.hi, c.do(spirv.OpIMul, first, v.lo))}
	short := shifted(spirv.OpShiftLeftLogical, rest, up)
	// One of two words: its upper 32 bits divide half of the dividend.
	half := shifted(spirv.OpShiftRightLogical, u, one)
	divisor := shifted(spirv.OpShiftLeftLogical, v, up)

	q := c.divideLong(c.choose(wide, half, short), c.pick(wide, divisor.hi, divisor.lo))

	// The quotient by the upper bits is right, or 1 too great.
	guess := c.do(spirv.OpShiftRightLogical, q, c.do(spirv.OpISub, c.word(31), up))
	guess = c.do(spirv.OpISub, guess, c.bit(c.Builder.Compare(spirv.OpINotEqual, guess, zero)))
	left := c.minus(u, c.times(pair{guess, zero}, v))
	fits := c.Compare(spirv.OpUGreaterThanEqual, left.of(c), x[1])
	guess = c.do(spirv.OpIAdd, guess, c.bit(fits))
	c.Return(c.choose(wide, pair{guess, zero}, pair{q, first}).of(c))
	c.End()
	c.divide = id
}

// divideLong divides a pair by a word whose highest bit is set, and that is above the upper word, by digits of 16 bits. A first guess of a
// digit is 2^16+1 at most, and so its product with the lower half of the divisor has 32 bits.
func (c *code) divideLong(n pair, d spirv.ID) spirv.ID {
	sixteen, low := c.word(16), c.word(1<<16-1)
	d1, d0 := c.do(spirv.OpShiftRightLogical, d, sixteen), c.do(spirv.OpBitwiseAnd, d, low)
	digit := func(high, next spirv.ID) (q, rest spirv.ID) {
		q = c.do(spirv.OpUDiv, high, d1)
		r := c.do(spirv.OpISub, high, c.do(spirv.OpIMul, q, d1))
		more := c.Builder.ConstBool(true)
		for range 2 { // as often as the quotient by the upper half may be too great
			least := c.do(spirv.OpBitwiseOr, c.do(spirv.OpShiftLeftLogical, r, sixteen), next)
			over := c.Builder.Binary(spirv.OpLogicalAnd, c.below(least, c.do(spirv.OpIMul, q, d0)), more)
			q, r = c.do(spirv.OpISub, q, c.bit(over)), c.do(spirv.OpIAdd, r, c.pick(over, d1, c.word(0)))
			more = c.below(r, c.word(1<<16))
		}
		rest = c.do(spirv.OpBitwiseOr, c.do(spirv.OpShiftLeftLogical, high, sixteen), next)
		return q, c.do(spirv.OpISub, rest, c.do(spirv.OpIMul, q, d))
	}
	q1, rest := digit(n.hi, c.do(spirv.OpShiftRightLogical, n.lo, sixteen))
	q0, _ := digit(rest, c.do(spirv.OpBitwiseAnd, n.lo, low))
	return c.do(spirv.OpBitwiseOr, c.do(spirv.OpShiftLeftLogical, q1, sixteen), q0)
}
