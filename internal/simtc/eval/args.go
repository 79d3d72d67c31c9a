package eval

import (
	"fmt"
	"go/types"

	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/simtc/emit"
)

// Arg tells what is known of an argument of the host function. Its dynamic leaves, in order, are
// the parameters of the function that is written.
type Arg interface{ isArg() }

// These are the kinds of argument.
type (
	// Dyn is a number, truth value, stream or address that the caller gives at each call. For an
	// integer of 64 bits Lo and Hi bound the value, and Div divides it; zeros say nothing.
	Dyn struct {
		Lo, Hi int64
		Div    int
	}
	// Known is a static number, truth value or text.
	Known struct{ V goval.Value }
	// Fn is a function.
	Fn struct{ F *world.Function }
	// TensorArg is a tensor in global memory: its address is a parameter, and so is each symbolic leaf of its layout.
	// Align divides the address. Leaves that are not wide fit 32 bits, and so does every offset.
	TensorArg struct {
		Layout layout.Layout
		Align  int
	}
	// LayoutArg is a layout. Its symbolic leaves are parameters.
	LayoutArg struct {
		Layout layout.Layout
		Outer  *layout.Composed // if it is swizzled; Layout is then its inner layout
	}
	// TupleArg is a shape, a stride or a coordinate. Its symbolic leaves are parameters.
	TupleArg struct{ Tuple layout.Tuple }
	// StructArg is a struct, field by field. ArrayArg is an array and SliceArg a slice, element by
	// element.
	StructArg struct{ Fields []Arg }
	ArrayArg  struct{ Elems []Arg }
	SliceArg  struct{ Elems []Arg }
	// IfaceArg is a value in an interface. PointerArg is a pointer to a value.
	IfaceArg struct {
		Type types.Type
		Arg  Arg
	}
	PointerArg struct{ Arg Arg }
	// NilArg is nil.
	NilArg struct{}
)

func (Dyn) isArg()        {}
func (Known) isArg()      {}
func (Fn) isArg()         {}
func (TensorArg) isArg()  {}
func (LayoutArg) isArg()  {}
func (TupleArg) isArg()   {}
func (StructArg) isArg()  {}
func (ArrayArg) isArg()   {}
func (SliceArg) isArg()   {}
func (IfaceArg) isArg()   {}
func (PointerArg) isArg() {}
func (NilArg) isArg()     {}

// parameter makes the value of a parameter of the host function. name is what messages call it.
func (ev *evaluator) parameter(name string, t types.Type, a Arg) emit.Value {
	switch a := a.(type) {
	case Dyn:
		e := emit.ElemOf(t)
		if e == nil {
			// A stream is a handle, which the program passes on.
			e = emit.U64 // a stream
		}
		// Without a promise of the caller every value of the type is possible.
		in := e.All()
		if a.Lo != 0 || a.Hi != 0 {
			in = interval.Ints(a.Lo, a.Hi)
		}
		return ev.Param(emit.Span{Elem: e, In: in}, max(a.Div, 1))
	// The value is rounded to its type, as the caller's Go code would have it.
	case Known:
		return ev.Coerce(a.V, nil, t)
	case Fn:
		return ev.function(a.F)
	case TensorArg:
		return ev.TensorParam(t, a.Layout, a.Align)
	case LayoutArg:
		l := &emit.Layout{Layout: a.Layout.MapInts(ev.IntParam)}
		if a.Outer != nil {
			// The offset of a swizzled layout may be dynamic, too.
			l.Composed = &layout.Composed{Swizzle: a.Outer.Swizzle, Offset: ev.IntParam(a.Outer.Offset), Layout: l.Layout}
		}
		return l
	case TupleArg:
		return emit.Shape{Tuple: a.Tuple.MapInts(ev.IntParam)}
	case StructArg:
		u := t.Underlying().(*types.Struct)
		s := &emit.Struct{Type: u}
		for i, f := range a.Fields {
			s.Fields = append(s.Fields, ev.parameter(name+"."+u.Field(i).Name(), u.Field(i).Type(), f))
		}
		return s
	case ArrayArg:
		return &emit.Array{Elems: ev.paramElems(name, t.Underlying().(*types.Array).Elem(), a.Elems)}
	case SliceArg:
		elem := t.Underlying().(*types.Slice).Elem()
		s := ev.NewSlice(elem, ev.paramElems(name, elem, a.Elems))
		s.Array.Cell.Lent = name
		return s
	case IfaceArg:
		return &emit.Iface{Type: a.Type, V: ev.parameter(name, a.Type, a.Arg)}
	case RebuildArg:
		return ev.rebuildParam(name, a)
	case PointerArg:
		elem := t.Underlying().(*types.Pointer).Elem()
		c := ev.NewCell(name, elem, ev.parameter(name, elem, a.Arg))
		c.Lent = name
		return &emit.Pointer{Cell: c}
	}
	return emit.None{}
}

// paramElems makes the values of the elements of an array or a slice.
func (ev *evaluator) paramElems(name string, t types.Type, args []Arg) (out []emit.Value) {
	for i, a := range args {
		out = append(out, ev.parameter(fmt.Sprintf("%s[%d]", name, i), t, a))
	}
	return out
}
