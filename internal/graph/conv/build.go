package conv

import (
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/graph/ir"
)

// Options are those of windows along the spatial axes of an array, which are its last ones: one number for each.
type Options struct {
	Size         []int // elements of a window; those of the weights for a convolution
	Stride       []int // from a window to the next
	Dilation     []int // from an element of a window to the next
	Low, High    []int // elements before and behind the array; may be negative
	BaseDilation []int // the distance that elements of the array are moved apart
}

// builder adds nodes to a graph. After an error it adds no more, and all nodes are nothing.
type builder struct {
	g   *ir.Graph
	err error
}

// nothing stands for a node that there is none of.
var nothing = &ir.Node{}

// do adds a node.
func (b *builder) do(f func() (*ir.Node, error)) *ir.Node {
	if b.err != nil {
		return nothing
	}
	n, err := f()
	if err != nil {
		b.err = err
		return nothing
	}
	return n
}

func (b *builder) reshape(x *ir.Node, shape ...int) *ir.Node {
	return b.do(func() (*ir.Node, error) { return b.g.Reshape(x, shape) })
}

func (b *builder) transpose(x *ir.Node, axes ...int) *ir.Node {
	return b.do(func() (*ir.Node, error) { return b.g.Transpose(x, axes) })
}

func (b *builder) copy(x *ir.Node) *ir.Node {
	return b.do(func() (*ir.Node, error) { return b.g.Copy(x) })
}

func (b *builder) concat(axis int, in []*ir.Node) *ir.Node {
	return b.do(func() (*ir.Node, error) { return b.g.Concat(axis, in...) })
}

// from takes n elements along an axis, by a step, from the given one on.
func (b *builder) from(x *ir.Node, axis, first, n, step int) *ir.Node {
	return b.do(func() (*ir.Node, error) {
		start, limit, stride := slices.Repeat([]int{0}, x.Rank()), slices.Clone(x.Shape), slices.Repeat([]int{1}, x.Rank())
		start[axis], limit[axis], stride[axis] = first, first+(n-1)*step+1, step
		return b.g.Slice(x, start, limit, stride)
	})
}

// window views one axis of an array as windows, whose elements are the last axis of the result.
func (b *builder) window(x *ir.Node, axis, size, stride, dilation int) *ir.Node {
	return b.do(func() (*ir.Node, error) {
		ones := slices.Repeat([]int{1}, x.Rank())
		sizes, strides, dilations := slices.Clone(ones), slices.Clone(ones), slices.Clone(ones)
		sizes[axis], strides[axis], dilations[axis] = size, stride, dilation
		w, err := b.g.Window(x, sizes, strides, dilations)
		if err != nil {
			return nil, err
		}
		return b.g.Reshape(w, append(slices.Clone(w.Shape[:x.Rank()]), size))
	})
}

// count lists n numbers from the first one on.
func count(first, n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = first + i
	}
	return all
}

// elements multiplies extents.
func elements(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

func (b *builder) broadcast(x *ir.Node, shape, axes []int) *ir.Node {
	return b.do(func() (*ir.Node, error) { return b.g.Broadcast(x, shape, axes) })
}

func (b *builder) reduce(fold string, x *ir.Node, axes []int) *ir.Node {
	return b.do(func() (*ir.Node, error) { return b.g.Reduce(fold, x, axes) })
}

func (b *builder) pointwise(name string, in ...*ir.Node) *ir.Node {
	return b.do(func() (*ir.Node, error) { return b.g.Pointwise(name, in...) })
}

// join is a pointwise operation, or y where there is no x.
func (b *builder) join(name string, x, y *ir.Node) *ir.Node {
	if x == nil {
		return y
	}
	return b.pointwise(name, x, y)
}

func (b *builder) converted(x *ir.Node, t dtype.Type) *ir.Node {
	return b.do(func() (*ir.Node, error) { return b.g.Convert(x, t) })
}
