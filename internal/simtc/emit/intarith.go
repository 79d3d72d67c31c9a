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

// smallOp computes on integers of at most 32 bits: those below 32 are extended again.
func (em *Emitter) smallOp(op token.Token, x, y Value, e *Elem) Value {
	suffix := e.Suffix
	switch op {
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

// Extend cuts a register of 32 bits down to an element and extends it again.
func (em *Emitter) Extend(n *Num, e *Elem) *Num {
	return em.Emit(e, "bfe."+e.Suffix, n.Op(), simt.I(0), simt.I(int64(e.Bits)))
}

// countElem is the type of an operand: that of the operation, or a shift count's own.
func countElem(y Value, e *Elem, shift bool) *Elem {
	if n, ok := y.(*Num); ok && shift {
		return n.Elem
	}
	return e
}

// shiftCount gives the count of a shift in 32 bits. PTX shifts by more than the width as Go does; a negative count is a
// very large one.
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

// countSigned notes that a source of the last instruction is the shift count y, if y is in a register of that class and may
// be negative: then an emulator that checks reports it, as Go panics.
func (em *Emitter) countSigned(y Value, c simt.Class, source int) {
	if n, ok := y.(*Num); ok && n.Class() == c && n.Elem.Signed && !em.rangeIn(n, n.Elem).NonNegative() {
		em.B.Body[len(em.B.Body)-1].Count = 1 + source
	}
}

// intOp computes on integers of 64 bits, in 32 where those hold operands and result.
func (em *Emitter) intOp(op token.Token, x, y Value, e *Elem) Value {
	if r, ok := em.simple(op, x, y); ok {
		return r
	}
	shift := op == token.SHL || op == token.SHR
	in, exact := interval.Binary(op, e.integer(), em.rangeIn(x, e), em.rangeIn(y, countElem(y, e, shift)))
	n := em.Ranged(e, in)
	n.Div = divisor(op, x, y)
	if !exact {
		n.Div &= -n.Div // what wraps around stays a multiple of powers of two alone
	}
	wide := n.wide || !in32(e, em.rangeIn(x, e)) || !shift && !em.both32(x, y, e)
	if wide != n.wide { // a small result of large operands
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

// narrow gives an int that 32 bits hold in 32.
func (em *Emitter) narrow(n *Num) *Num {
	if n.wide && n.Elem.Bits == 64 && in32(n.Elem, n.in) {
		return em.Resize(n, n.Elem, false)
	}
	return n
}

// simple knows results that need no instruction.
func (em *Emitter) simple(op token.Token, x, y Value) (Value, bool) {
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

// IntConst is the integer that a value is, if it is a constant that an int64 holds.
func IntConst(v Value) (int64, bool) {
	if c, ok := v.(constant.Value); ok && c.Kind() == constant.Int {
		return constant.Int64Val(c)
	}
	return 0, false
}

// powerOfTwo divides a number that is not negative by a power of two: nil where it is none.
func (em *Emitter) powerOfTwo(op token.Token, x, y Value, n *Num) Value {
	c, ok := IntConst(y)
	in := em.rangeIn(x, n.Elem)
	if !ok || !in.NonNegative() || c <= 0 || c&(c-1) != 0 {
		return nil
	}
	if op == token.REM && in.Hi.Cmp(interval.Of(c)) < 0 {
		return x
	}
	shift := int64(bits.TrailingZeros64(uint64(c)))
	a := em.RegOf(x, n.Elem, n.wide)
	if op == token.QUO {
		em.B.Emit("shr."+unsigned(n), []simt.Operand{n.Op()}, a, simt.I(shift))
	} else {
		em.B.Emit("and."+n.Class().String(), []simt.Operand{n.Op()}, a, simt.I(c-1))
	}
	return em.narrow(n)
}

func unsigned(n *Num) string {
	if n.Class() == simt.B64 {
		return "u64"
	}
	return "u32"
}

// divisor is that of a result.
func divisor(op token.Token, x, y Value) int {
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
		if c, ok := IntConst(y); ok && c > 0 && a%int(c) == 0 {
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
