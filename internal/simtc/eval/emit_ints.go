package eval

import (
	"go/constant"
	"go/token"
	"math"

	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/simt"
)

// expr is the dynamic number behind an integer of the layout algebra.
type expr struct {
	em *emitter
	n  *num
}

// layoutOps are the algebra's operations as Go's.
var layoutOps = map[layout.Op]token.Token{
	layout.OpAdd: token.ADD, layout.OpMul: token.MUL, layout.OpDiv: token.QUO, layout.OpMod: token.REM,
	layout.OpAnd: token.AND, layout.OpXor: token.XOR, layout.OpShl: token.SHL, layout.OpShr: token.SHR,
}

// Apply writes down an operation of the algebra. One that is not wide is done in 32 bits: that they hold the result is
// a fact of the arguments, see [TensorArg].
func (x *expr) Apply(op layout.Op, a, b layout.Int, wide bool) layout.Expr {
	em := x.em
	p, q := em.ofInt(a), em.ofInt(b)
	var v value
	switch op {
	case layout.OpMin:
		v = em.minmax("min", p, q, intElem)
	case layout.OpAbs:
		v = em.minmax("max", p, em.negate(p, intElem), intElem)
	default:
		v = em.binaryIn(layoutOps[op], p, q, wide)
	}
	return &expr{em, em.dynamic(v, intElem)}
}

// Checking implements [layout.Checker].
func (x *expr) Checking() bool { return x.em.opts.Checks }

// Check implements [layout.Checker].
func (x *expr) Check(n layout.Int, why string) {
	holds := x.em.binary(token.LEQ, x.em.ofInt(n), constant.MakeInt64(0), intElem)
	x.em.b.Emit(simt.OpCheck, nil, x.em.inReg(holds, boolElem)).Text = why
}

// binaryIn computes on integers, and where wide is not set in 32 bits.
func (em *emitter) binaryIn(op token.Token, p, q value, wide bool) value {
	in, exact := interval.Binary(op, intElem.integer(), em.rangeIn(p, intElem), em.rangeIn(q, intElem))
	if wide || exact && in32(intElem, in) || !em.both32(p, q, intElem) {
		return em.binary(op, p, q, intElem)
	}
	if v, ok := em.simple(op, p, q); ok {
		return v
	}
	if isStatic(p) && commutes[op] {
		p, q = q, p
	}
	least := int64(math.MinInt32)
	if em.rangeIn(p, intElem).NonNegative() && em.rangeIn(q, intElem).NonNegative() {
		least = 0
	}
	n := em.ranged(intElem, interval.Ints(least, math.MaxInt32))
	n.div = divisor(op, p, q)
	suffix := n.suffix()
	if op == token.AND || op == token.XOR || op == token.SHL {
		suffix = "b32"
	}
	em.b.Emit(arith[op].ints+"."+suffix, []simt.Operand{n.op()}, em.regOf(p, intElem, false), em.operand(q, intElem, false))
	return n
}

// ofInt is an integer of the algebra as a value.
func (em *emitter) ofInt(n layout.Int) value {
	if v, ok := n.Static(); ok {
		return constant.MakeInt64(int64(v))
	}
	x, ok := n.Expr().(*expr)
	if !ok {
		panic("BUG: eval: a symbolic integer without a value")
	}
	if n.Div() > x.n.div {
		r := *x.n
		r.div = n.Div()
		return &r
	}
	return x.n
}

// toInt is a value as an integer of the algebra.
func (em *emitter) toInt(v value) layout.Int {
	switch v := v.(type) {
	case constant.Value:
		n, ok := constant.Int64Val(constant.ToInt(v))
		em.Must(ok, em.pos, "%s is not an integer", v)
		return layout.N(int(n))
	case *num:
		em.Must(v.elem.isInt(), em.pos, "%s is not an integer", em.describe(v))
		n := v
		if n.elem != intElem {
			n = em.convert(n, n.elem, intElem).(*num)
		}
		return layout.Sym(n.div, n.wide, &expr{em, n})
	case poison:
		panic(bailout{})
	}
	em.Fail(em.pos, "%s is not an integer", em.describe(v))
	return layout.Int{}
}
