package lower

import (
	"go/ast"
	"go/constant"
	"go/types"

	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/internal/tilec/emit"
)

// composite lowers a literal of a struct, array or slice. In a list of pointers the literal of an
// element may leave out its type, and is then a pointer to the value.
func (l *lowerer) composite(fr *frame, e *ast.CompositeLit) emit.Value {
	t := l.typeOf(fr, e)
	// The type stands for an argument that is not given.
	if d := l.Desc(t); d != nil && d.Kind == describe.NoneKind {
		return emit.None{}
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		// The pointer leads to a new variable with the value.
		return l.Fresh(p.Elem(), l.literalOf(fr, e, p.Elem()))
	}
	return l.literalOf(fr, e, t)
}

// literalOf lowers a composite literal of type t.
func (l *lowerer) literalOf(fr *frame, e *ast.CompositeLit, t types.Type) emit.Value {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		return l.structLit(fr, e, t, u)
	case *types.Slice:
		elems := l.listLit(fr, e, u.Elem(), 0)
		return l.NewSlice(u.Elem(), elems, len(elems))
	case *types.Array:
		return &emit.List{Type: t, Elems: l.listLit(fr, e, u.Elem(), int(u.Len()))}
	}
	l.Fail(e.Pos(), "a value of type %s cannot live on the device", t)
	return nil
}

// structLit lowers a literal of a struct. Fields that it leaves out are zero.
func (l *lowerer) structLit(fr *frame, e *ast.CompositeLit, t types.Type, st *types.Struct) emit.Value {
	s := &emit.Struct{Type: t, Fields: make([]emit.Value, st.NumFields())}
	for i, el := range e.Elts {
		at, x := goval.FieldOf(st, i, el)
		s.Fields[at] = l.valueFor(fr, x, st.Field(at).Type())
	}
	for i, f := range s.Fields {
		if f == nil {
			// The literal leaves the field out.
			s.Fields[i] = l.Zero(e.Pos(), st.Field(i).Type())
		}
	}
	return s
}

// listLit gives the elements of a literal, at least n of them. Its keys are constant indices.
func (l *lowerer) listLit(fr *frame, e *ast.CompositeLit, elem types.Type, n int) []emit.Value {
	l.Must(n <= emit.MaxLength, e.Pos(), "an array in a kernel can have at most %d elements", emit.MaxLength)
	out := make([]emit.Value, n)
	at := 0
	for _, el := range e.Elts {
		if kv, ok := el.(*ast.KeyValueExpr); ok {
			// The checker has made sure that the key is a constant that is not negative.
			k, _ := constant.Int64Val(constant.ToInt(fr.pkg.Info.Types[kv.Key].Value))
			// The limit holds for the length that a key makes, too.
			l.Must(k < emit.MaxLength, kv.Pos(), "an array in a kernel can have at most %d elements", emit.MaxLength)
			at, el = int(k), kv.Value
		}
		// A slice is as long as its highest index needs.
		for at >= len(out) {
			out = append(out, nil)
		}
		out[at] = l.valueFor(fr, el, elem)
		at++
	}
	for i, v := range out {
		if v == nil {
			out[i] = l.Zero(e.Pos(), elem)
		}
	}
	return out
}

// indexed reads an element of an array, a slice or a text.
func (l *lowerer) indexed(fr *frame, e *ast.IndexExpr) emit.Value {
	t := l.typeOf(fr, e.X)
	switch u := t.Underlying().(type) {
	case *types.Slice, *types.Pointer:
		return l.Load(l.element(fr, e))
	case *types.Array:
		// Only the element is read, so that a counted loop sees which part its bounds depend on.
		if l.isPlace(fr, e.X) {
			return l.Load(l.element(fr, e))
		}
		list, ok := l.eval(fr, e.X).(*emit.List)
		l.Must(ok, e.Pos(), "only a slice or array of known length can be indexed in a kernel")
		return list.Elems[l.index(fr, e.Index, len(list.Elems))]
	case *types.Basic:
		k, ok := l.eval(fr, e.X).(constant.Value)
		if ok && k.Kind() == constant.String {
			// As in Go, an element of a text is a byte.
			s := constant.StringVal(k)
			return emit.Int(int(s[l.index(fr, e.Index, len(s))]))
		}
	default:
		l.eval(fr, e.X) // reports a mistake in the operand first
		l.Fail(e.Pos(), "a kernel cannot index a %s", u)
	}
	l.Fail(e.Pos(), "a kernel cannot index a %s", t)
	return nil
}
