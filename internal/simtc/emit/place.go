package emit

import (
	"go/constant"
	"go/token"
	"slices"
)

// Part is the pointer to a field or an element.
func (p *Pointer) Part(i int) *Pointer { return &Pointer{p.Cell, append(slices.Clip(p.Path), i)} }

// InRange fails unless i is an index of n elements.
func (em *Emitter) InRange(pos token.Pos, i, n int) {
	em.Must(0 <= i && i < n, pos, "index %d is out of range: there are %d elements", i, n)
}

// Deref gives the pointer that a value is, and fails if it is nil.
func (em *Emitter) Deref(pos token.Pos, v Value) *Pointer {
	if Poisoned(v) {
		panic(Bailout{})
	}
	p, ok := v.(*Pointer)
	em.Must(ok, pos, "this pointer is nil")
	return p
}

// Load gives the value that a pointer points to.
func (em *Emitter) Load(p *Pointer) Value {
	if Poisoned(p.Cell.v) {
		panic(Bailout{})
	}
	if len(p.Path) == 0 {
		return em.Get(p.Cell)
	}
	v := p.Cell.v
	for _, i := range p.Path {
		v = part(v, i)
	}
	// A part is read as a cell of its own would be, so that registers of variables are copied for
	// the part only.
	return em.Get(&Cell{v: v, mut: p.Cell.mut})
}

// part gives a field of a struct or an element of an array.
func part(v Value, i int) Value {
	switch v := v.(type) {
	case *Struct:
		return v.Fields[i]
	case *Array:
		return v.Elems[i]
	case Poison:
		panic(Bailout{})
	}
	panic("BUG: emit: a value without parts")
}

// Store changes the value that a pointer points to. It stores the whole variable, as values are
// never changed: other variables may share the parts.
func (em *Emitter) Store(p *Pointer, v Value) {
	if Poisoned(p.Cell.v) && len(p.Path) > 0 {
		return
	}
	em.Set(p.Cell, replace(p.Cell.v, p.Path, v))
}

// replace gives a value in which the part at path is another one. It copies what is on the path
// alone.
func replace(v Value, path []int, to Value) Value {
	if len(path) == 0 {
		return to
	}
	i := path[0]
	switch v := v.(type) {
	case *Struct:
		fields := slices.Clone(v.Fields)
		fields[i] = replace(fields[i], path[1:], to)
		return &Struct{v.Type, fields}
	case *Array:
		elems := slices.Clone(v.Elems)
		elems[i] = replace(elems[i], path[1:], to)
		return &Array{elems}
	}
	panic("BUG: emit: a value without parts")
}

// StaticInt gives an integer that must be known now. what names it in a message.
func (em *Emitter) StaticInt(pos token.Pos, v Value, what string) int {
	switch c := v.(type) {
	case constant.Value:
		if n, ok := constant.Int64Val(constant.ToInt(c)); ok {
			return int(n)
		}
	case Poison:
		panic(Bailout{})
	case *Num:
		em.Fail(pos, "%s must be known when the function is compiled, but this is dynamic: loop with cute.Unroll, or pass it as a cute.Constexpr", what)
	}
	em.Fail(pos, "%s must be an integer, not %s", what, em.Describe(v))
	return 0
}

// StaticBool gives a truth value that must be known now. what names it in a message.
func (em *Emitter) StaticBool(pos token.Pos, v Value, what string) bool {
	switch c := v.(type) {
	case constant.Value:
		if c.Kind() == constant.Bool {
			return constant.BoolVal(c)
		}
	case Poison:
		panic(Bailout{})
	case *Num:
		em.Fail(pos, "%s must be known when the function is compiled, but this is dynamic: pass it as a cute.Constexpr", what)
	}
	em.Fail(pos, "%s must be a truth value, not %s", what, em.Describe(v))
	return false
}

// Field gives the field of a struct that path leads to. It follows the pointers on the path, as Go
// does for promoted fields.
func (em *Emitter) Field(pos token.Pos, v Value, path []int) Value {
	for _, i := range path {
		if p, ok := v.(*Pointer); ok {
			v = em.Load(p)
		}
		switch s := v.(type) {
		case *Struct:
			v = s.Fields[i]
		case None:
			em.Fail(pos, "this pointer is nil")
		default:
			panic(Bailout{})
		}
	}
	return v
}
