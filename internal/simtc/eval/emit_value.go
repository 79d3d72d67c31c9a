package eval

import (
	"go/constant"
	"go/types"

	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/simt"
)

// A value is what an expression evaluates to:
//
//	constant.Value, nonFinite       a static number, truth value or text
//	*num                            a dynamic number
//	*structVal, *arrayVal, tuple    parts
//	*sliceVal, *pointer, *funcVal   static references to cells and code
//	*iface                          a value in an interface
//	shape, *layoutVal, *tensor, *vec, …  values of package cute
//	none                            nil
//	poison                          of a statement that is wrong
//
// Values are never changed; cells are.
type value any

// nonFinite is a static number that no constant of Go can be.
type nonFinite = goval.NonFinite

// none is nil.
type none struct{}

// tuple is the results of a call.
type tuple []value

// num is a dynamic number.
type num struct {
	elem *Elem
	reg  simt.Reg
	fn   *simt.Func     // that the register belongs to
	wide bool           // an integer of 64 bits that is in 64
	in   interval.Range // the values that an integer can have
	div  int            // an integer's divisor that is known, at least 1
	mut  bool           // the register is that of a variable, and may change
}

// op is the number as an operand.
func (n *num) op() simt.Operand { return simt.R(n.reg) }

// class is that of the register.
func (n *num) class() simt.Class {
	if n.elem.isInt() && n.elem.Bits == 64 && !n.wide {
		return simt.B32
	}
	return n.elem.Class
}

// suffix is PTX's type of the register in arithmetic.
func (n *num) suffix() string {
	if n.elem.isInt() && n.elem.Bits == 64 && !n.wide {
		if n.elem.Signed {
			return "s32"
		}
		return "u32"
	}
	return n.elem.Suffix
}

// structVal is a struct.
type structVal struct {
	typ    *types.Struct
	fields []value
}

// arrayVal is an array.
type arrayVal struct{ elems []value }

// sliceVal is a window on an array that a cell holds.
type sliceVal struct {
	arr      *pointer // to the array
	from, to int
	cap      int
}

// pointer is a variable, or a part of one: fields and elements on the way.
type pointer struct {
	cell *cell
	path []int
}

// iface is a value in an interface.
type iface struct {
	typ types.Type
	v   value
}

// shape is a tuple of package cute: a shape, a stride, a coordinate.
type shape struct{ layout.Tuple }

// layoutVal is a layout, or a swizzled one.
type layoutVal struct {
	layout.Layout
	comp *layout.Composed // Layout is the one inside
}

// isStatic reports whether a value is known now, as far as numbers go.
func isStatic(v value) bool { return goval.Known(v) }

func poisoned(v value) bool { _, ok := v.(poison); return ok }

// isNil reports whether a value is nil.
func isNil(v value) bool {
	switch v := v.(type) {
	case none:
		return true
	case *iface:
		return v == nil
	case nil:
		return true
	}
	return false
}

func number(n int) value { return constant.MakeInt64(int64(n)) }
