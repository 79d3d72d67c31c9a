package emit

import "go/types"

// leafElem gives the type of the numbers in a part of a cell. A register that is there already
// decides, as its width is fixed. Otherwise the cell's type decides, and if it does not tell, the
// numbers that are put there.
func (em *Emitter) leafElem(c *Cell, leaf int, old, now Value) *Elem {
	// A part that is a register, or becomes one, has the register's type.
	for _, v := range []Value{c.v, old, now} {
		if n, ok := v.(*Num); ok {
			return n.Elem
		}
	}
	if es := em.leafElems(c.Type, c.v, nil); leaf < len(es) && es[leaf] != nil {
		return es[leaf]
	}
	if n, ok := now.(*Num); ok {
		return n.Elem
	}
	if e := em.ElemOf(old); e != nil && e.IsInt() {
		return e
	}
	return em.ElemOf(now)
}

// leafElems lists the types of a value's leaves, in the order of [Emitter.MapLeaves]. A type is nil
// if the value's type does not tell.
func (em *Emitter) leafElems(t types.Type, v Value, out []*Elem) []*Elem {
	switch v := v.(type) {
	case *Struct:
		for i, f := range v.Fields {
			out = em.leafElems(v.Type.Field(i).Type(), f, out)
		}
		return out
	case *Array:
		var elem types.Type
		if t != nil {
			switch u := t.Underlying().(type) {
			case *types.Array:
				elem = u.Elem()
			case *types.Slice: // the array of a slice has the slice's type
				elem = u.Elem()
			}
		}
		for _, x := range v.Elems {
			out = em.leafElems(elem, x, out)
		}
		return out
	case *Iface:
		return em.leafElems(v.Type, v.V, out)
	}
	var e *Elem
	if t != nil {
		e, _ = Numbers(t)
	}
	if x, ok := v.(*Vec); ok {
		e = x.Elem
	}
	for range em.leaves(v) {
		out = append(out, e)
	}
	return out
}
