package eval

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
)

func (em *emitter) inRange(pos token.Pos, i, n int) {
	em.Must(0 <= i && i < n, pos, "index %d is out of range: there are %d elements", i, n)
}

// deref is what a pointer points to.
func (em *emitter) deref(pos token.Pos, v value) *pointer {
	if poisoned(v) {
		panic(bailout{})
	}
	p, ok := v.(*pointer)
	em.Must(ok, pos, "this pointer is nil")
	return p
}

// load is the value at a place.
func (em *emitter) load(p *pointer) value {
	if poisoned(p.cell.v) {
		panic(bailout{})
	}
	if len(p.path) == 0 {
		return em.get(p.cell)
	}
	v := p.cell.v
	for _, i := range p.path {
		v = part(v, i)
	}
	return em.get(&cell{v: v, mut: p.cell.mut})
}

// part is a field or element.
func part(v value, i int) value {
	switch v := v.(type) {
	case *structVal:
		return v.fields[i]
	case *arrayVal:
		return v.elems[i]
	case poison:
		panic(bailout{})
	}
	panic("BUG: eval: a value without parts")
}

// store changes the value at a place.
func (em *emitter) store(p *pointer, v value) {
	if poisoned(p.cell.v) && len(p.path) > 0 {
		return
	}
	em.set(p.cell, replace(p.cell.v, p.path, v))
}

// replace is a value with another part.
func replace(v value, path []int, to value) value {
	if len(path) == 0 {
		return to
	}
	i := path[0]
	switch v := v.(type) {
	case *structVal:
		fields := slices.Clone(v.fields)
		fields[i] = replace(fields[i], path[1:], to)
		return &structVal{v.typ, fields}
	case *arrayVal:
		elems := slices.Clone(v.elems)
		elems[i] = replace(elems[i], path[1:], to)
		return &arrayVal{elems}
	}
	panic("BUG: eval: a value without parts")
}

// staticInt is an integer that must be known now.
func (em *emitter) staticInt(pos token.Pos, v value, what string) int {
	switch c := v.(type) {
	case constant.Value:
		if n, ok := constant.Int64Val(constant.ToInt(c)); ok {
			return int(n)
		}
	case poison:
		panic(bailout{})
	case *num:
		em.Fail(pos, "%s must be known when the function is compiled, but this is dynamic: loop with cute.Unroll, or pass it as a cute.Constexpr", what)
	}
	em.Fail(pos, "%s must be an integer, not %s", what, em.describe(v))
	return 0
}

// newSlice makes a slice of new variables of a type.
func (em *emitter) newSlice(t types.Type, elems []value) *sliceVal {
	c := em.newCell("", types.NewSlice(t), &arrayVal{elems})
	return &sliceVal{arr: &pointer{cell: c}, to: len(elems), cap: len(elems)}
}

// elem is an element of a slice.
func (s *sliceVal) elem(i int) *pointer {
	return &pointer{s.arr.cell, append(s.arr.path[:len(s.arr.path):len(s.arr.path)], s.from+i)}
}

// sliceElems gives the values of a slice.
func (em *emitter) sliceElems(v value) (out []value) {
	s, ok := v.(*sliceVal)
	if !ok {
		return nil
	}
	for i := range s.to - s.from {
		out = append(out, em.load(s.elem(i)))
	}
	return out
}

func (em *emitter) field(pos token.Pos, v value, path []int) value {
	for _, i := range path {
		if p, ok := v.(*pointer); ok {
			v = em.load(p)
		}
		switch s := v.(type) {
		case *structVal:
			v = s.fields[i]
		case none:
			em.Fail(pos, "this pointer is nil")
		default:
			panic(bailout{})
		}
	}
	return v
}
