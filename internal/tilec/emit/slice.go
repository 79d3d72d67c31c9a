package emit

import (
	"go/token"
	"go/types"
)

// Slice is a slice: a window of known length on an array.
type Slice struct {
	Of       *Place // the array; nil for a nil slice
	Off      int
	Len, Cap int
}

// NewSlice makes a slice on an array of its own.
func (em *Emitter) NewSlice(elem types.Type, elems []Value, n int) *Slice {
	t := types.NewArray(elem, int64(len(elems)))
	return &Slice{Of: em.Fresh(t, &List{t, elems}), Len: n, Cap: len(elems)}
}

func (s *Slice) same(t *Slice) bool {
	if s.Of == nil || t.Of == nil {
		return s.Of == t.Of
	}
	return s.Of.same(t.Of) && s.Off == t.Off && s.Len == t.Len && s.Cap == t.Cap
}

// At is an element of the window.
func (s *Slice) At(i int) *Place { return s.Of.Part(s.Off + i) }

// Elems are the elements now.
func (s *Slice) Elems() []Value {
	if s.Of == nil || s.Len == 0 { // what holds nothing has no parts
		return nil
	}
	if all := PartsOf(s.Of.Get()); all != nil {
		return all[s.Off : s.Off+s.Len]
	}
	panic(Bailout{})
}

// List gives the elements of an array or slice, or of a pointer to an array.
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
		list, ok := v.Get().(*List)
		if ok {
			return list.Elems, true
		}
	case None:
		return nil, true
	}
	return nil, false
}

// Plain is a value as operations take it: lists of what slices hold now.
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

// Unknown reports a value that is not known when the kernel is compiled, and what to do instead. A loop over constants is
// unrolled instead, if that makes it known.
func (em *Emitter) Unknown(pos token.Pos, what, instead string) {
	em.Wanted = true
	em.Fail(pos, "%s must be known when the kernel is compiled%s%s", what, ButDevice, instead)
}

// What to do where something is not known when the kernel is compiled.
const (
	OfIndex  = "range over the list, which unrolls the loop, and compare each index with this one, or keep the elements in a tensor"
	OfNumber = "make it a constant, or the counter of a loop over constants, which then is unrolled"
	OfTest   = "for what only the device knows there is tile.Assert"
)

// ButDevice begins the part of a message that says what to do.
const ButDevice = ", but the device alone knows this: "
