package loops

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/internal/graph/index"
	"github.com/cutile-go/cutile/internal/graph/ir"
)

// maxExprs limits the expressions of a kernel: larger ones take long to compile.
const maxExprs = 400

// split is the error of a kernel that is simpler with another axis in place of one: the positions that are by apart, and
// those between them.
type split struct {
	axis int
	by   int64
}

func (s split) Error() string { return fmt.Sprintf("BUG: axis %d was not split by %d", s.axis, s.by) }

// kernels makes the kernels that compute a node. Apart errors, which may be joined, name nodes that need memory first.
func (p *planner) kernels(n *ir.Node, buffers map[*ir.Node]*Buffer) ([]*Kernel, error) {
	switch n.Op {
	case ir.Concat:
		return p.concat(n, buffers)
	case ir.Pad:
		if stored(n) {
			return p.padded(n, buffers)
		}
	case ir.Scatter:
		return p.scatter(n, buffers)
	}
	whole := part{into: n, from: unshaped(n, buffers)}
	if p.orders[n] != nil {
		whole.order = whole.from.Order
	}
	k, err := p.kernel(whole, buffers)
	if err != nil {
		return nil, err
	}
	return []*Kernel{k}, nil
}

// unshaped gives the node whose elements a node has in the same order, in the shape in which they are computed: the axes of a kernel
// then are those of the computation. If the axes of the node have an order in memory, the shapes differ in axes of extent 1 alone.
func unshaped(n *ir.Node, buffers map[*ir.Node]*Buffer) *ir.Node {
	for n.Op == ir.Reshape && buffers[n.In[0]] == nil {
		n = n.In[0]
	}
	return n
}

// part is what a kernel computes of a node that has memory: elements of the node itself, or of another one of which each goes to a
// place of its own.
type part struct {
	into, from *ir.Node
	offset     []int // where the first element goes; nil for zeros
	step       []int // how far apart neighbours go; nil for ones
	order      []int // of the axes in memory; nil for row-major order
	all        bool  // every element of into is the one element of from
}

// shape gives the extents of the axes of the kernel.
func (p *part) shape() []int {
	if p.all {
		return p.into.Shape
	}
	return p.from.Shape
}

// target gives the place of an element in memory.
func (p *part) target(at []index.Expr) index.Expr {
	if p.offset == nil && p.step == nil {
		return linear(p.shape(), p.order, at)
	}
	to := slices.Clone(at)
	for i := range p.step {
		to[i] = to[i].Times(int64(p.step[i]))
	}
	for i := range p.offset {
		to[i] = to[i].Plus(int64(p.offset[i]))
	}
	return linear(p.into.Shape, p.order, to)
}

// concat makes a kernel for each of the joined arrays, which writes its part of the result.
func (p *planner) concat(n *ir.Node, buffers map[*ir.Node]*Buffer) ([]*Kernel, error) {
	axis := n.Attr.(ir.AxisAttr).Axis
	var all []*Kernel
	var needs []error // of all arrays at once: those of a recurrent network each need the step before
	from := 0
	for _, x := range n.In {
		if x.Len() > 0 {
			offset := make([]int, n.Rank())
			offset[axis] = from
			k, err := p.kernel(part{into: n, from: x, offset: offset, order: p.orders[n]}, buffers)
			if _, ok := errors.AsType[apart](err); err != nil && !ok {
				return nil, err
			}
			all, needs = append(all, k), append(needs, err)
		}
		from += x.Shape[axis]
	}
	return all, errors.Join(needs...)
}

// stored reports whether a padded array is always written to memory, so that whatever uses it finds its elements at multiples of
// axes: whether a fill value surrounds all of the operand.
func stored(n *ir.Node) bool {
	a, ok := n.Attr.(ir.PadAttr)
	return ok && a.Mode == ir.PadConstant && n.In[0].Len() > 0 && !slices.ContainsFunc(slices.Concat(a.Low, a.High), func(d int) bool { return d < 0 })
}

// padded makes a kernel that writes the fill value everywhere, and one that writes the operand.
func (p *planner) padded(n *ir.Node, buffers map[*ir.Node]*Buffer) ([]*Kernel, error) {
	a := n.Attr.(ir.PadAttr)
	step := slices.Clone(a.Interior)
	for i := range step {
		step[i]++
	}
	fill, err := p.kernel(part{into: n, from: n.In[1], all: true, order: p.orders[n]}, buffers)
	if err != nil {
		return nil, err
	}
	inside, err := p.kernel(part{into: n, from: n.In[0], offset: a.Low, step: step, order: p.orders[n]}, buffers)
	if err != nil {
		return nil, err
	}
	if inside.Dot != nil { // its axes would be apart in the padded array, and their tiles small
		return nil, apart{n.In[0]}
	}
	return []*Kernel{fill, inside}, nil
}

// kernel makes the kernel that computes a part of a node.
func (p *planner) kernel(what part, buffers map[*ir.Node]*Buffer) (*Kernel, error) {
	shape := what.shape()
	if what.order == nil {
		what.order = identity(len(shape))
	}
	parts := make([][]int, len(shape)) // the extents of the axes that make up each axis, in the order of memory; none for one of extent 1
	for i, axis := range what.order {
		if d := shape[axis]; d > 1 {
			parts[i] = []int{d}
		}
	}
	for {
		k, err := p.attempt(what, parts, buffers)
		if err == nil {
			err = k.unsplit(parts)
		}
		s, again := errors.AsType[split](err)
		if !again {
			if err != nil {
				return nil, err
			}
			return k.merged(), nil
		}
		refine(parts, s)
	}
}

// identity is the order of axes of an array in row-major order.
func identity(rank int) []int {
	order := make([]int, rank)
	for i := range order {
		order[i] = i
	}
	return order
}

// refine splits an axis in the lists of extents.
func refine(parts [][]int, s split) {
	axis := s.axis
	for i, p := range parts {
		if axis < len(p) {
			d := p[axis]
			parts[i] = slices.Replace(slices.Clone(p), axis, axis+1, d/int(s.by), int(s.by))
			return
		}
		axis -= len(p)
	}
}

// builder begins a kernel that computes a node.
func (p *planner) builder(n *ir.Node, buffers map[*ir.Node]*Buffer) *builder {
	k := &Kernel{Into: buffers[n], of: n, exprs: map[string]*Expr{}, inner: map[string][]int{}, Nodes: []*ir.Node{n}}
	return &builder{kernel: k, buffers: buffers, root: n, done: map[*ir.Node]bool{n: true}, room: maxExprs, keys: p.keys, fixed: p.fixed, orders: p.orders, folded: map[*ir.Node]*Expr{}, users: p.users, known: map[*ir.Node][]known{}}
}

func (p *planner) attempt(what part, parts [][]int, buffers map[*ir.Node]*Buffer) (*Kernel, error) {
	b := p.builder(what.into, buffers)
	k := b.kernel
	at := place{at: make([]index.Expr, len(parts))}
	for i, extents := range parts {
		axis := what.order[i]
		for _, d := range extents {
			at.at[axis] = at.at[axis].Times(int64(d)).Add(index.Axis(len(k.Axes), d))
			at.live = append(at.live, len(k.Axes))
			k.Axes = append(k.Axes, Axis{Extent: d})
		}
	}
	k.At = what.target(at.at)
	if what.all {
		at.at = nil
	}
	var err error
	if k.Value, err = b.value(what.from, at); err != nil {
		return nil, err
	}
	if n := b.again(); n != nil {
		return nil, apart{n}
	}
	k.finish()
	return k, nil
}

// unsplit reports an axis of the result that occurs in a quotient or remainder which would disappear if it were split.
func (k *Kernel) unsplit(parts [][]int) error {
	outer := 0
	for _, p := range parts {
		outer += len(p)
	}
	var found error
	look := func(e index.Expr) {
		e.Atoms(func(a *index.Atom) {
			if s, ok := k.splitFor(a); ok && s.axis < outer && found == nil {
				found = s
			}
		})
	}
	k.Walk(func(e *Expr) {
		look(e.At)
		for _, c := range e.Where {
			look(c.Index)
		}
	})
	return found
}

// splitFor tells which split makes a quotient or remainder an axis.
func (k *Kernel) splitFor(a *index.Atom) (split, bool) {
	if a.Kind != index.DivAtom && a.Kind != index.ModAtom || len(a.Arg.Terms) != 1 || a.Arg.Const != 0 || a.Arg.Terms[0].Factor != 1 || a.Arg.Terms[0].Atom.Kind != index.AxisAtom {
		return split{}, false
	}
	axis := a.Arg.Terms[0].Atom.Axis
	d := int64(k.Axes[axis].Extent)
	role := k.Axes[axis].Role
	return split{axis, a.By}, d%a.By == 0 && a.By > 1 && a.By < d && role != Inner && role != DotSum && role != Row
}
