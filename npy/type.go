package npy

import (
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/elem"
)

// Type is the element type of an array. NumPy has no floats of its own beside float16, float32 and float64: ml_dtypes
// adds the others, and NumPy saves them as raw bytes without a name, which are read as [Raw8] and [Raw16]. The
// caller, who knows what they mean, may set the Type of an [Array] to another one of the same size.
type Type uint8

// The element types, which are those of package dtype that NumPy and ml_dtypes have, and the raw ones.
const (
	Invalid       Type = iota
	Bool               = Type(dtype.Bool)
	Int8               = Type(dtype.I8)
	Int16              = Type(dtype.I16)
	Int32              = Type(dtype.I32)
	Int64              = Type(dtype.I64)
	Uint8              = Type(dtype.U8)
	Uint16             = Type(dtype.U16)
	Uint32             = Type(dtype.U32)
	Uint64             = Type(dtype.U64)
	Float16            = Type(dtype.F16)
	Float32            = Type(dtype.F32)
	Float64            = Type(dtype.F64)
	BFloat16           = Type(dtype.BF16)
	Float8E4M3FN       = Type(dtype.F8E4M3FN)
	Float8E5M2         = Type(dtype.F8E5M2)
	Float8E8M0FNU      = Type(dtype.F8E8M0FNU)
	Float4E2M1FN       = Type(dtype.F4E2M1FN)

	Raw8  Type = 0x80 // one byte of unknown meaning
	Raw16 Type = 0x81 // two
)

// raw are the rows of the raw types.
var raw = map[Type]*elem.Row{
	Raw8:  {Name: "raw8", Npy: "V1", Size: 1},
	Raw16: {Name: "raw16", Npy: "V2", Size: 2},
}

// Of returns the type of elements of a type of package dtype; false if files have no such elements.
func Of(t dtype.Type) (Type, bool) {
	typ, ok := TypeByName(t.String())
	return typ, ok
}

// DType returns the type as package dtype has it; dtype.Invalid for raw bytes.
func (t Type) DType() dtype.Type {
	if raw[t] != nil {
		return dtype.Invalid
	}
	return dtype.Type(t)
}

// row is what is known of a type.
func (t Type) row() *elem.Row {
	if r := raw[t]; r != nil {
		return r
	}
	return &elem.Table[t]
}

// readAs says what a description in a file means. f1 is how ml_dtypes describes float8_e5m2; NumPy cannot read it back.
var readAs = func() map[string]Type {
	m := map[string]Type{"f1": Float8E5M2}
	for _, t := range append(Types(), Raw8, Raw16) {
		m[t.row().Npy] = t // the raw types come last
	}
	return m
}()

// String returns the type's name, as NumPy and ml_dtypes call it: "int32", "float16", "bfloat16", "float8_e4m3fn".
func (t Type) String() string { return t.row().Name }

// Size returns the number of bytes of one element.
func (t Type) Size() int { return t.row().Size }

// IsFloat reports whether t is a floating-point type.
func (t Type) IsFloat() bool { return t.row().Format != nil }

// IsInt reports whether t is an integer type; bool is not.
func (t Type) IsInt() bool { return t.row().Kind == elem.Int || t.row().Kind == elem.Uint }

// IsSigned reports whether t is a signed integer type.
func (t Type) IsSigned() bool { return t.row().Kind == elem.Int }

// IsRaw reports whether NumPy writes elements of t as raw bytes, without their type.
func (t Type) IsRaw() bool { return strings.HasPrefix(t.row().Npy, "V") }

// TypeByName finds a type by the name that String returns. The raw types have no name to ask for.
func TypeByName(name string) (Type, bool) {
	for _, t := range Types() {
		if t.row().Name == name {
			return t, true
		}
	}
	return Invalid, false
}

// Types lists the types that [TypeByName] finds.
func Types() []Type {
	var out []Type
	for i, row := range elem.Table {
		if row.Npy != "" {
			out = append(out, Type(i))
		}
	}
	return out
}

// Text returns an element as text: the shortest that means the same number in its type; raw bytes as hexadecimal digits.
func (t Type) Text(bits uint64) string {
	switch {
	case t == Bool:
		return strconv.FormatBool(bits != 0)
	case t.IsSigned():
		free := 64 - 8*t.Size()
		return strconv.FormatInt(int64(bits<<free)>>free, 10)
	case t.IsInt():
		return strconv.FormatUint(bits, 10)
	case t == Float16:
		return dtype.Float16(bits).String()
	case t == BFloat16:
		return dtype.BFloat16(bits).String()
	case t == Float64:
		return strconv.FormatFloat(t.Number(bits), 'g', -1, 64)
	case t.IsFloat():
		return strconv.FormatFloat(t.Number(bits), 'g', -1, 32)
	}
	return "0x" + strconv.FormatUint(bits, 16)
}

// Number returns an element of a floating-point type.
func (t Type) Number(bits uint64) float64 { return dtype.Type(t).FloatFromBits(bits) }
