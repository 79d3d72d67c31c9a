package emit

import (
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"github.com/cutile-go/cutile/internal/front/source"
)

// Place is a variable or a part of one: what an address points at.
type Place struct {
	Cell *Cell
	Path []int // fields and elements on the way
}

func (p *Place) same(q *Place) bool { return p.Cell == q.Cell && slices.Equal(p.Path, q.Path) }

// Overlaps reports whether two places share a part.
func (p *Place) Overlaps(q *Place) bool {
	n := min(len(p.Path), len(q.Path))
	return p.Cell == q.Cell && slices.Equal(p.Path[:n], q.Path[:n])
}

// Part is a part of p.
func (p *Place) Part(path ...int) *Place { return &Place{p.Cell, slices.Concat(p.Path, path)} }

// Get reads what is there now.
func (p *Place) Get() Value {
	v := p.Cell.V
	for _, i := range p.Path {
		parts := PartsOf(v)
		if parts == nil {
			return Poison{}
		}
		v = parts[i]
	}
	return v
}

// Set changes what is there.
func (p *Place) Set(v Value) { p.Cell.V = replaced(p.Cell.V, p.Path, v) }

// replaced is a value with one part replaced.
func replaced(old Value, path []int, v Value) Value {
	parts := PartsOf(old)
	switch {
	case len(path) == 0:
		return v
	case parts == nil:
		return Poison{}
	}
	parts = slices.Clone(parts)
	parts[path[0]] = replaced(parts[path[0]], path[1:], v)
	return compound(old, parts)
}

// PartsOf gives the fields of a struct or the elements of an array: nil for other values.
func PartsOf(v Value) []Value {
	switch v := v.(type) {
	case *Struct:
		return v.Fields
	case *List:
		return v.Elems
	}
	return nil
}

// typeOfParts is the type of a struct or array: nil where that is not known.
func typeOfParts(v Value) types.Type {
	switch v := v.(type) {
	case *Struct:
		return v.Type
	case *List:
		return v.Type
	}
	return nil
}

// compound is a value of the same kind with other parts.
func compound(old Value, parts []Value) Value {
	if s, ok := old.(*Struct); ok {
		return &Struct{s.Type, parts}
	}
	return &List{old.(*List).Type, parts}
}

// differ calls f for the parts in which two values of one variable differ.
func differ(a, b Value, path []int, f func(path []int)) {
	if a == b {
		return
	}
	as, bs := PartsOf(a), PartsOf(b)
	if as == nil || len(as) != len(bs) || !alike(a, b) {
		if !Same(a, b) {
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
func alike(a, b Value) bool {
	switch a := a.(type) {
	case *Struct:
		b, ok := b.(*Struct)
		return ok && a.is(b)
	case *List:
		b, ok := b.(*List)
		return ok && (a.Type == nil || b.Type == nil || types.Identical(a.Type, b.Type))
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
			t = ElemType(t)
		}
	}
	return t
}

func (p *Place) typ() types.Type {
	t, v := p.Cell.Type, p.Cell.V
	for n, i := range p.Path {
		if t == nil || !types.IsInterface(t) {
			t = typeAt(t, p.Path[n:n+1])
		} else if t = typeOfParts(v); t != nil { // what a variable of an interface type holds
			t = typeAt(t, p.Path[n:n+1])
		} else {
			return nil
		}
		if parts := PartsOf(v); i < len(parts) {
			v = parts[i]
		} else {
			v = nil
		}
	}
	return t
}

// String is the place as Go spells it.
func (p *Place) String() string { return p.text(false) }

// written is the part as far as the user names it: without fields that only the package of their type can name.
func (p *Place) written() string { return p.text(true) }

func (p *Place) text(named bool) string {
	s, t := p.Cell.Name, p.Cell.Type
	for _, i := range p.Path {
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

// FieldPlace is a field of a struct, which may lie in embedded structs and behind embedded pointers.
func (em *Emitter) FieldPlace(pos token.Pos, p *Place, t types.Type, path []int) *Place {
	for n, i := range path {
		if ptr, ok := t.Underlying().(*types.Pointer); ok {
			t = ptr.Elem()
			if n > 0 {
				p = em.Deref(pos, p.Get())
			}
		}
		if q, ok := p.Get().(*Place); ok {
			p = q
		}
		st, ok := t.Underlying().(*types.Struct)
		em.Must(ok, pos, "this has no fields in a kernel")
		p, t = p.Part(i), st.Field(i).Type()
	}
	return p
}

// Deref is what a pointer points at.
func (em *Emitter) Deref(pos token.Pos, v Value) *Place {
	switch v := v.(type) {
	case *Place:
		return v
	case Poison:
		panic(Bailout{})
	case None:
		em.Fail(pos, "this pointer is nil")
	}
	em.Fail(pos, "this is not a pointer to a variable of the kernel")
	return nil
}

// Load reads a place, which must have been set.
func (em *Emitter) Load(p *Place) Value {
	em.ReadPart(p)
	v := p.Get()
	if Poisoned(v) {
		panic(Bailout{})
	}
	return v
}

// Fresh is a new variable without a name.
func (em *Emitter) Fresh(t types.Type, v Value) *Place {
	c := em.NewCell("", t, v)
	c.Shared = true
	return &Place{Cell: c}
}
