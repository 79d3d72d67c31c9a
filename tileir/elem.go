package tileir

import (
	"strings"

	"github.com/cutile-go/cutile/internal/elem"
)

// Elem is an element type of Tile IR. Integers have no signedness: operations that need it have a signedness attribute.
type Elem uint8

// The element types, in the order of the table in the specification.
const (
	NoElem Elem = iota
	I1
	I8
	I16
	I32
	I64
	F16
	BF16
	F32
	TF32
	F64
	F8E4M3FN
	F8E5M2
	F8E8M0FNU
	F4E2M1FN
	I4
	FNV8E5M3FNU
	numElems
)

// elemInfo is what Tile IR adds to the row of an element.
type elemInfo struct {
	*elem.Row
	name  string // as cuTile and the table of operations spell it
	since Version
}

var elems = [numElems]elemInfo{
	NoElem:      {&elem.Row{IR: "none"}, "none", 0},
	I1:          row("i1", V13_1),
	I8:          row("i8", V13_1),
	I16:         row("i16", V13_1),
	I32:         row("i32", V13_1),
	I64:         row("i64", V13_1),
	F16:         row("f16", V13_1),
	BF16:        row("bf16", V13_1),
	F32:         row("f32", V13_1),
	TF32:        row("tf32", V13_1),
	F64:         row("f64", V13_1),
	F8E4M3FN:    row("f8E4M3FN", V13_1),
	F8E5M2:      row("f8E5M2", V13_1),
	F8E8M0FNU:   row("f8E8M0FNU", V13_2),
	F4E2M1FN:    row("f4E2M1FN", V13_3),
	I4:          row("i4", V13_3),
	FNV8E5M3FNU: row("fnv8E5M3FNU", V13_4),
}

func row(text string, since Version) elemInfo {
	return elemInfo{elem.ByIR(text), strings.ToLower(text), since}
}

// format says what the bits of a float mean; other elements have none.
func (e Elem) format() *elem.Format {
	if f := elems[e].Format; f != nil {
		return f
	}
	return new(elem.Format)
}

// ElemByName finds an element type by its name in the text form, or by that name in lower case; false if there is none.
func ElemByName(name string) (Elem, bool) {
	for e := NoElem + 1; e < numElems; e++ {
		if elems[e].IR == name || elems[e].name == name {
			return e, true
		}
	}
	return NoElem, false
}

// Elems lists the element types, in the order of the table.
func Elems() []Elem {
	out := make([]Elem, 0, numElems-1)
	for e := I1; e < numElems; e++ {
		out = append(out, e)
	}
	return out
}

// String returns the element's name in the text form, such as "f32" or "f8E4M3FN".
func (e Elem) String() string { return elems[e].IR }

// Name returns the element's name in lower case, such as "f8e4m3fn".
func (e Elem) Name() string { return elems[e].name }

// Bits returns the width of an element in bits; that of tf32 is 19.
func (e Elem) Bits() int { return elems[e].Row.Bits }

// Bytes returns the size of an element in bytes: i1, i4 and f4 take one byte, tf32 four. In memory [Elem.PerByte] elements
// share a byte.
func (e Elem) Bytes() int { return elems[e].Size }

// PerByte returns how many elements share a byte of memory: two for f4, the first in the lower half as in operation pack, and
// one for all others.
func (e Elem) PerByte() int {
	if e == F4E2M1FN {
		return 2
	}
	return 1
}

// IsFloat reports whether e is a floating-point type.
func (e Elem) IsFloat() bool { return elems[e].Format != nil }

// IsInt reports whether e is an integer type, including i1.
func (e Elem) IsInt() bool { return e != NoElem && !e.IsFloat() }

// Since returns the first version of the bytecode that has the type.
func (e Elem) Since() Version { return elems[e].since }
