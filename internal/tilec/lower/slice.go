package lower

import (
	"go/ast"
	"go/constant"
	"go/types"
)

// elements turns an index expression into the place of an element. The index must be known.
func (l *lowerer) element(fr *frame, e *ast.IndexExpr) *place {
	t := l.typeOf(fr, e.X)
	if _, ok := t.Underlying().(*types.Slice); ok {
		switch s := l.eval(fr, e.X).(type) {
		case *sliceVal:
			return s.at(l.index(fr, e.Index, s.n))
		case *listVal: // what an operation gave
			return (&place{c: &cell{typ: t, v: s}}).part(l.index(fr, e.Index, len(s.elems)))
		case noneVal:
			l.index(fr, e.Index, 0)
		case poison:
			panic(bailout{})
		}
		l.Fail(e.Pos(), "only a slice or array of known length can be indexed in a kernel")
	}
	p := l.base(fr, e.X)
	v := p.get()
	if poisoned(v) {
		panic(bailout{})
	}
	list, ok := v.(*listVal)
	l.Must(ok, e.Pos(), "only a slice or array of known length can be indexed in a kernel")
	return p.part(l.index(fr, e.Index, len(list.elems)))
}

// index evaluates a constant index of n elements.
func (l *lowerer) index(fr *frame, e ast.Expr, n int) int {
	return l.bound(fr, e, "the index", ofIndex, 0, n-1, func(k constant.Value) { l.Fail(e.Pos(), "index %s is outside [0, %d)", k, n) })
}

// bound evaluates a number that must be known and lie between two others.
func (l *lowerer) bound(fr *frame, e ast.Expr, what, instead string, lo, hi int, outside func(constant.Value)) int {
	v := l.eval(fr, e)
	if poisoned(v) {
		panic(bailout{})
	}
	k, ok := v.(constant.Value)
	if !ok {
		l.unknown(e.Pos(), what, instead)
	}
	i, exact := constant.Int64Val(constant.ToInt(k))
	if !exact || i < int64(lo) || i > int64(hi) {
		outside(k)
	}
	return int(i)
}

// slice lowers x[lo:hi:max].
func (l *lowerer) slice(fr *frame, e *ast.SliceExpr) value {
	t := l.typeOf(fr, e.X)
	if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
		return l.sliceText(fr, e)
	}
	s := l.whole(fr, e.X, t)
	outside := func(x ast.Expr, limit int) func(constant.Value) {
		return func(k constant.Value) { l.Fail(x.Pos(), "slice bound %s is outside [0, %d]", k, limit) }
	}
	limit, lo, hi := s.cap, 0, s.n
	if e.Max != nil {
		limit = l.bound(fr, e.Max, "the bound of a slice", ofNumber, 0, limit, outside(e.Max, limit))
		hi = min(hi, limit)
	}
	if e.High != nil {
		hi = l.bound(fr, e.High, "the bound of a slice", ofNumber, 0, limit, outside(e.High, limit))
	}
	if e.Low != nil {
		lo = l.bound(fr, e.Low, "the bound of a slice", ofNumber, 0, hi, outside(e.Low, hi))
	}
	if s.of == nil {
		return s
	}
	return &sliceVal{of: s.of, off: s.off + lo, n: hi - lo, cap: limit - lo}
}

// whole is a slice of all of an array, or the slice itself.
func (l *lowerer) whole(fr *frame, e ast.Expr, t types.Type) *sliceVal {
	var p *place
	switch u := t.Underlying().(type) {
	case *types.Array:
		p = l.place(fr, e)
	case *types.Pointer:
		p = l.deref(e.Pos(), l.eval(fr, e))
	default:
		switch v := l.eval(fr, e).(type) {
		case *sliceVal:
			return v
		case *listVal:
			return l.newSlice(elemType(t), v.elems, len(v.elems))
		case noneVal:
			return &sliceVal{}
		case poison:
			panic(bailout{})
		}
		l.Fail(e.Pos(), "a kernel cannot slice a %s", u)
	}
	p.c.shared = true
	elems, ok := l.list(p)
	l.Must(ok, e.Pos(), "a kernel cannot slice this")
	return &sliceVal{of: p, n: len(elems), cap: len(elems)}
}

// sliceText cuts a text that is known.
func (l *lowerer) sliceText(fr *frame, e *ast.SliceExpr) value {
	k, ok := l.eval(fr, e.X).(constant.Value)
	l.Must(ok, e.X.Pos(), "a kernel can only use texts that are known")
	s := constant.StringVal(k)
	lo, hi := 0, len(s)
	outside := func(x ast.Expr, limit int) func(constant.Value) {
		return func(k constant.Value) { l.Fail(x.Pos(), "slice bound %s is outside [0, %d]", k, limit) }
	}
	if e.High != nil {
		hi = l.bound(fr, e.High, "the bound of a slice", ofNumber, 0, hi, outside(e.High, hi))
	}
	if e.Low != nil {
		lo = l.bound(fr, e.Low, "the bound of a slice", ofNumber, 0, hi, outside(e.Low, hi))
	}
	return constant.MakeString(s[lo:hi])
}
