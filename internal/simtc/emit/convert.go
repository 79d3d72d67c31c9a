package emit

import (
	"go/constant"
	"go/token"

	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/internal/simt"
)

// Convert converts a number from one type to another, as Go's conversions do.
func (em *Emitter) Convert(v Value, from, to *Elem) Value {
	if IsStatic(v) {
		return em.ConvertConst(v, from, to)
	}
	n := v.(*Num)
	em.Own(n)
	switch {
	case from == to:
		return n
	case from == Bool || to == Bool:
		em.Fail(em.Pos, "truth values and numbers cannot be converted to each other: use cute.Select or a comparison")
	case from.Float && to.Float:
		return em.floatToFloat(n, from, to)
	case from.Float:
		return em.floatToInt(n, from, to)
	case to.Float:
		return em.intToFloat(n, to)
	}
	return em.intToInt(n, to)
}

// ConvertConst converts a static number as a conversion at run time would. from is nil for an
// untyped constant, which must fit the type.
func (em *Emitter) ConvertConst(v Value, from, to *Elem) Value {
	c, finite := v.(constant.Value)
	switch {
	case to == Bool:
		return v
	case from == nil && finite && to.Float:
		return em.InType(em.Pos, c, to)
	case from == nil && finite && constant.ToInt(c).Kind() == constant.Int:
		from = Int
	case from == nil:
		from = F64
	}
	return goval.Convert(v, from.Val(), to.Val())
}

// intToInt converts an integer to another type of integers. It drops the bits that the type does
// not have, or reads the same bits in another way, which needs no instruction.
func (em *Emitter) intToInt(n *Num, to *Elem) Value {
	// The range tells whether the conversion keeps the number, which then needs no instruction.
	in, exact := interval.Convert(to.integer(), n.in)
	if to.Bits < 32 && !exact {
		// Small integers are kept extended to 32 bits, so the bits that are dropped become copies
		// of the sign.
		return em.Extend(em.resized(n, false), to)
	}
	wide := to.Bits == 64 && (n.Class() == simt.B64 || !in32(to, in))
	r := *em.resized(n, wide)
	r.Elem, r.wide, r.in, r.Mut = to, wide, in, false
	if !exact {
		// What wraps around may lose its divisor.
		r.Div = 1
	}
	return &r
}

// resized gives an integer in a register of 64 bits if wide is set, else its low 32 bits.
func (em *Emitter) resized(n *Num, wide bool) *Num {
	if (n.Class() == simt.B64) == wide {
		return n
	}
	e := n.Elem
	// Only an element of 64 bits can be in a register of either width, so that the number counts as
	// one from here on.
	if e.Bits < 64 {
		e = &Elem{Name: e.Name, Bits: 64, Class: simt.B64, Signed: e.Signed, Suffix: signed(e, 64)}
	}
	return em.Resize(n, e, wide)
}

// rawType gives PTX's name of the type of integers that have the register's width.
func (n *Num) rawType() string {
	if n.Class() == simt.B64 {
		return signed(n.Elem, 64)
	}
	return signed(n.Elem, 32)
}

// intToFloat converts an integer to a float. The way to a float that goes through f32 in arithmetic
// is f32 or f64, and that way must not round twice.
func (em *Emitter) intToFloat(n *Num, to *Elem) Value {
	if to.viaFloat32() || to.Name == "tf32" {
		if n.in.Within(interval.Ints(-1<<24, 1<<24)) { // exact
			return em.Convert(em.intToFloat(n, F32), F32, to)
		}
		// If f32 does not hold the integer, rounding to f32 and then to the type can differ from
		// rounding once. The way is then f64, where an integer that does not fit is rounded to odd.
		return em.Convert(em.intToOdd(n), F64, to)
	}
	return em.Emit(to, "cvt.rn."+to.Suffix+"."+n.rawType(), n.Op())
}

// intToOdd gives an integer as an f64 that is rounded to odd: if it is not exact, its last bit is
// set. Rounding it once more to a shorter float then gives what rounding the integer would, since
// the last bit still tells on which side of a tie the integer lies.
func (em *Emitter) intToOdd(n *Num) Value {
	if n.Class() != simt.B64 {
		return em.Emit(F64, "cvt.rn.f64."+n.rawType(), n.Op())
	}
	// Rounding towards zero and converting back shows whether the number was exact. If it was not,
	// the last bit becomes 1.
	cut := em.Emit(F64, "cvt.rz.f64."+n.rawType(), n.Op())
	back := em.B.Value(simt.B64, "cvt.rzi."+n.rawType()+".f64", cut.Op())
	inexact := em.B.Value(simt.Pred, "setp.ne."+n.rawType(), back, n.Op())
	one := em.B.Value(simt.B64, "selp.b64", simt.I(1), simt.I(0), inexact)
	return em.Emit(F64, "or.b64", cut.Op(), one)
}

// floatToInt drops the fraction. A number outside of the type becomes the nearest number of the
// type, and NaN becomes 0.
func (em *Emitter) floatToInt(n *Num, from, to *Elem) Value {
	if from.viaFloat32() {
		return em.floatToInt(em.Convert(n, from, F32).(*Num), F32, to)
	}
	r := em.Emit(to, "cvt.rzi."+to.Suffix+"."+from.Suffix, n.Op())
	// PTX makes a number of NaN in which only the highest bit is set.
	if from == F64 || to.Bits == 64 {
		// NaN is the one number that does not equal itself.
		number := em.compare(token.EQL, "", "eq", n, n, from)
		r = em.Emit(to, "selp."+to.Class.String(), r.Op(), simt.I(0), em.InReg(number, Bool))
	}
	// PTX saturates to 32 bits; the smaller types are done here.
	if to.Bits < 32 {
		lo, _ := to.All().Lo.Int64()
		hi, _ := to.All().Hi.Int64()
		r = em.Emit(to, "min."+to.Suffix, r.Op(), simt.I(hi))
		if to.Signed {
			r = em.Emit(to, "max."+to.Suffix, r.Op(), simt.I(lo))
		}
	}
	return r
}

// toF32 converts a float below 32 bits to f32, by the conversions that PTX has: those of 8 bits
// come in pairs and go through f16.
func (em *Emitter) toF32(n *Num, from *Elem) *Num {
	switch from.Name {
	case "f16":
		return em.Emit(F32, "cvt.f32.f16", n.Op())
	// A bf16 is the high half of an f32.
	case "bf16":
		zero := em.Immediate(simt.B16, simt.I(0))
		return em.Emit(F32, "mov.b32", simt.V(zero, n.Op()))
	case "tf32":
		return em.Emit(F32, "mov.b32", n.Op())
	}
	// The number is the low element of a pair.
	pair := em.B.Value(simt.B16, "cvt.u16.u32", n.Op())
	halves := em.B.Value(simt.B32, "cvt.rn.f16x2."+from.Suffix+"x2", pair)
	lo, hi := simt.R(em.B.NewReg(simt.B16)), simt.R(em.B.NewReg(simt.B16))
	em.B.Emit("mov.b32", []simt.Operand{simt.V(lo, hi)}, halves)
	return em.Emit(F32, "cvt.f32.f16", lo)
}

// floatToFloat converts a float to another type of floats.
func (em *Emitter) floatToFloat(n *Num, from, to *Elem) Value {
	switch {
	case from == F64 && to != F32:
		// PTX converts f64 to f16 directly. To every other short type the way is f32, rounded to
		// odd, as rounding to nearest twice can differ from rounding once.
		if to.Name == "f16" {
			return em.Emit(to, "cvt.rn.f16.f64", n.Op())
		}
		return em.floatToFloat(em.oddF32(n), F32, to)
	case from == F64 && to == F32:
		return em.Emit(to, "cvt.rn.f32.f64", n.Op())
	case from != F32:
		return em.Convert(em.toF32(n, from), F32, to)
	case to == F64:
		return em.Emit(to, "cvt.f64.f32", n.Op())
	}
	switch to.Name {
	case "f16", "bf16":
		return em.Emit(to, "cvt.rn."+to.Suffix+".f32", n.Op())
	case "tf32":
		return em.Emit(to, "cvt.rna.tf32.f32", n.Op())
	}
	// PTX converts to floats of 8 bits in pairs only. The low element is the number, the other one
	// 0.
	pair := em.B.Value(simt.B16, "cvt.rn.satfinite."+to.Suffix+"x2.f32", em.Immediate(simt.B32, simt.I(0)), n.Op())
	return em.Emit(to, "cvt.u32.u16", pair)
}

// oddF32 narrows an f64 to an f32 that is rounded to odd, as intToOdd does: a second rounding then
// gives what a single one would.
func (em *Emitter) oddF32(n *Num) *Num {
	// As in intToOdd: round towards zero, convert back, and set the last bit if the number was not
	// exact.
	near := em.Emit(F32, "cvt.rz.f32.f64", n.Op())
	back := em.Emit(F64, "cvt.f64.f32", near.Op())
	inexact := em.compare(token.NEQ, "", "neu", back, n, F64)
	one := em.B.Value(simt.B32, "selp.b32", simt.I(1), simt.I(0), em.InReg(inexact, Bool))
	return em.Emit(F32, "or.b32", near.Op(), one)
}
