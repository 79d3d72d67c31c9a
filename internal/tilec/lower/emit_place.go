package lower

import (
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"github.com/cutile-go/cutile/internal/front/source"
)

// place is a variable or a part of one: what an address points at.
type place struct {
	c    *cell
	path []int // fields and elements on the way
}

func (p *place) same(q *place) bool { return p.c == q.c && slices.Equal(p.path, q.path) }

func (p *place) part(path ...int) *place { return &place{p.c, slices.Concat(p.path, path)} }

// get reads what is there now.
func (p *place) get() value {
	v := p.c.v
	for _, i := range p.path {
		parts := partsOf(v)
		if parts == nil {
			return poison{}
		}
		v = parts[i]
	}
	return v
}

func (p *place) set(v value) { p.c.v = replaced(p.c.v, p.path, v) }

// replaced is a value with one part replaced.
func replaced(old value, path []int, v value) value {
	parts := partsOf(old)
	switch {
	case len(path) == 0:
		return v
	case parts == nil:
		return poison{}
	}
	parts = slices.Clone(parts)
	parts[path[0]] = replaced(parts[path[0]], path[1:], v)
	return compound(old, parts)
}

// partsOf gives the fields of a struct or the elements of an array: nil for other values.
func partsOf(v value) []value {
	switch v := v.(type) {
	case *structVal:
		return v.fields
	case *listVal:
		return v.elems
	}
	return nil
}

// typeOfParts is the type of a struct or array: nil where that is not known.
func typeOfParts(v value) types.Type {
	switch v := v.(type) {
	case *structVal:
		return v.typ
	case *listVal:
		return v.typ
	}
	return nil
}

// compound is a value of the same kind with other parts.
func compound(old value, parts []value) value {
	if s, ok := old.(*structVal); ok {
		return &structVal{s.typ, parts}
	}
	return &listVal{old.(*listVal).typ, parts}
}

// differ calls f for the parts in which two values of one variable differ.
func differ(a, b value, path []int, f func(path []int)) {
	if a == b {
		return
	}
	as, bs := partsOf(a), partsOf(b)
	if as == nil || len(as) != len(bs) || !alike(a, b) {
		if !same(a, b) {
			f(slices.Clone(path))
		}
		return
	}
	for i := range as {
		differ(as[i], bs[i], append(path, i), f)
	}
}

// alike reports whether two values of one variable have parts of the same types: a variable of an interface type may hold
// different structs and arrays.
func alike(a, b value) bool {
	switch a := a.(type) {
	case *structVal:
		b, ok := b.(*structVal)
		return ok && a.is(b)
	case *listVal:
		b, ok := b.(*listVal)
		return ok && (a.typ == nil || b.typ == nil || types.Identical(a.typ, b.typ))
	}
	return true
}

// typeAt is the type of a part: nil where that of the whole is not known.
func typeAt(t types.Type, path []int) types.Type {
	for _, i := range path {
		if t == nil {
			return nil
		}
		if st, ok := t.Underlying().(*types.Struct); ok {
			t = st.Field(i).Type()
		} else {
			t = elemType(t)
		}
	}
	return t
}

func (p *place) typ() types.Type {
	t, v := p.c.typ, p.c.v
	for n, i := range p.path {
		if t == nil || !types.IsInterface(t) {
			t = typeAt(t, p.path[n:n+1])
		} else if t = typeOfParts(v); t != nil { // what a variable of an interface type holds
			t = typeAt(t, p.path[n:n+1])
		} else {
			return nil
		}
		if parts := partsOf(v); i < len(parts) {
			v = parts[i]
		} else {
			v = nil
		}
	}
	return t
}

// String is the place as Go spells it.
func (p *place) String() string { return p.text(false) }

// written is the part as far as the user names it: without fields that only the package of their type can name.
func (p *place) written() string { return p.text(true) }

func (p *place) text(named bool) string {
	s, t := p.c.name, p.c.typ
	for _, i := range p.path {
		if t == nil {
			return s
		}
		if st, ok := t.Underlying().(*types.Struct); ok {
			if f := st.Field(i); named && f.Pkg() != nil && source.IsLanguage(f.Pos()) && !f.Exported() {
				return s
			}
			s += "." + st.Field(i).Name()
		} else {
			s += "[" + strconv.Itoa(i) + "]"
		}
		t = typeAt(t, []int{i})
	}
	return s
}

// fieldPlace is a field of a struct, which may lie in embedded structs and behind embedded pointers.
func (em *emitter) fieldPlace(pos token.Pos, p *place, t types.Type, path []int) *place {
	for n, i := range path {
		if ptr, ok := t.Underlying().(*types.Pointer); ok {
			t = ptr.Elem()
			if n > 0 {
				p = em.deref(pos, p.get())
			}
		}
		if q, ok := p.get().(*place); ok {
			p = q
		}
		st, ok := t.Underlying().(*types.Struct)
		em.Must(ok, pos, "this has no fields in a kernel")
		p, t = p.part(i), st.Field(i).Type()
	}
	return p
}

// deref is what a pointer points at.
func (em *emitter) deref(pos token.Pos, v value) *place {
	switch v := v.(type) {
	case *place:
		return v
	case poison:
		panic(bailout{})
	case noneVal:
		em.Fail(pos, "this pointer is nil")
	}
	em.Fail(pos, "this is not a pointer to a variable of the kernel")
	return nil
}

// load reads a place, which must have been set.
func (em *emitter) load(p *place) value {
	em.readPart(p)
	v := p.get()
	if poisoned(v) {
		panic(bailout{})
	}
	return v
}

// fresh is a new variable without a name.
func (em *emitter) fresh(t types.Type, v value) *place {
	c := em.newCell("", t, v)
	c.shared = true
	return &place{c: c}
}
