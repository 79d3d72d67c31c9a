package emit

import (
	"go/types"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/elem"
	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/internal/simt"
)

// Elem is a type of numbers, or of truth values.
type Elem struct {
	Name   string     // as it prints: "f16", "i32"
	Go     string     // the Go type, with the import path of package cute if it is not one of Go's own
	Bits   int        // in memory
	Class  simt.Class // of a register that holds one
	Float  bool
	Signed bool
	// Suffix is PTX's type in arithmetic. Integers below 32 bits are kept extended to 32, since PTX
	// computes on registers of 32 bits at least.
	Suffix string
	DType  dtype.Type // in memory
}

// elems lists every element type: those which the table has at the SIMT level, and Go's integers of
// the machine's width.
var elems = func() []*Elem {
	var all []*Elem
	for i, row := range elem.Table {
		if row.Cute != "" {
			all = append(all, newElem(row, dtype.Type(i)))
		}
	}
	for name, t := range map[string]dtype.Type{"int": dtype.I64, "uint": dtype.U64, "uintptr": dtype.U64} {
		e := newElem(elem.Table[t], t)
		e.Name, e.Go = name, name
		all = append(all, e)
	}
	return all
}()

// newElem makes the element type of a row of the table.
func newElem(row elem.Row, t dtype.Type) *Elem {
	e := &Elem{Name: row.IR, Go: row.Cute, Bits: 8 * row.Size, Class: simt.B32, Float: t.IsFloat(), Signed: t.IsSigned(), Suffix: row.PTX, DType: t}
	switch {
	case row.Kind == elem.Bool:
		e.Class = simt.Pred
	case e.Bits == 64:
		e.Class = simt.B64
	case e.Float && e.Bits == 16:
		e.Class = simt.B16
	case t == dtype.TF32:
		// A tf32 is an f32 whose low bits do not count, so its instructions are those of f32.
		e.Suffix = "f32"
	case t.IsInt():
		// Arithmetic on small integers is that of 32 bits with the same sign.
		e.Suffix = row.PTX[:1] + "32"
	}
	if row.Kind == elem.Uint {
		// The table names unsigned integers as the IR of tiles does, which does not tell them from
		// signed ones.
		e.Name = row.PTX
	}
	if types.Universe.Lookup(row.Cute) == nil {
		e.Go = CutePath + "." + row.Cute
	}
	return e
}

// CutePath is the import path of package cute, whose types are values of this package.
const CutePath = "github.com/cutile-go/cutile/cute"

// ElemOfGo maps the name of a Go type to its element type. The types of package cute have its
// import path in front.
var ElemOfGo = func() map[string]*Elem {
	m := map[string]*Elem{}
	for _, e := range elems {
		m[e.Go] = e
	}
	// go/types gives the aliases byte and rune names of their own.
	m["byte"], m["rune"] = m["uint8"], m["int32"]
	return m
}()

// These are the element types that the compiler itself uses.
var (
	Bool = ElemOfGo["bool"]
	Int  = ElemOfGo["int"]
	I32  = ElemOfGo["int32"]
	U32  = ElemOfGo["uint32"]
	U64  = ElemOfGo["uint64"]
	F32  = ElemOfGo["float32"]
	F64  = ElemOfGo["float64"]
	// An untyped constant has the type that Go gives it by default.
	floatPick = map[types.BasicKind]*Elem{types.UntypedFloat: F64, types.UntypedInt: Int, types.UntypedRune: I32, types.UntypedBool: Bool}
)

// ElemOf gives the element type that a Go type stands for, or nil if it stands for none. A type
// that package cute declares counts by its name, every other one by its underlying type.
func ElemOf(t types.Type) *Elem {
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil {
		if e := ElemOfGo[n.Obj().Pkg().Path()+"."+n.Obj().Name()]; e != nil {
			return e
		}
		// A generic type of package cute, such as Vec, is not a number, whatever its underlying
		// type is.
		if n.Obj().Pkg().Path() == CutePath && n.TypeArgs().Len() > 0 {
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
	return ElemOfGo[b.Name()]
}

// IsInt reports whether the type is one of integers.
func (e *Elem) IsInt() bool { return !e.Float && e != Bool }

// integer gives an integer type as package interval describes it.
func (e *Elem) integer() interval.Type { return interval.Type{Bits: e.Bits, Signed: e.Signed} }

// All gives the range of all values of a type of integers, and no range for another type.
func (e *Elem) All() interval.Range {
	if !e.IsInt() {
		return interval.Range{}
	}
	return e.integer().Range()
}
