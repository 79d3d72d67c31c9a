package eval

import (
	"go/constant"
	"go/token"
	"math"
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
)

// convert gives a number of one type as one of another, as Go's conversions do.
func (ev *evaluator) convert(v value, from, to *Elem) value {
	if isStatic(v) {
		return ev.convertConst(v, to)
	}
	n := v.(*num)
	ev.own(n)
	switch {
	case from == to:
		return n
	case from == boolElem || to == boolElem:
		ev.fail(ev.pos, "a conversion between truth values and numbers: use cute.Select or a comparison")
	case from.Float && to.Float:
		return ev.floatToFloat(n, from, to)
	case from.Float:
		return ev.floatToInt(n, from, to)
	case to.Float:
		return ev.intToFloat(n, to)
	}
	return ev.intToInt(n, to)
}

// convertConst converts a static number as a conversion at run time would.
func (ev *evaluator) convertConst(v value, to *Elem) value {
	c, finite := v.(constant.Value)
	switch {
	case to == boolElem:
		return v
	case to.Float && finite:
		return ev.rounded(exactOdd(c), to)
	case to.Float:
		return ev.rounded(float(v), to)
	case finite:
		if k := constant.ToInt(c); k.Kind() == constant.Int {
			return wrap(k, to)
		}
	}
	f := math.Trunc(float(v))
	ev.must(!math.IsNaN(f) && !math.IsInf(f, 0), ev.pos, "%v is not an integer", f)
	return wrap(constant.ToInt(constant.MakeFloat64(f)), to)
}

func (ev *evaluator) intToInt(n *num, to *Elem) value {
	lo, hi := to.limits()
	keeps := lo <= n.lo && n.hi <= hi
	if to.Bits == 64 {
		if !keeps { // the same bits, read otherwise
			r := *ev.resized(n, true)
			r.elem, r.lo, r.hi, r.div = to, lo, hi, 1
			return &r
		}
		r := *n
		r.elem, r.mut = to, false
		if n.elem.Bits < 64 {
			r.wide = !in32(to, r.lo, r.hi)
			if r.wide || !n.wide && n.elem.Signed != to.Signed && n.lo < 0 {
				r = *ev.resized(n, true)
				r.elem = to
			}
		}
		return &r
	}
	low := ev.resized(n, false)
	if keeps || to.Bits == 32 {
		r := *low
		r.elem, r.wide = to, false
		if !keeps {
			r.lo, r.hi, r.div = lo, hi, 1
		}
		return &r
	}
	return ev.extend(low, to)
}

// resized is an integer in a register of 32 or 64 bits: its low bits where it has more.
func (ev *evaluator) resized(n *num, wide bool) *num {
	if (n.class() == simt.B64) == wide {
		return n
	}
	e := n.elem
	if e.Bits < 64 {
		e = &Elem{Name: e.Name, Bits: 64, Class: simt.B64, Signed: e.Signed, Suffix: signed(e, 64)}
	}
	return ev.resize(n, e, wide)
}

// rawType is PTX's type of a register as an integer.
func (n *num) rawType() string {
	if n.class() == simt.B64 {
		return signed(n.elem, 64)
	}
	return signed(n.elem, 32)
}

func (ev *evaluator) intToFloat(n *num, to *Elem) value {
	if to.viaFloat32() {
		return ev.convert(ev.intToFloat(n, f32Elem), f32Elem, to)
	}
	return ev.emit(to, "cvt.rn."+to.Suffix+"."+n.rawType(), n.op())
}

func (ev *evaluator) floatToInt(n *num, from, to *Elem) value {
	if from.viaFloat32() {
		return ev.floatToInt(ev.convert(n, from, f32Elem).(*num), f32Elem, to)
	}
	r := ev.emit(to, "cvt.rzi."+to.Suffix+"."+from.Suffix, n.op())
	if to.Bits < 32 {
		return ev.extend(r, to)
	}
	return r
}

// throughF32 converts an element below 32 bits to f32: the conversions of PTX that there are.
func (ev *evaluator) toF32(n *num, from *Elem) *num {
	switch from.Name {
	case "f16":
		return ev.emit(f32Elem, "cvt.f32.f16", n.op())
	case "bf16": // the high half of an f32
		zero := ev.immediate(simt.B16, simt.I(0))
		return ev.emit(f32Elem, "mov.b32", simt.V(zero, n.op()))
	case "tf32":
		return ev.emit(f32Elem, "mov.b32", n.op())
	}
	pair := ev.b.Value(simt.B16, "cvt.u16.u32", n.op())
	halves := ev.b.Value(simt.B32, "cvt.rn.f16x2."+from.Suffix+"x2", pair)
	lo, hi := simt.R(ev.b.NewReg(simt.B16)), simt.R(ev.b.NewReg(simt.B16))
	ev.b.Emit("mov.b32", []simt.Operand{simt.V(lo, hi)}, halves)
	return ev.emit(f32Elem, "cvt.f32.f16", lo)
}

func (ev *evaluator) floatToFloat(n *num, from, to *Elem) value {
	switch {
	case from == f64Elem && to.Bits < 32:
		// Rounding twice would differ, but PTX has no other way for most: f16 alone is converted at once.
		if to.Name == "f16" {
			return ev.emit(to, "cvt.rn.f16.f64", n.op())
		}
		return ev.floatToFloat(ev.oddF32(n), f32Elem, to)
	case from == f64Elem && to == f32Elem:
		return ev.emit(to, "cvt.rn.f32.f64", n.op())
	case from == f64Elem:
		return ev.floatToFloat(ev.emit(f32Elem, "cvt.rn.f32.f64", n.op()), f32Elem, to)
	case from != f32Elem:
		return ev.convert(ev.toF32(n, from), f32Elem, to)
	case to == f64Elem:
		return ev.emit(to, "cvt.f64.f32", n.op())
	}
	switch to.Name {
	case "f16", "bf16":
		return ev.emit(to, "cvt.rn."+to.Suffix+".f32", n.op())
	case "tf32":
		return ev.emit(to, "cvt.rna.tf32.f32", n.op())
	}
	pair := ev.b.Value(simt.B16, "cvt.rn.satfinite."+to.Suffix+"x2.f32", ev.immediate(simt.B32, simt.I(0)), n.op())
	return ev.emit(to, "cvt.u32.u16", pair)
}

// oddF32 narrows an f64 to f32 rounding to odd, so that a second rounding is the right one.
func (ev *evaluator) oddF32(n *num) *num {
	near := ev.emit(f32Elem, "cvt.rz.f32.f64", n.op())
	back := ev.emit(f64Elem, "cvt.f64.f32", near.op())
	inexact := ev.compare(token.NEQ, "", "neu", back, n, f64Elem)
	one := ev.b.Value(simt.B32, "selp.b32", simt.I(1), simt.I(0), ev.inReg(inexact, boolElem))
	return ev.emit(f32Elem, "or.b32", near.op(), one)
}

// describe names a value for a message.
func (ev *evaluator) describe(v value) string {
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
	case *funcVal:
		return "the function " + v.name
	case *structVal:
		return "a struct"
	case *arrayVal:
		return "an array"
	case *sliceVal:
		return "a slice"
	case *pointer:
		return "a pointer"
	case *iface:
		return ev.describe(v.v)
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
