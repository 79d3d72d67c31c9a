package eval

import (
	"go/constant"

	"github.com/cutile-go/cutile/internal/layout"
)

// vec is a cute.Vec: the elements of a register tensor as one value, in the order of their coordinates.
type vec struct {
	elem  *Elem
	elems []value
	shape layout.Tuple
}

func (v *vec) mapLeaves(em *emitter, f func(value) value) value {
	return &vec{v.elem, em.mapAll(v.elems, f), v.shape}
}

func (v *vec) sameForm(_ *emitter, b value) bool {
	w, ok := b.(*vec)
	return ok && v.elem == w.elem && len(v.elems) == len(w.elems)
}

func (v *vec) describe() string {
	return "a vector of " + v.elem.Name + " of shape " + v.shape.String()
}

// each is the vector with every element replaced.
func (v *vec) each(e *Elem, f func(value) value) *vec {
	r := &vec{elem: e, elems: make([]value, len(v.elems)), shape: v.shape}
	for i, x := range v.elems {
		r.elems[i] = f(x)
	}
	return r
}

// pair gives the elements of two operands of which one is a vector: single numbers are repeated.
func (em *emitter) pair(x, y value) (xs, ys []value, ok bool) {
	a, aOK := x.(*vec)
	b, bOK := y.(*vec)
	switch {
	case aOK && bOK:
		em.Must(len(a.elems) == len(b.elems), em.pos, "a vector of shape %s and one of shape %s do not fit: an operator takes vectors of one shape", a.shape, b.shape)
		return a.elems, b.elems, true
	case aOK:
		return a.elems, repeat(y, len(a.elems)), true
	case bOK:
		return repeat(x, len(b.elems)), b.elems, true
	}
	return nil, nil, false
}

func repeat(v value, n int) []value {
	out := make([]value, n)
	for i := range out {
		out[i] = v
	}
	return out
}

// vecShape is the shape of what an operator on two operands gives.
func (em *emitter) vecShape(x, y value) layout.Tuple {
	if v, ok := x.(*vec); ok {
		return v.shape
	}
	return y.(*vec).shape
}

// zeroNumber is the zero of an element type.
func zeroNumber(e *Elem) value {
	if e == boolElem {
		return constant.MakeBool(false)
	}
	return constant.MakeInt64(0)
}
