package emit

import (
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"github.com/cutile-go/cutile/internal/front/source"
)

// Place is a variable or a part of one, and the value of a pointer.
type Place struct {
	Cell *Cell
	Path []int // the fields and elements that lead to the part
}

// same reports whether two places are the same part of the same variable.
func (p *Place) same(q *Place) bool { return p.Cell == q.Cell && slices.Equal(p.Path, q.Path) }

// Overlaps reports whether two places have a part in common.
func (p *Place) Overlaps(q *Place) bool {
	n := min(len(p.Path), len(q.Path))
	return p.Cell == q.Cell && slices.Equal(p.Path[:n], q.Path[:n])
}

// Part gives the place of a part of p.
func (p *Place) Part(path ...int) *Place { return &Place{p.Cell, slices.Concat(p.Path, path)} }

// Get gives the value that is there now.
func (p *Place) Get() Value {
	v := p.Cell.V
	for _, i := range p.Path {
		parts := PartsOf(v)
		if parts == nil {
			// A mistake left the whole undefined.
			return Poison{}
		}
		v = parts[i]
	}
	return v
}

// Set changes the value that is there.
func (p *Place) Set(v Value) { p.Cell.V = replaced(p.Cell.V, p.Path, v) }

// replaced gives a value in which one part is another one. It copies what is on the path, as values
// are shared.
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

// PartsOf gives the fields of a struct or the elements of an array, and nil for other values.
func PartsOf(v Value) []Value {
	switch v := v.(type) {
	case *Struct:
		return v.Fields
	case *List:
		return v.Elems
	}
	return nil
}

// typeOfParts gives the type of a struct or an array, or nil if the type is not known.
func typeOfParts(v Value) types.Type {
	switch v := v.(type) {
	case *Struct:
		return v.Type
	case *List:
		return v.Type
	}
	return nil
}

// compound gives a value of the same kind as old with other parts.
func compound(old Value, parts []Value) Value {
	if s, ok := old.(*Struct); ok {
		return &Struct{s.Type, parts}
	}
	return &List{old.(*List).Type, parts}
}

// differ calls f for each part in which two values of one variable differ.
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

// alike reports whether two values of one variable have parts of the same types. A variable of an
// interface type may hold different structs and arrays.
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

// typeAt gives the type of a part, or nil if the type of the whole is not known.
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

// typ gives the type of a place, or nil if it is not known. Below an interface the type of the
// value that it holds counts.
func (p *Place) typ() types.Type {
	// Type and value are followed together, since an interface has its type in the value.
	t, v := p.Cell.Type, p.Cell.V
	for n, i := range p.Path {
		if t == nil || !types.IsInterface(t) {
			t = typeAt(t, p.Path[n:n+1])
		} else if t = typeOfParts(v); t != nil {
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

// String gives the place in Go's syntax.
func (p *Place) String() string { return p.text(false) }

// written gives the place as far as the user can name it. It stops at a field that only the package
// of the field's type can name.
func (p *Place) written() string { return p.text(true) }

// text gives the place in Go's syntax, up to an unexported field of the language if named is set.
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

// FieldPlace gives the place of a field of a struct. The path may lead through embedded structs and
// embedded pointers.
func (em *Emitter) FieldPlace(pos token.Pos, p *Place, t types.Type, path []int) *Place {
	for n, i := range path {
		if ptr, ok := t.Underlying().(*types.Pointer); ok {
			t = ptr.Elem()
			if n > 0 {
				p = em.Deref(pos, p.Get())
			}
		}
		// An embedded pointer leads to another variable.
		if q, ok := p.Get().(*Place); ok {
			p = q
		}
		st, ok := t.Underlying().(*types.Struct)
		em.Must(ok, pos, "this has no fields in a kernel")
		p, t = p.Part(i), st.Field(i).Type()
	}
	return p
}

// Deref gives the place that a pointer points to, and refuses nil.
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

// Load reads a place. It ends the statement if a mistake left the place undefined.
func (em *Emitter) Load(p *Place) Value {
	em.ReadPart(p)
	v := p.Get()
	if Poisoned(v) {
		panic(Bailout{})
	}
	return v
}

// Fresh makes a variable without a name, to which a pointer or slice leads.
func (em *Emitter) Fresh(t types.Type, v Value) *Place {
	c := em.NewCell("", t, v)
	c.Shared = true
	return &Place{Cell: c}
}
