package eval

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
func (em *emitter) both32(x, y value, e *Elem) bool {
	return in32(e, em.rangeIn(x, e)) && in32(e, em.rangeIn(y, e))
}

// smallOp computes on integers of at most 32 bits: those below 32 are extended again.
func (em *emitter) smallOp(op token.Token, x, y value, e *Elem) value {
	suffix := e.Suffix
	switch op {
	case token.AND, token.OR, token.XOR, token.SHL:
		suffix = "b32"
	}
	var second simt.Operand
	if op == token.SHL || op == token.SHR {
		second = em.shiftCount(y)
	} else {
		second = em.operand(y, e, false)
	}
	n := em.emit(e, arith[op].ints+"."+suffix, em.regOf(x, e, false), second)
	if op == token.SHL || op == token.SHR {
		em.countSigned(y, simt.B32, 1)
	}
	if e.Bits == 32 {
		return n
	}
	return em.extend(n, e)
}

// extend cuts a register of 32 bits down to an element and extends it again.
func (em *emitter) extend(n *num, e *Elem) *num {
	return em.emit(e, "bfe."+e.Suffix, n.op(), simt.I(0), simt.I(int64(e.Bits)))
}

// countElem is the type of an operand: that of the operation, or a shift count's own.
func countElem(y value, e *Elem, shift bool) *Elem {
	if n, ok := y.(*num); ok && shift {
		return n.elem
	}
	return e
}

// shiftCount gives the count of a shift in 32 bits. PTX shifts by more than the width as Go does; a negative count is a
// very large one.
func (em *emitter) shiftCount(y value) simt.Operand {
	n, ok := y.(*num)
	if !ok {
		count, err := goval.ShiftCount(y)
		return simt.I(int64(goval.Checked(&em.Reporter, em.pos, count, err)))
	}
	if n.class() == simt.B64 {
		least := em.b.Value(simt.B64, "min.u64", n.op(), simt.I(64))
		em.countSigned(y, simt.B64, 0)
		return em.emit(u32Elem, "cvt.u32.u64", least).op()
	}
	em.own(n)
	return n.op()
}

// countSigned notes that a source of the last instruction is the shift count y, if y is in a register of that class and may
// be negative: then an emulator that checks reports it, as Go panics.
func (em *emitter) countSigned(y value, c simt.Class, source int) {
	if n, ok := y.(*num); ok && n.class() == c && n.elem.Signed && !em.rangeIn(n, n.elem).NonNegative() {
		em.b.Body[len(em.b.Body)-1].Count = 1 + source
	}
}

// intOp computes on integers of 64 bits, in 32 where those hold operands and result.
func (em *emitter) intOp(op token.Token, x, y value, e *Elem) value {
	if r, ok := em.simple(op, x, y); ok {
		return r
	}
	shift := op == token.SHL || op == token.SHR
	in, exact := interval.Binary(op, e.integer(), em.rangeIn(x, e), em.rangeIn(y, countElem(y, e, shift)))
	n := em.ranged(e, in)
	n.div = divisor(op, x, y)
	if !exact {
		n.div &= -n.div // what wraps around stays a multiple of powers of two alone
	}
	wide := n.wide || !in32(e, em.rangeIn(x, e)) || !shift && !em.both32(x, y, e)
	if wide != n.wide { // a small result of large operands
		n.wide = true
		n.reg = em.b.NewReg(n.class())
	}
	suffix := n.suffix()
	switch op {
	case token.AND, token.OR, token.XOR, token.SHL:
		suffix = n.class().String()
	case token.QUO, token.REM:
		if r := em.powerOfTwo(op, x, y, n); r != nil {
			return r
		}
	}
	var second simt.Operand
	if shift {
		second = em.shiftCount(y)
	} else {
		second = em.operand(y, e, n.wide)
	}
	em.b.Emit(arith[op].ints+"."+suffix, []simt.Operand{n.op()}, em.regOf(x, e, n.wide), second)
	if shift {
		em.countSigned(y, simt.B32, 1)
	}
	return em.narrow(n)
}

// narrow gives an int that 32 bits hold in 32.
func (em *emitter) narrow(n *num) *num {
	if n.wide && n.elem.Bits == 64 && in32(n.elem, n.in) {
		return em.resize(n, n.elem, false)
	}
	return n
}

// simple knows results that need no instruction.
func (em *emitter) simple(op token.Token, x, y value) (value, bool) {
	xc, xOK := intConst(x)
	yc, yOK := intConst(y)
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

func intConst(v value) (int64, bool) {
	if c, ok := v.(constant.Value); ok && c.Kind() == constant.Int {
		return constant.Int64Val(c)
	}
	return 0, false
}

// powerOfTwo divides a number that is not negative by a power of two: nil where it is none.
func (em *emitter) powerOfTwo(op token.Token, x, y value, n *num) value {
	c, ok := intConst(y)
	in := em.rangeIn(x, n.elem)
	if !ok || !in.NonNegative() || c <= 0 || c&(c-1) != 0 {
		return nil
	}
	if op == token.REM && in.Hi.Cmp(interval.Of(c)) < 0 {
		return x
	}
	shift := int64(bits.TrailingZeros64(uint64(c)))
	a := em.regOf(x, n.elem, n.wide)
	if op == token.QUO {
		em.b.Emit("shr."+unsigned(n), []simt.Operand{n.op()}, a, simt.I(shift))
	} else {
		em.b.Emit("and."+n.class().String(), []simt.Operand{n.op()}, a, simt.I(c-1))
	}
	return em.narrow(n)
}

func unsigned(n *num) string {
	if n.class() == simt.B64 {
		return "u64"
	}
	return "u32"
}

// divisor is that of a result.
func divisor(op token.Token, x, y value) int {
	a, b := divOf(x), divOf(y)
	switch op {
	case token.ADD, token.SUB:
		return gcd(a, b)
	case token.MUL:
		if h, l := bits.Mul64(uint64(a), uint64(b)); h == 0 && l <= math.MaxInt32 {
			return int(max(l, 1))
		}
		return max(a, b, 1)
	case token.QUO:
		if c, ok := intConst(y); ok && c > 0 && a%int(c) == 0 {
			return max(a/int(c), 1)
		}
	}
	return 1
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, 1)
}
