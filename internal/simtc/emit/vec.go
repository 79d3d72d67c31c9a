package emit

import "github.com/cutile-go/cutile/internal/layout"

// Vec is a cute.Vec: the elements of a tensor in registers as one value, in the order of their
// coordinates.
type Vec struct {
	Elem  *Elem
	Elems []Value
	Shape layout.Tuple
}

// MapLeaves implements [Mapper].
func (v *Vec) MapLeaves(em *Emitter, f func(Value) Value) Value {
	return &Vec{v.Elem, em.mapAll(v.Elems, f), v.Shape}
}

// SameForm implements [Former].
func (v *Vec) SameForm(_ *Emitter, b Value) bool {
	w, ok := b.(*Vec)
	return ok && v.Elem == w.Elem && len(v.Elems) == len(w.Elems)
}

// Describe implements [Described].
func (v *Vec) Describe() string {
	return "a vector of " + v.Elem.Name + " of shape " + v.Shape.String()
}

// Each gives the vector of element type e that f makes of the elements.
func (v *Vec) Each(e *Elem, f func(Value) Value) *Vec {
	r := &Vec{Elem: e, Elems: make([]Value, len(v.Elems)), Shape: v.Shape}
	for i, x := range v.Elems {
		r.Elems[i] = f(x)
	}
	return r
}

// Pair gives the elements of two operands if one of them is a vector. A single number is repeated.
func (em *Emitter) Pair(x, y Value) (xs, ys []Value, ok bool) {
	a, aOK := x.(*Vec)
	b, bOK := y.(*Vec)
	switch {
	case aOK && bOK:
		em.Must(len(a.Elems) == len(b.Elems), em.Pos, "an operator takes vectors of the same shape, not of shapes %s and %s", a.Shape, b.Shape)
		return a.Elems, b.Elems, true
	case aOK:
		return a.Elems, Repeat(y, len(a.Elems)), true
	case bOK:
		return Repeat(x, len(b.Elems)), b.Elems, true
	}
	return nil, nil, false
}

// Repeat gives n times the same value.
func Repeat(v Value, n int) []Value {
	out := make([]Value, n)
	for i := range out {
		out[i] = v
	}
	return out
}

// VecShape gives the shape of the result of an operator on two operands, of which one is a vector.
func (em *Emitter) VecShape(x, y Value) layout.Tuple {
	if v, ok := x.(*Vec); ok {
		return v.Shape
	}
	return y.(*Vec).Shape
}
