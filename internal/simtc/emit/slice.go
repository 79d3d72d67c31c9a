package emit

import "go/types"

// NewSlice makes a slice of a new array whose elements have type t.
func (em *Emitter) NewSlice(t types.Type, elems []Value) *Slice {
	c := em.NewCell("", types.NewSlice(t), &Array{elems})
	return &Slice{Array: &Pointer{Cell: c}, To: len(elems), Cap: len(elems)}
}

// Elem gives the pointer to an element of a slice. It copies the path, which other pointers share.
func (s *Slice) Elem(i int) *Pointer {
	return &Pointer{s.Array.Cell, append(s.Array.Path[:len(s.Array.Path):len(s.Array.Path)], s.From+i)}
}

// SliceElems gives the values of a slice.
func (em *Emitter) SliceElems(v Value) (out []Value) {
	// A nil slice has no elements.
	s, ok := v.(*Slice)
	if !ok {
		return nil
	}
	for i := range s.To - s.From {
		out = append(out, em.Load(s.Elem(i)))
	}
	return out
}
