package emit

import (
	"go/constant"
	"go/types"

	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/simt"
)

// A Value is what an expression evaluates to:
//
//	constant.Value, nonFinite  a static number, truth value or text
//	*Num                       a dynamic number
//	*Struct, *Array, Tuple     parts
//	*Slice, *Pointer           static references to cells
//	*Iface                     a value in an interface
//	Shape, *Layout, *Tensor, *Coords, *Vec  values of package cute
//	None                       nil
//	Poison                     of a statement that is wrong
//	Described                  what other packages add: functions, and what words make
//
// Values are never changed; cells are.
type Value any

// nonFinite is a static number that no constant of Go can be.
type nonFinite = goval.NonFinite

// None is nil.
type None struct{}

// Tuple is the results of a call.
type Tuple []Value

// Num is a dynamic number.
type Num struct {
	Elem *Elem
	Reg  simt.Reg
	fn   *simt.Func     // that the register belongs to
	wide bool           // an integer of 64 bits that is in 64
	in   interval.Range // the values that an integer can have
	Div  int            // an integer's divisor that is known, at least 1
	Mut  bool           // the register is that of a variable, and may change
}

// Op is the number as an operand.
func (n *Num) Op() simt.Operand { return simt.R(n.Reg) }

// Class is that of the register.
func (n *Num) Class() simt.Class {
	if n.Elem.IsInt() && n.Elem.Bits == 64 && !n.wide {
		return simt.B32
	}
	return n.Elem.Class
}

// suffix is PTX's type of the register in arithmetic.
func (n *Num) suffix() string {
	if n.Elem.IsInt() && n.Elem.Bits == 64 && !n.wide {
		if n.Elem.Signed {
			return "s32"
		}
		return "u32"
	}
	return n.Elem.Suffix
}

// Struct is a struct.
type Struct struct {
	Type   *types.Struct
	Fields []Value
}

// Array is an array.
type Array struct{ Elems []Value }

// Slice is a window on an array that a cell holds.
type Slice struct {
	Array    *Pointer // to the array
	From, To int
	Cap      int
}

// Pointer is a variable, or a part of one: fields and elements on the way.
type Pointer struct {
	Cell *Cell
	Path []int
}

// Iface is a value in an interface.
type Iface struct {
	Type types.Type
	V    Value
}

// Shape is a tuple of package cute: a shape, a stride, a coordinate.
type Shape struct{ layout.Tuple }

// Layout is a layout, or a swizzled one.
type Layout struct {
	layout.Layout
	Composed *layout.Composed // Layout is the one inside
}

// IsStatic reports whether a value is known now, as far as numbers go.
func IsStatic(v Value) bool { return goval.Known(v) }

// Poisoned reports whether a mistake left a value undefined.
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

// Number is a static integer.
func Number(n int) Value { return constant.MakeInt64(int64(n)) }
