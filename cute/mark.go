package cute

import (
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/internal/device/strided"
	"github.com/cutile-go/cutile/internal/layout"
)

// Mark tells which parts of a tensor's layout are static; see [Of].
type Mark func(p *plan) error

// plan says which leaves of a layout are symbolic, and what is known about them.
type plan struct {
	view   strided.View
	align  int
	shape  []layout.Int
	stride []layout.Int

	compacted bool // a CompactDynamic was applied
}

// extents are those of the view; a view of rank 0 has one mode.
func (p *plan) extents() []int {
	if len(p.view.Shape) == 0 {
		return []int{1}
	}
	return p.view.Shape
}

func (p *plan) strides() []int {
	if len(p.view.Shape) == 0 {
		return []int{1}
	}
	return p.view.Strides
}

// leading is the last mode with stride 1: -1 for none.
func (p *plan) leading() int {
	s := p.strides()
	for i := range slices.Backward(s) {
		if s[i] == 1 {
			return i
		}
	}
	return -1
}

// symbol is an integer that may change between calls.
func (p *plan) symbol(div int) layout.Int { return layout.Sym(div, !p.fits32(), nil) }

// dynamic makes everything symbolic but the stride of the leading mode, and strides of 0.
func (p *plan) dynamic(leading int) {
	p.shape, p.stride = nil, nil
	for i := range p.extents() {
		p.shape = append(p.shape, p.symbol(1))
		s := p.symbol(1)
		if i == leading || p.strides()[i] == 0 {
			s = layout.N(p.strides()[i])
		}
		p.stride = append(p.stride, s)
	}
}

// static makes everything static.
func (p *plan) static() {
	p.shape, p.stride = nil, nil
	for i, n := range p.extents() {
		p.shape, p.stride = append(p.shape, layout.N(n)), append(p.stride, layout.N(p.strides()[i]))
	}
}

// layout is the layout, and the values of its symbolic leaves.
func (p *plan) layout() (l layout.Layout, values []uint64, err error) {
	var shape, stride []layout.Tuple
	for i, n := range p.shape {
		shape, stride = append(shape, layout.Leaf(n)), append(stride, layout.Leaf(p.stride[i]))
	}
	for _, part := range []struct {
		leaves []layout.Int
		actual []int
	}{{p.shape, p.extents()}, {p.stride, p.strides()}} {
		for i, n := range part.leaves {
			if _, ok := n.Static(); !ok {
				values = append(values, uint64(part.actual[i]))
			}
		}
	}
	l, err = layout.New(layout.T(shape...), layout.T(stride...))
	return l, values, err
}

// Static makes every extent and stride of the tensor part of the program. A static extent is at least 1, because divisions of
// layouts refuse 0: leave extents that may be 0 dynamic.
func Static() Mark {
	return func(p *plan) error {
		p.static()
		return nil
	}
}

// Dynamic makes every extent and stride dynamic except the stride of the leading mode, which must be 1.
func Dynamic(leading int) Mark {
	return func(p *plan) error {
		if leading < 0 || leading >= len(p.strides()) || p.strides()[leading] != 1 {
			return fmt.Errorf("cute: Dynamic(%d): the tensor with shape %v and strides %v has no mode %[1]d of stride 1", leading, p.view.Shape, p.view.Strides)
		}
		p.dynamic(leading)
		return nil
	}
}

// CompactDynamic makes the extent of one mode dynamic, as a multiple of a number, with the strides that depend on it. order
// lists the modes from the slowest to the fastest; by default it is the order of the tensor's axes. The tensor must have no
// gaps in that order. Several marks make several modes dynamic; all others are static. Extents that may be 0 must be dynamic;
// see [Static].
func CompactDynamic(mode int, order []int, divisibility int) Mark {
	return func(p *plan) error {
		extents, strides := p.extents(), p.strides()
		if mode < 0 || mode >= len(extents) {
			return fmt.Errorf("cute: CompactDynamic: shape %v has no mode %d", extents, mode)
		}
		if order == nil {
			for i := range extents {
				order = append(order, i)
			}
		}
		if sorted := slices.Sorted(slices.Values(order)); len(sorted) != len(extents) || sorted[0] != 0 || sorted[len(sorted)-1] != len(sorted)-1 ||
			len(slices.Compact(sorted)) != len(extents) {
			return fmt.Errorf("cute: CompactDynamic: order %v does not name each mode of shape %v once", order, extents)
		}
		if divisibility < 1 || extents[mode]%divisibility != 0 {
			return fmt.Errorf("cute: CompactDynamic: extent %d of mode %d is not a multiple of %d", extents[mode], mode, divisibility)
		}
		if !p.compacted {
			p.static()
			p.compacted = true
		}
		p.shape[mode] = p.symbol(divisibility)
		step, actual := layout.N(1), 1
		for _, m := range slices.Backward(order) {
			if strides[m] != actual && extents[m] != 1 && p.view.Len() > 0 {
				return fmt.Errorf("cute: CompactDynamic: strides %v of shape %v have gaps in the order %v", strides, extents, order)
			}
			p.stride[m] = p.like(step, strides[m])
			step, actual = step.Mul(p.shape[m]), actual*extents[m]
		}
		return nil
	}
}

// like is a leaf for a stride: static where the step is, else a symbol with its divisor.
func (p *plan) like(step layout.Int, actual int) layout.Int {
	if _, ok := step.Static(); ok {
		return layout.N(actual)
	}
	return p.symbol(step.Div())
}

// Align promises that the tensor's address is a multiple of a number of bytes, a power of two. Without it the actual alignment
// is used, up to 16.
func Align(bytes int) Mark {
	return func(p *plan) error {
		if bytes < 1 || bytes&(bytes-1) != 0 {
			return fmt.Errorf("cute: Align(%d): the number must be a power of two", bytes)
		}
		p.align = bytes
		return nil
	}
}
