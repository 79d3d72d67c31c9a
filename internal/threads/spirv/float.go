package spirv

import (
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/spirv"
	"github.com/cutile-go/cutile/internal/threads/ir"
)

func (w *writer) floatType(t vec.Type) spirv.ID {
	if t == vec.F16 {
		w.b.Capability(spirv.CapabilityFloat16)
	}
	return w.b.Float(8 * t.Bytes())
}

// float reads bits as a float.
func (w *writer) float(t vec.Type, x spirv.ID) spirv.ID {
	return w.b.Op(spirv.OpBitcast, w.floatType(t), x)
}

// bits is the reverse of float.
func (w *writer) bits(t vec.Type, f spirv.ID) spirv.ID { return w.b.Op(spirv.OpBitcast, w.typ(t), f) }

// float is an operation on two floats.
func float(op spirv.Op) rule {
	return func(w *writer, in *ir.Instr, x []spirv.ID) spirv.ID {
		return w.bits(in.Type, w.b.Binary(op, w.float(in.Type, x[0]), w.float(in.Type, x[1])))
	}
}

// lesser is the first operand where it is less, or greater, than the second, else the second.
func lesser(soft bool, c vec.Cond) rule {
	return func(w *writer, in *ir.Instr, x []spirv.ID) spirv.ID {
		return w.b.Select(w.comparison(soft, in.Type, c, x[0], x[1]), x[0], x[1])
	}
}

// compare compares floats.
func compare(soft bool) rule {
	return func(w *writer, in *ir.Instr, x []spirv.ID) spirv.ID {
		return w.comparison(soft, in.Type, in.Cond, x[0], x[1])
	}
}

var floatConds = map[vec.Cond]spirv.Op{
	vec.EQ: spirv.OpFOrdEqual, vec.NE: spirv.OpFUnordNotEqual, vec.LT: spirv.OpFOrdLessThan, vec.LE: spirv.OpFOrdLessThanEqual,
	vec.GT: spirv.OpFOrdGreaterThan, vec.GE: spirv.OpFOrdGreaterThanEqual,
}

// layouts have the mantissa's bits and the exponent's bias of floats, and a scale that is so great that greater ones give the same,
// see [vec.MaxScaled], but of which half is an exponent of the type.
var layouts = map[vec.Type]struct{ mantissa, bias, most int64 }{vec.F16: {mantissa: 10, bias: 15}, vec.F32: {23, 127, 200}, vec.F64: {52, 1023, 1200}}

// infinity is the bits of infinity.
func infinity(t vec.Type) int64 {
	l := layouts[t]
	return (2*l.bias + 1) << l.mantissa
}

// isNaN looks at the bits: compilers take liberties with comparisons of floats.
func (w *writer) isNaN(t vec.Type, x spirv.ID) spirv.ID {
	return w.b.Compare(spirv.OpUGreaterThan, w.magnitude(t, x), w.num(t, infinity(t)))
}

// magnitude is the bits without the sign.
func (w *writer) magnitude(t vec.Type, x spirv.ID) spirv.ID {
	return w.b.Binary(spirv.OpBitwiseAnd, x, w.num(t, int64(1<<(8*t.Bytes()-1)-1)))
}

// scale multiplies by two halves of a power of two, so that neither they nor the first product leave the normal numbers unless the
// result is 0 or infinite: it is rounded once.
func (w *writer) scale(in *ir.Instr, x []spirv.ID) spirv.ID {
	b, l, t := w.b, layouts[in.Type], in.Type
	n := w.pick(spirv.OpSLessThan, x[1], w.num(t, l.most))
	n = w.pick(spirv.OpSGreaterThan, n, w.num(t, -l.most))
	half := b.Binary(spirv.OpShiftRightArithmetic, n, w.num(t, 1))
	power := func(n spirv.ID) spirv.ID {
		n = b.Binary(spirv.OpIAdd, n, w.num(t, l.bias))
		return w.float(t, b.Binary(spirv.OpShiftLeftLogical, n, w.num(t, l.mantissa)))
	}
	y := b.Binary(spirv.OpFMul, w.float(t, x[0]), power(half))
	return w.bits(t, b.Binary(spirv.OpFMul, y, power(b.Binary(spirv.OpISub, n, half))))
}

// convertFloat converts between floats. From 64 to 16 bits it rounds to odd on the way, since drivers may go through 32.
func (w *writer) convertFloat(in *ir.Instr, x []spirv.ID) spirv.ID {
	b, f := w.b, w.float(in.From, x[0])
	switch {
	case in.Type == vec.F16 && in.From == vec.F64:
		f = w.float(vec.F32, w.narrowOdd(f))
	case in.Type == vec.F64 && in.From == vec.F16:
		f = b.Op(spirv.OpFConvert, b.Float(32), f)
	}
	return w.bits(in.Type, b.Op(spirv.OpFConvert, w.floatType(in.Type), f))
}

// narrowOdd gives the bits of a float64 as a float32, rounded to odd.
func (w *writer) narrowOdd(f spirv.ID) spirv.ID {
	b := w.b
	y := b.Op(spirv.OpFConvert, b.Float(32), f)
	back := b.Op(spirv.OpFConvert, b.Float(64), y)
	size := func(f spirv.ID) spirv.ID { return w.magnitude(vec.F64, w.bits(vec.F64, f)) }
	n := w.bits(vec.F32, y)
	far := b.Compare(spirv.OpUGreaterThan, size(back), size(f))
	odd := b.Select(far, b.Binary(spirv.OpISub, n, w.num(vec.I32, 1)), n)
	odd = b.Binary(spirv.OpBitwiseOr, odd, w.num(vec.I32, 1))
	return b.Select(b.Compare(spirv.OpFOrdNotEqual, back, f), odd, n)
}

// nans are the bits of NaN.
var nans = map[vec.Type]int64{vec.F32: 0x7fffffff, vec.F64: 0x7ff8000000000001}

// extremum writes IEEE 754-2019's maximumNumber and its kin: of zeros, the sign decides.
func (w *writer) extremum(in *ir.Instr) spirv.ID {
	b, t, x, y := w.b, in.Type, w.vals[in.Src[0]], w.vals[in.Src[1]]
	cond, zeros := vec.GT, spirv.OpBitwiseAnd
	if in.Op == ir.MinNum {
		cond, zeros = vec.LT, spirv.OpBitwiseOr
	}
	soft := w.t.soft(Numeric{Do: vec.FCmp, Type: t})
	z := b.Select(w.comparison(soft, t, cond, x, y), x, y)
	z = b.Select(w.comparison(soft, t, vec.EQ, x, y), b.Binary(zeros, x, y), z)
	xNaN, yNaN := w.isNaN(t, x), w.isNaN(t, y)
	if in.Imm != 0 {
		return b.Select(b.Binary(spirv.OpLogicalOr, xNaN, yNaN), w.num(t, nans[t]), z)
	}
	return b.Select(yNaN, x, b.Select(xNaN, y, z))
}
