package ptx

import (
	"fmt"
	"math"

	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/threads/ir"
)

func floats(op string) func(w *writer, in *ir.Instr) {
	return func(w *writer, in *ir.Instr) {
		src := make([]simt.Operand, len(in.Src))
		for i, v := range in.Src {
			src[i] = w.use(v)
			if i == 0 {
				src[i] = w.reg(v)
			}
		}
		w.to(w.result(in.Dst[0]), op+"."+floatName(in.Type), src...)
	}
}

// lesser is the first operand where it is less, or greater, than the second, else the second.
func lesser(cond string) func(w *writer, in *ir.Instr) {
	return func(w *writer, in *ir.Instr) {
		p := w.make(simt.Pred, "setp."+cond+"."+floatName(in.Type), w.reg(in.Src[0]), w.use(in.Src[1]))
		w.to(w.result(in.Dst[0]), "selp"+suffix("b", in.Type), w.use(in.Src[0]), w.use(in.Src[1]), p)
	}
}

var roundings = map[vec.Rounding]string{vec.Nearest: "rni", vec.Floor: "rmi", vec.Ceil: "rpi", vec.Trunc: "rzi"}

func (w *writer) round(in *ir.Instr) {
	t := floatName(in.Type)
	w.to(w.result(in.Dst[0]), fmt.Sprintf("cvt.%s.%s.%s", roundings[vec.Rounding(in.Imm)], t, t), w.reg(in.Src[0]))
}

// scaling has what a multiplication with a power of two needs of a float type: its bits of mantissa, and an exponent that is so
// great that greater ones give the same, see [vec.MaxScaled], but of which half is one of the type.
var scaling = map[vec.Type]struct {
	mantissa int64
	bias     int64
	most     int64
}{vec.F32: {23, 127, 200}, vec.F64: {52, 1023, 1200}}

// scale multiplies by two halves of a power of two, so that neither they nor the first product leave the normal numbers unless the
// result is 0 or infinite: it is rounded once.
func (w *writer) scale(in *ir.Instr) {
	row, c := scaling[in.Type], classOf(in.Type)
	s, b, f := suffix("s", in.Type), suffix("b", in.Type), "mul.rn."+floatName(in.Type)
	n := w.make(c, "min"+s, w.reg(in.Src[1]), simt.I(row.most))
	n = w.make(c, "max"+s, n, simt.I(-row.most))
	half := w.make(c, "shr"+s, n, simt.I(1))
	rest := w.make(c, "sub"+s, n, half)
	power := func(n simt.Operand) simt.Operand {
		n = w.make(c, "add"+s, n, simt.I(row.bias))
		return w.make(c, "shl"+b, n, simt.I(row.mantissa))
	}
	x := w.make(c, f, w.reg(in.Src[0]), power(half))
	w.to(w.result(in.Dst[0]), f, x, power(rest))
}

func (w *writer) extend(in *ir.Instr) {
	letter := "u"
	if in.Do == vec.SignExtend {
		letter = "s"
	}
	w.to(w.result(in.Dst[0]), "cvt."+letter+bitsOf[in.Type.Bytes()]+"."+letter+bitsOf[in.From.Bytes()], w.reg(in.Src[0]))
}

func (w *writer) truncate(in *ir.Instr) {
	if in.Type == vec.I8 && in.From == vec.I16 {
		w.move(w.result(in.Dst[0]).Reg, w.use(in.Src[0]))
		return
	}
	w.to(w.result(in.Dst[0]), "cvt.u"+bitsOf[max(2, in.Type.Bytes())]+".u"+bitsOf[in.From.Bytes()], w.reg(in.Src[0]))
}

func (w *writer) convert(in *ir.Instr) {
	op := "cvt."
	if in.Type.Bytes() < in.From.Bytes() {
		op = "cvt.rn."
	}
	w.to(w.result(in.Dst[0]), op+floatName(in.Type)+"."+floatName(in.From), w.reg(in.Src[0]))
}

// narrow rounds floats to 16 bits: of two, PTX names the upper half first.
func narrow(op string) func(w *writer, in *ir.Instr) {
	return func(w *writer, in *ir.Instr) {
		var src []simt.Operand
		for i := len(in.Src) - 1; i >= 0; i-- {
			src = append(src, w.reg(in.Src[i]))
		}
		w.to(w.result(in.Dst[0]), op, src...)
	}
}

// float8 writes a conversion of one or two f32 to floats of 8 bits.
func (w *writer) float8(in *ir.Instr) {
	src := []simt.Operand{simt.B(0), w.reg(in.Src[0])}
	if len(in.Src) > 1 {
		src[0] = w.reg(in.Src[1])
	}
	w.to(w.result(in.Dst[0]), [...]string{"cvt.rn.satfinite.e4m3x2.f32", "cvt.rn.satfinite.e5m2x2.f32"}[in.Imm], src...)
}

// widen writes a conversion of two floats of 8 bits to f16.
func (w *writer) widen(in *ir.Instr) {
	w.to(w.result(in.Dst[0]), [...]string{"cvt.rn.f16x2.e4m3x2", "cvt.rn.f16x2.e5m2x2"}[in.Imm], w.reg(in.Src[0]))
}

func (w *writer) fromInt(in *ir.Instr) {
	w.to(w.result(in.Dst[0]), fmt.Sprintf("cvt.rn.%s.s%d", floatName(in.Type), 8*in.From.Bytes()), w.reg(in.Src[0]))
}

func (w *writer) toInt(in *ir.Instr) {
	w.to(w.result(in.Dst[0]), fmt.Sprintf("cvt.rzi.s%d.%s", 8*in.Type.Bytes(), floatName(in.From)), w.reg(in.Src[0]))
}

// divide writes quotients and remainders of integers.
func (w *writer) divide(in *ir.Instr) {
	op, letter := "div", "u"
	if in.Op == ir.Remainder {
		op = "rem"
	}
	if in.Imm != 0 {
		letter = "s"
	}
	a := w.inRegister(classOf(in.Type), w.extended(letter, in.Type, in.Src[0]))
	w.to(w.result(in.Dst[0]), op+suffix(letter, in.Type), a, w.extended(letter, in.Type, in.Src[1]))
}

// nans are the bits of NaN.
var nans = map[vec.Type]uint64{vec.F32: 0x7fffffff, vec.F64: math.Float64bits(math.NaN())}

// extremum writes IEEE 754-2019's minimumNumber and its kin, which PTX has but for NaN of f64, and of f32 before sm_80.
func (w *writer) extremum(in *ir.Instr) {
	op, t := "max", floatName(in.Type)
	if in.Op == ir.MinNum {
		op = "min"
	}
	a, b := w.reg(in.Src[0]), w.use(in.Src[1])
	switch {
	case in.Imm == 0:
		w.to(w.result(in.Dst[0]), op+"."+t, a, b)
	case in.Type == vec.F32 && w.arch.SM >= 80:
		w.to(w.result(in.Dst[0]), op+".NaN."+t, a, b)
	default:
		x := w.make(classOf(in.Type), op+"."+t, a, b)
		p := w.make(simt.Pred, "setp.nan."+t, a, b)
		w.to(w.result(in.Dst[0]), "selp"+suffix("b", in.Type), simt.B(nans[in.Type]), x, p)
	}
}

// pack joins values to one of more bits.
func (w *writer) pack(in *ir.Instr) {
	if in.Type.Bytes() == 1 {
		w.packBytes(in)
		return
	}
	var parts []simt.Operand
	for _, v := range in.Src {
		parts = append(parts, w.reg(v))
	}
	w.to(w.result(in.Dst[0]), "mov"+suffix("b", in.From), simt.V(parts...))
}

func (w *writer) packBytes(in *ir.Instr) {
	if in.From == vec.I32 { // bytes 0 and 2 of two words of two registers each
		half := func(vs []ir.Value) simt.Operand {
			return w.make(simt.B32, "mov.b32", simt.V(w.reg(vs[0]), w.reg(vs[1])))
		}
		w.to(w.result(in.Dst[0]), "prmt.b32", half(in.Src[:2]), half(in.Src[2:]), simt.I(0x6420))
		return
	}
	c, b := classOf(in.From), suffix("b", in.From)
	var all simt.Operand
	for i, v := range in.Src {
		x := w.extended("u", vec.I8, v)
		if c != simt.B16 {
			x = w.make(c, fmt.Sprintf("cvt.u%d.u16", c.Bits()), w.inRegister(simt.B16, x))
		}
		if i == 0 {
			all = x
			continue
		}
		x = w.make(c, "shl"+b, w.inRegister(c, x), simt.I(int64(8*i)))
		all = w.make(c, "or"+b, x, all)
	}
	w.move(w.result(in.Dst[0]).Reg, all)
}

// unpack is the reverse of pack.
func (w *writer) unpack(in *ir.Instr) {
	x := w.reg(in.Src[0])
	if in.Type.Bytes() > 1 {
		var parts []simt.Operand
		for _, v := range in.Dst {
			parts = append(parts, w.result(v))
		}
		w.emit("mov"+suffix("b", in.From), []simt.Operand{simt.V(parts...)}, x)
		return
	}
	c := classOf(in.From)
	for i, v := range in.Dst {
		y := x
		if i > 0 {
			y = w.make(c, "shr"+suffix("u", in.From), x, simt.I(int64(8*i)))
		}
		if c == simt.B16 {
			w.move(w.result(v).Reg, y)
			continue
		}
		w.to(w.result(v), fmt.Sprintf("cvt.u16.u%d", c.Bits()), y)
	}
}
