package dtype

import "fmt"

// Type is the element type of host memory.
type Type uint8

// The element types; the zero Type is none of them. The names are short because Float16 and BFloat16 are Go types here.
const (
	Invalid   Type = iota
	Bool           // bool
	I8             // int8
	I16            // int16
	I32            // int32
	I64            // int64
	U8             // uint8
	U16            // uint16
	U32            // uint32
	U64            // uint64
	F16            // Float16
	BF16           // BFloat16
	F32            // float32
	F64            // float64
	F8E4M3FN       // Float8E4M3FN
	F8E5M2         // Float8E5M2
	F8E8M0FNU      // Float8E8M0FNU
	F8E5M3FNU      // Float8E5M3FNU
	TF32           // TensorFloat32
	numMemory      // what follows only kernels have

	F4E2M1FN // Float4E2M1FN
	I4       // Int4
	numTypes
)

// class says what kind of number a type is.
type class uint8

const (
	logical class = iota
	signedInt
	unsignedInt
	floating
	unsignedFloat
)

var types = [numTypes]struct {
	name  string
	size  int
	class class
}{
	Invalid: {"invalid", 0, logical},
	Bool:    {"bool", 1, logical},
	I8:      {"int8", 1, signedInt},
	I16:     {"int16", 2, signedInt},
	I32:     {"int32", 4, signedInt},
	I64:     {"int64", 8, signedInt},
	U8:      {"uint8", 1, unsignedInt},
	U16:     {"uint16", 2, unsignedInt},
	U32:     {"uint32", 4, unsignedInt},
	U64:     {"uint64", 8, unsignedInt},
	F16:     {"float16", 2, floating},
	BF16:    {"bfloat16", 2, floating},
	F32:     {"float32", 4, floating},
	F64:     {"float64", 8, floating},

	F8E4M3FN:  {"float8_e4m3fn", 1, floating},
	F8E5M2:    {"float8_e5m2", 1, floating},
	F8E8M0FNU: {"float8_e8m0fnu", 1, unsignedFloat},
	F8E5M3FNU: {"float8_e5m3fnu", 1, unsignedFloat},
	TF32:      {"tf32", 4, floating},
	numMemory: {"invalid", 0, logical},
	F4E2M1FN:  {"float4_e2m1fn", 1, floating},
	I4:        {"int4", 1, signedInt},
}

// Types lists the element types that a tensor may have.
func Types() []Type {
	all := make([]Type, 0, numMemory-1)
	for t := Bool; t < numMemory; t++ {
		all = append(all, t)
	}
	return all
}

// String is the type's name, such as "int32", "float16" or "bfloat16".
func (t Type) String() string {
	if t >= numTypes {
		return fmt.Sprintf("Type(%d)", uint8(t))
	}
	return types[t].name
}

// Size is the number of bytes of one element; a bool takes one.
func (t Type) Size() int { return types[t].size }

// IsFloat reports whether t is a floating-point type.
func (t Type) IsFloat() bool { return types[t].class == floating || types[t].class == unsignedFloat }

// IsInt reports whether t is an integer type, signed or not. A bool is none.
func (t Type) IsInt() bool { return types[t].class == signedInt || types[t].class == unsignedInt }

// IsSigned reports whether t can hold negative numbers: signed integers and floats.
func (t Type) IsSigned() bool { return types[t].class == signedInt || types[t].class == floating }

// ByName finds a type that a tensor may have by the name that String gives.
func ByName(name string) (Type, bool) {
	for t := Bool; t < numMemory; t++ {
		if types[t].name == name {
			return t, true
		}
	}
	return Invalid, false
}

// Elem is a Go type that may be an element of a tensor.
type Elem interface {
	bool | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | Float16 | BFloat16 | float32 | float64 |
		Float8E4M3FN | Float8E5M2 | Float8E8M0FNU | Float8E5M3FNU | TensorFloat32
}

// Of gives the Type of a Go type.
func Of[E Elem]() Type {
	var zero E
	switch any(zero).(type) {
	case bool:
		return Bool
	case int8:
		return I8
	case int16:
		return I16
	case int32:
		return I32
	case int64:
		return I64
	case uint8:
		return U8
	case uint16:
		return U16
	case uint32:
		return U32
	case uint64:
		return U64
	case Float16:
		return F16
	case BFloat16:
		return BF16
	case float32:
		return F32
	case float64:
		return F64
	case Float8E4M3FN:
		return F8E4M3FN
	case Float8E5M2:
		return F8E5M2
	case Float8E8M0FNU:
		return F8E8M0FNU
	case Float8E5M3FNU:
		return F8E5M3FNU
	case TensorFloat32:
		return TF32
	}
	panic("BUG: dtype: an element type without a row")
}
