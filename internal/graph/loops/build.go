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

// kernels makes the kernels that compute a node. An apart error names a node that needs memory first.
func kernels(n *ir.Node, buffers map[*ir.Node]*Buffer) ([]*Kernel, error) {
	switch n.Op {
	case ir.Concat:
		return concat(n, buffers)
	case ir.Scatter:
		return scatter(n, buffers)
	}
	k, err := kernel(n, n, nil, buffers)
	if err != nil {
		return nil, err
	}
	return []*Kernel{k}, nil
}

// concat makes a kernel for each of the joined arrays, which writes its part of the result.
func concat(n *ir.Node, buffers map[*ir.Node]*Buffer) ([]*Kernel, error) {
	axis := n.Attr.(ir.AxisAttr).Axis
	var all []*Kernel
	from := 0
	for _, x := range n.In {
		if x.Len() > 0 {
			offset := make([]int, n.Rank())
			offset[axis] = from
			k, err := kernel(n, x, offset, buffers)
			if err != nil {
				return nil, err
			}
			all = append(all, k)
		}
		from += x.Shape[axis]
	}
	return all, nil
}

// kernel makes the kernel that computes x into the memory of a node, which is x itself or has its elements at an offset.
func kernel(into, x *ir.Node, offset []int, buffers map[*ir.Node]*Buffer) (*Kernel, error) {
	parts := make([][]int, x.Rank()) // the extents of the axes that make up each axis of x, none for one of extent 1
	for i, d := range x.Shape {
		if d > 1 {
			parts[i] = []int{d}
		}
	}
	for {
		k, err := attempt(into, x, offset, parts, buffers)
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

func attempt(into, x *ir.Node, offset []int, parts [][]int, buffers map[*ir.Node]*Buffer) (*Kernel, error) {
	k := &Kernel{Into: buffers[into], exprs: map[string]*Expr{}, inner: map[string][]int{}}
	b := &builder{kernel: k, buffers: buffers, root: into, done: map[*ir.Node]bool{into: true}, room: maxExprs}
	k.Nodes = append(k.Nodes, into)
	p := place{at: make([]index.Expr, x.Rank())}
	for i, extents := range parts {
		for _, d := range extents {
			p.at[i] = p.at[i].Times(int64(d)).Add(index.Axis(len(k.Axes), d))
			p.live = append(p.live, len(k.Axes))
			k.Axes = append(k.Axes, Axis{Extent: d})
		}
	}
	to := slices.Clone(p.at)
	for i, n := range offset {
		to[i] = to[i].Plus(int64(n))
	}
	k.At = linear(into.Shape, to)
	var err error
	if k.Value, err = b.value(x, p); err != nil {
		return nil, err
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
