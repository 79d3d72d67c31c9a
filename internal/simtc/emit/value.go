package emit

import (
	"go/constant"
	"go/types"

	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/simt"
)

// A Value is the result of an expression:
//
//	constant.Value, nonFinite  a static number, truth value or text
//	*Num                       a dynamic number
//	*Struct, *Array, Tuple     values with parts
//	*Slice, *Pointer           static references to cells
//	*Iface                     a value in an interface
//	Shape, *Layout, *Tensor, *Coords, *Vec  values of package cute
//	None                       nil
//	Poison                     the value of a variable that a wrong statement sets
//	Described                  values of other packages: functions, and what words make
//
// Values are never changed; cells are. So values can share their parts, and a rollback needs to
// restore cells only.
type Value any

// nonFinite is a static number that Go's constants cannot be: an infinity or NaN.
type nonFinite = goval.NonFinite

// None is the value nil.
type None struct{}

// Tuple holds the results of a call.
type Tuple []Value

// Num is a dynamic number: the register that holds it, and what is known of it.
type Num struct {
	Elem *Elem
	Reg  simt.Reg
	fn   *simt.Func     // the function that the register belongs to
	wide bool           // an integer of 64 bits is in a register of 64
	in   interval.Range // the values that an integer can have
	Div  int            // a number that is known to divide an integer, at least 1
	Mut  bool           // the register belongs to a variable and may change
}

// Op gives the number as an operand.
func (n *Num) Op() simt.Operand { return simt.R(n.Reg) }

// Class gives the class of the register. An int whose range fits 32 bits is in a register of 32.
func (n *Num) Class() simt.Class {
	if n.Elem.IsInt() && n.Elem.Bits == 64 && !n.wide {
		return simt.B32
	}
	return n.Elem.Class
}

// suffix gives PTX's type of the register in arithmetic.
func (n *Num) suffix() string {
	if n.Elem.IsInt() && n.Elem.Bits == 64 && !n.wide {
		if n.Elem.Signed {
			return "s32"
		}
		return "u32"
	}
	return n.Elem.Suffix
}

// Struct is a value of a struct type.
type Struct struct {
	Type   *types.Struct
	Fields []Value
}

// Array is a value of an array type.
type Array struct{ Elems []Value }

// Slice is a window on an array that a cell holds. Its bounds are static, which makes it as cheap
// as the variables that its elements are.
type Slice struct {
	Array    *Pointer // points to the array
	From, To int
	Cap      int
}

// Pointer points to a variable, or to a part of one: Path lists the fields and elements on the way
// to it.
type Pointer struct {
	Cell *Cell
	Path []int
}

// Iface is a value in an interface, with its dynamic type, which is static here.
type Iface struct {
	Type types.Type
	V    Value
}

// Shape is a tuple of package cute: a shape, a stride or a coordinate.
type Shape struct{ layout.Tuple }

// Layout is a layout of package cute, which may be swizzled.
type Layout struct {
	layout.Layout
	Composed *layout.Composed // nil if it is not swizzled; else Layout is its inner layout
}

// IsStatic reports whether a number, truth value or text is known now.
func IsStatic(v Value) bool { return goval.Known(v) }

// Poisoned reports whether a value is undefined because of a mistake.
func Poisoned(v Value) bool { _, ok := v.(Poison); return ok }

// IsNil reports whether a value is nil.
func IsNil(v Value) bool {
	switch v := v.(type) {
	case None:
		return true
	case *Iface:
		return v == nil
	case nil:
		return true
	}
	return false
}

// Number gives a static integer.
func Number(n int) Value { return constant.MakeInt64(int64(n)) }
