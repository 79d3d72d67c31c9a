package emit

import (
	"go/constant"
	"go/types"

	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/layout"
)

// MapLeaves replaces the numbers and truth values inside a value, in order. References and texts
// are not leaves, since they are always static.
func (em *Emitter) MapLeaves(v Value, f func(leaf Value) Value) Value {
	switch v := v.(type) {
	case *Num, nonFinite:
		return f(v)
	case constant.Value:
		if v.Kind() == constant.String {
			return v
		}
		return f(v)
	case *Struct:
		return &Struct{v.Type, em.mapAll(v.Fields, f)}
	case *Array:
		return &Array{em.mapAll(v.Elems, f)}
	case Tuple:
		return Tuple(em.mapAll(v, f))
	case *Iface:
		return &Iface{v.Type, em.MapLeaves(v.V, f)}
	case Shape:
		return Shape{v.MapInts(em.IntLeaf(f))}
	case *Layout:
		return em.mapLayout(v, f)
	case Mapper:
		return v.MapLeaves(em, f)
	}
	return v
}

// Mapper is a value with leaves, which [Emitter.MapLeaves] asks to replace them.
type Mapper interface {
	MapLeaves(em *Emitter, f func(Value) Value) Value
}

// mapAll replaces the leaves of each value of a list.
func (em *Emitter) mapAll(vs []Value, f func(Value) Value) []Value {
	out := make([]Value, len(vs))
	for i, v := range vs {
		out[i] = em.MapLeaves(v, f)
	}
	return out
}

// mapLayout replaces the leaves of a layout.
func (em *Emitter) mapLayout(v *Layout, f func(Value) Value) *Layout {
	g := em.IntLeaf(f)
	r := &Layout{Layout: v.MapInts(g)}
	if v.Composed != nil {
		c := layout.Composed{Swizzle: v.Composed.Swizzle, Offset: g(v.Composed.Offset), Layout: r.Layout}
		r.Composed = &c
	}
	return r
}

// IntLeaf gives a function of leaves as one of integers of the layout algebra.
func (em *Emitter) IntLeaf(f func(Value) Value) func(layout.Int) layout.Int {
	return func(n layout.Int) layout.Int {
		// An integer that f leaves alone stays the same one, since the algebra may know more of it
		// than its number does.
		old := em.OfInt(n)
		now := f(old)
		if now == old {
			return n
		}
		return em.ToInt(now)
	}
}

// leaves lists the numbers and truth values inside a value.
func (em *Emitter) leaves(v Value) (out []Value) {
	em.MapLeaves(v, func(leaf Value) Value {
		out = append(out, leaf)
		return leaf
	})
	return out
}

// withLeaves replaces the leaves of a value by those of a list.
func (em *Emitter) withLeaves(v Value, leaves []Value) Value {
	i := 0
	return em.MapLeaves(v, func(Value) Value {
		i++
		return leaves[i-1]
	})
}

// sameLeaf reports whether two leaves are the same constant or the same register.
func sameLeaf(a, b Value) bool {
	switch a := a.(type) {
	case *Num:
		b, ok := b.(*Num)
		return ok && a.Reg == b.Reg && a.fn == b.fn
	case constant.Value, nonFinite:
		return goval.Same(a, b)
	}
	return a == b
}

// SameForm reports whether two values differ in their numbers only. Code that may or may not run
// can change the numbers of a variable, which become registers, but not the form of its value.
func (em *Emitter) SameForm(a, b Value) bool {
	switch a := a.(type) {
	case *Num, nonFinite:
		return isNumber(b)
	case constant.Value:
		if c, ok := b.(constant.Value); ok && (a.Kind() == constant.String || c.Kind() == constant.String) {
			return sameLeaf(a, b)
		}
		return isNumber(b)
	case *Struct:
		b, ok := b.(*Struct)
		return ok && em.sameForms(a.Fields, b.Fields)
	case *Array:
		b, ok := b.(*Array)
		return ok && em.sameForms(a.Elems, b.Elems)
	case *Iface:
		b, ok := b.(*Iface)
		return ok && types.Identical(a.Type, b.Type) && em.SameForm(a.V, b.V)
	// References are static: both must lead to the same variable.
	case *Pointer:
		b, ok := b.(*Pointer)
		return ok && samePlace(a, b)
	case *Slice:
		b, ok := b.(*Slice)
		return ok && a.From == b.From && a.To == b.To && (a.Array == b.Array || samePlace(a.Array, b.Array))
	case Shape:
		b, ok := b.(Shape)
		return ok && a.Congruent(b.Tuple)
	case *Layout:
		b, ok := b.(*Layout)
		return ok && a.Shape().Congruent(b.Shape()) && (a.Composed == nil) == (b.Composed == nil) && (a.Composed == nil || a.Composed.Swizzle == b.Composed.Swizzle)
	case Former:
		return a.SameForm(em, b)
	}
	return a == b
}

// Former is a value with leaves, which [Emitter.SameForm] asks to compare the rest.
type Former interface {
	SameForm(em *Emitter, b Value) bool
}

// sameForms reports whether the values of two lists have the same forms.
func (em *Emitter) sameForms(a, b []Value) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !em.SameForm(a[i], b[i]) {
			return false
		}
	}
	return true
}

// samePlace reports whether two pointers point to the same part of the same variable.
func samePlace(a, b *Pointer) bool {
	if a == nil || b == nil || a.Cell != b.Cell || len(a.Path) != len(b.Path) {
		return a == b
	}
	for i := range a.Path {
		if a.Path[i] != b.Path[i] {
			return false
		}
	}
	return true
}

// isNumber reports whether a value is a number or a truth value.
func isNumber(v Value) bool {
	switch v := v.(type) {
	case *Num, nonFinite:
		return true
	case constant.Value:
		return v.Kind() != constant.String
	}
	return false
}
