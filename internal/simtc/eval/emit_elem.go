package eval

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
	Go     string     // the Go type, of package cute where it is not one of Go's own
	Bits   int        // in memory
	Class  simt.Class // of a register that holds one
	Float  bool
	Signed bool
	// Suffix is PTX's type in arithmetic. Integers below 32 bits are kept extended to 32.
	Suffix string
	DType  dtype.Type // in memory
}

// elems is every element type: what the table has at the SIMT level, and Go's integers of the machine's width.
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
		e.Suffix = "f32"
	case t.IsInt():
		e.Suffix = row.PTX[:1] + "32"
	}
	if row.Kind == elem.Uint {
		e.Name = row.PTX
	}
	if types.Universe.Lookup(row.Cute) == nil {
		e.Go = cutePath + "." + row.Cute
	}
	return e
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
