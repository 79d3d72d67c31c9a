package conv

import (
	"slices"

	"github.com/cutile-go/cutile/internal/graph/ir"
)

// planes convolves an array of few channels, each of which is a plane of neighbours in memory: x is [batch, groups, channels, spatial…], w
// [groups, outs, channels, window…].
func (c *convolution) planes(x, w *ir.Node, o Options) *ir.Node {
	c.first = 3
	x = c.reshape(x, slices.Concat([]int{c.batch, c.groups, c.channels}, x.Shape[2:])...)
	x = c.open(x, 0, o)
	if y, none := c.none(x); none {
		return y
	}
	w = c.reshape(w, slices.Concat([]int{c.groups, c.outs, c.channels}, o.Size)...)
	x = c.phases(x)
	if c.channels > 1 || c.outs > 2 {
		return c.planeColumns(x, w)
	}
	var sum *ir.Node
	for _, p := range c.parts() {
		sum = c.join("add", sum, c.tapped(c.part(x, p), c.weights(w, p), 2))
	}
	return c.reshape(c.converted(sum, x.Elem), slices.Concat([]int{c.batch, c.groups * c.outs}, c.counts())...)
}

// planeColumns copies the elements of each window to a column of a matrix, and multiplies that.
func (c *convolution) planeColumns(x, w *ir.Node) *ir.Node {
	n := len(c.windows)
	var columns, weights []*ir.Node
	for _, p := range c.parts() {
		part := c.part(x, p) // batch, groups, channels, positions…, places…
		sum := c.channels * elements(p.counts(c.windows))
		part = c.transpose(part, slices.Concat([]int{1, 2}, count(3+n, n), []int{0}, count(3, n))...)
		columns = append(columns, c.reshape(part, c.groups, sum, c.positions()))
		weights = append(weights, c.reshape(c.weights(w, p), c.groups, c.outs, sum))
	}
	y := c.do(func() (*ir.Node, error) {
		return c.g.Dot(c.copy(c.concat(1, c.whole(columns, 1))), c.concat(2, c.whole(weights, 2)),
			ir.DotAttr{LeftBatch: []int{0}, RightBatch: []int{0}, LeftSum: []int{1}, RightSum: []int{2}}, x.Elem)
	}) // groups, batch and positions, outs
	y = c.reshape(y, slices.Concat([]int{c.groups, c.batch}, c.counts(), []int{c.outs})...)
	y = c.transpose(y, slices.Concat([]int{1, 0, 2 + n}, count(2, n))...)
	return c.reshape(y, slices.Concat([]int{c.batch, c.groups * c.outs}, c.counts())...)
}

// weights takes the weights [groups, outs, channels, window…] of some places.
func (c *convolution) weights(w *ir.Node, p places) *ir.Node {
	if n := len(c.windows); n > 0 {
		w = c.from(w, 2+n, p.first, p.n, p.step)
	}
	return w
}
