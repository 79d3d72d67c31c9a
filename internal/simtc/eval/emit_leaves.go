package eval

import (
	"go/constant"
	"go/types"

	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/layout"
)

// mapLeaves replaces the numbers and truth values inside a value, in order. References and texts are no leaves.
func (em *emitter) mapLeaves(v value, f func(leaf value) value) value {
	switch v := v.(type) {
	case *num, nonFinite:
		return f(v)
	case constant.Value:
		if v.Kind() == constant.String {
			return v
		}
		return f(v)
	case *structVal:
		return &structVal{v.typ, em.mapAll(v.fields, f)}
	case *arrayVal:
		return &arrayVal{em.mapAll(v.elems, f)}
	case tuple:
		return tuple(em.mapAll(v, f))
	case *iface:
		return &iface{v.typ, em.mapLeaves(v.v, f)}
	case shape:
		return shape{v.MapInts(em.intLeaf(f))}
	case *layoutVal:
		return em.mapLayout(v, f)
	case mapper:
		return v.mapLeaves(em, f)
	}
	return v
}

// mapper is a value with leaves.
type mapper interface {
	mapLeaves(em *emitter, f func(value) value) value
}

func (em *emitter) mapAll(vs []value, f func(value) value) []value {
	out := make([]value, len(vs))
	for i, v := range vs {
		out[i] = em.mapLeaves(v, f)
	}
	return out
}

func (em *emitter) mapLayout(v *layoutVal, f func(value) value) *layoutVal {
	g := em.intLeaf(f)
	r := &layoutVal{Layout: v.MapInts(g)}
	if v.comp != nil {
		c := layout.Composed{Swizzle: v.comp.Swizzle, Offset: g(v.comp.Offset), Layout: r.Layout}
		r.comp = &c
	}
	return r
}

// intLeaf applies a function of leaves to an integer of the layout algebra.
func (em *emitter) intLeaf(f func(value) value) func(layout.Int) layout.Int {
	return func(n layout.Int) layout.Int {
		old := em.ofInt(n)
		now := f(old)
		if now == old {
			return n
		}
		return em.toInt(now)
	}
}

// leaves lists the numbers inside a value.
func (em *emitter) leaves(v value) (out []value) {
	em.mapLeaves(v, func(leaf value) value {
		out = append(out, leaf)
		return leaf
	})
	return out
}

// withLeaves puts other numbers into a value.
func (em *emitter) withLeaves(v value, leaves []value) value {
	i := 0
	return em.mapLeaves(v, func(value) value {
		i++
		return leaves[i-1]
	})
}

// sameLeaf reports whether two leaves are the same constant or register.
func sameLeaf(a, b value) bool {
	switch a := a.(type) {
	case *num:
		b, ok := b.(*num)
		return ok && a.reg == b.reg && a.fn == b.fn
	case constant.Value, nonFinite:
		return goval.Same(a, b)
	}
	return a == b
}

// sameForm reports whether two values differ in their numbers alone.
func (em *emitter) sameForm(a, b value) bool {
	switch a := a.(type) {
	case *num, nonFinite:
		return isNumber(b)
	case constant.Value:
		if c, ok := b.(constant.Value); ok && (a.Kind() == constant.String || c.Kind() == constant.String) {
			return sameLeaf(a, b)
		}
		return isNumber(b)
	case *structVal:
		b, ok := b.(*structVal)
		return ok && em.sameForms(a.fields, b.fields)
	case *arrayVal:
		b, ok := b.(*arrayVal)
		return ok && em.sameForms(a.elems, b.elems)
	case *iface:
		b, ok := b.(*iface)
		return ok && types.Identical(a.typ, b.typ) && em.sameForm(a.v, b.v)
	case *pointer:
		b, ok := b.(*pointer)
		return ok && samePlace(a, b)
	case *sliceVal:
		b, ok := b.(*sliceVal)
		return ok && a.from == b.from && a.to == b.to && (a.arr == b.arr || samePlace(a.arr, b.arr))
	case shape:
		b, ok := b.(shape)
		return ok && a.Congruent(b.Tuple)
	case *layoutVal:
		b, ok := b.(*layoutVal)
		return ok && a.Shape().Congruent(b.Shape()) && (a.comp == nil) == (b.comp == nil) && (a.comp == nil || a.comp.Swizzle == b.comp.Swizzle)
	case former:
		return a.sameForm(em, b)
	}
	return a == b
}

// former is a value with leaves that knows what is not one.
type former interface {
	sameForm(em *emitter, b value) bool
}

func (em *emitter) sameForms(a, b []value) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !em.sameForm(a[i], b[i]) {
			return false
		}
	}
	return true
}

func samePlace(a, b *pointer) bool {
	if a == nil || b == nil || a.cell != b.cell || len(a.path) != len(b.path) {
		return a == b
	}
	for i := range a.path {
		if a.path[i] != b.path[i] {
			return false
		}
	}
	return true
}

func isNumber(v value) bool {
	switch v := v.(type) {
	case *num, nonFinite:
		return true
	case constant.Value:
		return v.Kind() != constant.String
	}
	return false
}
