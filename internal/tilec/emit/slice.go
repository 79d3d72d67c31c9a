package emit

import "go/types"

// Slice is a value of a slice type: a window of known length on an array.
type Slice struct {
	Of       *Place // the place of the array; nil for a nil slice
	Off      int
	Len, Cap int
}

// NewSlice makes a slice of length n on a new array.
func (em *Emitter) NewSlice(elem types.Type, elems []Value, n int) *Slice {
	t := types.NewArray(elem, int64(len(elems)))
	return &Slice{Of: em.Fresh(t, &List{t, elems}), Len: n, Cap: len(elems)}
}

// same reports whether two slices are the same window on the same array.
func (s *Slice) same(t *Slice) bool {
	if s.Of == nil || t.Of == nil {
		return s.Of == t.Of
	}
	return s.Of.same(t.Of) && s.Off == t.Off && s.Len == t.Len && s.Cap == t.Cap
}

// At gives the place of an element of the window.
func (s *Slice) At(i int) *Place { return s.Of.Part(s.Off + i) }

// Elems gives the elements as they are now.
func (s *Slice) Elems() []Value {
	if s.Of == nil || s.Len == 0 {
		return nil
	}
	if all := PartsOf(s.Of.Get()); all != nil {
		return all[s.Off : s.Off+s.Len]
	}
	// A mistake left the array undefined.
	panic(Bailout{})
}

// List gives the elements of an array or a slice, or of an array that a pointer points to.
func (em *Emitter) List(v Value) ([]Value, bool) {
	switch v := v.(type) {
	case *List:
		return v.Elems, true
	case *Slice:
		if v.Of != nil {
			em.ReadPart(v.Of)
		}
		return v.Elems(), true
	case *Place:
		em.ReadPart(v)
		// A place is a pointer to an array here.
		list, ok := v.Get().(*List)
		if ok {
			return list.Elems, true
		}
	case None:
		return nil, true
	}
	return nil, false
}

// Plain gives a value as operations take it. Operations know lists and no slices, so a slice
// becomes the list of its elements as they are now.
func (em *Emitter) Plain(v Value) Value {
	switch x := v.(type) {
	case *Slice:
		elems, _ := em.List(x)
		out := make([]Value, len(elems))
		for i, e := range elems {
			out[i] = em.Plain(e)
		}
		return &List{Elems: out}
	case *Struct:
		var out []Value
		for i, f := range x.Fields {
			// Only a struct with a slice in it is copied.
			if p := em.Plain(f); p != f {
				if out == nil {
					out = append(out, x.Fields...)
				}
				out[i] = p
			}
		}
		if out != nil {
			return &Struct{x.Type, out}
		}
	}
	return v
}
