package eval

import (
	"go/types"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/internal/simt"
)

// Elem is a type of numbers, or of truth values.
type Elem struct {
	Name   string     // as it prints: "f16", "i32"
	Go     string     // the Go type, of package cute where it is not one of Go's own
	Bits   int        // in memory
	Class  simt.Class // of a register that holds one
	Float  bool
	Signed bool
	// Suffix is PTX's type in arithmetic. Integers below 32 bits are kept extended to 32.
	Suffix string
	DType  dtype.Type // in memory
}

// elems is every element type.
var elems = []*Elem{
	{Name: "i1", Go: "bool", Bits: 8, Class: simt.Pred, Suffix: "pred", DType: dtype.Bool},
	{Name: "i8", Go: "int8", Bits: 8, Class: simt.B32, Signed: true, Suffix: "s32", DType: dtype.I8},
	{Name: "i16", Go: "int16", Bits: 16, Class: simt.B32, Signed: true, Suffix: "s32", DType: dtype.I16},
	{Name: "i32", Go: "int32", Bits: 32, Class: simt.B32, Signed: true, Suffix: "s32", DType: dtype.I32},
	{Name: "i64", Go: "int64", Bits: 64, Class: simt.B64, Signed: true, Suffix: "s64", DType: dtype.I64},
	{Name: "int", Go: "int", Bits: 64, Class: simt.B64, Signed: true, Suffix: "s64", DType: dtype.I64},
	{Name: "u8", Go: "uint8", Bits: 8, Class: simt.B32, Suffix: "u32", DType: dtype.U8},
	{Name: "u16", Go: "uint16", Bits: 16, Class: simt.B32, Suffix: "u32", DType: dtype.U16},
	{Name: "u32", Go: "uint32", Bits: 32, Class: simt.B32, Suffix: "u32", DType: dtype.U32},
	{Name: "u64", Go: "uint64", Bits: 64, Class: simt.B64, Suffix: "u64", DType: dtype.U64},
	{Name: "uint", Go: "uint", Bits: 64, Class: simt.B64, Suffix: "u64", DType: dtype.U64},
	{Name: "uintptr", Go: "uintptr", Bits: 64, Class: simt.B64, Suffix: "u64", DType: dtype.U64},
	{Name: "f32", Go: "float32", Bits: 32, Class: simt.B32, Float: true, Signed: true, Suffix: "f32", DType: dtype.F32},
	{Name: "f64", Go: "float64", Bits: 64, Class: simt.B64, Float: true, Signed: true, Suffix: "f64", DType: dtype.F64},
	{Name: "f16", Go: cutePath + ".Float16", Bits: 16, Class: simt.B16, Float: true, Signed: true, Suffix: "f16", DType: dtype.F16},
	{Name: "bf16", Go: cutePath + ".BFloat16", Bits: 16, Class: simt.B16, Float: true, Signed: true, Suffix: "bf16", DType: dtype.BF16},
	{Name: "tf32", Go: cutePath + ".TFloat32", Bits: 32, Class: simt.B32, Float: true, Signed: true, Suffix: "f32", DType: dtype.TF32},
	{Name: "f8E4M3FN", Go: cutePath + ".Float8E4M3FN", Bits: 8, Class: simt.B32, Float: true, Signed: true, Suffix: "e4m3", DType: dtype.F8E4M3FN},
	{Name: "f8E5M2", Go: cutePath + ".Float8E5M2", Bits: 8, Class: simt.B32, Float: true, Signed: true, Suffix: "e5m2", DType: dtype.F8E5M2},
}

const cutePath = "github.com/cutile-go/cutile/cute"

var elemOfGo = func() map[string]*Elem {
	m := map[string]*Elem{}
	for _, e := range elems {
		m[e.Go] = e
	}
	m["byte"], m["rune"] = m["uint8"], m["int32"]
	return m
}()

// The element types that the evaluator itself makes.
var (
	boolElem  = elemOfGo["bool"]
	intElem   = elemOfGo["int"]
	i32Elem   = elemOfGo["int32"]
	u32Elem   = elemOfGo["uint32"]
	u64Elem   = elemOfGo["uint64"]
	f32Elem   = elemOfGo["float32"]
	f64Elem   = elemOfGo["float64"]
	floatPick = map[types.BasicKind]*Elem{types.UntypedFloat: f64Elem, types.UntypedInt: intElem, types.UntypedRune: i32Elem, types.UntypedBool: boolElem}
)

// ElemOf is the element type that a Go type stands for: nil where it stands for none. Named types are what their
// underlying type is, those of package cute what they are called.
func ElemOf(t types.Type) *Elem {
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil {
		if e := elemOfGo[n.Obj().Pkg().Path()+"."+n.Obj().Name()]; e != nil {
			return e
		}
		if n.Obj().Pkg().Path() == cutePath && n.TypeArgs().Len() > 0 {
			return nil
		}
	}
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return nil
	}
	if e := floatPick[b.Kind()]; e != nil {
		return e
	}
	return elemOfGo[b.Name()]
}

// isInt reports whether it is an integer.
func (e *Elem) isInt() bool { return !e.Float && e != boolElem }

// integer is an integer type as ranges know it.
func (e *Elem) integer() interval.Type { return interval.Type{Bits: e.Bits, Signed: e.Signed} }

// all is the range of a type: nothing where it is no integer.
func (e *Elem) all() interval.Range {
	if !e.isInt() {
		return interval.Range{}
	}
	return e.integer().Range()
}
