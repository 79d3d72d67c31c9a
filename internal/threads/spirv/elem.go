package spirv

import (
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/spirv"
	"github.com/cutile-go/cutile/internal/threads/ir"
)

// rule writes an element operation of values and gives the result.
type rule = func(w *writer, in *ir.Instr, x []spirv.ID) spirv.ID

// elems has the rules of the element operations.
var elems map[vec.Op]rule

func init() {
	elems = map[vec.Op]rule{
		vec.Const:  func(w *writer, in *ir.Instr, _ []spirv.ID) spirv.ID { return w.num(in.Type, in.Imm) },
		vec.MConst: func(w *writer, in *ir.Instr, _ []spirv.ID) spirv.ID { return w.b.ConstBool(in.Imm != 0) },

		vec.And: binary(spirv.OpBitwiseAnd), vec.Or: binary(spirv.OpBitwiseOr), vec.Xor: binary(spirv.OpBitwiseXor),
		vec.AndNot: func(w *writer, _ *ir.Instr, x []spirv.ID) spirv.ID {
			return w.b.Binary(spirv.OpBitwiseAnd, x[0], w.b.Unary(spirv.OpNot, x[1]))
		},
		vec.Add: binary(spirv.OpIAdd), vec.Sub: binary(spirv.OpISub), vec.Mul: binary(spirv.OpIMul),
		vec.MulHi: (*writer).mulHi, vec.MulHiU: (*writer).mulHi,
		vec.Shl: (*writer).shift, vec.Shr: (*writer).shift, vec.ShrU: (*writer).shift,
		vec.ShlImm: (*writer).shift, vec.ShrImm: (*writer).shift, vec.ShrUImm: (*writer).shift,
		vec.Min: choice(spirv.OpSLessThan), vec.Max: choice(spirv.OpSGreaterThan),
		vec.MinU: choice(spirv.OpULessThan), vec.MaxU: choice(spirv.OpUGreaterThan),
		vec.Cmp:    func(w *writer, in *ir.Instr, x []spirv.ID) spirv.ID { return w.b.Compare(conds[in.Cond], x...) },
		vec.FCmp:   (*writer).compareFloats,
		vec.Select: func(w *writer, _ *ir.Instr, x []spirv.ID) spirv.ID { return w.b.Select(x[0], x[1], x[2]) },

		vec.FAdd: float(spirv.OpFAdd), vec.FSub: float(spirv.OpFSub), vec.FMul: float(spirv.OpFMul), vec.FDiv: float(spirv.OpFDiv),
		vec.FSqrt: func(w *writer, in *ir.Instr, x []spirv.ID) spirv.ID {
			f := w.float(in.Type, x[0])
			return w.bits(in.Type, w.b.GLSL(spirv.GLSLSqrt, w.b.TypeOf(f), f))
		},
		vec.FMulAdd: (*writer).fused, vec.FRound: (*writer).round, vec.FScale: (*writer).scale,
		vec.FMin: lesser(spirv.OpFOrdLessThan), vec.FMax: lesser(spirv.OpFOrdGreaterThan),

		vec.SignExtend: convert(spirv.OpSConvert), vec.ZeroExtend: convert(spirv.OpUConvert), vec.Truncate: convert(spirv.OpUConvert),
		vec.FConvert: (*writer).convertFloat,
		vec.FromInt: func(w *writer, in *ir.Instr, x []spirv.ID) spirv.ID {
			return w.bits(in.Type, w.b.Op(spirv.OpConvertSToF, w.floatType(in.Type), x[0]))
		},
		vec.ToInt: func(w *writer, in *ir.Instr, x []spirv.ID) spirv.ID {
			return w.b.Op(spirv.OpConvertFToS, w.typ(in.Type), w.float(in.From, x[0]))
		},

		vec.MAnd: binary(spirv.OpLogicalAnd), vec.MOr: binary(spirv.OpLogicalOr), vec.MXor: binary(spirv.OpLogicalNotEqual),
		vec.MAndNot: func(w *writer, _ *ir.Instr, x []spirv.ID) spirv.ID {
			return w.b.Binary(spirv.OpLogicalAnd, x[0], w.b.Unary(spirv.OpLogicalNot, x[1]))
		},
	}
}

func binary(op spirv.Op) rule {
	return func(w *writer, _ *ir.Instr, x []spirv.ID) spirv.ID { return w.b.Binary(op, x[0], x[1]) }
}

func convert(op spirv.Op) rule {
	return func(w *writer, in *ir.Instr, x []spirv.ID) spirv.ID { return w.b.Convert(op, w.typ(in.Type), x[0]) }
}

// choice is the first operand where a comparison holds, else the second.
func choice(op spirv.Op) rule {
	return func(w *writer, _ *ir.Instr, x []spirv.ID) spirv.ID { return w.pick(op, x[0], x[1]) }
}

func (w *writer) pick(op spirv.Op, x, y spirv.ID) spirv.ID {
	return w.b.Select(w.b.Compare(op, x, y), x, y)
}

var conds = map[vec.Cond]spirv.Op{
	vec.EQ: spirv.OpIEqual, vec.NE: spirv.OpINotEqual, vec.LT: spirv.OpSLessThan, vec.LE: spirv.OpSLessThanEqual,
	vec.GT: spirv.OpSGreaterThan, vec.GE: spirv.OpSGreaterThanEqual, vec.ULT: spirv.OpULessThan, vec.ULE: spirv.OpULessThanEqual,
	vec.UGT: spirv.OpUGreaterThan, vec.UGE: spirv.OpUGreaterThanEqual,
}

// wider is the type of twice the width.
var wider = map[vec.Type]vec.Type{vec.I8: vec.I16, vec.I16: vec.I32, vec.I32: vec.I64}

// mulHi writes the upper half of a product: that of twice the width, or for 64 bits that of numbers without a sign, from which a
// negative factor takes the other one.
func (w *writer) mulHi(in *ir.Instr, x []spirv.ID) spirv.ID {
	b, t, signed := w.b, w.typ(in.Type), in.Do == vec.MulHi
	if wide, ok := wider[in.Type]; ok {
		extend := spirv.OpUConvert
		if signed {
			extend = spirv.OpSConvert
		}
		p := b.Binary(spirv.OpIMul, b.Convert(extend, w.typ(wide), x[0]), b.Convert(extend, w.typ(wide), x[1]))
		return b.Convert(spirv.OpUConvert, t, b.Binary(spirv.OpShiftRightLogical, p, w.num(wide, int64(8*in.Type.Bytes()))))
	}
	hi := b.Extract(b.Op(spirv.OpUMulExtended, b.Struct(t, t), x[0], x[1]), 1)
	if !signed {
		return hi
	}
	for i, v := range x {
		minus := b.Binary(spirv.OpShiftRightArithmetic, v, w.num(in.Type, 63))
		hi = b.Binary(spirv.OpISub, hi, b.Binary(spirv.OpBitwiseAnd, minus, x[1-i]))
	}
	return hi
}

var shifts = map[vec.Op]spirv.Op{
	vec.Shl: spirv.OpShiftLeftLogical, vec.ShlImm: spirv.OpShiftLeftLogical, vec.Shr: spirv.OpShiftRightArithmetic,
	vec.ShrImm: spirv.OpShiftRightArithmetic, vec.ShrU: spirv.OpShiftRightLogical, vec.ShrUImm: spirv.OpShiftRightLogical,
}

// shift writes shifts. SPIR-V does not say what counts from the width on do.
func (w *writer) shift(in *ir.Instr, x []spirv.ID) spirv.ID {
	b, op := w.b, shifts[in.Do]
	if len(x) == 1 {
		return b.Binary(op, x[0], w.num(in.Type, in.Imm))
	}
	last := w.num(in.Type, int64(8*in.Type.Bytes()-1))
	if op == spirv.OpShiftRightArithmetic {
		return b.Binary(op, x[0], w.pick(spirv.OpULessThan, x[1], last))
	}
	y := b.Binary(op, x[0], b.Binary(spirv.OpBitwiseAnd, x[1], last))
	return b.Select(b.Compare(spirv.OpULessThanEqual, x[1], last), y, w.num(in.Type, 0))
}

// divide writes quotients and remainders. SPIR-V's remainders of negative numbers have no meaning in Vulkan, and so those with sign
// are made of magnitudes.
func (w *writer) divide(in *ir.Instr) spirv.ID {
	b, x, y := w.b, w.vals[in.Src[0]], w.vals[in.Src[1]]
	op := spirv.OpUDiv
	if in.Op == ir.Remainder {
		op = spirv.OpUMod
	}
	if in.Imm == 0 {
		return b.Binary(op, x, y)
	}
	zero := w.num(in.Type, 0)
	minus := func(v spirv.ID) spirv.ID { return b.Binary(spirv.OpISub, zero, v) }
	magnitude := func(v spirv.ID) spirv.ID {
		return b.Select(b.Compare(spirv.OpSLessThan, v, zero), minus(v), v)
	}
	q := b.Binary(op, magnitude(x), magnitude(y))
	sign := x
	if in.Op == ir.Quotient {
		sign = b.Binary(spirv.OpBitwiseXor, x, y)
	}
	return b.Select(b.Compare(spirv.OpSLessThan, sign, zero), minus(q), q)
}

// pack joins values, the first in the lowest bits.
func (w *writer) pack(in *ir.Instr) spirv.ID { return w.join(in.From, in.Type, w.values(in.Src)) }

func (w *writer) join(to, t vec.Type, parts []spirv.ID) spirv.ID {
	var all spirv.ID
	for i, x := range parts {
		x = w.b.Convert(spirv.OpUConvert, w.typ(to), x)
		if i == 0 {
			all = x
			continue
		}
		x = w.b.Binary(spirv.OpShiftLeftLogical, x, w.num(to, int64(8*t.Bytes()*i)))
		all = w.b.Binary(spirv.OpBitwiseOr, all, x)
	}
	return all
}

// unpack is the reverse of pack.
func (w *writer) unpack(in *ir.Instr) {
	for i, x := range w.split(in.From, in.Type, w.vals[in.Src[0]]) {
		w.vals[in.Dst[i]] = x
	}
}

func (w *writer) split(from, t vec.Type, x spirv.ID) []spirv.ID {
	out := make([]spirv.ID, from.Bytes()/t.Bytes())
	for i := range out {
		part := x
		if i > 0 {
			part = w.b.Binary(spirv.OpShiftRightLogical, x, w.num(from, int64(8*t.Bytes()*i)))
		}
		out[i] = w.b.Convert(spirv.OpUConvert, w.typ(t), part)
	}
	return out
}
