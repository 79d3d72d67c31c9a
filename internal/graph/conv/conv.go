package conv

import (
	"slices"

	"github.com/cutile-go/cutile/internal/graph/ir"
)

// run is how many elements of an array must lie next to each other so that tiles of them lie inside. Arrays with fewer channels keep
// their spatial axes last.
const run = 8

// Conv convolves x [batch, channels, spatial…] with w [out, channels/groups, window…]. Size of the options is that of w.
func Conv(g *ir.Graph, x, w *ir.Node, groups int, o Options) (*ir.Node, error) {
	zero, err := g.Constant(x.Elem, make([]byte, x.Elem.Size()), nil)
	if err != nil {
		return nil, err
	}
	o.Size = w.Shape[2:]
	c := &convolution{groups: groups, batch: x.Shape[0], channels: w.Shape[1], outs: w.Shape[0] / groups}
	c.g, c.fill = g, zero
	var y *ir.Node
	if groups*c.channels >= run || c.near(o)%run == 0 {
		y = c.channelsLast(x, w, o)
	} else {
		y = c.planes(x, w, o)
	}
	return y, c.err
}

// convolution is a convolution of some groups of channels.
type convolution struct {
	view
	groups, batch, channels, outs int // of a group
}

// near is how many elements of a window lie next to each other where channels are last.
func (c *convolution) near(o Options) int {
	if n := len(o.Size); n > 0 && c.groups == 1 && o.Dilation[n-1] == 1 {
		return c.channels * o.Size[n-1]
	}
	return c.channels
}

// none is the result if it has no elements, or x has none.
func (c *convolution) none(x *ir.Node) (*ir.Node, bool) {
	shape := slices.Concat([]int{c.batch, c.groups * c.outs}, c.counts())
	if c.err == nil && elements(shape) > 0 && x.Len() > 0 {
		return nil, false
	}
	return c.broadcast(c.fill, shape, nil), true
}

// channelsLast computes with arrays whose channels lie next to each other: x is [batch, spatial…, groups, channels], w [groups, window…,
// channels, outs].
func (c *convolution) channelsLast(x, w *ir.Node, o Options) *ir.Node {
	n := len(o.Size)
	c.first = 1
	more := 0 // channels of zeros, so that those of a group are runs
	if c.channels > run && c.near(o)%run != 0 {
		more = (run - c.channels%run) % run
	}
	x = c.arrange(x, more, o)
	if y, none := c.none(x); none {
		return y
	}
	w = c.reshape(w, slices.Concat([]int{c.groups, c.outs, c.channels}, o.Size)...)
	if c.channels == 1 && c.outs <= 2 && c.groups > 1 {
		w = c.transpose(c.copy(c.transpose(w, slices.Concat(count(3, n), count(0, 3))...)), slices.Concat(count(n, 3), count(0, n))...)
		return c.finish(c.converted(c.tapped(c.windowed(x), w, 2+n), x.Elem))
	}
	high := make([]int, 3+n)
	high[1+n] = more
	w = c.copy(c.padded(c.transpose(w, slices.Concat([]int{0}, count(3, n), []int{2, 1})...), make([]int, 3+n), high, nil))
	c.channels += more
	switch {
	case c.near(o)%run != 0, c.scattered(o):
		return c.finish(c.columns(x, w))
	case c.next() && c.thrown()*c.outs <= copying*c.positions():
		return c.finish(c.line(x, w))
	case n > 0 && c.windows[n-1].count >= longRow:
		return c.finish(c.product(c.windowed(x), w, 1+n))
	}
	return c.finish(c.columns(x, w))
}

// scattered reports whether windows consist of several runs that are too short for products whose sums are added up in memory.
func (c *convolution) scattered(o Options) bool {
	n := len(o.Size)
	return n > 0 && elements(o.Size) > o.Size[n-1] && c.near(o) < min(shortRun, 2*c.outs)
}

const (
	copying  = 48 // products that take as long as copying an element
	longRow  = 32 // positions in a row that are enough rows of a matrix
	shortRun = 32 // elements of a window next to each other that are too few for a product, if it has half as many outs
)

// arrange moves the channels behind the spatial axes and pads the array. Windows of several elements are read from memory in that order.
func (c *convolution) arrange(x *ir.Node, more int, o Options) *ir.Node {
	spatial := x.Shape[2:]
	x = c.transpose(x, slices.Concat([]int{0}, count(2, len(spatial)), []int{1})...)
	x = c.reshape(x, slices.Concat([]int{c.batch}, spatial, []int{c.groups, c.channels})...)
	padded := c.open(x, more, o)
	if padded == x && elements(o.Size) > 1 && !inOrder(x) {
		return c.copy(x)
	}
	return padded
}

// inOrder reports whether the elements of a node, or of what it is made of, lie in row-major order if they have memory.
func inOrder(n *ir.Node) bool {
	for {
		switch n.Op {
		case ir.Reshape:
			n = n.In[0]
			continue
		case ir.Transpose:
			x := n.In[0]
			several := func(axes []int) []int {
				return slices.DeleteFunc(slices.Clone(axes), func(a int) bool { return x.Shape[a] == 1 })
			}
			axes := several(n.Attr.(ir.AxesAttr).Axes)
			if n = x; x.Order != nil {
				return slices.Equal(axes, several(x.Order))
			}
			if slices.IsSorted(axes) {
				continue
			}
			return false
		}
		return n.Order == nil
	}
}

// positions is the number of windows of all channels.
func (c *convolution) positions() int { return c.batch * elements(c.counts()) }

// length is the number of places of the array from the first window to the last one.
func (c *convolution) length() int {
	n := (c.batch-1)*c.pitch(-1) + 1
	for i, a := range c.windows {
		n += (a.count - 1) * c.pitch(i)
	}
	return n
}

// thrown is the number of results in a line that are thrown away.
func (c *convolution) thrown() int { return c.length() - c.positions() }

// line takes the array as one row of places, in which each element of a window is the row from a later place on: the factors of the product
// are parts of the array itself. Windows that reach into the next line have results, which are thrown away.
func (c *convolution) line(x, w *ir.Node) *ir.Node {
	x = c.reshape(x, c.batch*c.pitch(-1), c.groups, c.channels)
	for i, a := range c.windows {
		x = c.window(x, 0, a.size, 1, a.dilation*c.pitch(i))
	}
	y := c.product(c.from(x, 0, 0, c.length(), 1), w, 1)
	y = c.window(c.reshape(y, c.length(), c.groups, c.outs), 0, c.batch, 1, c.pitch(-1))
	for i, a := range c.windows {
		y = c.window(y, 0, a.count, 1, c.pitch(i))
	}
	y = c.reshape(y, slices.Concat([]int{c.groups, c.outs, c.batch}, c.counts())...)
	return c.transpose(y, slices.Concat(count(2, 1+len(c.windows)), []int{0, 1})...)
}

// columns copies the elements of each window to a row of a matrix, and multiplies that.
func (c *convolution) columns(x, w *ir.Node) *ir.Node {
	n := len(c.windows)
	x = c.windowed(x)
	x = c.transpose(x, slices.Concat([]int{1 + n}, count(0, 1+n), count(3+n, n), []int{2 + n})...)
	sum := c.channels * elements(c.sizes())
	rows := c.whole([]*ir.Node{c.reshape(x, c.groups, c.positions(), sum)}, 2)
	weights := c.whole([]*ir.Node{c.reshape(w, c.groups, sum, c.outs)}, 1)
	y := c.do(func() (*ir.Node, error) {
		return c.g.Dot(c.copy(c.concat(2, rows)), c.copy(c.concat(1, weights)), ir.DotAttr{LeftBatch: []int{0}, RightBatch: []int{0}, LeftSum: []int{2}, RightSum: []int{1}}, x.Elem)
	})
	return c.groupsLast(c.reshape(y, slices.Concat([]int{c.groups, c.batch}, c.counts(), []int{c.outs})...))
}

// product multiplies windows, whose axes are the positions, of which there are so many, the groups, the channels and the places, and
// weights. The result has the positions, the groups and the outs.
func (c *convolution) product(x, w *ir.Node, positions int) *ir.Node {
	n := len(c.windows)
	return c.groupsLast(c.do(func() (*ir.Node, error) {
		return c.g.Dot(x, w, ir.DotAttr{LeftBatch: []int{positions}, RightBatch: []int{0},
			LeftSum: append(count(positions+2, n), positions+1), RightSum: count(1, n+1)}, x.Elem)
	}))
}

// groupsLast moves the groups, which are the first axis of a product, behind the positions.
func (c *convolution) groupsLast(y *ir.Node) *ir.Node {
	if c.err != nil {
		return nothing
	}
	r := y.Rank()
	return c.transpose(y, slices.Concat(count(1, r-2), []int{0, r - 1})...)
}

// finish makes the result [batch, outs, spatial…] of [batch, spatial…, groups, outs], which it remains in memory.
func (c *convolution) finish(y *ir.Node) *ir.Node {
	n := len(c.windows)
	outs := c.groups * c.outs
	y = c.reshape(y, slices.Concat([]int{c.batch}, c.counts(), []int{outs})...)
	y = c.transpose(y, slices.Concat([]int{0, 1 + n}, count(1, n))...)
	if outs < run {
		return y
	}
	return c.do(func() (*ir.Node, error) { return c.g.Ordered(y, slices.Concat([]int{0}, count(2, n), []int{1})) })
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
	more := (run - sum%run) % run
	if more == 0 || sum < 8 {
		return parts
	}
	shape := slices.Clone(parts[0].Shape)
	shape[axis] = more
	return append(parts, c.broadcast(c.fill, shape, nil))
}

// tapped adds up the products of windows and weights [groups, outs, 1, window…], one for each place of a window. The windows have one
// channel, which is the given axis behind that of the groups, and the places as their last axes. The result has the outs as that axis,
// and the type in which sums are computed.
func (c *convolution) tapped(x, w *ir.Node, channel int) *ir.Node {
	if c.err != nil {
		return nothing
	}
	wide := ir.DotSum(x.Elem)
	n := len(c.windows)
	shape := slices.Clone(x.Shape)
	shape[channel] = c.outs
	over := count(len(shape)-n, n)
	x = c.converted(c.reshape(x, slices.Delete(slices.Clone(x.Shape), channel, channel+1)...), wide)
	w = c.converted(c.reshape(w, slices.Delete(slices.Clone(w.Shape), 2, 3)...), wide)
	x = c.broadcast(x, shape, slices.DeleteFunc(count(0, len(shape)), func(i int) bool { return i == channel }))
	w = c.broadcast(w, shape, slices.Concat([]int{channel - 1, channel}, over))
	return c.reduce("sum", c.pointwise("mul", x, w), over)
}
