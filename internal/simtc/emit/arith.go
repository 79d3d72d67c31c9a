package emit

import (
	"go/constant"
	"go/token"

	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/internal/simt"
)

// arith lists PTX's names of Go's operators on numbers, for integers and for floats. An empty name
// means that PTX has no such operation, or Go no such operator.
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

// commutes lists the operators whose operands may change places. PTX takes an immediate as its
// second operand only, so a constant goes there.
var commutes = map[token.Token]bool{token.ADD: true, token.MUL: true, token.AND: true, token.OR: true, token.XOR: true}

// Compares lists PTX's names of Go's comparisons, of integers and of floats. In Go every comparison
// with NaN is false except !=, which is true: hence the unordered neu, while the other names are
// the ordered ones.
var Compares = map[token.Token]struct{ ints, floats string }{
	token.EQL: {"eq", "eq"},
	token.NEQ: {"ne", "neu"},
	token.LSS: {"lt", "lt"},
	token.LEQ: {"le", "le"},
	token.GTR: {"gt", "gt"},
	token.GEQ: {"ge", "ge"},
}

// Binary computes x op y, where both are numbers of type e.
//
// It folds static operands. Otherwise the type decides how many bits the computation takes: an int
// has its own rules ([Emitter.intOp]), since it is computed in 32 bits if they hold its values.
func (em *Emitter) Binary(op token.Token, x, y Value, e *Elem) Value {
	if IsStatic(x) && IsStatic(y) {
		return em.fold(op, x, y, e)
	}
	if c, ok := Compares[op]; ok {
		return em.compare(op, c.ints, c.floats, x, y, e)
	}
	if IsStatic(x) && commutes[op] {
		x, y = y, x
	}
	switch {
	// Go has no arithmetic on truth values, but && and || of computed values, and the selection of
	// one, need it.
	case e == Bool:
		return em.Emit(Bool, arith[op].ints+".pred", em.InReg(x, e), em.InReg(y, e))
	case e.Float:
		return em.floatOp(op, x, y, e)
	case e.Bits < 64:
		return em.smallOp(op, x, y, e)
	}
	return em.intOp(op, x, y, e)
}

// viaFloat32 reports whether arithmetic of the type is done in f32 and rounded afterwards. The
// result is the one that a single operation of the type would give, since f32 has more than twice
// its precision: then the two roundings cannot differ from one.
func (e *Elem) viaFloat32() bool { return e.Float && e.Bits < 32 && e.Name != "f16" }

// floatOp computes on floats. PTX has no division of f16, no arithmetic of tf32, and none of the
// smaller types.
func (em *Emitter) floatOp(op token.Token, x, y Value, e *Elem) Value {
	name := arith[op].floats
	em.Must(name != "", em.Pos, "the operator %s does not take %s", op, e.Name)
	if e.viaFloat32() || e.Name == "tf32" || e.Name == "f16" && op == token.QUO {
		// The type has no such instruction: the operation is one of f32, and its result is rounded.
		r := em.floatOp(op, em.Convert(x, e, F32), em.Convert(y, e, F32), F32)
		return em.Convert(r, F32, e)
	}
	return em.Emit(e, name+"."+e.Suffix, em.InReg(x, e), em.operandOrReg(y, e))
}

// operandOrReg gives an operand of an instruction. PTX cannot write a constant of 16 bits, so such
// a constant is in a register.
func (em *Emitter) operandOrReg(v Value, e *Elem) simt.Operand {
	if e.Class == simt.B16 {
		return em.InReg(v, e)
	}
	return em.Operand(v, e, e.Bits == 64)
}

// compare computes a comparison.
func (em *Emitter) compare(op token.Token, ints, floats string, x, y Value, e *Elem) Value {
	switch {
	case e == Bool:
		// Go compares truth values with == and != only, and x != y is x ^ y.
		r := em.Emit(Bool, "xor.pred", em.InReg(x, e), em.InReg(y, e))
		if op == token.EQL {
			return em.not(r)
		}
		return r
	case e.viaFloat32():
		x, y, e = em.Convert(x, e, F32), em.Convert(y, e, F32), F32
		fallthrough
	case e.Float:
		return em.Emit(Bool, "setp."+floats+"."+e.Suffix, em.InReg(x, e), em.operandOrReg(y, e))
	}
	// The ranges of the operands may decide already, which saves a branch in the kernel.
	if r, known := interval.Compare(op, em.rangeIn(x, e), em.rangeIn(y, e)); known {
		return constant.MakeBool(r)
	}
	// An int is compared in 32 bits if both operands fit these.
	wide := e.Bits == 64 && !em.both32(x, y, e)
	suffix := (&Num{Elem: e, wide: wide}).suffix()
	return em.Emit(Bool, "setp."+ints+"."+suffix, em.RegOf(x, e, wide), em.Operand(y, e, wide))
}

// RegOf gives an integer in a register of 64 bits if wide is set, else in one of 32.
func (em *Emitter) RegOf(v Value, e *Elem, wide bool) simt.Operand {
	op := em.Operand(v, e, wide)
	if op.Kind == simt.Register {
		return op
	}
	return em.Immediate(e.RegClass(wide), op)
}

// not gives the negation of a truth value.
func (em *Emitter) not(v Value) Value {
	if c, ok := v.(constant.Value); ok {
		return constant.MakeBool(!constant.BoolVal(c))
	}
	return em.Emit(Bool, "not.pred", em.InReg(v, Bool))
}

// Negate gives -x.
func (em *Emitter) Negate(v Value, e *Elem) Value {
	switch {
	case IsStatic(v):
		r, err := e.Val().Negate(v)
		return goval.Checked(&em.Reporter, em.Pos, r, err)
	case e.viaFloat32():
		return em.Convert(em.Negate(em.Convert(v, e, F32), F32), F32, e)
	case e.Float:
		return em.Emit(e, "neg."+e.Suffix, em.InReg(v, e))
	}
	// 0 - x, as the subtraction also computes the range of the result.
	return em.Binary(token.SUB, constant.MakeInt64(0), v, e)
}

// Minmax gives Go's min or max, as name says.
func (em *Emitter) Minmax(name string, x, y Value, e *Elem) Value {
	if IsStatic(x) && IsStatic(y) {
		r, err := e.Val().Extreme(name, x, y)
		return goval.Checked(&em.Reporter, em.Pos, r, err)
	}
	switch {
	case e.viaFloat32():
		return em.Convert(em.Minmax(name, em.Convert(x, e, F32), em.Convert(y, e, F32), F32), F32, e)
	// PTX has no minimum of f64 that keeps NaN, so a comparison finds NaN, and the sum of the
	// operands passes it on.
	case e == F64:
		nan := em.compare(token.NEQ, "", "nan", x, y, e)
		r := em.Emit(e, name+"."+e.Suffix, em.InReg(x, e), em.InReg(y, e))
		return em.Choose(nan, em.Binary(token.ADD, x, y, e), r, e)
	case e.Float:
		// Go's min and max give NaN if an operand is NaN. PTX's do so with .NaN only.
		return em.Emit(e, name+".NaN."+e.Suffix, em.InReg(x, e), em.operandOrReg(y, e))
	}
	in := interval.Min(em.rangeIn(x, e), em.rangeIn(y, e))
	if name == "max" {
		in = interval.Max(em.rangeIn(x, e), em.rangeIn(y, e))
	}
	n := em.Ranged(e, in)
	// The result may fit 32 bits although an operand does not: the instruction then has 64, and
	// narrow cuts its result.
	if e.Bits == 64 && !n.wide && !em.both32(x, y, e) {
		n.wide = true
		n.Reg = em.B.NewReg(n.Class())
	}
	// The result is one of the operands, so what divides both divides it.
	n.Div = gcd(divOf(x), divOf(y))
	em.B.Emit(name+"."+n.suffix(), []simt.Operand{n.Op()}, em.RegOf(x, e, n.wide), em.Operand(y, e, n.wide))
	return em.narrow(n)
}

// Choose gives x if the predicate holds, else y. Both are computed already.
func (em *Emitter) Choose(p, x, y Value, e *Elem) Value {
	if c, ok := p.(constant.Value); ok {
		if constant.BoolVal(c) {
			return x
		}
		return y
	}
	// PTX's selp does not take predicates.
	if e == Bool {
		both := em.Binary(token.AND, p, x, e)
		return em.Binary(token.OR, both, em.Binary(token.AND, em.not(p), y, e), e)
	}
	if !e.IsInt() {
		return em.Emit(e, "selp."+e.Class.String(), em.InReg(x, e), em.InReg(y, e), em.InReg(p, Bool))
	}
	n := em.Ranged(e, em.rangeIn(x, e).Union(em.rangeIn(y, e)))
	if e.Bits == 64 && !n.wide && !em.both32(x, y, e) {
		n.wide = true
		n.Reg = em.B.NewReg(n.Class())
	}
	// What divides both operands divides the result, whichever of them it is.
	n.Div = gcd(divOf(x), divOf(y))
	em.B.Emit("selp."+n.Class().String(), []simt.Operand{n.Op()}, em.RegOf(x, e, n.wide), em.RegOf(y, e, n.wide), em.InReg(p, Bool))
	return n
}
