package eval

import (
	"go/constant"
	"go/token"
	"strings"

	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/internal/simt"
)

// convert gives a number of one type as one of another, as Go's conversions do.
func (em *emitter) convert(v value, from, to *Elem) value {
	if isStatic(v) {
		return em.convertConst(v, from, to)
	}
	n := v.(*num)
	em.own(n)
	switch {
	case from == to:
		return n
	case from == boolElem || to == boolElem:
		em.Fail(em.pos, "a conversion between truth values and numbers: use cute.Select or a comparison")
	case from.Float && to.Float:
		return em.floatToFloat(n, from, to)
	case from.Float:
		return em.floatToInt(n, from, to)
	case to.Float:
		return em.intToFloat(n, to)
	}
	return em.intToInt(n, to)
}

// convertConst converts a static number as a conversion at run time would. from is nil for an untyped constant, which must
// fit.
func (em *emitter) convertConst(v value, from, to *Elem) value {
	c, finite := v.(constant.Value)
	switch {
	case to == boolElem:
		return v
	case from == nil && finite && to.Float:
		return em.inType(em.pos, c, to)
	case from == nil && finite && constant.ToInt(c).Kind() == constant.Int:
		from = intElem
	case from == nil:
		from = f64Elem
	}
	return goval.Convert(v, from.val(), to.val())
}

// intToInt reads the same bits as another type, or cuts them off.
func (em *emitter) intToInt(n *num, to *Elem) value {
	in, exact := interval.Convert(to.integer(), n.in)
	if to.Bits < 32 && !exact {
		return em.extend(em.resized(n, false), to)
	}
	wide := to.Bits == 64 && (n.class() == simt.B64 || !in32(to, in))
	r := *em.resized(n, wide)
	r.elem, r.wide, r.in, r.mut = to, wide, in, false
	if !exact {
		r.div = 1
	}
	return &r
}

// resized is an integer in a register of 32 or 64 bits: its low bits where it has more.
func (em *emitter) resized(n *num, wide bool) *num {
	if (n.class() == simt.B64) == wide {
		return n
	}
	e := n.elem
	if e.Bits < 64 {
		e = &Elem{Name: e.Name, Bits: 64, Class: simt.B64, Signed: e.Signed, Suffix: signed(e, 64)}
	}
	return em.resize(n, e, wide)
}

// rawType is PTX's type of a register as an integer.
func (n *num) rawType() string {
	if n.class() == simt.B64 {
		return signed(n.elem, 64)
	}
	return signed(n.elem, 32)
}

func (em *emitter) intToFloat(n *num, to *Elem) value {
	if to.viaFloat32() || to.Name == "tf32" {
		if n.in.Within(interval.Ints(-1<<24, 1<<24)) { // exact
			return em.convert(em.intToFloat(n, f32Elem), f32Elem, to)
		}
		// Rounding twice would differ: f64 first, or where that is not exact either, f32 rounded to odd from it.
		return em.convert(em.intToOdd(n), f64Elem, to)
	}
	return em.emit(to, "cvt.rn."+to.Suffix+"."+n.rawType(), n.op())
}

// intToOdd is an integer as an f64, rounded to odd, so that a second rounding is the right one.
func (em *emitter) intToOdd(n *num) value {
	if n.class() != simt.B64 {
		return em.emit(f64Elem, "cvt.rn.f64."+n.rawType(), n.op())
	}
	cut := em.emit(f64Elem, "cvt.rz.f64."+n.rawType(), n.op())
	back := em.b.Value(simt.B64, "cvt.rzi."+n.rawType()+".f64", cut.op())
	inexact := em.b.Value(simt.Pred, "setp.ne."+n.rawType(), back, n.op())
	one := em.b.Value(simt.B64, "selp.b64", simt.I(1), simt.I(0), inexact)
	return em.emit(f64Elem, "or.b64", cut.op(), one)
}

// floatToInt cuts the fraction off; a number outside of the type becomes the nearest one in it, NaN becomes 0.
func (em *emitter) floatToInt(n *num, from, to *Elem) value {
	if from.viaFloat32() {
		return em.floatToInt(em.convert(n, from, f32Elem).(*num), f32Elem, to)
	}
	r := em.emit(to, "cvt.rzi."+to.Suffix+"."+from.Suffix, n.op())
	if from == f64Elem || to.Bits == 64 { // PTX makes NaN the highest bit
		number := em.compare(token.EQL, "", "eq", n, n, from)
		r = em.emit(to, "selp."+to.Class.String(), r.op(), simt.I(0), em.inReg(number, boolElem))
	}
	if to.Bits < 32 {
		lo, _ := to.all().Lo.Int64()
		hi, _ := to.all().Hi.Int64()
		r = em.emit(to, "min."+to.Suffix, r.op(), simt.I(hi))
		if to.Signed {
			r = em.emit(to, "max."+to.Suffix, r.op(), simt.I(lo))
		}
	}
	return r
}

// throughF32 converts an element below 32 bits to f32: the conversions of PTX that there are.
func (em *emitter) toF32(n *num, from *Elem) *num {
	switch from.Name {
	case "f16":
		return em.emit(f32Elem, "cvt.f32.f16", n.op())
	case "bf16": // the high half of an f32
		zero := em.immediate(simt.B16, simt.I(0))
		return em.emit(f32Elem, "mov.b32", simt.V(zero, n.op()))
	case "tf32":
		return em.emit(f32Elem, "mov.b32", n.op())
	}
	pair := em.b.Value(simt.B16, "cvt.u16.u32", n.op())
	halves := em.b.Value(simt.B32, "cvt.rn.f16x2."+from.Suffix+"x2", pair)
	lo, hi := simt.R(em.b.NewReg(simt.B16)), simt.R(em.b.NewReg(simt.B16))
	em.b.Emit("mov.b32", []simt.Operand{simt.V(lo, hi)}, halves)
	return em.emit(f32Elem, "cvt.f32.f16", lo)
}

func (em *emitter) floatToFloat(n *num, from, to *Elem) value {
	switch {
	case from == f64Elem && to != f32Elem:
		// Rounding twice would differ, but PTX has no other way for most: f16 alone is converted at once.
		if to.Name == "f16" {
			return em.emit(to, "cvt.rn.f16.f64", n.op())
		}
		return em.floatToFloat(em.oddF32(n), f32Elem, to)
	case from == f64Elem && to == f32Elem:
		return em.emit(to, "cvt.rn.f32.f64", n.op())
	case from != f32Elem:
		return em.convert(em.toF32(n, from), f32Elem, to)
	case to == f64Elem:
		return em.emit(to, "cvt.f64.f32", n.op())
	}
	switch to.Name {
	case "f16", "bf16":
		return em.emit(to, "cvt.rn."+to.Suffix+".f32", n.op())
	case "tf32":
		return em.emit(to, "cvt.rna.tf32.f32", n.op())
	}
	pair := em.b.Value(simt.B16, "cvt.rn.satfinite."+to.Suffix+"x2.f32", em.immediate(simt.B32, simt.I(0)), n.op())
	return em.emit(to, "cvt.u32.u16", pair)
}

// oddF32 narrows an f64 to f32 rounding to odd, so that a second rounding is the right one.
func (em *emitter) oddF32(n *num) *num {
	near := em.emit(f32Elem, "cvt.rz.f32.f64", n.op())
	back := em.emit(f64Elem, "cvt.f64.f32", near.op())
	inexact := em.compare(token.NEQ, "", "neu", back, n, f64Elem)
	one := em.b.Value(simt.B32, "selp.b32", simt.I(1), simt.I(0), em.inReg(inexact, boolElem))
	return em.emit(f32Elem, "or.b32", near.op(), one)
}

// describe names a value for a message.
func (em *emitter) describe(v value) string {
	switch v := v.(type) {
	case *num:
		if v.elem == boolElem {
			return "a dynamic truth value"
		}
		return "a dynamic " + v.elem.Name
	case constant.Value:
		return "the static " + v.String()
	case nonFinite:
		return strings.ToLower(constant.MakeFloat64(0).String())
	case none:
		return "nil"
	case *structVal:
		return "a struct"
	case *arrayVal:
		return "an array"
	case *sliceVal:
		return "a slice"
	case *pointer:
		return "a pointer"
	case *iface:
		return em.describe(v.v)
	case shape:
		return v.String()
	case *layoutVal:
		return "the layout " + v.text()
	case interface{ describe() string }:
		return v.describe()
	}
	return "a value"
}

// text is a layout in CuTe's notation.
func (l *layoutVal) text() string {
	if l.comp != nil {
		return l.comp.String()
	}
	return l.String()
}
