package words

import (
	"go/constant"
	"go/types"
	"strings"

	"github.com/cutile-go/cutile/internal/tilec/decl"
	"github.com/cutile-go/cutile/internal/tilec/emit"
	"github.com/cutile-go/cutile/tileir"
)

// predicates lists the predicates that a directive can promise, by name.
var predicates = map[string]func(w *wanted, args []*decl.Expr) tileir.Attr{
	// div_by promises that a number divides the elements, or the first of each run of elements.
	"div_by": func(w *wanted, args []*decl.Expr) tileir.Attr {
		p := tileir.DivBy{Divisor: uint64(w.integer(args[0]))}
		if len(args) == 3 {
			// The promise is about every so many elements along a dimension.
			p.Every, p.Along = w.end(args[1]), w.end(args[2])
		}
		return p
	},
	// bounded promises a range; an end may be open.
	"bounded": func(w *wanted, args []*decl.Expr) tileir.Attr {
		p := tileir.Bounded{Lower: w.end(args[0])}
		if len(args) > 1 {
			p.Upper = w.end(args[1])
		}
		return p
	},
	// same_elements promises that runs of elements are equal.
	"same_elements": func(w *wanted, args []*decl.Expr) tileir.Attr {
		var runs tileir.SameElements
		for _, n := range w.integers(args[0]) {
			runs = append(runs, int64(n))
		}
		return runs
	},
}

// predicate evaluates a predicate.
func (w *wanted) predicate() tileir.Attr {
	f, ok := predicates[w.expr.Name]
	if !ok || len(w.expr.Args) == 0 {
		w.fail("no predicate %s", w.expr.Name)
	}
	return f(w, w.expr.Args)
}

// end gives one end of a range, or nil if the range is open there.
func (w *wanted) end(e *decl.Expr) *int64 {
	if e.Name == "_" {
		return nil
	}
	n := w.integer(e)
	return &n
}

// hints gives the hints that are not zero: first those for every architecture, then those of each
// architecture, from the list that the key "by" names. The elements of that list have the fields
// that the other keys name, and a field Arch.
func (w *wanted) hints() tileir.Attr {
	var out tileir.Hints
	if hs := w.hintsOf(func(path string) int64 {
		return w.integer(&decl.Expr{Name: path})
	}); hs != nil {
		// These are for every architecture that has no hints of its own.
		out = append(out, tileir.ArchHints{Arch: "default", Hints: hs})
	}
	if by := w.expr.Field("by"); by != nil {
		out = append(out, w.hintsBy(by)...)
	}
	if out == nil {
		return nil
	}
	return out
}

// hintsOf gives the hints whose values are not zero. find gives the value at a path.
func (w *wanted) hintsOf(find func(path string) int64) (hs []tileir.Hint) {
	for i, k := range w.expr.Keys {
		x := w.expr.Args[i]
		negate := x.Name == "not"
		if negate {
			x = x.Args[0]
		}
		if k == "by" {
			continue
		}
		n := find(x.Name)
		// Zero is the value of a field that the program does not set.
		if n == 0 {
			continue
		}
		v := tileir.HintValue{Elem: tileir.I32, Int: n}
		// Tile IR allows something unless it is told otherwise, and Go has a switch that forbids
		// it.
		if negate {
			v = tileir.HintValue{Bool: false}
		}
		hs = append(hs, tileir.Hint{Name: k, Value: v})
	}
	return hs
}

// field gives a field of a struct by name, or nil if there is none.
func (w *wanted) field(v emit.Value, t types.Type, name string) emit.Value {
	if s, ok := v.(*emit.Struct); ok {
		st := t.Underlying().(*types.Struct)
		for i := range st.NumFields() {
			if st.Field(i).Name() == name {
				return s.Fields[i]
			}
		}
	}
	return nil
}

// hintsBy gives the hints of each architecture.
func (w *wanted) hintsBy(by *decl.Expr) (out tileir.Hints) {
	v, t := w.get(by.Name)
	list, ok := v.(*emit.List)
	if !ok {
		w.fail("%s is not a list", by.Name)
	}
	// The elements of the list have the fields of the options, without the name of the parameter.
	part := func(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }
	for _, e := range list.Elems {
		arch, _ := w.field(e, emit.ElemType(t), "Arch").(constant.Value)
		if arch == nil || arch.Kind() != constant.String {
			w.Fail(w.pos, "Arch in %s of %s must be a constant text", by.Name, w.fn.Name())
		}
		hs := w.hintsOf(func(path string) int64 {
			k, ok := w.field(e, emit.ElemType(t), part(path)).(constant.Value)
			if !ok {
				w.Fail(w.pos, "%s in %s of %s must be a constant", part(path), by.Name, w.fn.Name())
			}
			return emit.Whole(k)
		})
		if hs != nil {
			out = append(out, tileir.ArchHints{Arch: constant.StringVal(arch), Hints: hs})
		}
	}
	return out
}
