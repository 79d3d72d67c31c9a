package lane

import (
	"math"
	"slices"

	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/native/vecmath"
	"github.com/cutile-go/cutile/tileir"
)

// call is an operation whose instructions are emitted. Rules give the register of the result, 0 if they refuse.
type call struct {
	*vec.Builder
	op   *tileir.Op
	args []vec.Reg
	in   *tileir.TileType // of the first operand
	out  *tileir.TileType // of the result
	form vec.Type         // of the first operand
	to   vec.Type         // of the result
}

type rule func(c *call) vec.Reg

// Emit emits an elementwise operation on operands in their forms and gives the form of the result. ok is false if there is
// no rule for it, or none for its element types and attributes; then nothing that was emitted means anything.
func Emit(b *vec.Builder, op *tileir.Op, args []vec.Reg) (result vec.Reg, ok bool) {
	r := rules[op.Info.Opcode]
	if r == nil || len(op.Operands) == 0 || len(op.Results) != 1 {
		return 0, false
	}
	c := &call{Builder: b, op: op, args: args}
	if c.in, ok = op.Operands[0].Type.(*tileir.TileType); !ok {
		return 0, false
	}
	if c.out, ok = op.Results[0].Type.(*tileir.TileType); !ok {
		return 0, false
	}
	var known bool
	if c.form, ok = Form(c.in); !ok {
		return 0, false
	}
	if c.to, known = Form(c.out); !known {
		return 0, false
	}
	if c.hasI4() && !takesI4[op.Info.Opcode] {
		return 0, false
	}
	if moves[op.Info.Opcode] {
		result = r(c)
		return result, result != 0
	}
	if c.in.Elem == tileir.I1 && !c.in.Pointer && asNumbers[op.Info.Opcode] {
		result = c.inBytes(r)
	} else {
		result = c.inFloat32(r)
	}
	return result, result != 0
}

// takesI4 are the operations on integers of four bits, which are bytes in registers.
var takesI4 = map[int]bool{tileir.OpExtI: true, tileir.OpTruncI: true, tileir.OpSelect: true, tileir.OpReshape: true}

// hasI4 reports whether an operand or the result has such elements.
func (c *call) hasI4() bool {
	return c.out.Elem == tileir.I4 || slices.ContainsFunc(c.op.Operands, func(v *tileir.Value) bool { return TileOf(v).Elem == tileir.I4 })
}

// moves are the operations that keep the bits of their operands.
var moves = map[int]bool{tileir.OpSelect: true, tileir.OpBitcast: true, tileir.OpReshape: true}

// inFloat32 computes f16 in float32: operands are converted, and the result is rounded.
func (c *call) inFloat32(r rule) vec.Reg {
	args := make([]vec.Reg, len(c.args))
	for i, x := range c.args {
		args[i] = x
		if t := c.op.Operands[i].Type.(*tileir.TileType); t.Elem == tileir.F16 && !t.Pointer {
			args[i] = c.Convert(vec.FConvert, vec.F32, vec.F16, x)
		}
	}
	c.args = args
	if c.form == vec.F16 {
		c.form = vec.F32
	}
	if c.to != vec.F16 {
		return r(c)
	}
	c.to = vec.F32
	x := r(c)
	if x == 0 {
		return 0
	}
	return c.Convert(vec.FConvert, vec.F16, vec.F32, x)
}

// Supports reports whether [Emit] has instructions for an operation.
func Supports(op *tileir.Op) bool {
	b := vec.NewBuilder("")
	args := make([]vec.Reg, len(op.Operands))
	for i, v := range op.Operands {
		t, ok := v.Type.(*tileir.TileType)
		if !ok {
			return false
		}
		form, ok := Form(t)
		if !ok {
			return false
		}
		args[i] = b.New(Class(form))
	}
	_, ok := Emit(b, op, args)
	return ok
}

// Elementwise reports whether there is a rule for an operation with some element types and attributes.
func Elementwise(opcode int) bool { return rules[opcode] != nil }

var rules map[int]rule

func init() { // the rules refer to Emit through helpers
	rules = map[int]rule{
		tileir.OpAddF: arith(vec.FAdd), tileir.OpSubF: arith(vec.FSub), tileir.OpMulF: arith(vec.FMul), tileir.OpDivF: arith(vec.FDiv),
		tileir.OpSqrt: arith(vec.FSqrt), tileir.OpFma: arith(vec.FMulAdd),
		tileir.OpNegF: signBit(vec.Xor), tileir.OpAbsF: signBit(vec.AndNot),
		tileir.OpFloor: toInteger(vec.Floor), tileir.OpCeil: toInteger(vec.Ceil),
		tileir.OpMaxF: extremum(vec.FMax, vec.And), tileir.OpMinF: extremum(vec.FMin, vec.Or), tileir.OpCmpF: compareFloats,

		tileir.OpAddI: ints(vec.Add), tileir.OpSubI: ints(vec.Sub), tileir.OpMulI: ints(vec.Mul), tileir.OpMulhiI: ints(vec.MulHiU),
		tileir.OpShLI: ints(vec.Shl), tileir.OpShRI: bySign(vec.Shr, vec.ShrU), tileir.OpMaxI: bySign(vec.Max, vec.MaxU),
		tileir.OpMinI: bySign(vec.Min, vec.MinU), tileir.OpCmpI: compareInts, tileir.OpNegI: negate, tileir.OpAbsI: absolute,
		tileir.OpAndI: bits(vec.And, vec.MAnd), tileir.OpOrI: bits(vec.Or, vec.MOr), tileir.OpXOrI: bits(vec.Xor, vec.MXor),
		tileir.OpDivI: divide, tileir.OpRemI: remainder,

		tileir.OpSelect: choose, tileir.OpOffset: offset, tileir.OpBitcast: bitcast, tileir.OpReshape: same,
		tileir.OpIntToPtr: same, tileir.OpPtrToInt: same, tileir.OpPtrToPtr: same,
		tileir.OpFPowI: powerOfInt,
		tileir.OpExtI:  extend, tileir.OpTruncI: truncate, tileir.OpIToF: intToFloat, tileir.OpFToI: floatToInt, tileir.OpFToF: floatToFloat,
	}
	for i := range vecmath.Functions {
		if op := vecmath.Functions[i].Op; rules[op] == nil {
			rules[op] = function(op)
		}
	}
}

// function is a function of floats, for the narrow ones that of float32, rounded once more.
func function(op int) rule {
	return func(c *call) vec.Reg {
		types := make([]vec.Type, len(c.args))
		for i := range types {
			types[i] = c.form
		}
		f := vecmath.Of(op, types...)
		if f == nil || c.in.Elem == tileir.TF32 || !c.nearest() {
			return 0
		}
		args := c.args
		flush := c.flag("flush_to_zero") && c.in.Elem == tileir.F32
		if flush {
			args = []vec.Reg{c.flush(c.args[0])}
		}
		x := round(c.Builder, c.in.Elem, vec.Nearest, f.Emit(c.Builder, args))
		if flush {
			x = c.flush(x)
		}
		return x
	}
}

// powerOfInt is a power with an integer: of float64 that with a float, which has all integers that an exponent may be, of
// other floats that of float32, rounded once more.
func powerOfInt(c *call) vec.Reg {
	by, _ := Form(c.op.Operands[1].Type.(*tileir.TileType))
	if !c.form.Float() || c.in.Elem == tileir.TF32 || by.Float() || c.form == vec.F64 && by == vec.I64 {
		return 0
	}
	n := c.args[1]
	switch {
	case by == vec.NoType:
		n, by = c.Pick(vec.I32, n, c.Bits(vec.I32, math.MaxUint32), c.Bits(vec.I32, 0)), vec.I32
	case by.Bytes() < 4:
		n, by = c.Convert(vec.SignExtend, vec.I32, by, n), vec.I32
	}
	if c.form == vec.F64 {
		return vecmath.PowF64(c.Builder, c.args[0], c.Convert(vec.FromInt, vec.F64, by, n))
	}
	x := vecmath.Of(tileir.OpFPowI, vec.F32, by).Emit(c.Builder, []vec.Reg{c.args[0], n})
	return round(c.Builder, c.in.Elem, vec.Nearest, x)
}

func same(c *call) vec.Reg { return c.args[0] }

// modes are the directions of rounding. Approximations round to the nearest, too.
var modes = map[int64]vec.Rounding{
	int64(tileir.RoundingNearestEven): vec.Nearest, int64(tileir.RoundingApprox): vec.Nearest, int64(tileir.RoundingFull): vec.Nearest,
	int64(tileir.RoundingZero): vec.Trunc, int64(tileir.RoundingNegativeInf): vec.Floor, int64(tileir.RoundingPositiveInf): vec.Ceil,
	int64(tileir.RoundingNearestAway): vecmath.Away,
}

// mode gives the direction in which the operation rounds: to the nearest if it has no choice.
func (c *call) mode() (mode vec.Rounding, ok bool) {
	if c.op.Info.AttrIndex("rounding_mode") < 0 {
		return vec.Nearest, true
	}
	mode, ok = modes[c.op.Int("rounding_mode")]
	return mode, ok
}

// nearest reports whether the operation rounds to the nearest.
func (c *call) nearest() bool {
	mode, ok := c.mode()
	return ok && mode == vec.Nearest
}

// flag reports whether an attribute is there and set.
func (c *call) flag(name string) bool { return c.op.Info.AttrIndex(name) >= 0 && c.op.Int(name) != 0 }

// arith computes and rounds once.
func arith(op vec.Op) rule {
	return func(c *call) vec.Reg {
		mode, ok := c.mode()
		if !ok || mode == vecmath.Away || !c.form.Float() || c.in.Elem == tileir.TF32 {
			return 0
		}
		args := c.args
		flush := c.flag("flush_to_zero") && c.in.Elem == tileir.F32
		if flush {
			args = make([]vec.Reg, len(c.args))
			for i, x := range c.args {
				args[i] = c.flush(x)
			}
		}
		x := c.arith(op, mode, args)
		if flush {
			x = c.flush(x)
		}
		return x
	}
}

// arith computes the narrow floats in float32, which has more than twice their precision, and rounds to the nearest a second
// time. That is not enough for the sum of a product and a number, nor in other directions: for these, float32 and the narrow
// floats are computed in float64.
func (c *call) arith(op vec.Op, mode vec.Rounding, args []vec.Reg) vec.Reg {
	narrow := c.in.Elem == tileir.F16 || c.in.Elem == tileir.BF16
	switch {
	case mode == vec.Nearest && !(narrow && op == vec.FMulAdd):
		return round(c.Builder, c.in.Elem, mode, c.Do(op, c.form, args...))
	case c.form == vec.F64:
		return vecmath.Directed(c.Builder, op, mode, args)
	}
	wide := make([]vec.Reg, len(args))
	for i, x := range args {
		wide[i] = c.Convert(vec.FConvert, vec.F64, vec.F32, x)
	}
	x := vecmath.Wide(c.Builder, op, mode == vec.Floor, wide)
	if !narrow {
		return vecmath.Single(c.Builder, mode, x)
	}
	return round(c.Builder, c.in.Elem, mode, vecmath.OddSingle(c.Builder, x))
}

// flush makes zeros, with their signs, of numbers below the normal ones.
func (c *call) flush(x vec.Reg) vec.Reg {
	sign := c.Do(vec.And, vec.I32, x, c.Bits(vec.I32, 1<<31))
	abs := c.Do(vec.AndNot, vec.I32, x, c.Bits(vec.I32, 1<<31))
	return c.Pick(vec.I32, c.Compare(vec.I32, vec.LT, abs, c.Bits(vec.I32, 1<<23)), sign, x)
}

// signBit changes the sign of a float, that of NaN too.
func signBit(op vec.Op) rule {
	return func(c *call) vec.Reg {
		if !c.form.Float() || c.in.Elem == tileir.TF32 || c.flag("flush_to_zero") {
			return 0
		}
		return c.Do(op, c.form, c.args[0], c.Bits(c.form, 1<<(8*c.form.Bytes()-1)))
	}
}

func toInteger(mode vec.Rounding) rule {
	return func(c *call) vec.Reg {
		if !c.form.Float() || c.in.Elem == tileir.TF32 || c.flag("flush_to_zero") {
			return 0
		}
		return c.DoImm(vec.FRound, c.form, int64(mode), c.args[0])
	}
}

// extremum is maximum or minimum of IEEE 754-2019: of zeros the one with the right sign, and NaN if an operand is NaN and
// the operation propagates it, else the other operand. The machine's instruction gives the second operand for equal ones
// and for NaN. Equal numbers have the same bits but for zeros, whose signs are joined by and, or by or.
func extremum(op, join vec.Op) rule {
	return func(c *call) vec.Reg {
		if !c.form.Float() || c.in.Elem == tileir.TF32 {
			return 0
		}
		x, y := c.args[0], c.args[1]
		if c.flag("flush_to_zero") { // the result is one of the operands
			x, y = c.flush(x), c.flush(y)
		}
		m := c.Do(op, c.form, x, y)
		m = c.Pick(c.form, c.Compare(c.form, vec.EQ, x, y), c.Do(join, c.form, x, y), m)
		if c.flag("propagate_nan") { // the instruction gives y, which may be a number
			return c.Pick(c.form, c.Compare(c.form, vec.Unordered, x, x), x, m)
		}
		return c.Pick(c.form, c.Compare(c.form, vec.Unordered, y, y), x, m)
	}
}

// floatConds are the conditions of ordered comparisons, and for the unordered ones those that must not hold.
var floatConds = map[int64]struct{ ordered, not vec.Cond }{
	int64(tileir.CompareEqual): {vec.EQ, vec.NE}, int64(tileir.CompareNotEqual): {vec.NE, vec.EQ},
	int64(tileir.CompareLessThan): {vec.LT, vec.GE}, int64(tileir.CompareLessThanOrEqual): {vec.LE, vec.GT},
	int64(tileir.CompareGreaterThan): {vec.GT, vec.LE}, int64(tileir.CompareGreaterThanOrEqual): {vec.GE, vec.LT},
}

// compareFloats compares. An unordered comparison holds where the opposite ordered one does not. The condition NE of
// package vec is the unordered one.
func compareFloats(c *call) vec.Reg {
	if !c.form.Float() || c.in.Elem == tileir.TF32 {
		return 0
	}
	p := c.op.Int("comparison_predicate")
	row, x, y := floatConds[p], c.args[0], c.args[1]
	unordered := c.op.Int("comparison_ordering") == int64(tileir.CompareUnordered)
	switch {
	case p == int64(tileir.CompareNotEqual) && unordered:
		return c.Compare(c.form, vec.NE, x, y)
	case p == int64(tileir.CompareNotEqual):
		return c.Do(vec.MAnd, vec.NoType, c.Compare(c.form, vec.NE, x, y), c.Compare(c.form, vec.Ordered, x, y))
	case p == int64(tileir.CompareEqual) && unordered:
		return c.Do(vec.MOr, vec.NoType, c.Compare(c.form, vec.EQ, x, y), c.Compare(c.form, vec.Unordered, x, y))
	case unordered:
		return c.not(c.Compare(c.form, row.not, x, y))
	}
	return c.Compare(c.form, row.ordered, x, y)
}

// not is the other lanes.
func (c *call) not(m vec.Reg) vec.Reg {
	return c.Do(vec.MXor, vec.NoType, m, c.DoImm(vec.MConst, vec.NoType, 1))
}

// choose is select.
func choose(c *call) vec.Reg {
	m, x, y := c.args[0], c.args[1], c.args[2]
	if c.to == vec.NoType {
		return c.Do(vec.MOr, vec.NoType, c.Do(vec.MAnd, vec.NoType, x, m), c.Do(vec.MAndNot, vec.NoType, y, m))
	}
	return c.Pick(c.to, m, x, y)
}
