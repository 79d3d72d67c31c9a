package eval

import "go/types"

// leafElem is the type of number that a part of a cell holds. The cell's type says so; a part of what has no such type is
// of the type of the numbers that are put there.
func (em *emitter) leafElem(c *cell, leaf int, old, now value) *Elem {
	for _, v := range []value{c.v, old, now} {
		if n, ok := v.(*num); ok {
			return n.elem
		}
	}
	if es := em.leafElems(c.typ, c.v, nil); leaf < len(es) && es[leaf] != nil {
		return es[leaf]
	}
	if n, ok := now.(*num); ok {
		return n.elem
	}
	if e := em.elemOf(old); e != nil && e.isInt() {
		return e
	}
	return em.elemOf(now)
}

// leafElems lists the types of a value's leaves as far as the value's type tells: nil where it does not. The order is that
// of mapLeaves.
func (em *emitter) leafElems(t types.Type, v value, out []*Elem) []*Elem {
	switch v := v.(type) {
	case *structVal:
		for i, f := range v.fields {
			out = em.leafElems(v.typ.Field(i).Type(), f, out)
		}
		return out
	case *arrayVal:
		var elem types.Type
		if t != nil {
			switch u := t.Underlying().(type) {
			case *types.Array:
				elem = u.Elem()
			case *types.Slice: // the array behind a slice
				elem = u.Elem()
			}
		}
		for _, x := range v.elems {
			out = em.leafElems(elem, x, out)
		}
		return out
	case *iface:
		return em.leafElems(v.typ, v.v, out)
	}
	var e *Elem
	if t != nil {
		e, _ = numbers(t)
	}
	if x, ok := v.(*vec); ok {
		e = x.elem
	}
	for range em.leaves(v) {
		out = append(out, e)
	}
	return out
}
