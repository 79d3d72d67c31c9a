package tileir

// Elem is an element type of Tile IR. Integers carry no sign: operations that care have a signedness attribute.
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

// elemInfo is one row of the element table.
type elemInfo struct {
	name  string // as cuTile and the table of operations spell it
	text  string // as the text form spells it
	bits  int
	float bool
	since Version
}

var elems = [numElems]elemInfo{
	NoElem:      {name: "none", text: "none"},
	I1:          {"i1", "i1", 1, false, V13_1},
	I8:          {"i8", "i8", 8, false, V13_1},
	I16:         {"i16", "i16", 16, false, V13_1},
	I32:         {"i32", "i32", 32, false, V13_1},
	I64:         {"i64", "i64", 64, false, V13_1},
	F16:         {"f16", "f16", 16, true, V13_1},
	BF16:        {"bf16", "bf16", 16, true, V13_1},
	F32:         {"f32", "f32", 32, true, V13_1},
	TF32:        {"tf32", "tf32", 19, true, V13_1},
	F64:         {"f64", "f64", 64, true, V13_1},
	F8E4M3FN:    {"f8e4m3fn", "f8E4M3FN", 8, true, V13_1},
	F8E5M2:      {"f8e5m2", "f8E5M2", 8, true, V13_1},
	F8E8M0FNU:   {"f8e8m0fnu", "f8E8M0FNU", 8, true, V13_2},
	F4E2M1FN:    {"f4e2m1fn", "f4E2M1FN", 4, true, V13_3},
	I4:          {"i4", "i4", 4, false, V13_3},
	FNV8E5M3FNU: {"fnv8e5m3fnu", "fnv8E5M3FNU", 8, true, V13_4},
}

// String is the element's name in the text form, such as "f32" or "f8E4M3FN".
func (e Elem) String() string { return elems[e].text }

// Name is the element's name in lower case, such as "f8e4m3fn".
func (e Elem) Name() string { return elems[e].name }

// Bits is the width of an element in bits; tf32 counts 19.
func (e Elem) Bits() int { return elems[e].bits }

// Bytes is the room of an element: i1, i4 and f4 take a byte, tf32 four. In memory [Elem.PerByte] elements share it.
func (e Elem) Bytes() int {
	if e == TF32 {
		return 4
	}
	return (elems[e].bits + 7) / 8
}

// PerByte is how many elements share a byte of memory: two of f4, the first in the lower half, as pack has them, and one of
// all others.
func (e Elem) PerByte() int {
	if e == F4E2M1FN {
		return 2
	}
	return 1
}

// IsFloat reports whether e is a floating-point type.
func (e Elem) IsFloat() bool { return elems[e].float }

// IsInt reports whether e is an integer type; i1 is one.
func (e Elem) IsInt() bool { return e != NoElem && !elems[e].float }

// Since is the first version of the bytecode that has the type.
func (e Elem) Since() Version { return elems[e].since }
