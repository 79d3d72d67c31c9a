package lower

import (
	"go/ast"
	"go/constant"
	"go/types"

	"github.com/cutile-go/cutile/internal/tilec/emit"
)

// element gives the place that an index expression stands for. The index must be known, since the
// elements are values of the compiler.
func (l *lowerer) element(fr *frame, e *ast.IndexExpr) *emit.Place {
	t := l.typeOf(fr, e.X)
	if _, ok := t.Underlying().(*types.Slice); ok {
		switch s := l.eval(fr, e.X).(type) {
		case *emit.Slice:
			return s.At(l.index(fr, e.Index, s.Len))
		case *emit.List: // what an operation gave
			// The elements that an operation gave are no variables: the place is for reading.
			return (&emit.Place{Cell: &emit.Cell{Type: t, V: s}}).Part(l.index(fr, e.Index, len(s.Elems)))
		case emit.None:
			l.index(fr, e.Index, 0)
		case emit.Poison:
			panic(emit.Bailout{})
		}
		l.Fail(e.Pos(), "only a slice or array of known length can be indexed in a kernel")
	}
	p := l.base(fr, e.X)
	v := p.Get()
	if emit.Poisoned(v) {
		panic(emit.Bailout{})
	}
	list, ok := v.(*emit.List)
	l.Must(ok, e.Pos(), "only a slice or array of known length can be indexed in a kernel")
	return p.Part(l.index(fr, e.Index, len(list.Elems)))
}

// index evaluates an index of n elements.
func (l *lowerer) index(fr *frame, e ast.Expr, n int) int {
	return l.bound(fr, e, "the index", emit.OfIndex, 0, n-1, func(k constant.Value) { l.Fail(e.Pos(), "index %s is outside [0, %d)", k, n) })
}

// bound evaluates a number that must be known and lie between lo and hi.
func (l *lowerer) bound(fr *frame, e ast.Expr, what, instead string, lo, hi int, outside func(constant.Value)) int {
	v := l.eval(fr, e)
	if emit.Poisoned(v) {
		panic(emit.Bailout{})
	}
	// The compiler must know the number, as it decides which values are meant.
	k, ok := v.(constant.Value)
	if !ok {
		l.Unknown(e.Pos(), what, instead)
	}
	i, exact := constant.Int64Val(constant.ToInt(k))
	if !exact || i < int64(lo) || i > int64(hi) {
		outside(k)
	}
	return int(i)
}

// slice lowers x[lo:hi:max].
func (l *lowerer) slice(fr *frame, e *ast.SliceExpr) emit.Value {
	t := l.typeOf(fr, e.X)
	if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
		return l.sliceText(fr, e)
	}
	s := l.whole(fr, e.X, t)
	outside := func(x ast.Expr, limit int) func(constant.Value) {
		return func(k constant.Value) { l.Fail(x.Pos(), "slice bound %s is outside [0, %d]", k, limit) }
	}
	// As in Go, the upper bound may go up to the capacity.
	limit, lo, hi := s.Cap, 0, s.Len
	if e.Max != nil {
		limit = l.bound(fr, e.Max, "the bound of a slice", emit.OfNumber, 0, limit, outside(e.Max, limit))
		hi = min(hi, limit)
	}
	if e.High != nil {
		hi = l.bound(fr, e.High, "the bound of a slice", emit.OfNumber, 0, limit, outside(e.High, limit))
	}
	if e.Low != nil {
		lo = l.bound(fr, e.Low, "the bound of a slice", emit.OfNumber, 0, hi, outside(e.Low, hi))
	}
	// A slice of a nil slice is nil.
	if s.Of == nil {
		return s
	}
	return &emit.Slice{Of: s.Of, Off: s.Off + lo, Len: hi - lo, Cap: limit - lo}
}

// whole gives a slice of all of an array, or the slice that e is.
func (l *lowerer) whole(fr *frame, e ast.Expr, t types.Type) *emit.Slice {
	var p *emit.Place
	switch u := t.Underlying().(type) {
	case *types.Array:
		p = l.place(fr, e)
	case *types.Pointer:
		p = l.Deref(e.Pos(), l.eval(fr, e))
	default:
		switch v := l.eval(fr, e).(type) {
		case *emit.Slice:
			return v
		case *emit.List:
			return l.NewSlice(emit.ElemType(t), v.Elems, len(v.Elems))
		case emit.None:
			return &emit.Slice{}
		case emit.Poison:
			panic(emit.Bailout{})
		}
		l.Fail(e.Pos(), "a kernel cannot slice a %s", u)
	}
	// The slice leads to the array.
	p.Cell.Shared = true
	elems, ok := l.List(p)
	l.Must(ok, e.Pos(), "a kernel cannot slice this")
	return &emit.Slice{Of: p, Len: len(elems), Cap: len(elems)}
}

// sliceText slices a text, which must be known.
func (l *lowerer) sliceText(fr *frame, e *ast.SliceExpr) emit.Value {
	k, ok := l.eval(fr, e.X).(constant.Value)
	l.Must(ok, e.X.Pos(), "a kernel can only use texts that are known when it is compiled")
	s := constant.StringVal(k)
	lo, hi := 0, len(s)
	outside := func(x ast.Expr, limit int) func(constant.Value) {
		return func(k constant.Value) { l.Fail(x.Pos(), "slice bound %s is outside [0, %d]", k, limit) }
	}
	if e.High != nil {
		hi = l.bound(fr, e.High, "the bound of a slice", emit.OfNumber, 0, hi, outside(e.High, hi))
	}
	if e.Low != nil {
		lo = l.bound(fr, e.Low, "the bound of a slice", emit.OfNumber, 0, hi, outside(e.Low, hi))
	}
	return constant.MakeString(s[lo:hi])
}
