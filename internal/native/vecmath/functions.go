package vecmath

import (
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// Function is a function of float32 numbers.
type Function struct {
	Name string // of its emitter
	Op   int    // the opcode of Tile IR
	Args []vec.Type
	// ULP bounds the error in units in the last place, 0 for exact results. No sweep proves that of functions of two
	// operands, but that they compute in float64 with errors below 2^-29.
	ULP  float64
	Emit func(b *vec.Builder, args []vec.Reg) vec.Reg
}

// Functions are all of them.
var Functions = []Function{
	unary("Exp", tileir.OpExp, 1, Exp),
	unary("Exp2", tileir.OpExp2, 1, Exp2),
	unary("Log", tileir.OpLog, 1, Log),
	unary("Log2", tileir.OpLog2, 1, Log2),
	unary("Sin", tileir.OpSin, 0.51, Sin),
	unary("Cos", tileir.OpCos, 0.51, Cos),
	unary("Tan", tileir.OpTan, 0.51, Tan),
	unary("Sinh", tileir.OpSinH, 1, Sinh),
	unary("Cosh", tileir.OpCosH, 1, Cosh),
	unary("Tanh", tileir.OpTanH, 1, Tanh),
	unary("Rsqrt", tileir.OpRsqrt, 0.51, Rsqrt),
	unary("Sqrt", tileir.OpSqrt, 0.5, Sqrt),
	binary("RemF", tileir.OpRemF, 0, vec.F32, RemF),
	binary("Atan2", tileir.OpAtan2, 0.51, vec.F32, Atan2),
	binary("PowF", tileir.OpFPowF, 0.55, vec.F32, PowF),
	binary("PowI32", tileir.OpFPowI, 0.55, vec.I32, PowI32),
	binary("PowI64", tileir.OpFPowI, 0.55, vec.I64, PowI64),
}

func unary(name string, op int, ulp float64, emit func(b *vec.Builder, x vec.Reg) vec.Reg) Function {
	return Function{name, op, []vec.Type{vec.F32}, ulp, func(b *vec.Builder, args []vec.Reg) vec.Reg { return emit(b, args[0]) }}
}

func binary(name string, op int, ulp float64, second vec.Type, emit func(b *vec.Builder, x, y vec.Reg) vec.Reg) Function {
	return Function{name, op, []vec.Type{vec.F32, second}, ulp, func(b *vec.Builder, args []vec.Reg) vec.Reg { return emit(b, args[0], args[1]) }}
}

// ByName finds a function, or nil.
func ByName(name string) *Function {
	for i := range Functions {
		if Functions[i].Name == name {
			return &Functions[i]
		}
	}
	return nil
}

// Loop makes a function of package vec that computes n elements. The words of its frame are the address of the results,
// those of the operands and n.
func (f *Function) Loop() *vec.Func {
	b := vec.NewBuilder(f.Name)
	dst := b.Arg(0)
	var src []vec.Reg
	for i := range f.Args {
		src = append(src, b.Arg(1+i))
	}
	n := b.Arg(1 + len(f.Args))
	i := b.For(b.Int(0), n, vec.Lanes)
	mask := b.Do(vec.MFirst, vec.NoType, b.Do(vec.SSub, vec.NoType, n, i))
	at := func(base vec.Reg, t vec.Type) vec.Mem { return vec.Mem{Base: base, Index: i, Scale: int8(t.Bytes())} }
	var args []vec.Reg
	for k, t := range f.Args {
		args = append(args, b.Load(t, at(src[k], t), mask))
	}
	b.Store(vec.F32, at(dst, vec.F32), f.Emit(b, args), mask)
	b.End()
	return b.Finish()
}
