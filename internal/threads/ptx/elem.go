package ptx

import (
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/threads/ir"
)

// constant reports whether an instruction makes a constant, which has no instruction of its own.
func constant(in *ir.Instr) bool {
	return in.Op == ir.Elem && (in.Do == vec.Const || in.Do == vec.MConst)
}

// elem writes an element operation.
func (w *writer) elem(in *ir.Instr) {
	if constant(in) {
		w.consts[in.Dst[0]] = simt.B(uint64(in.Imm))
		return
	}
	f := elems[in.Do]
	if f == nil {
		panic("BUG: threads: PTX has no " + in.Do.String())
	}
	f(w, in)
}

// suffix is PTX's type of so many bits: lanes of 8 bits lie in 16.
func suffix(letter string, t vec.Type) string {
	return "." + letter + bitsOf[max(2, t.Bytes())]
}

// bitsOf has numbers of bits, by bytes.
var bitsOf = [...]string{1: "8", 2: "16", 4: "32", 8: "64"}

func classOf(t vec.Type) simt.Class { return classes[t.Class()] }

// floatName is a float type's name in PTX.
func floatName(t vec.Type) string { return t.String() }

// elems has the instructions of the element operations.
var elems map[vec.Op]func(w *writer, in *ir.Instr)

func init() {
	elems = map[vec.Op]func(w *writer, in *ir.Instr){
		vec.And: bitwise("and"), vec.Or: bitwise("or"), vec.Xor: bitwise("xor"), vec.AndNot: (*writer).andNot,
		vec.Add: integers("add", "s"), vec.Sub: integers("sub", "s"), vec.Mul: integers("mul.lo", "s"),
		vec.MulHi: (*writer).mulHi, vec.MulHiU: (*writer).mulHi,
		vec.Shl: (*writer).shift, vec.Shr: (*writer).shift, vec.ShrU: (*writer).shift,
		vec.ShlImm: (*writer).shift, vec.ShrImm: (*writer).shift, vec.ShrUImm: (*writer).shift,
		vec.Min: whole("min", "s"), vec.Max: whole("max", "s"), vec.MinU: whole("min", "u"), vec.MaxU: whole("max", "u"),
		vec.Cmp: (*writer).compare, vec.FCmp: (*writer).compareFloats, vec.Select: (*writer).choose,

		vec.FAdd: floats("add.rn"), vec.FSub: floats("sub.rn"), vec.FMul: floats("mul.rn"), vec.FDiv: floats("div.rn"),
		vec.FSqrt: floats("sqrt.rn"), vec.FMulAdd: floats("fma.rn"),
		vec.FMin: lesser("lt"), vec.FMax: lesser("gt"), vec.FRound: (*writer).round, vec.FScale: (*writer).scale,

		vec.SignExtend: (*writer).extend, vec.ZeroExtend: (*writer).extend, vec.Truncate: (*writer).truncate,
		vec.FConvert: (*writer).convert, vec.FromInt: (*writer).fromInt, vec.ToInt: (*writer).toInt,

		vec.MAnd: masks("and.pred"), vec.MOr: masks("or.pred"), vec.MXor: masks("xor.pred"),
		vec.MAndNot: func(w *writer, in *ir.Instr) {
			not := w.make(simt.Pred, "not.pred", w.reg(in.Src[1]))
			w.to(w.result(in.Dst[0]), "and.pred", w.reg(in.Src[0]), not)
		},
	}
}

// pair gives the operands of an operation of two that may change places: an immediate comes second.
func (w *writer) pair(in *ir.Instr) (a, b simt.Operand) {
	a, b = w.use(in.Src[0]), w.use(in.Src[1])
	if a.Kind != simt.Register {
		a, b = b, a
	}
	if a.Kind != simt.Register {
		a = w.reg(in.Src[1])
	}
	return a, b
}

func bitwise(op string) func(w *writer, in *ir.Instr) {
	return func(w *writer, in *ir.Instr) {
		a, b := w.pair(in)
		w.to(w.result(in.Dst[0]), op+suffix("b", in.Type), a, b)
	}
}

func masks(op string) func(w *writer, in *ir.Instr) {
	return func(w *writer, in *ir.Instr) {
		w.to(w.result(in.Dst[0]), op, w.reg(in.Src[0]), w.reg(in.Src[1]))
	}
}

func (w *writer) andNot(in *ir.Instr) {
	t := suffix("b", in.Type)
	if c, ok := w.consts[in.Src[1]]; ok {
		n := 64 - max(16, 8*in.Type.Bytes())
		w.to(w.result(in.Dst[0]), "and"+t, w.reg(in.Src[0]), simt.B(^c.Bits<<n>>n))
		return
	}
	not := w.make(classOf(in.Type), "not"+t, w.reg(in.Src[1]))
	w.to(w.result(in.Dst[0]), "and"+t, not, w.use(in.Src[0]))
}

// integers are operations of which the lower bits of the result depend on the lower bits of the operands alone.
func integers(op, letter string) func(w *writer, in *ir.Instr) {
	return func(w *writer, in *ir.Instr) {
		if op == "sub" {
			w.to(w.result(in.Dst[0]), op+suffix(letter, in.Type), w.reg(in.Src[0]), w.use(in.Src[1]))
			return
		}
		a, b := w.pair(in)
		w.to(w.result(in.Dst[0]), op+suffix(letter, in.Type), a, b)
	}
}

// extended is a lane as a number with or without sign: one of 8 bits fills its register then.
func (w *writer) extended(letter string, t vec.Type, v ir.Value) simt.Operand {
	if t != vec.I8 {
		return w.use(v)
	}
	if c, ok := w.consts[v]; ok {
		if letter == "s" {
			return simt.B(uint64(uint16(int8(c.Bits))))
		}
		return c
	}
	return w.make(simt.B16, "cvt."+letter+"16."+letter+"8", w.reg(v))
}

// inRegister is an operand in a register.
func (w *writer) inRegister(c simt.Class, o simt.Operand) simt.Operand {
	if o.Kind == simt.Register {
		return o
	}
	return w.make(c, "mov."+c.String(), o)
}

// whole are operations that look at all bits of their operands.
func whole(op, letter string) func(w *writer, in *ir.Instr) {
	return func(w *writer, in *ir.Instr) {
		a, b := w.extended(letter, in.Type, in.Src[0]), w.extended(letter, in.Type, in.Src[1])
		if a.Kind != simt.Register {
			a, b = b, a
		}
		w.to(w.result(in.Dst[0]), op+suffix(letter, in.Type), w.inRegister(classOf(in.Type), a), b)
	}
}

func (w *writer) mulHi(in *ir.Instr) {
	letter := "s"
	if in.Do == vec.MulHiU {
		letter = "u"
	}
	if in.Type != vec.I8 {
		a, b := w.pair(in)
		w.to(w.result(in.Dst[0]), "mul.hi"+suffix(letter, in.Type), a, b)
		return
	}
	a := w.inRegister(simt.B16, w.extended(letter, in.Type, in.Src[0]))
	p := w.make(simt.B16, "mul.lo.s16", a, w.extended(letter, in.Type, in.Src[1]))
	w.to(w.result(in.Dst[0]), "shr.u16", p, simt.I(8))
}

var shifts = map[vec.Op]struct{ op, letter string }{
	vec.Shl: {"shl", "b"}, vec.ShlImm: {"shl", "b"}, vec.Shr: {"shr", "s"}, vec.ShrImm: {"shr", "s"}, vec.ShrU: {"shr", "u"}, vec.ShrUImm: {"shr", "u"},
}

// shift writes shifts. PTX, too, takes counts from the width on for the width.
func (w *writer) shift(in *ir.Instr) {
	row := shifts[in.Do]
	x := w.use(in.Src[0])
	if row.op == "shr" {
		x = w.extended(row.letter, in.Type, in.Src[0])
	}
	n := simt.I(in.Imm)
	if len(in.Src) > 1 {
		n = w.count(in.Type, in.Src[1])
	}
	w.to(w.result(in.Dst[0]), row.op+suffix(row.letter, in.Type), w.inRegister(classOf(in.Type), x), n)
}

// count is a shift's count in 32 bits.
func (w *writer) count(t vec.Type, v ir.Value) simt.Operand {
	if c, ok := w.consts[v]; ok {
		return simt.I(int64(min(c.Bits, 64)))
	}
	switch t {
	case vec.I32:
		return w.reg(v)
	case vec.I64:
		n := w.make(simt.B64, "min.u64", w.reg(v), simt.I(64))
		return w.make(simt.B32, "cvt.u32.u64", n)
	case vec.I8:
		return w.make(simt.B32, "cvt.u32.u8", w.reg(v))
	}
	return w.make(simt.B32, "cvt.u32.u16", w.reg(v))
}

// conds are the conditions of integers: their names, and whether they look at a sign.
var conds = map[vec.Cond]struct{ name, letter string }{
	vec.EQ: {"eq", "s"}, vec.NE: {"ne", "s"}, vec.LT: {"lt", "s"}, vec.LE: {"le", "s"}, vec.GT: {"gt", "s"}, vec.GE: {"ge", "s"},
	vec.ULT: {"lt", "u"}, vec.ULE: {"le", "u"}, vec.UGT: {"gt", "u"}, vec.UGE: {"ge", "u"},
}

func (w *writer) compare(in *ir.Instr) {
	row := conds[in.Cond]
	a := w.inRegister(classOf(in.Type), w.extended(row.letter, in.Type, in.Src[0]))
	w.to(w.result(in.Dst[0]), "setp."+row.name+suffix(row.letter, in.Type), a, w.extended(row.letter, in.Type, in.Src[1]))
}

var floatConds = map[vec.Cond]string{
	vec.EQ: "eq", vec.NE: "neu", vec.LT: "lt", vec.LE: "le", vec.GT: "gt", vec.GE: "ge", vec.Unordered: "nan", vec.Ordered: "num",
}

func (w *writer) compareFloats(in *ir.Instr) {
	w.to(w.result(in.Dst[0]), "setp."+floatConds[in.Cond]+"."+floatName(in.Type), w.reg(in.Src[0]), w.use(in.Src[1]))
}

func (w *writer) choose(in *ir.Instr) {
	w.to(w.result(in.Dst[0]), "selp"+suffix("b", in.Type), w.use(in.Src[1]), w.use(in.Src[2]), w.reg(in.Src[0]))
}

// wide writes products of 32 bits that have 64.
func (w *writer) wide(in *ir.Instr) {
	a, b := w.reg(in.Src[0]), w.use(in.Src[1])
	if in.Op == ir.MulWide {
		w.to(w.result(in.Dst[0]), "mul.wide.s32", a, b)
		return
	}
	w.to(w.result(in.Dst[0]), "mad.wide.s32", a, b, w.use(in.Src[2]))
}
