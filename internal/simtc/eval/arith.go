package eval

import (
	"go/constant"
	"go/token"

	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/goval/interval"
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
	ev.Must(name != "", ev.pos, "the operator %s does not take %s", op, e.Name)
	if e.viaFloat32() || e.Name == "tf32" || e.Name == "f16" && op == token.QUO {
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
	if r, known := interval.Compare(op, ev.rangeIn(x, e), ev.rangeIn(y, e)); known {
		return constant.MakeBool(r)
	}
	wide := e.Bits == 64 && !ev.both32(x, y, e)
	suffix := (&num{elem: e, wide: wide}).suffix()
	return ev.emit(boolElem, "setp."+ints+"."+suffix, ev.regOf(x, e, wide), ev.operand(y, e, wide))
}

// regOf gives an integer in a register of a width.
func (ev *evaluator) regOf(v value, e *Elem, wide bool) simt.Operand {
	op := ev.operand(v, e, wide)
	if op.Kind == simt.Register {
		return op
	}
	return ev.immediate(e.class(wide), op)
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
	case isStatic(v):
		r, err := e.val().Negate(v)
		return goval.Checked(&ev.Reporter, ev.pos, r, err)
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
		r, err := e.val().Extreme(name, x, y)
		return goval.Checked(&ev.Reporter, ev.pos, r, err)
	}
	switch {
	case e.viaFloat32():
		return ev.convert(ev.minmax(name, ev.convert(x, e, f32Elem), ev.convert(y, e, f32Elem), f32Elem), f32Elem, e)
	case e == f64Elem: // PTX has no minimum of f64 that keeps NaN; the one it has puts -0 below +0
		nan := ev.compare(token.NEQ, "", "nan", x, y, e)
		r := ev.emit(e, name+"."+e.Suffix, ev.inReg(x, e), ev.inReg(y, e))
		return ev.choose(nan, ev.binary(token.ADD, x, y, e), r, e)
	case e.Float:
		return ev.emit(e, name+".NaN."+e.Suffix, ev.inReg(x, e), ev.operandOrReg(y, e))
	}
	in := interval.Min(ev.rangeIn(x, e), ev.rangeIn(y, e))
	if name == "max" {
		in = interval.Max(ev.rangeIn(x, e), ev.rangeIn(y, e))
	}
	n := ev.ranged(e, in)
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
	n := ev.ranged(e, ev.rangeIn(x, e).Union(ev.rangeIn(y, e)))
	if e.Bits == 64 && !n.wide && !ev.both32(x, y, e) {
		n.wide = true
		n.reg = ev.b.NewReg(n.class())
	}
	n.div = gcd(divOf(x), divOf(y))
	ev.b.Emit("selp."+n.class().String(), []simt.Operand{n.op()}, ev.regOf(x, e, n.wide), ev.regOf(y, e, n.wide), ev.inReg(p, boolElem))
	return n
}
