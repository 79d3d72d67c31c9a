package dtype

import (
	"fmt"
	"reflect"

	"github.com/cutile-go/cutile/internal/elem"
)

// Type is an element type of host memory.
type Type uint8

// The element types; the zero Type is [Invalid]. The names are short because Float16 and BFloat16 are Go types in this package.
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
	F4E2M1FN       // Float4E2M1FN, which only kernels have
	I4             // Int4, which only kernels have
	numTypes
)

// row is what the table of element types says.
func (t Type) row() *elem.Row { return &elem.Table[t] }

// Types lists the element types that a tensor may have.
func Types() []Type {
	var all []Type
	for t := Bool; t < numTypes; t++ {
		if t.row().Memory {
			all = append(all, t)
		}
	}
	return all
}

// String returns the type's name, such as "int32", "float16" or "bfloat16".
func (t Type) String() string {
	if t >= numTypes {
		return fmt.Sprintf("Type(%d)", uint8(t))
	}
	return t.row().Name
}

// Size returns the number of bytes of one element; a bool takes one.
func (t Type) Size() int { return t.row().Size }

// IsFloat reports whether t is a floating-point type.
func (t Type) IsFloat() bool { return t.row().Kind == elem.Float }

// IsInt reports whether t is an integer type, signed or not. Bool is not one.
func (t Type) IsInt() bool { return t.row().Kind == elem.Int || t.row().Kind == elem.Uint }

// IsSigned reports whether t can hold negative numbers: signed integers and floats.
func (t Type) IsSigned() bool {
	return t.row().Kind == elem.Int || t.IsFloat() && !t.row().Format.Unsigned
}

// ByName finds a type that a tensor may have by the name that String returns.
func ByName(name string) (Type, bool) {
	for _, t := range Types() {
		if t.row().Name == name {
			return t, true
		}
	}
	return Invalid, false
}

// Elem lists the Go types that tensor elements may have.
type Elem interface {
	bool | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | Float16 | BFloat16 | float32 | float64 |
		Float8E4M3FN | Float8E5M2 | Float8E8M0FNU | Float8E5M3FNU | TensorFloat32
}

// goTypes are the Go types of the elements.
var goTypes = [numTypes]reflect.Type{
	Bool: reflect.TypeFor[bool](),
	I8:   reflect.TypeFor[int8](), I16: reflect.TypeFor[int16](), I32: reflect.TypeFor[int32](), I64: reflect.TypeFor[int64](),
	U8: reflect.TypeFor[uint8](), U16: reflect.TypeFor[uint16](), U32: reflect.TypeFor[uint32](), U64: reflect.TypeFor[uint64](),
	F16: reflect.TypeFor[Float16](), BF16: reflect.TypeFor[BFloat16](), F32: reflect.TypeFor[float32](), F64: reflect.TypeFor[float64](),
	F8E4M3FN: reflect.TypeFor[Float8E4M3FN](), F8E5M2: reflect.TypeFor[Float8E5M2](), F8E8M0FNU: reflect.TypeFor[Float8E8M0FNU](),
	F8E5M3FNU: reflect.TypeFor[Float8E5M3FNU](), TF32: reflect.TypeFor[TensorFloat32](),
	F4E2M1FN: reflect.TypeFor[Float4E2M1FN](), I4: reflect.TypeFor[Int4](),
}

// GoType returns the Go type whose values are elements of type t; nil for [Invalid] and for an unknown t.
func (t Type) GoType() reflect.Type {
	if t >= numTypes {
		return nil
	}
	return goTypes[t]
}

// ofGo finds the types by those of Go.
var ofGo = func() map[reflect.Type]Type {
	m := map[reflect.Type]Type{}
	for t, g := range goTypes {
		m[g] = Type(t)
	}
	return m
}()

// Of returns the Type for a Go type.
func Of[E Elem]() Type {
	t, ok := ofGo[reflect.TypeFor[E]()]
	if !ok {
		panic("BUG: dtype: an element type without a row")
	}
	return t
}
