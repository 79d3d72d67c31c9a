package lower

import (
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
func (em *emitter) newSlice(elem types.Type, elems []value, n int) *sliceVal {
	t := types.NewArray(elem, int64(len(elems)))
	return &sliceVal{of: em.fresh(t, &listVal{t, elems}), n: n, cap: len(elems)}
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
func (em *emitter) list(v value) ([]value, bool) {
	switch v := v.(type) {
	case *listVal:
		return v.elems, true
	case *sliceVal:
		if v.of != nil {
			em.readPart(v.of)
		}
		return v.elems(), true
	case *place:
		em.readPart(v)
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
func (em *emitter) plain(v value) value {
	switch x := v.(type) {
	case *sliceVal:
		elems, _ := em.list(x)
		out := make([]value, len(elems))
		for i, e := range elems {
			out[i] = em.plain(e)
		}
		return &listVal{elems: out}
	case *structVal:
		var out []value
		for i, f := range x.fields {
			if p := em.plain(f); p != f {
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

// unknown reports a value that is not known when the kernel is compiled, and what to do instead. A loop over constants is
// unrolled instead, if that makes it known.
func (em *emitter) unknown(pos token.Pos, what, instead string) {
	em.wanted = true
	em.Fail(pos, "%s must be known when the kernel is compiled%s%s", what, butDevice, instead)
}

// What to do where something is not known when the kernel is compiled.
const (
	ofIndex  = "range over the list, which unrolls the loop, and compare each index with this one, or keep the elements in a tensor"
	ofNumber = "make it a constant, or the counter of a loop over constants, which then is unrolled"
	ofTest   = "for what only the device knows there is tile.Assert"
)

// butDevice begins the part of a message that says what to do.
const butDevice = ", but the device alone knows this: "
