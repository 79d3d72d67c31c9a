package emit

import (
	"go/constant"
	"go/token"
	"math"

	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/simt"
)

// expr is the dynamic number behind a symbolic integer of the layout algebra.
type expr struct {
	em *Emitter
	n  *Num
}

// layoutOps maps the operations of the algebra to Go's.
var layoutOps = map[layout.Op]token.Token{
	layout.OpAdd: token.ADD, layout.OpMul: token.MUL, layout.OpDiv: token.QUO, layout.OpMod: token.REM,
	layout.OpAnd: token.AND, layout.OpXor: token.XOR, layout.OpShl: token.SHL, layout.OpShr: token.SHR,
}

// Apply writes down an operation of the algebra. In a kernel, one that is not wide is done in 32 bits: that they hold the result is a
// fact of the arguments, which a launch found, and a checked launch looks at each result. A host function runs on the CPU, where 64 bits
// cost nothing, and its numbers may come from anywhere: there, what may not fit 32 bits is computed in 64.
func (x *expr) Apply(op layout.Op, a, b layout.Int, wide bool) layout.Expr {
	em := x.em
	p, q := em.OfInt(a), em.OfInt(b)
	var v Value
	switch op {
	case layout.OpMin:
		v = em.Minmax("min", p, q, Int)
	case layout.OpAbs:
		v = em.Minmax("max", p, em.Negate(p, Int), Int)
	default:
		v = em.binaryIn(layoutOps[op], p, q, wide || em.B.Host)
		if em.Opts.Checks && !wide && !em.B.Host {
			// In 64 bits once more, for the check alone: code for a GPU, which has no checks, is the same with and without them.
			em.checkRange(em.binaryIn(layoutOps[op], p, q, true), math.MaxInt32, "a size or an offset of a layout does not fit 32 bits, in which kernels compute layouts of such numbers: split the tensor, or compute with ints")
		}
		if wide && op == layout.OpMul {
			em.checkProduct(p, q, v)
		}
	}
	return &expr{em, em.Dynamic(v, Int)}
}

// Checking implements [layout.Checker].
func (x *expr) Checking() bool { return x.em.Opts.Checks }

// Check implements [layout.Checker].
func (x *expr) Check(n layout.Int, why string) {
	holds := x.em.Binary(token.LEQ, x.em.OfInt(n), constant.MakeInt64(0), Int)
	x.em.B.Emit(simt.OpCheck, nil, x.em.InReg(holds, Bool)).Text = why
}

// checkRange lets a checked launch look whether a number lies between -most-1 and most.
func (em *Emitter) checkRange(v Value, most int64, why string) {
	n, ok := v.(*Num)
	if !em.Opts.Checks || !ok || n.in.Within(interval.Ints(-most-1, most)) {
		return
	}
	fits := em.both(em.Binary(token.LEQ, n, constant.MakeInt64(most), Int), em.Binary(token.GEQ, n, constant.MakeInt64(-most-1), Int))
	em.B.Emit(simt.OpCheck, nil, em.InReg(fits, Bool)).Text = why
}

// checkProduct lets a checked launch look whether 64 bits hold a product.
func (em *Emitter) checkProduct(p, q, v Value) {
	if _, exact := interval.Binary(token.MUL, Int.integer(), em.rangeIn(p, Int), em.rangeIn(q, Int)); exact || !em.Opts.Checks {
		return
	}
	if IsStatic(q) {
		p, q = q, p
	}
	nonzero := em.Binary(token.NEQ, q, constant.MakeInt64(0), Int)
	divisor := em.Choose(nonzero, q, constant.MakeInt64(1), Int)
	same := em.Binary(token.EQL, em.Binary(token.QUO, v, divisor, Int), em.Choose(nonzero, p, v, Int), Int)
	em.B.Emit(simt.OpCheck, nil, em.InReg(same, Bool)).Text = "a size or an offset of a layout does not fit 64 bits"
}

// binaryIn computes on integers, in 32 bits if wide is not set.
//
// The ranges may not prove that 32 bits hold the result, as of a product of an index and a stride.
// The algebra knows it all the same, so that this writes the instruction itself rather than ask
// intOp, which believes the ranges only.
func (em *Emitter) binaryIn(op token.Token, p, q Value, wide bool) Value {
	in, exact := interval.Binary(op, Int.integer(), em.rangeIn(p, Int), em.rangeIn(q, Int))
	// Ranges that prove the result, and operands that do not fit, take the ordinary way.
	if wide || exact && in32(Int, in) || !em.both32(p, q, Int) {
		return em.Binary(op, p, q, Int)
	}
	if v, ok := em.simple(op, p, q); ok {
		return v
	}
	if IsStatic(p) && commutes[op] {
		p, q = q, p
	}
	// The result fits 32 bits. Of two operands that are not negative it is not negative either.
	least := int64(math.MinInt32)
	if em.rangeIn(p, Int).NonNegative() && em.rangeIn(q, Int).NonNegative() {
		least = 0
	}
	n := em.Ranged(Int, interval.Ints(least, math.MaxInt32))
	n.Div = divisor(op, p, q)
	suffix := n.suffix()
	if op == token.AND || op == token.XOR || op == token.SHL {
		suffix = "b32"
	}
	em.B.Emit(arith[op].ints+"."+suffix, []simt.Operand{n.Op()}, em.RegOf(p, Int, false), em.Operand(q, Int, false))
	return n
}

// OfInt gives an integer of the algebra as a value. The algebra may know a larger divisor of it
// than the number does.
func (em *Emitter) OfInt(n layout.Int) Value {
	if v, ok := n.Static(); ok {
		return constant.MakeInt64(int64(v))
	}
	x, ok := n.Expr().(*expr)
	if !ok {
		panic("BUG: emit: a symbolic integer without a value")
	}
	if n.Div() > x.n.Div {
		r := *x.n
		r.Div = n.Div()
		return &r
	}
	return x.n
}

// ToInt gives a value as an integer of the algebra.
func (em *Emitter) ToInt(v Value) layout.Int {
	switch v := v.(type) {
	case constant.Value:
		n, ok := constant.Int64Val(constant.ToInt(v))
		em.Must(ok, em.Pos, "%s is not an integer", v)
		return layout.N(int(n))
	case *Num:
		em.Must(v.Elem.IsInt(), em.Pos, "%s is not an integer", em.Describe(v))
		n := v
		if n.Elem != Int {
			// The algebra computes with int only.
			n = em.Convert(n, n.Elem, Int).(*Num)
		}
		return layout.Sym(n.Div, n.wide, &expr{em, n})
	case Poison:
		panic(Bailout{})
	}
	em.Fail(em.Pos, "%s is not an integer", em.Describe(v))
	return layout.Int{}
}
