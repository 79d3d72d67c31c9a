package describe

import (
	"go/types"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/elem"
	"github.com/cutile-go/cutile/tileir"
)

// Elem is an element type with the sign that Tile IR leaves to the operations.
type Elem struct {
	IR   tileir.Elem
	Type dtype.Type
}

// Family is "float", "int" or "bool": operators are declared by family.
func (e Elem) Family() string {
	switch {
	case e.IR == tileir.I1:
		return "bool"
	case e.IR.IsFloat():
		return "float"
	}
	return "int"
}

// Signed reports whether e is an integer with a sign.
func (e Elem) Signed() bool { return e.IR.IsInt() && e.Type.IsSigned() }

// numbers are the element types by dtype.Type.
var numbers = func() []Elem {
	all := make([]Elem, len(elem.Table))
	for i, row := range elem.Table {
		all[i].IR, _ = tileir.ElemByName(row.IR)
		all[i].Type = dtype.Type(i)
	}
	return all
}()

// basics are the element types that Go has.
var basics = func() map[types.BasicKind]Elem {
	all := map[types.BasicKind]Elem{}
	for i, row := range elem.Table {
		if t, ok := types.Universe.Lookup(row.Go).(*types.TypeName); ok {
			all[t.Type().(*types.Basic).Kind()] = numbers[i]
		}
	}
	all[types.Int], all[types.Uint] = numbers[dtype.I64], numbers[dtype.U64]
	all[types.UntypedBool], all[types.UntypedInt] = numbers[dtype.Bool], numbers[dtype.I64]
	all[types.UntypedRune], all[types.UntypedFloat] = numbers[dtype.I32], numbers[dtype.F64]
	return all
}()

// named are the element types that a directive may name, by their names in Tile IR in lower case: each that stands for one
// type alone, so none of integers that may have a sign or not.
var named = func() map[string]Elem {
	all := map[string]Elem{}
	for _, e := range numbers[1:] {
		if _, twice := all[e.IR.Name()]; twice {
			delete(all, e.IR.Name())
			continue
		}
		all[e.IR.Name()] = e
	}
	return all
}()
