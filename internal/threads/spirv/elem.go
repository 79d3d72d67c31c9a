package spirv

import (
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/spirv"
	"github.com/cutile-go/cutile/internal/threads/ir"
)

// rule writes an element operation of values and gives the result.
type rule = func(w *writer, in *ir.Instr, x []spirv.ID) spirv.ID

// form is how an element operation is written.
type form struct {
	write rule // nil where no instruction is as exact as it must be
	soft  rule // the same in integers, for floats; nil where write is exact on every device
	why   string
	wide  bool   // write computes in f64
	apart bool   // write is a function of its own, as it has many instructions
	plain bool   // soft is no function
	long  [2]int // about how many instructions write and soft have, where these are many
}

// Why says why an element operation gives the bits that package vec says, on every device.
func Why(op vec.Op) string { return elems[op].why }

// What makes operations exact.
const (
	bitsAlone = "integers and truth values are exact in SPIR-V"
	nearest   = "Vulkan rounds right, to the nearest with RoundingModeRTE, keeps subnormal numbers with DenormPreserve, and NaN, infinities and " +
		"the signs of zeros with SignedZeroInfNanPreserve: of what a device does not promise, the probe tells. NoContraction keeps operations apart"
	chosen   = "it chooses one of its operands by a comparison, which is exact but for subnormal numbers that a device flushes, as the probe tells"
	unproved = "Vulkan has no bound that would do, and a test of some numbers shows nothing for the others: it is computed in integers"
)

// plain is an operation on integers and truth values.
func plain(write rule) form { return form{write: write, why: bitsAlone} }

// elems has the forms of the element operations.
var elems map[vec.Op]form

func init() {
	elems = map[vec.Op]form{
		vec.Const: {write: func(w *writer, in *ir.Instr, _ []spirv.ID) spirv.ID { return w.num(in.Type, in.Imm) }, soft: (*writer).hidden, plain: true,
			why: bitsAlone + "; but Mesa takes 0 for -0 where it finds a choice between the bits of 1 or -1 and of 0, also of integers, as the probe tells"},
		vec.MConst: plain(func(w *writer, in *ir.Instr, _ []spirv.ID) spirv.ID { return w.b.ConstBool(in.Imm != 0) }),

		vec.And: plain(binary(spirv.OpBitwiseAnd)), vec.Or: plain(binary(spirv.OpBitwiseOr)), vec.Xor: plain(binary(spirv.OpBitwiseXor)),
		vec.AndNot: plain(func(w *writer, _ *ir.Instr, x []spirv.ID) spirv.ID {
			return w.b.Binary(spirv.OpBitwiseAnd, x[0], w.b.Unary(spirv.OpNot, x[1]))
		}),
		vec.Add: plain(binary(spirv.OpIAdd)), vec.Sub: plain(binary(spirv.OpISub)), vec.Mul: plain(binary(spirv.OpIMul)),
		vec.MulHi: plain((*writer).mulHi), vec.MulHiU: plain((*writer).mulHi),
		vec.Shl: plain((*writer).shift), vec.Shr: plain((*writer).shift), vec.ShrU: plain((*writer).shift),
		vec.ShlImm: plain((*writer).shift), vec.ShrImm: plain((*writer).shift), vec.ShrUImm: plain((*writer).shift),
		vec.Min: plain(choice(spirv.OpSLessThan)), vec.Max: plain(choice(spirv.OpSGreaterThan)),
		vec.MinU: plain(choice(spirv.OpULessThan)), vec.MaxU: plain(choice(spirv.OpUGreaterThan)),
		vec.Cmp:    plain(func(w *writer, in *ir.Instr, x []spirv.ID) spirv.ID { return w.b.Compare(conds[in.Cond], x...) }),
		vec.Select: plain(func(w *writer, _ *ir.Instr, x []spirv.ID) spirv.ID { return w.b.Select(x[0], x[1], x[2]) }),

		vec.FAdd:    {write: float(spirv.OpFAdd), soft: (*writer).softAdd, long: [2]int{1, 110}, why: nearest},
		vec.FSub:    {write: float(spirv.OpFSub), soft: (*writer).softAdd, long: [2]int{1, 110}, why: nearest},
		vec.FMul:    {write: float(spirv.OpFMul), soft: (*writer).softMul, long: [2]int{1, 90}, why: nearest},
		vec.FScale:  {write: (*writer).scale, soft: (*writer).softScale, long: [2]int{10, 60}, why: "it is a product or two, of which only the last one rounds. " + nearest},
		vec.FMulAdd: {write: (*writer).fused, soft: (*writer).softFused, wide: true, apart: true, long: [2]int{30, 200}, why: "it is made of sums and products in f64, since GLSL's fma may round twice. " + nearest},
		vec.FDiv:    {soft: (*writer).softDiv, long: [2]int{0, 110}, why: "quotients may be off by 2.5 units in the last place. " + unproved},
		vec.FSqrt:   {soft: (*writer).softSqrt, long: [2]int{0, 120}, why: "roots are as exact as 1 / inversesqrt(x). " + unproved},
		vec.FRound:  {soft: (*writer).softRound, long: [2]int{0, 30}, why: "GLSL's functions that round to integers have no bound. " + unproved},
		vec.FMin:    {write: lesser(false, vec.LT), soft: lesser(true, vec.LT), why: chosen},
		vec.FMax:    {write: lesser(false, vec.GT), soft: lesser(true, vec.GT), why: chosen},
		vec.FCmp:    {write: compare(false), soft: compare(true), why: chosen},

		vec.SignExtend: plain(convert(spirv.OpSConvert)), vec.ZeroExtend: plain(convert(spirv.OpUConvert)), vec.Truncate: plain(convert(spirv.OpUConvert)),
		vec.FConvert: {write: (*writer).convertFloat, soft: (*writer).softConvert, long: [2]int{1, 60}, why: nearest},
		vec.FromInt: {write: func(w *writer, in *ir.Instr, x []spirv.ID) spirv.ID {
			return w.bits(in.Type, w.b.Op(spirv.OpConvertSToF, w.floatType(in.Type), x[0]))
		}, soft: (*writer).softFromInt, long: [2]int{1, 50}, why: nearest},
		vec.ToInt: {write: func(w *writer, in *ir.Instr, x []spirv.ID) spirv.ID {
			return w.b.Op(spirv.OpConvertFToS, w.typ(in.Type), w.float(in.From, x[0]))
		}, soft: (*writer).softToInt, long: [2]int{1, 40}, why: "it cuts off what lies behind the point, and numbers beyond the integers do not get here"},

		vec.MAnd: plain(binary(spirv.OpLogicalAnd)), vec.MOr: plain(binary(spirv.OpLogicalOr)), vec.MXor: plain(binary(spirv.OpLogicalNotEqual)),
		vec.MAndNot: plain(func(w *writer, _ *ir.Instr, x []spirv.ID) spirv.ID {
			return w.b.Binary(spirv.OpLogicalAnd, x[0], w.b.Unary(spirv.OpLogicalNot, x[1]))
		}),
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

// mulHi writes the upper half of a product: that of twice the width, or where there is none that of numbers without a sign, from which a
// negative factor takes the other one.
func (w *writer) mulHi(in *ir.Instr, x []spirv.ID) spirv.ID {
	b, t, signed := w.b, w.typ(in.Type), in.Do == vec.MulHi
	if wide, ok := wider[in.Type]; ok && !b.isPair(w.typ(wide)) {
		extend := spirv.OpUConvert
		if signed {
			extend = spirv.OpSConvert
		}
		p := b.Binary(spirv.OpIMul, b.Convert(extend, w.typ(wide), x[0]), b.Convert(extend, w.typ(wide), x[1]))
		return b.Convert(spirv.OpUConvert, t, b.Binary(spirv.OpShiftRightLogical, p, w.num(wide, int64(8*in.Type.Bytes()))))
	}
	hi := b.high(x[0], x[1])
	if !signed {
		return hi
	}
	for i, v := range x {
		minus := b.Binary(spirv.OpShiftRightArithmetic, v, w.num(in.Type, int64(8*in.Type.Bytes()-1)))
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
