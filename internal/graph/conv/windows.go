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

// pitch is the distance of neighbours along an axis, in the line that an array is.
func (w windows) pitch(i int) int {
	n := 1
	for _, a := range w[i+1:] {
		n *= a.extent
	}
	return n
}

// flat is how much of the line has results, among them those that are thrown away.
func (w windows) flat() int {
	return w[0].count * w.pitch(0)
}

// view is an array with windows along its axes from the first spatial one on.
type view struct {
	builder
	windows
	first int
	fill  *ir.Node // what lies around the array
}

// open pads an array, and takes every element of it at which a window of one element lies.
func (v *view) open(g *ir.Graph, x, fill *ir.Node, first int, o Options) (*ir.Node, error) {
	v.g, v.fill, v.first = g, fill, first
	x = v.pad(x, o.Low, o.High, o.BaseDilation)
	if v.err != nil {
		return nil, v.err
	}
	for i, d := range x.Shape[first:] {
		a := axis{extent: d, size: o.Size[i], dilation: o.Dilation[i], stride: o.Stride[i]}
		if reach := (a.size-1)*a.dilation + 1; d >= reach {
			a.count = (d-reach)/a.stride + 1
		}
		if a.size == 1 && a.stride > 1 && a.count > 0 {
			x = v.from(x, first+i, 0, a.count, a.stride)
			a.extent, a.stride = a.count, 1
		}
		v.windows = append(v.windows, a)
	}
	return x, v.err
}

// pad pads the spatial axes. apart is nil or the distance of elements along each.
func (v *view) pad(x *ir.Node, low, high, apart []int) *ir.Node {
	return v.do(func() (*ir.Node, error) {
		before := make([]int, v.first)
		interior := make([]int, x.Rank())
		for i, d := range apart {
			interior[v.first+i] = d - 1
		}
		low, high := slices.Clone(low), slices.Clone(high)
		for i := range low { // windows of an array that more is taken from than it has: there are none
			if d := x.Shape[v.first+i]; low[i]+high[i]+d+max(0, d-1)*interior[v.first+i] < 0 {
				low[i], high[i] = 0, -(d + max(0, d-1)*interior[v.first+i])
			}
		}
		return v.g.Pad(x, v.fill, slices.Concat(before, low), slices.Concat(before, high), interior, ir.PadConstant)
	})
}

// line joins the spatial axes, and views the line as windows: [windows.flat] of them or some more, so that tiles lie inside. The axes
// are those before the spatial ones, the positions of windows, and the places.
func (v *view) line(x *ir.Node) *ir.Node {
	const unit = 16
	n := len(v.windows)
	length := (v.flat() + unit - 1) / unit * unit
	reach := 0
	for i, a := range v.windows {
		reach += (a.size - 1) * a.dilation * v.pitch(i)
	}
	if more := length + reach - v.windows[0].extent*v.pitch(0); more > 0 { // the last windows end in a further line
		high := make([]int, n)
		high[0] = (more + v.pitch(0) - 1) / v.pitch(0)
		x = v.pad(x, make([]int, n), high, nil)
		v.windows[0].extent += high[0]
	}
	if v.err != nil {
		return nothing
	}
	x = v.reshape(x, append(slices.Clone(x.Shape[:v.first]), elements(x.Shape[v.first:]))...)
	for i, a := range v.windows {
		x = v.window(x, v.first, a.size, 1, a.dilation*v.pitch(i))
	}
	return v.from(x, v.first, 0, length, 1)
}

// cut makes spatial axes of a line of results.
func (v *view) cut(y *ir.Node) *ir.Node {
	if v.err != nil {
		return nothing
	}
	y = v.from(y, v.first, 0, v.flat(), 1)
	shape := append(slices.Clone(y.Shape[:v.first]), v.windows[0].count)
	for _, a := range v.windows[1:] {
		shape = append(shape, a.extent)
	}
	y = v.reshape(y, shape...)
	for i, a := range v.windows {
		y = v.from(y, v.first+i, 0, a.count, 1)
	}
	return y
}
