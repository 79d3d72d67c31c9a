package conv

import (
	"slices"

	"github.com/cutile-go/cutile/internal/graph/ir"
)

// axis tells the windows along a spatial axis.
type axis struct {
	extent         int // of the padded array
	size, dilation int
	stride         int
	count          int // of windows
}

// windows are those along the spatial axes of an array.
type windows []axis

// counts gives the numbers of windows.
func (w windows) counts() []int {
	n := make([]int, len(w))
	for i, a := range w {
		n[i] = a.count
	}
	return n
}

// next reports whether windows start next to each other.
func (w windows) next() bool {
	return !slices.ContainsFunc(w, func(a axis) bool { return a.stride > 1 })
}

// sizes gives the numbers of elements of a window.
func (w windows) sizes() []int {
	n := make([]int, len(w))
	for i, a := range w {
		n[i] = a.size
	}
	return n
}

// pitch is the distance of neighbours along an axis, in the line that an array is; for -1 that of arrays.
func (w windows) pitch(i int) int {
	n := 1
	for _, a := range w[i+1:] {
		n *= a.extent
	}
	return n
}

// view is an array with windows along its axes from the first spatial one on.
type view struct {
	builder
	windows
	first int
	fill  *ir.Node // what lies around the array
}

// open pads an array along its spatial axes, and by so many elements behind the last axis, and takes every element of it at which a window
// of one element lies.
func (v *view) open(x *ir.Node, more int, o Options) *ir.Node {
	x = v.pad(x, o.Low, o.High, o.BaseDilation, more)
	if v.err != nil {
		return nothing
	}
	cut := 0
	for i, n := range o.Size {
		d := x.Shape[v.first+i]
		a := axis{extent: d, size: n, dilation: o.Dilation[i], stride: o.Stride[i]}
		if reach := (a.size-1)*a.dilation + 1; d >= reach {
			a.count = (d-reach)/a.stride + 1
		}
		if a.size == 1 && a.stride > 1 && a.count > 0 {
			x = v.from(x, v.first+i, 0, a.count, a.stride)
			a.extent, a.stride = a.count, 1
			cut++
		}
		v.windows = append(v.windows, a)
	}
	if cut > 1 {
		return v.copy(x) // its positions are to be at one distance
	}
	return x
}

// pad pads the spatial axes, and by more elements behind the last axis, if there are axes behind those. apart is nil or the distance of
// elements along each.
func (v *view) pad(x *ir.Node, low, high, apart []int, more int) *ir.Node {
	if v.err != nil {
		return nothing
	}
	before, behind := make([]int, v.first), make([]int, x.Rank()-v.first-len(low))
	interior := make([]int, x.Rank())
	for i, d := range apart {
		interior[v.first+i] = d - 1
	}
	low, high = slices.Clone(low), slices.Clone(high)
	for i := range low { // windows of an array that more is taken from than it has: there are none
		if d := x.Shape[v.first+i]; low[i]+high[i]+d+max(0, d-1)*interior[v.first+i] < 0 {
			low[i], high[i] = 0, -(d + max(0, d-1)*interior[v.first+i])
		}
	}
	low, high = slices.Concat(before, low, behind), slices.Concat(before, high, behind)
	if more > 0 {
		high[len(high)-1] = more
	}
	return v.padded(x, low, high, interior)
}

// padded pads all axes with what lies around the array.
func (v *view) padded(x *ir.Node, low, high, interior []int) *ir.Node {
	return v.do(func() (*ir.Node, error) { return v.g.Pad(x, v.fill, low, high, interior, ir.PadConstant) })
}
