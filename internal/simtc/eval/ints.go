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
	ev *evaluator
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
	ev := x.ev
	p, q := ev.ofInt(a), ev.ofInt(b)
	var v value
	switch op {
	case layout.OpMin:
		v = ev.minmax("min", p, q, intElem)
	case layout.OpAbs:
		v = ev.minmax("max", p, ev.negate(p, intElem), intElem)
	default:
		v = ev.binaryIn(layoutOps[op], p, q, wide)
	}
	return &expr{ev, ev.dynamic(v, intElem)}
}

// Checking implements [layout.Checker].
func (x *expr) Checking() bool { return x.ev.in.Checks }

// Check implements [layout.Checker].
func (x *expr) Check(n layout.Int, why string) {
	holds := x.ev.binary(token.LEQ, x.ev.ofInt(n), constant.MakeInt64(0), intElem)
	x.ev.b.Emit(simt.OpCheck, nil, x.ev.inReg(holds, boolElem)).Text = why
}

// binaryIn computes on integers, and where wide is not set in 32 bits.
func (ev *evaluator) binaryIn(op token.Token, p, q value, wide bool) value {
	in, exact := interval.Binary(op, intElem.integer(), ev.rangeIn(p, intElem), ev.rangeIn(q, intElem))
	if wide || exact && in32(intElem, in) || !ev.both32(p, q, intElem) {
		return ev.binary(op, p, q, intElem)
	}
	if v, ok := ev.simple(op, p, q); ok {
		return v
	}
	if isStatic(p) && commutes[op] {
		p, q = q, p
	}
	least := int64(math.MinInt32)
	if ev.rangeIn(p, intElem).NonNegative() && ev.rangeIn(q, intElem).NonNegative() {
		least = 0
	}
	n := ev.ranged(intElem, interval.Ints(least, math.MaxInt32))
	n.div = divisor(op, p, q)
	suffix := n.suffix()
	if op == token.AND || op == token.XOR || op == token.SHL {
		suffix = "b32"
	}
	ev.b.Emit(arith[op].ints+"."+suffix, []simt.Operand{n.op()}, ev.regOf(p, intElem, false), ev.operand(q, intElem, false))
	return n
}

// ofInt is an integer of the algebra as a value.
func (ev *evaluator) ofInt(n layout.Int) value {
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
func (ev *evaluator) toInt(v value) layout.Int {
	switch v := v.(type) {
	case constant.Value:
		n, ok := constant.Int64Val(constant.ToInt(v))
		ev.Must(ok, ev.pos, "%s is not an integer", v)
		return layout.N(int(n))
	case *num:
		ev.Must(v.elem.isInt(), ev.pos, "%s is not an integer", ev.describe(v))
		n := v
		if n.elem != intElem {
			n = ev.convert(n, n.elem, intElem).(*num)
		}
		return layout.Sym(n.div, n.wide, &expr{ev, n})
	case poison:
		panic(bailout{})
	}
	ev.Fail(ev.pos, "%s is not an integer", ev.describe(v))
	return layout.Int{}
}
