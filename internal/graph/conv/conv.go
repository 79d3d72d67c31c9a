package conv

import (
	"slices"

	"github.com/cutile-go/cutile/internal/graph/ir"
)

// manyChannels is how many channels a window must have so that a product for each place of the window pays.
const manyChannels = 8

// Conv convolves x [batch, channels, spatial…] with w [out, channels/groups, window…]. Size of the options is that of w.
func Conv(g *ir.Graph, x, w *ir.Node, groups int, o Options) (*ir.Node, error) {
	zero, err := g.Constant(x.Elem, make([]byte, x.Elem.Size()), nil)
	if err != nil {
		return nil, err
	}
	o.Size = w.Shape[2:]
	c := &convolution{groups: groups, batch: x.Shape[0], channels: w.Shape[1], outs: w.Shape[0] / groups}
	if x, err = c.open(g, x, zero, 2, o); err != nil {
		return nil, err
	}
	shape := slices.Concat([]int{c.batch, w.Shape[0]}, c.counts())
	if elements(shape) == 0 || x.Len() == 0 {
		return g.Broadcast(zero, shape, nil)
	}
	x = c.reshape(x, slices.Concat([]int{c.batch, groups, c.channels}, x.Shape[2:])...)
	w = c.reshape(w, slices.Concat([]int{groups, c.outs, c.channels}, o.Size)...)
	c.first = 3
	var y *ir.Node
	switch {
	case c.channels == 1 && c.outs <= 2:
		y = c.taps(x, w)
	case c.next() && c.channels >= manyChannels && elements(c.counts()) >= fewPositions && 2*c.flat() <= 3*elements(c.counts()):
		y = c.rows(x, w)
	default:
		y = c.columns(x, w)
	}
	y = c.reshape(y, shape...)
	return y, c.err
}

// convolution is a convolution of x [batch, groups, channels, spatial…] with w [groups, outs, channels, window…].
type convolution struct {
	view
	groups, batch, channels, outs int
}

// product multiplies weights and windows, whose axes of groups are the given one of windows, and which have the given axes of the sum
// in the order in which a product goes along them.
func (c *convolution) product(w, x *ir.Node, groups int, left, right []int) *ir.Node {
	return c.do(func() (*ir.Node, error) {
		return c.g.Dot(w, x, ir.DotAttr{LeftBatch: []int{0}, RightBatch: []int{groups}, LeftSum: left, RightSum: right}, x.Elem)
	})
}

// fewPositions is how many positions of windows are few: the windows of a batch are then one matrix. Of vector columns, rows of
// a matrix are better than columns.
const (
	fewPositions = 16
	vectors      = 4
)

// columns copies the elements of each window to a column of a matrix, or to a row of it where there are few windows, and multiplies
// that.
func (c *convolution) columns(x, w *ir.Node) *ir.Node {
	x = c.phases(x)
	n, positions := len(c.windows), elements(c.counts())
	few := positions < fewPositions
	flat := few && c.batch*positions <= vectors
	var columns, weights []*ir.Node
	for _, p := range c.parts() {
		part := c.part(x, p) // batch, groups, channels, positions…, places…
		sum := c.channels * elements(p.counts(c.windows))
		at, of := []int{}, []int{2} // the axes of positions, and those of the sum
		for i := range n {
			at, of = append(at, 3+i), append(of, 3+n+i)
		}
		shape, order := []int{c.batch, c.groups, sum, positions}, slices.Concat([]int{0, 1}, of, at)
		switch {
		case flat:
			shape, order = []int{c.groups, c.batch * positions, sum}, slices.Concat([]int{1, 0}, at, of)
		case few:
			shape, order = []int{c.groups, sum, c.batch * positions}, slices.Concat([]int{1}, of, []int{0}, at)
		}
		columns = append(columns, c.reshape(c.transpose(part, order...), shape...))
		weights = append(weights, c.reshape(c.weights(w, p), c.groups, c.outs, sum))
	}
	if !flat {
		axis := 2
		if few {
			axis = 1
		}
		columns, weights = c.whole(columns, axis), c.whole(weights, 2)
	}
	kernel := c.concat(2, weights)
	switch {
	case flat:
		return c.batched(c.product(kernel, c.copy(c.concat(2, columns)), 0, []int{2}, []int{2}))
	case few:
		return c.batched(c.product(kernel, c.copy(c.concat(1, columns)), 0, []int{2}, []int{1}))
	}
	return c.transpose(c.product(kernel, c.concat(2, columns), 1, []int{2}, []int{2}), 2, 0, 1, 3) // it was groups, outs, batch, positions
}

// whole appends zeros to matrices that are joined along an axis, so that the elements of a sum are tiles that lie inside.
func (c *convolution) whole(parts []*ir.Node, axis int) []*ir.Node {
	if c.err != nil {
		return parts
	}
	sum := 0
	for _, p := range parts {
		sum += p.Shape[axis]
	}
	unit := 32
	if sum <= 16 {
		unit = 16
	}
	more := (unit - sum%unit) % unit
	if more == 0 || sum < 8 {
		return parts
	}
	shape := slices.Clone(parts[0].Shape)
	shape[axis] = more
	return append(parts, c.broadcast(c.fill, shape, nil))
}

// batched makes the result [batch, groups, outs, positions] of [groups, outs, batch and positions].
func (c *convolution) batched(y *ir.Node) *ir.Node {
	return c.transpose(c.reshape(y, c.groups, c.outs, c.batch, elements(c.counts())), 2, 0, 1, 3)
}

// rows takes the array as one row for each channel, and multiplies parts of it.
func (c *convolution) rows(x, w *ir.Node) *ir.Node {
	x = c.line(x)
	n := len(c.windows)
	var places, left, right []int // a product goes along channels last
	for i := range n {
		places, left, right = append(places, 3+i), append(left, 3+i), append(right, 4+i)
	}
	left, right = append(left, 2), append(right, 2)
	if fixed(w) { // channels lie next to each other then
		w = c.copy(c.transpose(w, slices.Concat([]int{0}, places, []int{1, 2})...))
		left = nil
		for i := range n {
			left = append(left, 1+i)
		}
		left = append(left, 2+n)
	}
	y := c.product(w, x, 1, left, right)
	return c.cut(c.transpose(y, 2, 0, 1, 3))
}

// fixed reports whether a node depends on constants alone, so that what is made of it is computed once.
func fixed(n *ir.Node) bool {
	for n.Op == ir.Reshape || n.Op == ir.Transpose {
		n = n.In[0]
	}
	return n.Op == ir.Constant
}

// taps multiplies the places of windows of a single channel one by one, and adds them up.
func (c *convolution) taps(x, w *ir.Node) *ir.Node {
	t := x.Elem
	if n := len(c.windows); n > 0 && c.next() && c.windows[n-1].count < fewPositions && c.flat() <= 2*elements(c.counts()) {
		return c.cut(c.converted(c.tapped(c.line(x), w, 1), t)) // lines of few elements are far from filling a vector
	}
	x = c.phases(x)
	var sum *ir.Node
	for _, p := range c.parts() {
		sum = c.join("add", sum, c.tapped(c.part(x, p), c.weights(w, p), len(c.windows)))
	}
	return c.converted(sum, t)
}

// tapped adds up the products of windows [batch, groups, 1, positions…, places…], which have so many axes of positions, and weights
// [groups, outs, 1, places…]. The result is [batch, groups, outs, positions…], in the type in which sums are computed.
func (c *convolution) tapped(x, w *ir.Node, positions int) *ir.Node {
	if c.err != nil {
		return nothing
	}
	wide := ir.DotSum(x.Elem)
	shape := slices.Clone(x.Shape)
	shape[2] = c.outs
	var taken, over []int // the axes of shape that windows have, and those that are added up
	weighted := []int{1, 2}
	for i := range shape {
		if i != 2 {
			taken = append(taken, i)
		}
		if i >= 3+positions {
			weighted, over = append(weighted, i), append(over, i)
		}
	}
	x = c.converted(c.reshape(x, slices.Delete(slices.Clone(x.Shape), 2, 3)...), wide)
	w = c.converted(c.reshape(w, slices.Delete(slices.Clone(w.Shape), 2, 3)...), wide)
	return c.reduce("sum", c.pointwise("mul", c.broadcast(x, shape, taken), c.broadcast(w, shape, weighted)), over)
}

// weights takes the weights [groups, outs, channels, window…] of some places.
func (c *convolution) weights(w *ir.Node, p places) *ir.Node {
	if n := len(c.windows); n > 0 {
		w = c.from(w, 2+n, p.first, p.n, p.step)
	}
	return w
}
