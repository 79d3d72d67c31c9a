package vecmath

import (
	"slices"

	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// Function is a function of float32 or float64 numbers.
type Function struct {
	Name string // of its emitter
	Op   int    // the opcode of Tile IR
	Args []vec.Type
	// ULP bounds the error in units in the last place, 0 for exact results. No sweep proves that of functions of two
	// operands of float32, but that they compute in float64 with errors below 2^-29. Functions of float64 compute what
	// decides with more than 64 bits.
	ULP  float64
	Emit func(b *vec.Builder, args []vec.Reg) vec.Reg
}

// Functions are all of them.
var Functions = []Function{
	unary("Exp", tileir.OpExp, vec.F32, 1, Exp),
	unary("Exp2", tileir.OpExp2, vec.F32, 1, Exp2),
	unary("Log", tileir.OpLog, vec.F32, 1, Log),
	unary("Log2", tileir.OpLog2, vec.F32, 1, Log2),
	unary("Sin", tileir.OpSin, vec.F32, 0.51, Sin),
	unary("Cos", tileir.OpCos, vec.F32, 0.51, Cos),
	unary("Tan", tileir.OpTan, vec.F32, 0.51, Tan),
	unary("Sinh", tileir.OpSinH, vec.F32, 1, Sinh),
	unary("Cosh", tileir.OpCosH, vec.F32, 1, Cosh),
	unary("Tanh", tileir.OpTanH, vec.F32, 1, Tanh),
	unary("Rsqrt", tileir.OpRsqrt, vec.F32, 0.51, Rsqrt),
	unary("Sqrt", tileir.OpSqrt, vec.F32, 0.5, Sqrt),
	binary("RemF", tileir.OpRemF, vec.F32, vec.F32, 0, RemF),
	binary("Atan2", tileir.OpAtan2, vec.F32, vec.F32, 0.51, Atan2),
	binary("PowF", tileir.OpFPowF, vec.F32, vec.F32, 0.55, PowF),
	binary("PowI32", tileir.OpFPowI, vec.F32, vec.I32, 0.55, PowI32),
	binary("PowI64", tileir.OpFPowI, vec.F32, vec.I64, 0.55, PowI64),

	unary("Exp64", tileir.OpExp, vec.F64, 0.51, Exp64),
	unary("Exp2Of64", tileir.OpExp2, vec.F64, 0.51, Exp2Of64),
	unary("Log64", tileir.OpLog, vec.F64, 0.51, Log64),
	unary("Log2Of64", tileir.OpLog2, vec.F64, 0.51, Log2Of64),
	unary("Sin64", tileir.OpSin, vec.F64, 0.51, Sin64),
	unary("Cos64", tileir.OpCos, vec.F64, 0.51, Cos64),
	unary("Tan64", tileir.OpTan, vec.F64, 0.51, Tan64),
	unary("Sinh64", tileir.OpSinH, vec.F64, 0.51, Sinh64),
	unary("Cosh64", tileir.OpCosH, vec.F64, 0.51, Cosh64),
	unary("Tanh64", tileir.OpTanH, vec.F64, 0.51, Tanh64),
	unary("Rsqrt64", tileir.OpRsqrt, vec.F64, 0.51, Rsqrt64),
	binary("RemF64", tileir.OpRemF, vec.F64, vec.F64, 0, RemF64),
	binary("Atan2Of64", tileir.OpAtan2, vec.F64, vec.F64, 0.51, Atan2Of64),
	binary("PowF64", tileir.OpFPowF, vec.F64, vec.F64, 0.51, PowF64),
}

func unary(name string, op int, of vec.Type, ulp float64, emit func(b *vec.Builder, x vec.Reg) vec.Reg) Function {
	return Function{name, op, []vec.Type{of}, ulp, func(b *vec.Builder, args []vec.Reg) vec.Reg { return emit(b, args[0]) }}
}

func binary(name string, op int, first, second vec.Type, ulp float64, emit func(b *vec.Builder, x, y vec.Reg) vec.Reg) Function {
	return Function{name, op, []vec.Type{first, second}, ulp, func(b *vec.Builder, args []vec.Reg) vec.Reg { return emit(b, args[0], args[1]) }}
}

// Type is the type of the results, which is that of the first operand.
func (f *Function) Type() vec.Type { return f.Args[0] }

// Of finds the function of an operation whose operands have the given types, or nil.
func Of(op int, args ...vec.Type) *Function {
	for i := range Functions {
		if f := &Functions[i]; f.Op == op && slices.Equal(f.Args, args) {
			return f
		}
	}
	return nil
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
	b.Store(f.Type(), at(dst, f.Type()), f.Emit(b, args), mask)
	b.End()
	return b.Finish()
}
