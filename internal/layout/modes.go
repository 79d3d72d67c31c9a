package layout

import (
	"errors"
	"fmt"
)

// Flatten gives the leaves as the modes of a list; a layout of depth 0 stays one.
func Flatten(l Layout) Layout {
	if l.Depth() == 0 {
		return l
	}
	return Join(l.leafModes()...)
}

// Select gives the named modes, in that order.
func Select(l Layout, modes ...int) (Layout, error) {
	r := Join()
	for _, i := range modes {
		if i < 0 || i >= l.Rank() {
			return Layout{}, refuse("select", fmt.Errorf("there is no mode %d", i), l)
		}
		r = Join(append(r.Modes(), l.Modes()[i])...)
	}
	return r, nil
}

// Group makes the modes from begin up to end (not included) one mode.
func Group(l Layout, begin, end int) (Layout, error) {
	ms := l.Modes()
	if begin < 0 || begin > end || end > len(ms) {
		return Layout{}, refuse("group_modes", fmt.Errorf("there are no modes %d to %d", begin, end), l)
	}
	r := append([]Layout{}, ms[:begin]...)
	r = append(r, Join(ms[begin:end]...))
	return Join(append(r, ms[end:]...)...), nil
}

// Append adds a mode at the end.
func Append(l, mode Layout) Layout { return Join(append(l.Modes(), mode)...) }

// Prepend adds a mode in front.
func Prepend(l, mode Layout) Layout { return Join(append([]Layout{mode}, l.Modes()...)...) }

// padTo adds modes 1:0 up to a rank. A layout of depth 0 that is long enough stays as it is.
func padTo(l Layout, rank int) Layout {
	for l.Rank() < rank {
		l = Append(l, Layout{Leaf(N(1)), Leaf(N(0))})
	}
	return l
}

// CeilDiv divides shapes, rounding up. An integer b divides the product of a tuple; of two tuples the modes are
// divided, and what b lacks is left as it is.
func CeilDiv(a, b Tuple) (Tuple, error) {
	return shapeOp("ceil_div", a, b, func(x, y Tuple) (Tuple, error) { return Leaf(x.Product().CeilDiv(y.n)), nil })
}

// RoundUp rounds a shape up to multiples of b, mode by mode. An integer does not divide a tuple here.
func RoundUp(a, b Tuple) (Tuple, error) {
	return shapeOp("round_up", a, b, func(x, y Tuple) (Tuple, error) {
		if x.form == list {
			return Tuple{}, errors.New("a tuple is not rounded up to an integer")
		}
		return Leaf(x.n.RoundUp(y.n)), nil
	})
}

// ShapeDiv divides shapes exactly, mode by mode: of two static integers one must divide the other. The quotient of
// unknown integers is rounded up.
func ShapeDiv(a, b Tuple) (Tuple, error) {
	if a.Rank() != b.Rank() {
		return Tuple{}, refuse("shape_div", errors.New("the ranks differ"), a, b)
	}
	return shapeOp("shape_div", a, b, func(x, y Tuple) (Tuple, error) {
		switch {
		case x.form == list:
			return Tuple{}, errors.New("a tuple is not divided by an integer")
		case y.is(0):
			return Tuple{}, ErrZero
		case x.n.isStatic() && y.n.isStatic() && x.n.n%y.n.n != 0 && (x.n.n == 0 || y.n.n%x.n.n != 0):
			return Tuple{}, fmt.Errorf("neither %v nor %v divides the other", x, y)
		}
		return Leaf(x.n.CeilDiv(y.n)), nil
	})
}

// shapeOp pairs the modes of two shapes until b is a leaf.
func shapeOp(op string, a, b Tuple, f func(x, y Tuple) (Tuple, error)) (Tuple, error) {
	var walk func(x, y Tuple) (Tuple, error)
	walk = func(x, y Tuple) (Tuple, error) {
		if x.hasAll() || y.hasAll() {
			return Tuple{}, errors.New("a shape must hold only integers")
		}
		if y.form != list {
			return f(x, y)
		}
		if x.form != list || len(x.list) < len(y.list) {
			return Tuple{}, errors.New("the divisor has more modes")
		}
		r := T(append([]Tuple{}, x.list...)...)
		for i := range y.list {
			q, err := walk(x.list[i], y.list[i])
			if err != nil {
				return Tuple{}, err
			}
			r.list[i] = q
		}
		return r, nil
	}
	r, err := walk(a, b)
	if err == nil {
		err = arithmetic(r)
	}
	if err != nil {
		return Tuple{}, refuse(op, err, a, b)
	}
	return r, nil
}
