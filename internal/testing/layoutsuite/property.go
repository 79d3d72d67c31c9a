package main

import (
	"fmt"

	"github.com/cutile-go/cutile/internal/layout"
)

// property is what the result of an operation must have.
type property struct {
	layouts int // operands
	holds   func(l []layout.Layout) error
}

// properties are those of the tests of the same name.
var properties = map[string]*property{
	"coalesce":        {1, coalesces},
	"composition":     {2, composes},
	"complement":      {1, func(l []layout.Layout) error { return complements(l, layout.Tuple{}) }},
	"left_inverse":    {1, leftInverts},
	"right_inverse":   {1, rightInverts},
	"logical_divide":  {2, divides},
	"logical_product": {2, multiplies},
}

// check reads the operands of a call and looks whether the property holds.
func check(name, args string, vars map[string]string) error {
	e := &expr{text: args + ")", vars: vars}
	all, _, err := e.list(")")
	if err != nil {
		return err
	}
	p := properties[name]
	if name == "complement" && len(all) == 2 && all[1].layout == nil {
		return complements([]layout.Layout{*all[0].layout}, all[1].tuple)
	}
	if len(all) != p.layouts {
		return unread(fmt.Sprintf("%d operands", len(all)))
	}
	var layouts []layout.Layout
	for _, v := range all {
		l := layout.Layout{}
		if v.layout != nil {
			l = *v.layout
		} else if l, err = layout.Compact(v.tuple); err != nil { // a tiler that is a shape
			return err
		} else if v.tuple.Rank() > 1 {
			return unread("a tiler by mode")
		}
		layouts = append(layouts, l)
	}
	return p.holds(layouts)
}

// at gives a layout's value at an integer coordinate.
func at(l layout.Layout, i int) (int, error) {
	n, err := l.At(layout.N(i))
	if err != nil {
		return 0, err
	}
	v, ok := n.Static()
	if !ok {
		return 0, fmt.Errorf("%s at %d is no number", l, i)
	}
	return v, nil
}

// each compares two functions of the coordinates from 0 to n.
func each(n layout.Int, f, g func(i int) (int, error)) error {
	size, ok := n.Static()
	if !ok || size > 1<<20 {
		return unread("the layout is too large")
	}
	for i := range size {
		x, err := f(i)
		if err != nil {
			return err
		}
		y, err := g(i)
		if err != nil {
			return err
		}
		if x != y {
			return fmt.Errorf("at %d: %d, expected %d", i, x, y)
		}
	}
	return nil
}

// of is a layout as a function.
func of(l layout.Layout) func(i int) (int, error) {
	return func(i int) (int, error) { return at(l, i) }
}

// after is one layout after another.
func after(a, b layout.Layout) func(i int) (int, error) {
	return func(i int) (int, error) {
		x, err := at(b, i)
		if err != nil {
			return 0, err
		}
		return at(a, x)
	}
}

func same(i int) (int, error) { return i, nil }

// coalesces wants the same function without nesting.
func coalesces(l []layout.Layout) error {
	r := layout.Coalesce(l[0])
	if r.Depth() > 1 {
		return fmt.Errorf("%s is nested", r)
	}
	if !r.Size().Equal(l[0].Size()) {
		return fmt.Errorf("%s has another size", r)
	}
	return each(l[0].Size(), of(r), of(l[0]))
}

// composes wants R(c) = A(B(c)).
func composes(l []layout.Layout) error {
	r, err := layout.Compose(l[0], l[1])
	if err != nil {
		return err
	}
	return each(r.Size(), of(r), after(l[0], l[1]))
}

// complements wants an image that has but 0 in common with that of the layout, in a target or in the layout's own range.
func complements(l []layout.Layout, target layout.Tuple) error {
	cosize, err := l[0].Cosize()
	if err != nil {
		return err
	}
	if target.Equal(layout.Tuple{}) {
		target = layout.Leaf(cosize)
	}
	r, err := layout.Complement(l[0], target)
	if err != nil {
		return err
	}
	both, err := layout.Join(l[0], r).Cosize()
	if err != nil {
		return err
	}
	whole, _ := both.Static()
	if size, _ := target.Product().Static(); whole < size {
		return fmt.Errorf("with %s the range is %d, expected at least %d", r, whole, size)
	}
	image := map[int]bool{}
	n, _ := l[0].Size().Static()
	for i := range n {
		x, err := at(l[0], i)
		if err != nil {
			return err
		}
		image[x] = true
	}
	last := -1
	return each(r.Size(), func(i int) (int, error) {
		x, err := at(r, i)
		if err == nil && (image[x] && x != 0 || x <= last) {
			err = fmt.Errorf("%s at %d is %d, which is not new", r, i, x)
		}
		last = x
		return 0, err
	}, func(int) (int, error) { return 0, nil })
}

// leftInverts wants L(R(L(i))) = L(i).
func leftInverts(l []layout.Layout) error {
	r, err := layout.LeftInverse(l[0])
	if err != nil {
		return err
	}
	back := after(l[0], r)
	return each(l[0].Size(), func(i int) (int, error) {
		x, err := at(l[0], i)
		if err != nil {
			return 0, err
		}
		return back(x)
	}, of(l[0]))
}

// rightInverts wants L(R(i)) = i.
func rightInverts(l []layout.Layout) error {
	r, err := layout.RightInverse(l[0])
	if err != nil {
		return err
	}
	return each(r.Size(), after(l[0], r), same)
}

// divides wants two modes of which the first is the tile: A after B.
func divides(l []layout.Layout) error {
	r, err := layout.LogicalDivide(l[0], l[1])
	if err != nil {
		return err
	}
	if r.Rank() != 2 {
		return fmt.Errorf("%s has %d modes, expected 2", r, r.Rank())
	}
	tile := r.Modes()[0]
	return each(tile.Size(), of(tile), after(l[0], l[1]))
}

// multiplies wants two modes of which the first is the block.
func multiplies(l []layout.Layout) error {
	r, err := layout.LogicalProduct(l[0], l[1])
	if err != nil {
		return err
	}
	if r.Rank() != 2 {
		return fmt.Errorf("%s has %d modes, expected 2", r, r.Rank())
	}
	if !r.Size().Equal(l[0].Size().Mul(l[1].Size())) {
		return fmt.Errorf("%s has another size than the product of both", r)
	}
	return each(l[0].Size(), of(r.Modes()[0]), of(l[0]))
}
