package lower

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// sliceVal is a slice: a window of known length on an array.
type sliceVal struct {
	of     *place // the array; nil for a nil slice
	off    int
	n, cap int
}

// newSlice makes a slice on an array of its own.
func (l *lowerer) newSlice(elem types.Type, elems []value, n int) *sliceVal {
	t := types.NewArray(elem, int64(len(elems)))
	return &sliceVal{of: l.fresh(t, &listVal{t, elems}), n: n, cap: len(elems)}
}

func (s *sliceVal) same(t *sliceVal) bool {
	if s.of == nil || t.of == nil {
		return s.of == t.of
	}
	return s.of.same(t.of) && s.off == t.off && s.n == t.n && s.cap == t.cap
}

// at is an element of the window.
func (s *sliceVal) at(i int) *place { return s.of.part(s.off + i) }

// elems are the elements now.
func (s *sliceVal) elems() []value {
	if s.of == nil || s.n == 0 { // what holds nothing has no parts
		return nil
	}
	if all := partsOf(s.of.get()); all != nil {
		return all[s.off : s.off+s.n]
	}
	panic(bailout{})
}

// list gives the elements of an array or slice, or of a pointer to an array.
func (l *lowerer) list(v value) ([]value, bool) {
	switch v := v.(type) {
	case *listVal:
		return v.elems, true
	case *sliceVal:
		if v.of != nil {
			l.readPart(v.of)
		}
		return v.elems(), true
	case *place:
		l.readPart(v)
		list, ok := v.get().(*listVal)
		if ok {
			return list.elems, true
		}
	case noneVal:
		return nil, true
	}
	return nil, false
}

// plain is a value as operations take it: lists of what slices hold now.
func (l *lowerer) plain(v value) value {
	switch x := v.(type) {
	case *sliceVal:
		elems, _ := l.list(x)
		out := make([]value, len(elems))
		for i, e := range elems {
			out[i] = l.plain(e)
		}
		return &listVal{elems: out}
	case *structVal:
		var out []value
		for i, f := range x.fields {
			if p := l.plain(f); p != f {
				if out == nil {
					out = append(out, x.fields...)
				}
				out[i] = p
			}
		}
		if out != nil {
			return &structVal{x.typ, out}
		}
	}
	return v
}

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

// What to do where something is not known when the kernel is compiled.
const (
	ofIndex  = "range over the list, which unrolls the loop, and compare each index with this one, or keep the elements in a tensor"
	ofNumber = "make it a constant, or the counter of a loop over constants, which then is unrolled"
	ofTest   = "for what only the device knows there is tile.Assert"
)

// unknown reports a value that is not known when the kernel is compiled, and what to do instead. A loop over constants is
// unrolled instead, if that makes it known.
func (l *lowerer) unknown(pos token.Pos, what, instead string) {
	l.wanted = true
	l.Fail(pos, "%s must be known when the kernel is compiled%s%s", what, butDevice, instead)
}

// butDevice begins the part of a message that says what to do.
const butDevice = ", but the device alone knows this: "

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
