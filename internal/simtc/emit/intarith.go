package emit

import (
	"go/constant"
	"go/token"
	"math"
	"math/bits"

	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/internal/simt"
)

// both32 reports whether 32 bits hold both integers.
func (em *Emitter) both32(x, y Value, e *Elem) bool {
	return in32(e, em.rangeIn(x, e)) && in32(e, em.rangeIn(y, e))
}

// smallOp computes on integers of at most 32 bits. The upper bits of a result below 32 bits may be
// wrong, so it is extended once more.
func (em *Emitter) smallOp(op token.Token, x, y Value, e *Elem) Value {
	suffix := e.Suffix
	switch op {
	// PTX names these operations by a number of bits and not by a type of numbers.
	case token.AND, token.OR, token.XOR, token.SHL:
		suffix = "b32"
	}
	var second simt.Operand
	if op == token.SHL || op == token.SHR {
		second = em.shiftCount(y)
	} else {
		second = em.Operand(y, e, false)
	}
	n := em.Emit(e, arith[op].ints+"."+suffix, em.RegOf(x, e, false), second)
	if op == token.SHL || op == token.SHR {
		em.countSigned(y, simt.B32, 1)
	}
	if e.Bits == 32 {
		return n
	}
	return em.Extend(n, e)
}

// Extend reduces a register of 32 bits to the bits of an element, and extends these to 32 bits.
func (em *Emitter) Extend(n *Num, e *Elem) *Num {
	return em.Emit(e, "bfe."+e.Suffix, n.Op(), simt.I(0), simt.I(int64(e.Bits)))
}

// countElem gives the type of the second operand: a shift count has its own type, every other
// operand the type of the operation.
func countElem(y Value, e *Elem, shift bool) *Elem {
	if n, ok := y.(*Num); ok && shift {
		return n.Elem
	}
	return e
}

// shiftCount gives the count of a shift in 32 bits. A shift by the width or more gives 0 or the
// sign in PTX as it does in Go. A count of 64 bits is limited to 64 first, as its low half alone
// could be small.
func (em *Emitter) shiftCount(y Value) simt.Operand {
	n, ok := y.(*Num)
	if !ok {
		count, err := goval.ShiftCount(y)
		return simt.I(int64(goval.Checked(&em.Reporter, em.Pos, count, err)))
	}
	if n.Class() == simt.B64 {
		least := em.B.Value(simt.B64, "min.u64", n.Op(), simt.I(64))
		em.countSigned(y, simt.B64, 0)
		return em.Emit(U32, "cvt.u32.u64", least).Op()
	}
	em.Own(n)
	return n.Op()
}

// countSigned marks source as a shift count in the last instruction, if y is in a register of class
// c and may be negative. Go panics for a negative count; PTX takes it for a large one. The emulator
// reports it if it checks a launch.
func (em *Emitter) countSigned(y Value, c simt.Class, source int) {
	if n, ok := y.(*Num); ok && n.Class() == c && n.Elem.Signed && !em.rangeIn(n, n.Elem).NonNegative() {
		em.B.Body[len(em.B.Body)-1].Count = 1 + source
	}
}

// intOp computes on integers of 64 bits, in 32 bits if these hold the operands and the result. A
// GPU has no arithmetic of 64 bits on integers and builds it of several instructions, so this makes
// code that computes indices shorter.
func (em *Emitter) intOp(op token.Token, x, y Value, e *Elem) Value {
	if r, ok := em.simple(op, x, y); ok {
		return r
	}
	shift := op == token.SHL || op == token.SHR
	in, exact := interval.Binary(op, e.integer(), em.rangeIn(x, e), em.rangeIn(y, countElem(y, e, shift)))
	// The range of the result chooses its register.
	n := em.Ranged(e, in)
	n.Div = divisor(op, x, y)
	// A result that wrapped around lost a multiple of 2^64: only the powers of two in its divisor
	// still divide it.
	if !exact {
		n.Div &= -n.Div
	}
	// The shift count does not matter for the width: shiftCount brings it to 32 bits.
	wide := n.wide || !in32(e, em.rangeIn(x, e)) || !shift && !em.both32(x, y, e)
	// A small result may come from large operands: the instruction then has 64 bits, and narrow
	// cuts the result.
	if wide != n.wide {
		n.wide = true
		n.Reg = em.B.NewReg(n.Class())
	}
	suffix := n.suffix()
	switch op {
	case token.AND, token.OR, token.XOR, token.SHL:
		suffix = n.Class().String()
	case token.QUO, token.REM:
		if r := em.powerOfTwo(op, x, y, n); r != nil {
			return r
		}
	}
	var second simt.Operand
	if shift {
		second = em.shiftCount(y)
	} else {
		second = em.Operand(y, e, n.wide)
	}
	em.B.Emit(arith[op].ints+"."+suffix, []simt.Operand{n.Op()}, em.RegOf(x, e, n.wide), second)
	if shift {
		em.countSigned(y, simt.B32, 1)
	}
	return em.narrow(n)
}

// narrow gives an int in 32 bits if these hold its range. What is computed of it then takes 32
// bits, too.
func (em *Emitter) narrow(n *Num) *Num {
	if n.wide && n.Elem.Bits == 64 && in32(n.Elem, n.in) {
		return em.Resize(n, n.Elem, false)
	}
	return n
}

// simple gives a result that needs no instruction, such as x + 0. Layout algebra makes many of
// these.
func (em *Emitter) simple(op token.Token, x, y Value) (Value, bool) {
	// Only integers come here, so that x * 0 is 0: a float could be NaN.
	xc, xOK := IntConst(x)
	yc, yOK := IntConst(y)
	switch {
	case op == token.ADD && yOK && yc == 0, op == token.SUB && yOK && yc == 0, op == token.MUL && yOK && yc == 1,
		op == token.QUO && yOK && yc == 1, (op == token.SHL || op == token.SHR) && yOK && yc == 0:
		return x, true
	case op == token.ADD && xOK && xc == 0, op == token.MUL && xOK && xc == 1:
		return y, true
	case op == token.MUL && (xOK && xc == 0 || yOK && yc == 0), op == token.REM && yOK && yc == 1:
		return constant.MakeInt64(0), true
	}
	return nil, false
}

// IntConst gives the integer that a value is, if the value is a constant that an int64 holds.
func IntConst(v Value) (int64, bool) {
	if c, ok := v.(constant.Value); ok && c.Kind() == constant.Int {
		return constant.Int64Val(c)
	}
	return 0, false
}

// powerOfTwo divides by a power of two with a shift or a mask, and returns nil if it cannot. The
// number must not be negative, since Go rounds towards zero and a shift rounds down.
func (em *Emitter) powerOfTwo(op token.Token, x, y Value, n *Num) Value {
	c, ok := IntConst(y)
	in := em.rangeIn(x, n.Elem)
	if !ok || !in.NonNegative() || c <= 0 || c&(c-1) != 0 {
		return nil
	}
	// A number below the divisor is its own remainder.
	if op == token.REM && in.Hi.Cmp(interval.Of(c)) < 0 {
		return x
	}
	shift := int64(bits.TrailingZeros64(uint64(c)))
	a := em.RegOf(x, n.Elem, n.wide)
	if op == token.QUO {
		// The number is not negative, so the unsigned shift is the same and its result has no sign
		// to extend.
		em.B.Emit("shr."+unsigned(n), []simt.Operand{n.Op()}, a, simt.I(shift))
	} else {
		em.B.Emit("and."+n.Class().String(), []simt.Operand{n.Op()}, a, simt.I(c-1))
	}
	return em.narrow(n)
}

// unsigned gives PTX's unsigned type of the register's width.
func unsigned(n *Num) string {
	if n.Class() == simt.B64 {
		return "u64"
	}
	return "u32"
}

// divisor gives a number that divides the result, by what divides the operands. Divisors tell how
// many elements one instruction may move.
func divisor(op token.Token, x, y Value) int {
	a, b := divOf(x), divOf(y)
	switch op {
	case token.ADD, token.SUB:
		return gcd(a, b)
	case token.MUL:
		// A product that is too large to keep is no loss: each factor divides the result as well.
		if h, l := bits.Mul64(uint64(a), uint64(b)); h == 0 && l <= math.MaxInt32 {
			return int(max(l, 1))
		}
		return max(a, b, 1)
	case token.QUO:
		// A quotient keeps a divisor only if the division is exact.
		if c, ok := IntConst(y); ok && c > 0 && a%int(c) == 0 {
			return max(a/int(c), 1)
		}
	}
	return 1
}

// gcd gives the greatest common divisor, at least 1.
func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, 1)
}
