// Package window computes where windows lie that kernels move over the spatial axes of tensors [batch, channels, spatial …].
package window

import (
	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/shape"
)

// Limit is the greatest sum of extents and padding: kernels compute rows and columns in 32 bits.
const Limit = 1 << 29

// Axis is a spatial axis: its elements, those of a window and the places of windows, the distance between places and between neighbours
// in a window, and the padding before and behind the elements.
type Axis struct{ Size, Window, Places, Stride, Dilation, Low, High int }

// Single is an axis of one element.
var Single = Axis{Size: 1, Window: 1, Places: 1, Stride: 1, Dilation: 1}

// Covered is how many elements a window reaches over.
func (a Axis) Covered() int { return (a.Window-1)*a.Dilation + 1 }

// Options are numbers for each spatial axis. Nil stands for strides and dilations of 1, and for no padding.
type Options struct{ Stride, Dilation, Low, High []int }

// Axes gives one axis or two, with their places.
func (o Options) Axes(function string, size, window []int) ([]Axis, error) {
	if len(size) < 1 || len(size) > 2 || len(window) != len(size) {
		return nil, shape.Wrong(function, "the input has %d spatial axes and the window %d, expected one or two of both", len(size), len(window))
	}
	out := make([]Axis, len(size))
	for i := range out {
		out[i] = Axis{Size: size[i], Window: window[i], Stride: 1, Dilation: 1}
	}
	for _, l := range []struct {
		name  string
		list  []int
		least int
		to    func(*Axis) *int
	}{
		{"Stride", o.Stride, 1, func(a *Axis) *int { return &a.Stride }}, {"Dilation", o.Dilation, 1, func(a *Axis) *int { return &a.Dilation }},
		{"Low", o.Low, 0, func(a *Axis) *int { return &a.Low }}, {"High", o.High, 0, func(a *Axis) *int { return &a.High }},
	} {
		if l.list == nil {
			continue
		}
		if len(l.list) != len(out) {
			return nil, shape.Wrong(function, "%s has %d numbers, expected one for each of %d spatial axes", l.name, len(l.list), len(out))
		}
		for i, n := range l.list {
			if n < l.least || n > Limit {
				return nil, shape.Wrong(function, "%s is %d along spatial axis %d, expected %d to %d", l.name, n, i, l.least, Limit)
			}
			*l.to(&out[i]) = n
		}
	}
	for i := range out {
		if err := out[i].place(function, i); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// place computes the number of places of the windows along an axis.
func (a *Axis) place(function string, i int) error {
	room := a.Size + a.Low + a.High
	switch {
	case a.Window < 1:
		return shape.Wrong(function, "the window has %d elements along spatial axis %d, expected at least 1", a.Window, i)
	case a.Size > Limit || room > Limit || a.Window > Limit || a.Window-1 > (Limit-1)/a.Dilation:
		return shape.Wrong(function, "spatial axis %d has %d elements, %d and %d of padding, and windows of %d elements %d apart: expected no reach above %d",
			i, a.Size, a.Low, a.High, a.Window, a.Dilation, Limit)
	case a.Covered() > room:
		return shape.Wrong(function, "windows reach over %d elements along spatial axis %d, expected at most %d, of which %d are padding",
			a.Covered(), i, room, a.Low+a.High)
	}
	a.Places = (room-a.Covered())/a.Stride + 1
	return nil
}

// Check checks that the spatial axes of a result, which follow two others, have a number for each place.
func Check(function, name string, result []int, axes []Axis) error {
	for i, a := range axes {
		if got := result[2+i]; got != a.Places {
			return shape.Wrong(function, "%s has shape %v: axis %d is %d, expected %d, for windows over %d of %d elements and %d and %d of padding, %d apart",
				name, result, 2+i, got, a.Places, a.Covered(), a.Size, a.Low, a.High, a.Stride)
		}
	}
	return nil
}

// Two gives two axes: one in front that is made up, unless there are two.
func Two(axes []Axis) (y, x Axis) {
	if len(axes) == 2 {
		return axes[0], axes[1]
	}
	return Single, axes[0]
}

// Planar gives a tensor [batch, channels, spatial …] two spatial axes.
func Planar[E dtype.Elem](t *cutile.Tensor[E]) *cutile.Tensor[E] {
	if s := t.Shape(); len(s) == 3 {
		return t.Reshape(s[0], s[1], 1, s[2])
	}
	return t
}

// Reach is how far the last element of a tensor is from its first one, in memory.
func Reach[E dtype.Elem](t *cutile.Tensor[E]) int {
	sum := 0
	for i, n := range t.Shape() {
		sum += max(n-1, 0) * t.Strides()[i]
	}
	return sum
}
