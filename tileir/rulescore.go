package tileir

import (
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/internal/names"
)

func checkBroadcast(c *checker, o *Op) {
	from, to := tileOf(o, "source").Shape, resultTile(o).Shape
	for i := range from {
		if from[i] != 1 && from[i] != to[i] {
			c.fail("dimension %d: cannot stretch extent %d to %d", i, from[i], to[i])
		}
	}
}

func checkCat(c *checker, o *Op) {
	a, b, r := tileOf(o, "lhs").Shape, tileOf(o, "rhs").Shape, resultTile(o).Shape
	dim := o.Int("dim")
	if dim < 0 || dim >= int64(len(a)) {
		c.fail("attribute dim: %d is not in 0..%d", dim, len(a)-1)
		return
	}
	for i := range a {
		switch {
		case int64(i) == dim && r[i] != a[i]+b[i]:
			c.fail("result: expected extent %d in dimension %d, but found %d", a[i]+b[i], i, r[i])
		case int64(i) != dim && (a[i] != b[i] || a[i] != r[i]):
			c.fail("dimension %d: expected equal extents, but found %d, %d and %d", i, a[i], b[i], r[i])
		}
	}
}

func checkConstant(c *checker, o *Op) {
	v, t := o.Attr("value").(*Constant), resultTile(o)
	if v.Type == nil || !Identical(v.Type, t) {
		c.fail("attribute value: expected the type of the result, %v, but found %v", t, v.Type)
	} else if !v.Fits() {
		c.fail("attribute value: %s", misfit(v))
	}
}

// misfit says what length the data of a constant should have.
func misfit(v *Constant) string {
	if v.Type.Pointer || v.Type.Elem == I4 {
		return "there are no constants of " + v.Type.String()
	}
	one, all := elemSize(v.Type.Elem), v.Type.Size()*elemSize(v.Type.Elem)
	if v.Type.Elem == I1 {
		all = (v.Type.Size() + 7) / 8
	}
	if all == one {
		return fmt.Sprintf("%v takes %d bytes, but found %d", v.Type, all, len(v.Data))
	}
	return fmt.Sprintf("%v takes %d bytes, or %d for one element that fills it, but found %d", v.Type, all, one, len(v.Data))
}

// checkBlocks checks that a tile is divided evenly and each dimension has an index.
func (c *checker) checkBlocks(o *Op, whole, part *TileType) {
	if !sameElem(whole, part) || whole.Rank() != part.Rank() {
		c.fail("expected equal ranks and element types, but found %v and %v", whole, part)
		return
	}
	for i, d := range whole.Shape {
		if part.Shape[i] > d || d%part.Shape[i] != 0 {
			c.fail("dimension %d: extent %d is not a multiple of %d", i, d, part.Shape[i])
		}
	}
	if n := len(o.Named("indices")); n != whole.Rank() {
		c.fail("operand indices: expected %d values, but found %d", whole.Rank(), n)
	}
}

func checkExtract(c *checker, o *Op) { c.checkBlocks(o, tileOf(o, "source"), resultTile(o)) }

func checkInsert(c *checker, o *Op) { c.checkBlocks(o, resultTile(o), tileOf(o, "source")) }

func checkIota(c *checker, o *Op) {
	t := resultTile(o)
	if t.Rank() != 1 {
		c.fail("result: expected rank 1, but found %v", t)
	} else if b := t.Elem.Bits(); b < 62 && t.Shape[0] > 1<<b {
		c.fail("result: %v cannot count to %d", t.Elem, t.Shape[0])
	}
}

func checkPermute(c *checker, o *Op) {
	from, to := tileOf(o, "source").Shape, resultTile(o).Shape
	p := o.Attr("permutation").(Ints)
	sorted := slices.Sorted(slices.Values(p))
	for i, d := range sorted {
		if d != i {
			sorted = nil
			break
		}
	}
	if len(from) < 2 || len(sorted) != len(from) {
		c.fail("attribute permutation: expected a permutation of 0..%d and rank 2 or more, but found %v", len(from)-1, []int(p))
		return
	}
	for i, d := range p {
		if to[i] != from[d] {
			c.fail("result: expected extent %d in dimension %d, but found %d", from[d], i, to[i])
		}
	}
}

func checkReshape(c *checker, o *Op) {
	if a, b := tileOf(o, "source"), resultTile(o); a.Size() != b.Size() {
		c.fail("result: expected %d elements, but %v has %d", a.Size(), b, b.Size())
	}
}

func checkSelect(c *checker, o *Op) {
	if t := resultTile(o); t.Elem == F4E2M1FN && !t.Pointer {
		c.fail("result: there is no selection among elements of %v", t.Elem)
	}
}

// packedBits is the width that an element has in packed bytes.
func packedBits(e Elem) int {
	if e == TF32 {
		return 32
	}
	return e.Bits()
}

func checkPack(c *checker, o *Op) {
	a, b := tileOf(o, "source"), resultTile(o)
	if a.Rank() != 1 || b.Rank() != 1 {
		c.fail("expected tiles of rank 1, but found %v and %v", a, b)
		return
	}
	if a.Elem.Bits() == b.Elem.Bits() {
		c.fail("expected elements of different widths, but found %v and %v", a.Elem, b.Elem)
	}
	if x, y := a.Size()*packedBits(a.Elem), b.Size()*packedBits(b.Elem); x != y || x%8 != 0 {
		c.fail("expected equal numbers of whole bytes, but %v has %d bits and %v has %d", a, x, b, y)
	}
}

func checkGetGlobal(c *checker, o *Op) {
	name := string(o.Attr("name").(String))
	g := c.globals[name]
	if g == nil {
		c.fail("attribute name: there is no global %q", name)
		return
	}
	if t := resultTile(o); g.Value != nil && g.Value.Type != nil && t.Elem != g.Value.Type.Elem {
		c.fail("result: global %s has elements of %v, but found %v", names.Symbol(name), g.Value.Type.Elem, t)
	}
}

// checkPrint compares the conversions of the format with the values.
func checkPrint(c *checker, o *Op) {
	f := string(o.Attr("str").(String))
	n := 0
	for i := 0; i < len(f); i++ {
		if f[i] != '%' {
			continue
		}
		if i+1 < len(f) && f[i+1] == '%' {
			i++
			continue
		}
		n++
		for i++; i < len(f) && slices.Contains([]byte("0123456789.-+ #*hlLqjzt"), f[i]); i++ {
		}
		if i == len(f) || !slices.Contains([]byte("diuoxXeEfFgGaAcsSpn"), f[i]) {
			c.fail("attribute str: conversion %d of %q has no known letter", n, f)
			return
		}
	}
	if args := len(o.Named("args")); args != n {
		c.fail("attribute str: %q has %d conversions, but there are %d values", f, n, args)
	}
}

// checkAssume checks a predicate against the value that it speaks of.
func checkAssume(c *checker, o *Op) {
	t, isTile := o.Operands[0].Type.(*TileType)
	_, isTensor := o.Operands[0].Type.(*TensorViewType)
	whole := isTile && (t.Pointer || t.Elem.IsInt())
	switch p := o.Attr("predicate").(type) {
	case DivBy:
		c.divBy(p, t, whole, isTensor)
	case SameElements:
		if !whole || len(p) != t.Rank() {
			c.fail("attribute predicate: same_elements with %d runs does not fit %v: expected a tile of integers or pointers of that rank",
				len(p), o.Operands[0].Type)
			return
		}
		for i, n := range p {
			if n < 0 || n > int64(t.Shape[i]) {
				c.fail("attribute predicate: a run of %d in dimension %d of %v", n, i, t)
			}
		}
	case Bounded:
		if !isTile || t.Pointer || !t.Elem.IsInt() {
			c.fail("attribute predicate: bounded needs a tile of integers, but found %v", o.Operands[0].Type)
			return
		}
		c.bounded(p, t.Elem)
	}
}

func (c *checker) divBy(p DivBy, t *TileType, whole, isTensor bool) {
	switch {
	case p.Divisor == 0 || p.Divisor&(p.Divisor-1) != 0 || p.Divisor > 1<<62:
		c.fail("attribute predicate: divisor %d is not a power of two up to 2^62", p.Divisor)
	case (p.Every == nil) != (p.Along == nil):
		c.fail("attribute predicate: every and along belong together")
	case !whole && !isTensor:
		c.fail("attribute predicate: div_by needs a tile of integers or pointers, or a tensor view")
	case p.Every == nil:
	case isTensor || t.Rank() == 0:
		c.fail("attribute predicate: every needs a tile with dimensions")
	case *p.Along < 0 || *p.Along >= int64(t.Rank()):
		c.fail("attribute predicate: along %d is not in 0..%d", *p.Along, t.Rank()-1)
	case *p.Every < 0 || *p.Every > int64(t.Shape[*p.Along]):
		c.fail("attribute predicate: every %d is not in 0..%d", *p.Every, t.Shape[*p.Along])
	}
}

func (c *checker) bounded(p Bounded, e Elem) {
	limit := int64(1)<<(e.Bits()-1) - 1
	for _, b := range []*int64{p.Lower, p.Upper} {
		if b != nil && (*b > limit || *b < -limit-1) {
			c.fail("attribute predicate: bound %d does not fit a signed %v", *b, e)
		}
	}
	if p.Lower != nil && p.Upper != nil && *p.Lower > *p.Upper {
		c.fail("attribute predicate: the lower bound %d is above the upper bound %d", *p.Lower, *p.Upper)
	}
}
