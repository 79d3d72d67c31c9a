package emit

import (
	"go/constant"
	"go/token"
	"strings"

	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/internal/simt"
)

// Convert gives a number of one type as one of another, as Go's conversions do.
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
		em.Fail(em.Pos, "a conversion between truth values and numbers: use cute.Select or a comparison")
	case from.Float && to.Float:
		return em.floatToFloat(n, from, to)
	case from.Float:
		return em.floatToInt(n, from, to)
	case to.Float:
		return em.intToFloat(n, to)
	}
	return em.intToInt(n, to)
}

// ConvertConst converts a static number as a conversion at run time would. from is nil for an untyped constant, which must
// fit.
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

// intToInt reads the same bits as another type, or cuts them off.
func (em *Emitter) intToInt(n *Num, to *Elem) Value {
	in, exact := interval.Convert(to.integer(), n.in)
	if to.Bits < 32 && !exact {
		return em.Extend(em.resized(n, false), to)
	}
	wide := to.Bits == 64 && (n.Class() == simt.B64 || !in32(to, in))
	r := *em.resized(n, wide)
	r.Elem, r.wide, r.in, r.Mut = to, wide, in, false
	if !exact {
		r.Div = 1
	}
	return &r
}

// resized is an integer in a register of 32 or 64 bits: its low bits where it has more.
func (em *Emitter) resized(n *Num, wide bool) *Num {
	if (n.Class() == simt.B64) == wide {
		return n
	}
	e := n.Elem
	if e.Bits < 64 {
		e = &Elem{Name: e.Name, Bits: 64, Class: simt.B64, Signed: e.Signed, Suffix: signed(e, 64)}
	}
	return em.Resize(n, e, wide)
}

// rawType is PTX's type of a register as an integer.
func (n *Num) rawType() string {
	if n.Class() == simt.B64 {
		return signed(n.Elem, 64)
	}
	return signed(n.Elem, 32)
}

func (em *Emitter) intToFloat(n *Num, to *Elem) Value {
	if to.viaFloat32() || to.Name == "tf32" {
		if n.in.Within(interval.Ints(-1<<24, 1<<24)) { // exact
			return em.Convert(em.intToFloat(n, F32), F32, to)
		}
		// Rounding twice would differ: f64 first, or where that is not exact either, f32 rounded to odd from it.
		return em.Convert(em.intToOdd(n), F64, to)
	}
	return em.Emit(to, "cvt.rn."+to.Suffix+"."+n.rawType(), n.Op())
}

// intToOdd is an integer as an f64, rounded to odd, so that a second rounding is the right one.
func (em *Emitter) intToOdd(n *Num) Value {
	if n.Class() != simt.B64 {
		return em.Emit(F64, "cvt.rn.f64."+n.rawType(), n.Op())
	}
	cut := em.Emit(F64, "cvt.rz.f64."+n.rawType(), n.Op())
	back := em.B.Value(simt.B64, "cvt.rzi."+n.rawType()+".f64", cut.Op())
	inexact := em.B.Value(simt.Pred, "setp.ne."+n.rawType(), back, n.Op())
	one := em.B.Value(simt.B64, "selp.b64", simt.I(1), simt.I(0), inexact)
	return em.Emit(F64, "or.b64", cut.Op(), one)
}

// floatToInt cuts the fraction off; a number outside of the type becomes the nearest one in it, NaN becomes 0.
func (em *Emitter) floatToInt(n *Num, from, to *Elem) Value {
	if from.viaFloat32() {
		return em.floatToInt(em.Convert(n, from, F32).(*Num), F32, to)
	}
	r := em.Emit(to, "cvt.rzi."+to.Suffix+"."+from.Suffix, n.Op())
	if from == F64 || to.Bits == 64 { // PTX makes NaN the highest bit
		number := em.compare(token.EQL, "", "eq", n, n, from)
		r = em.Emit(to, "selp."+to.Class.String(), r.Op(), simt.I(0), em.InReg(number, Bool))
	}
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

// throughF32 converts an element below 32 bits to f32: the conversions of PTX that there are.
func (em *Emitter) toF32(n *Num, from *Elem) *Num {
	switch from.Name {
	case "f16":
		return em.Emit(F32, "cvt.f32.f16", n.Op())
	case "bf16": // the high half of an f32
		zero := em.Immediate(simt.B16, simt.I(0))
		return em.Emit(F32, "mov.b32", simt.V(zero, n.Op()))
	case "tf32":
		return em.Emit(F32, "mov.b32", n.Op())
	}
	pair := em.B.Value(simt.B16, "cvt.u16.u32", n.Op())
	halves := em.B.Value(simt.B32, "cvt.rn.f16x2."+from.Suffix+"x2", pair)
	lo, hi := simt.R(em.B.NewReg(simt.B16)), simt.R(em.B.NewReg(simt.B16))
	em.B.Emit("mov.b32", []simt.Operand{simt.V(lo, hi)}, halves)
	return em.Emit(F32, "cvt.f32.f16", lo)
}

func (em *Emitter) floatToFloat(n *Num, from, to *Elem) Value {
	switch {
	case from == F64 && to != F32:
		// Rounding twice would differ, but PTX has no other way for most: f16 alone is converted at once.
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
	pair := em.B.Value(simt.B16, "cvt.rn.satfinite."+to.Suffix+"x2.f32", em.Immediate(simt.B32, simt.I(0)), n.Op())
	return em.Emit(to, "cvt.u32.u16", pair)
}

// oddF32 narrows an f64 to f32 rounding to odd, so that a second rounding is the right one.
func (em *Emitter) oddF32(n *Num) *Num {
	near := em.Emit(F32, "cvt.rz.f32.f64", n.Op())
	back := em.Emit(F64, "cvt.f64.f32", near.Op())
	inexact := em.compare(token.NEQ, "", "neu", back, n, F64)
	one := em.B.Value(simt.B32, "selp.b32", simt.I(1), simt.I(0), em.InReg(inexact, Bool))
	return em.Emit(F32, "or.b32", near.Op(), one)
}

// Described is a value that names itself for a message.
type Described interface{ Describe() string }

// Describe names a value for a message.
func (em *Emitter) Describe(v Value) string {
	switch v := v.(type) {
	case *Num:
		if v.Elem == Bool {
			return "a dynamic truth value"
		}
		return "a dynamic " + v.Elem.Name
	case constant.Value:
		return "the static " + v.String()
	case nonFinite:
		return strings.ToLower(constant.MakeFloat64(0).String())
	case None:
		return "nil"
	case *Struct:
		return "a struct"
	case *Array:
		return "an array"
	case *Slice:
		return "a slice"
	case *Pointer:
		return "a pointer"
	case *Iface:
		return em.Describe(v.V)
	case Shape:
		return v.String()
	case *Layout:
		return "the layout " + v.Text()
	case Described:
		return v.Describe()
	}
	return "a value"
}

// Text is a layout in CuTe's notation.
func (l *Layout) Text() string {
	if l.Composed != nil {
		return l.Composed.String()
	}
	return l.String()
}
