package conv

import (
	"slices"

	"github.com/cutile-go/cutile/internal/graph/ir"
)

// places are those along the last axis of a window that see one phase of the array: n from the first one on, by a step.
type places struct{ phase, first, n, step int }

// counts gives the numbers of places along each axis.
func (p places) counts(w windows) []int {
	n := make([]int, len(w))
	for i, a := range w {
		n[i] = a.size
	}
	if len(w) > 0 {
		n[len(w)-1] = p.n
	}
	return n
}

// maxPhases limits the phases of an array: where windows lie further apart, few have elements in common.
const maxPhases = 4

// phased reports whether the last axis has phases.
func (w windows) phased() bool {
	return len(w) > 0 && w[len(w)-1].stride > 1 && w[len(w)-1].stride <= maxPhases
}

// parts lists the places by the phase that they see. An array without phases is one.
func (w windows) parts() (all []places) {
	if len(w) == 0 {
		return []places{{n: 1, step: 1}}
	}
	a := w[len(w)-1]
	if !w.phased() {
		return []places{{0, 0, a.size, 1}}
	}
	step := a.stride / gcd(a.stride, a.dilation)
	for first := range min(step, a.size) {
		all = append(all, places{first * a.dilation % a.stride, first, (a.size - first + step - 1) / step, step})
	}
	return all
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// phases copies an array so that along the last axis, if that has a stride s, the elements 0, s, 2s, … lie next to each other, then 1,
// s+1, … The phases are a further axis, before the spatial ones.
func (v *view) phases(x *ir.Node) *ir.Node {
	if !v.phased() || v.err != nil {
		return x
	}
	n := len(v.windows)
	last := v.windows[n-1]
	high := make([]int, n)
	high[n-1] = (last.stride - last.extent%last.stride) % last.stride
	x = v.pad(x, make([]int, n), high, nil, 0)
	if v.err != nil {
		return nothing
	}
	r := x.Rank()
	x = v.reshape(x, append(slices.Clone(x.Shape[:r-1]), x.Shape[r-1]/last.stride, last.stride)...)
	order := make([]int, 0, r+1)
	for i := range r {
		order = append(order, i)
	}
	return v.copy(v.transpose(x, slices.Insert(order, v.first, r)...))
}

// part gives a part of the windows of an array that phases has copied. The axes are those before the spatial ones, the positions of
// windows, and the places.
func (v *view) part(x *ir.Node, p places) *ir.Node {
	if v.phased() {
		x = v.at(x, v.first, p.phase)
	}
	for i, a := range v.windows {
		first, size, stride, dilation := 0, a.size, a.stride, a.dilation
		if i == len(v.windows)-1 && v.phased() {
			first, size, stride, dilation = p.first*a.dilation/a.stride, p.n, 1, p.step*a.dilation/a.stride
		}
		x = v.from(x, v.first+i, first, (a.count-1)*stride+(size-1)*dilation+1, 1)
		x = v.window(x, v.first+i, size, stride, dilation)
	}
	return x
}

// windowed is part for all places of an array without phases.
func (v *view) windowed(x *ir.Node) *ir.Node {
	for i, a := range v.windows {
		x = v.from(x, v.first+i, 0, (a.count-1)*a.stride+(a.size-1)*a.dilation+1, 1)
		x = v.window(x, v.first+i, a.size, a.stride, a.dilation)
	}
	return x
}

// at takes one position along an axis, which goes.
func (b *builder) at(x *ir.Node, axis, at int) *ir.Node {
	x = b.from(x, axis, at, 1, 1)
	if b.err != nil {
		return nothing
	}
	return b.reshape(x, slices.Delete(slices.Clone(x.Shape), axis, axis+1)...)
}
