package eval

import (
	"go/ast"
	"go/types"

	"github.com/cutile-go/cutile/internal/goval"
)

// composite is a struct, array or slice that is written out.
func (ev *evaluator) composite(fr *frame, e *ast.CompositeLit, t types.Type) value {
	if p, ok := t.Underlying().(*types.Pointer); ok { // an element &T{…} with its type left out
		return &pointer{cell: ev.newCell("", p.Elem(), ev.composite(fr, e, p.Elem()))}
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		s := ev.zero(t).(*structVal)
		for i, el := range e.Elts {
			at, x := goval.FieldOf(u, i, el)
			s.fields[at] = ev.elemValue(fr, x, u.Field(at).Type())
		}
		return s
	case *types.Array:
		a := ev.zero(t).(*arrayVal)
		ev.elements(fr, e, u.Elem(), func(i int, v value) { a.elems[i] = v })
		return a
	case *types.Slice:
		a := &arrayVal{}
		ev.elements(fr, e, u.Elem(), func(i int, v value) {
			for len(a.elems) <= i {
				a.elems = append(a.elems, ev.zero(u.Elem()))
			}
			a.elems[i] = v
		})
		return ev.newSlice(u.Elem(), a.elems)
	}
	ev.Fail(e.Pos(), "a value of type %s cannot be written in compiled code", t)
	return nil
}

func (ev *evaluator) elements(fr *frame, e *ast.CompositeLit, t types.Type, put func(int, value)) {
	i := 0
	for _, el := range e.Elts {
		if kv, ok := el.(*ast.KeyValueExpr); ok {
			i = ev.staticInt(kv.Key.Pos(), ev.eval(fr, kv.Key), "an index")
			el = kv.Value
		}
		put(i, ev.elemValue(fr, el, t))
		i++
	}
}

func (ev *evaluator) elemValue(fr *frame, e ast.Expr, t types.Type) value {
	if c, ok := e.(*ast.CompositeLit); ok && c.Type == nil {
		return ev.composite(fr, c, t)
	}
	return ev.operandOf(fr, e, t)
}

// slice is s[i:j:k].
func (ev *evaluator) slice(fr *frame, e *ast.SliceExpr) value {
	var s *sliceVal
	switch ev.typeOf(fr, e.X).Underlying().(type) {
	case *types.Slice:
		x, ok := ev.eval(fr, e.X).(*sliceVal)
		if !ok {
			return none{}
		}
		s = x
	case *types.Array:
		p := ev.place(fr, e.X)
		n := len(ev.load(p).(*arrayVal).elems)
		s = &sliceVal{arr: p, to: n, cap: n}
	case *types.Pointer:
		p := ev.deref(e.Pos(), ev.eval(fr, e.X))
		n := len(ev.load(p).(*arrayVal).elems)
		s = &sliceVal{arr: p, to: n, cap: n}
	default:
		ev.Fail(e.Pos(), "this cannot be sliced in compiled code")
	}
	bound := func(x ast.Expr, otherwise int) int {
		if x == nil {
			return otherwise
		}
		return ev.staticInt(x.Pos(), ev.eval(fr, x), "a bound of a slice")
	}
	i, j := bound(e.Low, 0), bound(e.High, s.to-s.from)
	k := bound(e.Max, s.cap-s.from)
	ev.Must(0 <= i && i <= j && j <= k && s.from+k <= s.cap, e.Pos(), "slice bounds [%d:%d] are out of range: the capacity is %d", i, j, s.cap-s.from)
	return &sliceVal{arr: s.arr, from: s.from + i, to: s.from + j, cap: s.from + k}
}
