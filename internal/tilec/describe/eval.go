package describe

import (
	"go/types"
	"slices"

	"github.com/cutile-go/cutile/internal/tilec/decl"
	"github.com/cutile-go/cutile/tileir"
)

// typeFuncs are the functions of type parameters that directives may call.
var typeFuncs = map[string]func(args []*Desc) any{
	"shape": func(a []*Desc) any { return a[0].Shape },
	"rank":  func(a []*Desc) any { return len(a[0].Shape) },
	"flat": func(a []*Desc) any { // all elements in one dimension
		n := 1
		for _, d := range a[0].Shape {
			n *= d
		}
		return []int{n}
	},
	"without": func(a []*Desc) any { // all but one dimension
		if a[1].N < 0 || a[1].N >= len(a[0].Shape) {
			return nil
		}
		return slices.Delete(slices.Clone(a[0].Shape), a[1].N, a[1].N+1)
	},
	"sign": func(a []*Desc) any {
		if a[0].Elem.Signed() {
			return 1
		}
		return 0
	},
	"lead": func(a []*Desc) any { // leading ones, up to the rank of the second
		n := len(a[1].Shape) - len(a[0].Shape)
		if n <= 0 {
			return a[0].Shape
		}
		return append(slices.Repeat([]int{1}, n), a[0].Shape...)
	},
}

// Eval evaluates an expression over type parameters: an Elem, a shape ([]int) or an int; nil if it cannot be told.
func (w *World) Eval(e *decl.Expr, env map[string]types.Type) any {
	if e.Call {
		f, ok := typeFuncs[e.Name]
		if !ok {
			return nil
		}
		var args []*Desc
		for _, a := range e.Args {
			if a.Int != nil {
				args = append(args, &Desc{N: int(*a.Int)})
				continue
			}
			d := w.Desc(env[a.Name])
			if d == nil || d.Shape == nil {
				return nil
			}
			args = append(args, d)
		}
		return f(args)
	}
	if e.Name == "[" {
		shape := []int{}
		for _, a := range e.Args {
			d := w.Desc(env[a.Name])
			if d == nil || d.Kind != ExtentKind {
				return nil
			}
			shape = append(shape, d.N)
		}
		return shape
	}
	if el, ok := named[e.Name]; ok {
		return el
	}
	if d := w.Desc(env[e.Name]); d != nil && d.Elem.IR != tileir.NoElem {
		return d.Elem
	}
	return nil
}
