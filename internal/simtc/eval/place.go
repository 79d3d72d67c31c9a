package eval

import (
	"go/ast"
	"go/constant"
	"go/types"
	"slices"

	"github.com/cutile-go/cutile/internal/simtc/emit"
)

// one gives the 1 that ++ and -- add or subtract.
func one(*frame, types.Type) emit.Value { return constant.MakeInt64(1) }

// place evaluates an expression that can be assigned to.
func (ev *evaluator) place(fr *frame, e ast.Expr) *emit.Pointer {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		o := fr.pkg.Info.Uses[e]
		if o == nil {
			panic(emit.Bailout{})
		}
		if c := fr.find(o); c != nil {
			return &emit.Pointer{Cell: c}
		}
		ev.Fail(e.Pos(), "%s is a package variable, which compiled code cannot set, as its value is not part of the source", e.Name)
	case *ast.StarExpr:
		return ev.Deref(e.Pos(), ev.eval(fr, e.X))
	case *ast.SelectorExpr:
		sel := fr.pkg.Info.Selections[e]
		ev.Must(sel != nil && sel.Kind() == types.FieldVal, e.Pos(), "this cannot be assigned to")
		return ev.fieldPlace(fr, e, sel)
	case *ast.IndexExpr:
		return ev.elemPlace(fr, e)
	}
	ev.Fail(e.Pos(), "this cannot be assigned to")
	return nil
}

// fieldPlace gives the place of a field: of a variable, or of the variable that a pointer points
// to. It follows embedded pointers on the way.
func (ev *evaluator) fieldPlace(fr *frame, e *ast.SelectorExpr, sel *types.Selection) *emit.Pointer {
	var p *emit.Pointer
	t := ev.typeOf(fr, e.X)
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		p, t = ev.Deref(e.Pos(), ev.eval(fr, e.X)), ptr.Elem()
	} else {
		p = ev.place(fr, e.X)
	}
	// The selection lists the embedded fields on the way to the field.
	for _, i := range sel.Index() {
		if ptr, ok := t.Underlying().(*types.Pointer); ok {
			p, t = ev.Deref(e.Pos(), ev.Load(p)), ptr.Elem()
		}
		// Clipping makes append copy the path, which other pointers share.
		p = &emit.Pointer{Cell: p.Cell, Path: append(slices.Clip(p.Path), i)}
		t = t.Underlying().(*types.Struct).Field(i).Type()
	}
	return p
}

// elemPlace gives the place of an element of an array or a slice. The index must be static, since
// an element is a variable.
func (ev *evaluator) elemPlace(fr *frame, e *ast.IndexExpr) *emit.Pointer {
	i := ev.StaticInt(e.Index.Pos(), ev.eval(fr, e.Index), "an index of an array or slice")
	switch t := ev.typeOf(fr, e.X).Underlying().(type) {
	case *types.Array:
		// Go would panic when the program runs; here it is known.
		ev.InRange(e.Index.Pos(), i, int(t.Len()))
		p := ev.place(fr, e.X)
		return &emit.Pointer{Cell: p.Cell, Path: append(slices.Clip(p.Path), i)}
	case *types.Pointer:
		ev.InRange(e.Index.Pos(), i, int(t.Elem().Underlying().(*types.Array).Len()))
		p := ev.Deref(e.Pos(), ev.eval(fr, e.X))
		return &emit.Pointer{Cell: p.Cell, Path: append(slices.Clip(p.Path), i)}
	case *types.Slice:
		s, ok := ev.eval(fr, e.X).(*emit.Slice)
		ev.Must(ok, e.Pos(), "this slice is nil")
		ev.InRange(e.Index.Pos(), i, s.To-s.From)
		return &emit.Pointer{Cell: s.Array.Cell, Path: append(slices.Clip(s.Array.Path), s.From+i)}
	}
	ev.Fail(e.Pos(), "an element of this cannot be set in compiled code")
	return nil
}
