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
func (em *emitter) binary(op token.Token, x, y value, e *Elem) value {
	if isStatic(x) && isStatic(y) {
		return em.fold(op, x, y, e)
	}
	if c, ok := compares[op]; ok {
		return em.compare(op, c.ints, c.floats, x, y, e)
	}
	if isStatic(x) && commutes[op] {
		x, y = y, x
	}
	switch {
	case e == boolElem:
		return em.emit(boolElem, arith[op].ints+".pred", em.inReg(x, e), em.inReg(y, e))
	case e.Float:
		return em.floatOp(op, x, y, e)
	case e.Bits < 64:
		return em.smallOp(op, x, y, e)
	}
	return em.intOp(op, x, y, e)
}

// viaFloat32 reports whether arithmetic goes through f32: that rounds as one operation of the type would, as f32 has more
// than twice its precision.
func (e *Elem) viaFloat32() bool { return e.Float && e.Bits < 32 && e.Name != "f16" }

func (em *emitter) floatOp(op token.Token, x, y value, e *Elem) value {
	name := arith[op].floats
	em.Must(name != "", em.pos, "the operator %s does not take %s", op, e.Name)
	if e.viaFloat32() || e.Name == "tf32" || e.Name == "f16" && op == token.QUO {
		r := em.floatOp(op, em.convert(x, e, f32Elem), em.convert(y, e, f32Elem), f32Elem)
		return em.convert(r, f32Elem, e)
	}
	return em.emit(e, name+"."+e.Suffix, em.inReg(x, e), em.operandOrReg(y, e))
}

// operandOrReg gives an operand; constants of 16 bits, which PTX has no way to write, are in registers.
func (em *emitter) operandOrReg(v value, e *Elem) simt.Operand {
	if e.Class == simt.B16 {
		return em.inReg(v, e)
	}
	return em.operand(v, e, e.Bits == 64)
}

// compare computes a comparison.
func (em *emitter) compare(op token.Token, ints, floats string, x, y value, e *Elem) value {
	switch {
	case e == boolElem:
		r := em.emit(boolElem, "xor.pred", em.inReg(x, e), em.inReg(y, e))
		if op == token.EQL {
			return em.not(r)
		}
		return r
	case e.viaFloat32():
		x, y, e = em.convert(x, e, f32Elem), em.convert(y, e, f32Elem), f32Elem
		fallthrough
	case e.Float:
		return em.emit(boolElem, "setp."+floats+"."+e.Suffix, em.inReg(x, e), em.operandOrReg(y, e))
	}
	if r, known := interval.Compare(op, em.rangeIn(x, e), em.rangeIn(y, e)); known {
		return constant.MakeBool(r)
	}
	wide := e.Bits == 64 && !em.both32(x, y, e)
	suffix := (&num{elem: e, wide: wide}).suffix()
	return em.emit(boolElem, "setp."+ints+"."+suffix, em.regOf(x, e, wide), em.operand(y, e, wide))
}

// regOf gives an integer in a register of a width.
func (em *emitter) regOf(v value, e *Elem, wide bool) simt.Operand {
	op := em.operand(v, e, wide)
	if op.Kind == simt.Register {
		return op
	}
	return em.immediate(e.regClass(wide), op)
}

// not is the negation of a truth value.
func (em *emitter) not(v value) value {
	if c, ok := v.(constant.Value); ok {
		return constant.MakeBool(!constant.BoolVal(c))
	}
	return em.emit(boolElem, "not.pred", em.inReg(v, boolElem))
}

// negate is -x.
func (em *emitter) negate(v value, e *Elem) value {
	switch {
	case isStatic(v):
		r, err := e.val().Negate(v)
		return goval.Checked(&em.Reporter, em.pos, r, err)
	case e.viaFloat32():
		return em.convert(em.negate(em.convert(v, e, f32Elem), f32Elem), f32Elem, e)
	case e.Float:
		return em.emit(e, "neg."+e.Suffix, em.inReg(v, e))
	}
	return em.binary(token.SUB, constant.MakeInt64(0), v, e)
}

// minmax is Go's min or max.
func (em *emitter) minmax(name string, x, y value, e *Elem) value {
	if isStatic(x) && isStatic(y) {
		r, err := e.val().Extreme(name, x, y)
		return goval.Checked(&em.Reporter, em.pos, r, err)
	}
	switch {
	case e.viaFloat32():
		return em.convert(em.minmax(name, em.convert(x, e, f32Elem), em.convert(y, e, f32Elem), f32Elem), f32Elem, e)
	case e == f64Elem: // PTX has no minimum of f64 that keeps NaN; the one it has puts -0 below +0
		nan := em.compare(token.NEQ, "", "nan", x, y, e)
		r := em.emit(e, name+"."+e.Suffix, em.inReg(x, e), em.inReg(y, e))
		return em.choose(nan, em.binary(token.ADD, x, y, e), r, e)
	case e.Float:
		return em.emit(e, name+".NaN."+e.Suffix, em.inReg(x, e), em.operandOrReg(y, e))
	}
	in := interval.Min(em.rangeIn(x, e), em.rangeIn(y, e))
	if name == "max" {
		in = interval.Max(em.rangeIn(x, e), em.rangeIn(y, e))
	}
	n := em.ranged(e, in)
	if e.Bits == 64 && !n.wide && !em.both32(x, y, e) {
		n.wide = true
		n.reg = em.b.NewReg(n.class())
	}
	n.div = gcd(divOf(x), divOf(y))
	em.b.Emit(name+"."+n.suffix(), []simt.Operand{n.op()}, em.regOf(x, e, n.wide), em.operand(y, e, n.wide))
	return em.narrow(n)
}

// choose is x where a predicate holds, else y.
func (em *emitter) choose(p, x, y value, e *Elem) value {
	if c, ok := p.(constant.Value); ok {
		if constant.BoolVal(c) {
			return x
		}
		return y
	}
	if e == boolElem {
		both := em.binary(token.AND, p, x, e)
		return em.binary(token.OR, both, em.binary(token.AND, em.not(p), y, e), e)
	}
	if !e.isInt() {
		return em.emit(e, "selp."+e.Class.String(), em.inReg(x, e), em.inReg(y, e), em.inReg(p, boolElem))
	}
	n := em.ranged(e, em.rangeIn(x, e).Union(em.rangeIn(y, e)))
	if e.Bits == 64 && !n.wide && !em.both32(x, y, e) {
		n.wide = true
		n.reg = em.b.NewReg(n.class())
	}
	n.div = gcd(divOf(x), divOf(y))
	em.b.Emit("selp."+n.class().String(), []simt.Operand{n.op()}, em.regOf(x, e, n.wide), em.regOf(y, e, n.wide), em.inReg(p, boolElem))
	return n
}
