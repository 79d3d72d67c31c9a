package eval

import (
	"go/constant"
	"go/token"
	"math"
	"math/bits"

	"github.com/cutile-go/cutile/internal/simt"
)

// arith is what PTX calls Go's operators on numbers: for integers and for floats.
var arith = map[token.Token]struct{ ints, floats string }{
	token.ADD: {"add", "add.rn"},
	token.SUB: {"sub", "sub.rn"},
	token.MUL: {"mul.lo", "mul.rn"},
	token.QUO: {"div", "div.rn"},
	token.REM: {"rem", ""},
	token.AND: {"and", ""},
	token.OR:  {"or", ""},
	token.XOR: {"xor", ""},
	token.SHL: {"shl", ""},
	token.SHR: {"shr", ""},
}

// commutes are the operators whose constant operand comes second, where PTX takes it as it is.
var commutes = map[token.Token]bool{token.ADD: true, token.MUL: true, token.AND: true, token.OR: true, token.XOR: true}

// compares is what PTX calls Go's comparisons: of integers and floats. Only != holds where an operand is NaN.
var compares = map[token.Token]struct{ ints, floats string }{
	token.EQL: {"eq", "eq"},
	token.NEQ: {"ne", "neu"},
	token.LSS: {"lt", "lt"},
	token.LEQ: {"le", "le"},
	token.GTR: {"gt", "gt"},
	token.GEQ: {"ge", "ge"},
}

// binary computes x op y of numbers of one type.
func (ev *evaluator) binary(op token.Token, x, y value, e *Elem) value {
	if isStatic(x) && isStatic(y) {
		return ev.fold(op, x, y, e)
	}
	if c, ok := compares[op]; ok {
		return ev.compare(op, c.ints, c.floats, x, y, e)
	}
	if isStatic(x) && commutes[op] {
		x, y = y, x
	}
	switch {
	case e == boolElem:
		return ev.emit(boolElem, arith[op].ints+".pred", ev.inReg(x, e), ev.inReg(y, e))
	case e.Float:
		return ev.floatOp(op, x, y, e)
	case e.Bits < 64:
		return ev.smallOp(op, x, y, e)
	}
	return ev.intOp(op, x, y, e)
}

// viaFloat32 reports whether arithmetic goes through f32: that rounds as one operation of the type would, as f32 has more
// than twice its precision.
func (e *Elem) viaFloat32() bool { return e.Float && e.Bits < 32 && e.Name != "f16" }

func (ev *evaluator) floatOp(op token.Token, x, y value, e *Elem) value {
	name := arith[op].floats
	ev.must(name != "", ev.pos, "the operator %s does not take %s", op, e.Name)
	if e.viaFloat32() || e.Name == "f16" && op == token.QUO {
		r := ev.floatOp(op, ev.convert(x, e, f32Elem), ev.convert(y, e, f32Elem), f32Elem)
		return ev.convert(r, f32Elem, e)
	}
	return ev.emit(e, name+"."+e.Suffix, ev.inReg(x, e), ev.operandOrReg(y, e))
}

// operandOrReg gives an operand; constants of 16 bits, which PTX has no way to write, are in registers.
func (ev *evaluator) operandOrReg(v value, e *Elem) simt.Operand {
	if e.Class == simt.B16 {
		return ev.inReg(v, e)
	}
	return ev.operand(v, e, e.Bits == 64)
}

// compare computes a comparison.
func (ev *evaluator) compare(op token.Token, ints, floats string, x, y value, e *Elem) value {
	switch {
	case e == boolElem:
		r := ev.emit(boolElem, "xor.pred", ev.inReg(x, e), ev.inReg(y, e))
		if op == token.EQL {
			return ev.not(r)
		}
		return r
	case e.viaFloat32():
		x, y, e = ev.convert(x, e, f32Elem), ev.convert(y, e, f32Elem), f32Elem
		fallthrough
	case e.Float:
		return ev.emit(boolElem, "setp."+floats+"."+e.Suffix, ev.inReg(x, e), ev.operandOrReg(y, e))
	}
	if r, known := ev.known(op, x, y); known {
		return constant.MakeBool(r)
	}
	wide := e.Bits == 64 && !ev.both32(x, y, e)
	suffix := (&num{elem: e, wide: wide}).suffix()
	return ev.emit(boolElem, "setp."+ints+"."+suffix, ev.regOf(x, e, wide), ev.operand(y, e, wide))
}

// known decides a comparison of integers by their ranges.
func (ev *evaluator) known(op token.Token, x, y value) (result, ok bool) {
	a, b, xOK := ev.rangeOf(x)
	c, d, yOK := ev.rangeOf(y)
	if !xOK || !yOK {
		return false, false
	}
	switch op {
	case token.LSS:
		return b < c, b < c || a >= d
	case token.LEQ:
		return b <= c, b <= c || a > d
	case token.GTR:
		return a > d, a > d || b <= c
	case token.GEQ:
		return a >= d, a >= d || b < c
	}
	return op == token.NEQ, b < c || d < a
}

// both32 reports whether 32 bits hold both integers.
func (ev *evaluator) both32(x, y value, e *Elem) bool {
	a, b, xOK := ev.rangeOf(x)
	c, d, yOK := ev.rangeOf(y)
	return xOK && yOK && in32(e, a, b) && in32(e, c, d)
}

// regOf gives an integer in a register of a width.
func (ev *evaluator) regOf(v value, e *Elem, wide bool) simt.Operand {
	op := ev.operand(v, e, wide)
	if op.Kind == simt.Register {
		return op
	}
	return ev.immediate(e.class(wide), op)
}

// smallOp computes on integers of at most 32 bits: those below 32 are extended again.
func (ev *evaluator) smallOp(op token.Token, x, y value, e *Elem) value {
	suffix := e.Suffix
	switch op {
	case token.AND, token.OR, token.XOR, token.SHL:
		suffix = "b32"
	}
	second := ev.operand(y, e, false)
	if op == token.SHL || op == token.SHR {
		second = ev.shiftCount(y)
	}
	n := ev.emit(e, arith[op].ints+"."+suffix, ev.regOf(x, e, false), second)
	if e.Bits == 32 {
		return n
	}
	return ev.extend(n, e)
}

// extend cuts a register of 32 bits down to an element and extends it again.
func (ev *evaluator) extend(n *num, e *Elem) *num {
	return ev.emit(e, "bfe."+e.Suffix, n.op(), simt.I(0), simt.I(int64(e.Bits)))
}

// shiftCount gives the count of a shift in 32 bits. PTX shifts by more than the width as Go does.
func (ev *evaluator) shiftCount(y value) simt.Operand {
	n, ok := y.(*num)
	if !ok {
		return ev.operand(y, u32Elem, false)
	}
	if n.class() == simt.B64 {
		return ev.emit(u32Elem, "cvt.u32.u64", ev.b.Value(simt.B64, "min.u64", n.op(), simt.I(64))).op()
	}
	ev.own(n)
	return n.op()
}

// intOp computes on integers of 64 bits, in 32 where those hold operands and result.
func (ev *evaluator) intOp(op token.Token, x, y value, e *Elem) value {
	lo, hi, known := ev.resultRange(op, x, y)
	if r, ok := ev.simple(op, x, y); ok {
		return r
	}
	if !known {
		lo, hi = e.limits()
	}
	n := ev.ranged(e, lo, hi)
	n.div = divisor(op, x, y)
	wide := n.wide || !ev.both32(x, y, e)
	if wide != n.wide { // a small result of large operands
		n.wide = true
		n.reg = ev.b.NewReg(n.class())
	}
	suffix := n.suffix()
	switch op {
	case token.AND, token.OR, token.XOR, token.SHL:
		suffix = n.class().String()
	case token.QUO, token.REM:
		if r := ev.powerOfTwo(op, x, y, n); r != nil {
			return r
		}
	}
	second := ev.operand(y, e, n.wide)
	if op == token.SHL || op == token.SHR {
		second = ev.shiftCount(y)
	}
	ev.b.Emit(arith[op].ints+"."+suffix, []simt.Operand{n.op()}, ev.regOf(x, e, n.wide), second)
	return ev.narrow(n)
}

// narrow gives an int that 32 bits hold in 32.
func (ev *evaluator) narrow(n *num) *num {
	if n.wide && n.elem.Bits == 64 && in32(n.elem, n.lo, n.hi) {
		return ev.resize(n, n.elem, false)
	}
	return n
}

// simple knows results that need no instruction.
func (ev *evaluator) simple(op token.Token, x, y value) (value, bool) {
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
func (ev *evaluator) powerOfTwo(op token.Token, x, y value, n *num) value {
	c, ok := intConst(y)
	lo, hi, _ := ev.rangeOf(x)
	if !ok || lo < 0 || c <= 0 || c&(c-1) != 0 {
		return nil
	}
	if op == token.REM && hi < c {
		return x
	}
	shift := int64(bits.TrailingZeros64(uint64(c)))
	a := ev.regOf(x, n.elem, n.wide)
	if op == token.QUO {
		ev.b.Emit("shr."+unsigned(n), []simt.Operand{n.op()}, a, simt.I(shift))
	} else {
		ev.b.Emit("and."+n.class().String(), []simt.Operand{n.op()}, a, simt.I(c-1))
	}
	return ev.narrow(n)
}

func unsigned(n *num) string {
	if n.class() == simt.B64 {
		return "u64"
	}
	return "u32"
}

// resultRange is the range of a result, where 64 bits hold it.
func (ev *evaluator) resultRange(op token.Token, x, y value) (lo, hi int64, ok bool) {
	a, b, xOK := ev.rangeOf(x)
	c, d, yOK := ev.rangeOf(y)
	if !xOK || !yOK {
		return 0, 0, false
	}
	var r [2]int64
	switch op {
	case token.ADD:
		r, ok = addRange([2]int64{a, b}, [2]int64{c, d})
	case token.SUB:
		if c == math.MinInt64 {
			return 0, 0, false
		}
		r, ok = addRange([2]int64{a, b}, [2]int64{-d, -c})
	case token.MUL:
		r, ok = mulRange([2]int64{a, b}, [2]int64{c, d})
	case token.QUO:
		if a >= 0 && c > 0 {
			r, ok = [2]int64{a / d, b / c}, true
		}
	case token.REM:
		if a >= 0 && c > 0 {
			r, ok = [2]int64{0, min(b, d-1)}, true
		}
	case token.AND:
		if a >= 0 && c >= 0 {
			r, ok = [2]int64{0, min(b, d)}, true
		}
	case token.OR, token.XOR:
		if a >= 0 && c >= 0 {
			r, ok = [2]int64{0, int64(1)<<bits.Len64(uint64(b|d)) - 1}, true
		}
	case token.SHR:
		if a >= 0 && c >= 0 {
			r, ok = [2]int64{a >> min(d, 63), b >> min(c, 63)}, true
		}
	case token.SHL:
		if a >= 0 && c >= 0 && d < 62 {
			r, ok = mulRange([2]int64{a, b}, [2]int64{1 << c, 1 << d})
		}
	}
	return r[0], r[1], ok
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

// not is the negation of a truth value.
func (ev *evaluator) not(v value) value {
	if c, ok := v.(constant.Value); ok {
		return constant.MakeBool(!constant.BoolVal(c))
	}
	return ev.emit(boolElem, "not.pred", ev.inReg(v, boolElem))
}

// negate is -x.
func (ev *evaluator) negate(v value, e *Elem) value {
	switch {
	case isStatic(v) && e.Float:
		return ev.rounded(-float(v), e)
	case isStatic(v):
		return ev.fold(token.SUB, constant.MakeInt64(0), v, e)
	case e.viaFloat32():
		return ev.convert(ev.negate(ev.convert(v, e, f32Elem), f32Elem), f32Elem, e)
	case e.Float:
		return ev.emit(e, "neg."+e.Suffix, ev.inReg(v, e))
	}
	return ev.binary(token.SUB, constant.MakeInt64(0), v, e)
}

// minmax is Go's min or max.
func (ev *evaluator) minmax(name string, x, y value, e *Elem) value {
	if isStatic(x) && isStatic(y) {
		less := compareConst(token.LSS, x, y)
		if less == (name == "min") {
			return x
		}
		return y
	}
	switch {
	case e.viaFloat32():
		return ev.convert(ev.minmax(name, ev.convert(x, e, f32Elem), ev.convert(y, e, f32Elem), f32Elem), f32Elem, e)
	case e == f64Elem: // PTX has no minimum of f64 that keeps NaN
		less := ev.compare(token.LSS, "", map[string]string{"min": "lt", "max": "gt"}[name], x, y, e)
		nan := ev.compare(token.NEQ, "", "neu", x, x, e)
		return ev.choose(ev.binary(token.OR, less, nan, boolElem), x, y, e)
	case e.Float:
		return ev.emit(e, name+".NaN."+e.Suffix, ev.inReg(x, e), ev.operandOrReg(y, e))
	}
	a, b, _ := ev.rangeOf(x)
	c, d, _ := ev.rangeOf(y)
	n := ev.ranged(e, min(a, c), min(b, d))
	if name == "max" {
		n = ev.ranged(e, max(a, c), max(b, d))
	}
	if e.Bits == 64 && !n.wide && !ev.both32(x, y, e) {
		n.wide = true
		n.reg = ev.b.NewReg(n.class())
	}
	n.div = gcd(divOf(x), divOf(y))
	ev.b.Emit(name+"."+n.suffix(), []simt.Operand{n.op()}, ev.regOf(x, e, n.wide), ev.operand(y, e, n.wide))
	return ev.narrow(n)
}

// choose is x where a predicate holds, else y.
func (ev *evaluator) choose(p, x, y value, e *Elem) value {
	if c, ok := p.(constant.Value); ok {
		if constant.BoolVal(c) {
			return x
		}
		return y
	}
	if e == boolElem {
		both := ev.binary(token.AND, p, x, e)
		return ev.binary(token.OR, both, ev.binary(token.AND, ev.not(p), y, e), e)
	}
	if !e.isInt() {
		return ev.emit(e, "selp."+e.Class.String(), ev.inReg(x, e), ev.inReg(y, e), ev.inReg(p, boolElem))
	}
	a, b, _ := ev.rangeOf(x)
	c, d, _ := ev.rangeOf(y)
	n := ev.ranged(e, min(a, c), max(b, d))
	if e.Bits == 64 && !n.wide && !ev.both32(x, y, e) {
		n.wide = true
		n.reg = ev.b.NewReg(n.class())
	}
	n.div = gcd(divOf(x), divOf(y))
	ev.b.Emit("selp."+n.class().String(), []simt.Operand{n.op()}, ev.regOf(x, e, n.wide), ev.regOf(y, e, n.wide), ev.inReg(p, boolElem))
	return n
}
