package eval

import (
	"go/ast"
	"go/types"

	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/simtc/emit"
)

// composite evaluates a composite literal.
func (ev *evaluator) composite(fr *frame, e *ast.CompositeLit, t types.Type) emit.Value {
	// In a slice of pointers an element &T{…} may leave out &T.
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return &emit.Pointer{Cell: ev.NewCell("", p.Elem(), ev.composite(fr, e, p.Elem()))}
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		// Fields and elements that the literal leaves out are zero.
		s := ev.Zero(t).(*emit.Struct)
		for i, el := range e.Elts {
			// The literal names its fields, or lists all of them in order.
			at, x := goval.FieldOf(u, i, el)
			s.Fields[at] = ev.elemValue(fr, x, u.Field(at).Type())
		}
		return s
	case *types.Array:
		a := ev.Zero(t).(*emit.Array)
		ev.elements(fr, e, u.Elem(), func(i int, v emit.Value) { a.Elems[i] = v })
		return a
	case *types.Slice:
		a := &emit.Array{}
		ev.elements(fr, e, u.Elem(), func(i int, v emit.Value) {
			for len(a.Elems) <= i {
				a.Elems = append(a.Elems, ev.Zero(u.Elem()))
			}
			a.Elems[i] = v
		})
		return ev.NewSlice(u.Elem(), a.Elems)
	}
	ev.Fail(e.Pos(), "a value of type %s cannot be written in compiled code", t)
	return nil
}

// elements evaluates the elements of an array or slice and puts each at its index.
func (ev *evaluator) elements(fr *frame, e *ast.CompositeLit, t types.Type, put func(int, emit.Value)) {
	i := 0
	for _, el := range e.Elts {
		if kv, ok := el.(*ast.KeyValueExpr); ok {
			// Elements may have keys, and the next one without a key follows.
			i = ev.StaticInt(kv.Key.Pos(), ev.eval(fr, kv.Key), "an index")
			el = kv.Value
		}
		put(i, ev.elemValue(fr, el, t))
		i++
	}
}

// elemValue evaluates an element of a composite literal, which may leave out its type.
func (ev *evaluator) elemValue(fr *frame, e ast.Expr, t types.Type) emit.Value {
	if c, ok := e.(*ast.CompositeLit); ok && c.Type == nil {
		return ev.composite(fr, c, t)
	}
	return ev.operandOf(fr, e, t)
}

// slice is s[i:j:k]. The bounds must be static, since the elements are variables.
func (ev *evaluator) slice(fr *frame, e *ast.SliceExpr) emit.Value {
	var s *emit.Slice
	switch ev.typeOf(fr, e.X).Underlying().(type) {
	case *types.Slice:
		x, ok := ev.eval(fr, e.X).(*emit.Slice)
		if !ok {
			return emit.None{}
		}
		s = x
	case *types.Array:
		p := ev.place(fr, e.X)
		// Slicing an array gives a window on the variable, and no copy.
		n := len(ev.Load(p).(*emit.Array).Elems)
		s = &emit.Slice{Array: p, To: n, Cap: n}
	case *types.Pointer:
		p := ev.Deref(e.Pos(), ev.eval(fr, e.X))
		n := len(ev.Load(p).(*emit.Array).Elems)
		s = &emit.Slice{Array: p, To: n, Cap: n}
	default:
		ev.Fail(e.Pos(), "this cannot be sliced in compiled code")
	}
	bound := func(x ast.Expr, otherwise int) int {
		if x == nil {
			return otherwise
		}
		return ev.StaticInt(x.Pos(), ev.eval(fr, x), "a bound of a slice")
	}
	i, j := bound(e.Low, 0), bound(e.High, s.To-s.From)
	k := bound(e.Max, s.Cap-s.From)
	ev.Must(0 <= i && i <= j && j <= k && s.From+k <= s.Cap, e.Pos(), "slice bounds [%d:%d] are out of range: the capacity is %d", i, j, s.Cap-s.From)
	return &emit.Slice{Array: s.Array, From: s.From + i, To: s.From + j, Cap: s.From + k}
}
