package graph

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/graph/ir"
)

// TopK returns the k greatest elements along an axis, the greatest first, or the k least if least is set, and their indices as int32. Of
// equal elements the first comes first, and a NaN is greater than any number. Of an axis with more than 65536 elements, k is at most 32768.
func TopK(x *Value, k, axis int, least bool) (values, indices *Value) {
	indices = build(func(g *ir.Graph, in []*ir.Node) (*ir.Node, error) {
		axis, err := ir.AxisOf(axis, in[0])
		if err != nil {
			return nil, err
		}
		if n := in[0].Shape[axis]; k < 0 || k > n {
			return nil, fmt.Errorf("k is %d, expected 0 to %d, the extent of axis %d of %s", k, n, axis, in[0].Type())
		}
		t := topK{g: g, k: k, axis: axis, least: least}
		return t.indices(in[0])
	}, x)
	if indices.node == nil {
		return indices, indices
	}
	return TakeAlong(x, indices, axis), indices
}

// topK finds the indices of the greatest or least elements along an axis.
type topK struct {
	g       *ir.Graph
	k, axis int
	least   bool
}

// leastPart is the length of parts of an axis that are sorted by themselves.
const leastPart = 256

// indices sorts all elements, or first those of each part of the axis, of which the first k may be among the first k of all. Parts
// are four times as long as that, or longer, where an axis is not too long to be sorted otherwise.
func (t *topK) indices(x *ir.Node) (*ir.Node, error) {
	n, part := x.Shape[t.axis], max(leastPart, 1<<bits.Len(uint(4*t.k)))
	divides := n >= 2*part
	if n > ir.MaxSorted {
		part = min(part, ir.MaxSorted)
		divides = 2*t.k <= part
	}
	if !divides || !ir.Numbers.Has(x.Elem) {
		order, err := t.g.ArgSort(x, ir.ArgSortAttr{Axis: t.axis, Descending: !t.least})
		if err != nil {
			return nil, err
		}
		return narrow(t.g, order, t.axis, 0, t.k)
	}
	candidates, from, err := t.candidates(x, part)
	if err != nil {
		return nil, err
	}
	best, err := t.indices(candidates)
	if err != nil {
		return nil, err
	}
	return t.g.TakeAlong(from, best, t.axis)
}

// candidates gives the first elements of each part, part by part, and their indices in x. Of equal ones, those of earlier indices come
// first, as they do in x.
func (t *topK) candidates(x *ir.Node, part int) (elements, indices *ir.Node, err error) {
	do := func(f func() (*ir.Node, error)) (n *ir.Node) {
		if err == nil {
			n, err = f()
		}
		return n
	}
	n, inner := x.Shape[t.axis], t.axis+1
	parts := (n + part - 1) / part
	low, high := make([]int, x.Rank()), make([]int, x.Rank())
	high[t.axis] = parts*part - n
	worst := do(func() (*ir.Node, error) { return t.g.Constant(x.Elem, t.worst(x.Elem), nil) })
	x = do(func() (*ir.Node, error) { return t.g.Pad(x, worst, low, high, nil, ir.PadConstant) })
	shape := func(along ...int) []int { return slices.Concat(x.Shape[:t.axis], along, x.Shape[t.axis+1:]) }
	if err != nil {
		return nil, nil, err
	}
	divided := do(func() (*ir.Node, error) { return t.g.Reshape(x, shape(parts, part)) })
	order := do(func() (*ir.Node, error) {
		return t.g.ArgSort(divided, ir.ArgSortAttr{Axis: inner, Descending: !t.least})
	})
	order = do(func() (*ir.Node, error) { return narrow(t.g, order, inner, 0, t.k) })
	elements = do(func() (*ir.Node, error) { return t.g.TakeAlong(divided, order, inner) })
	first := do(func() (*ir.Node, error) { return t.g.Iota(dtype.I32, shape(parts, t.k), t.axis) })
	length := do(func() (*ir.Node, error) {
		return t.g.Constant(dtype.I32, binary.LittleEndian.AppendUint32(nil, uint32(part)), shape(parts, t.k))
	})
	first = do(func() (*ir.Node, error) { return t.g.Pointwise("mul", first, length) })
	indices = do(func() (*ir.Node, error) { return t.g.Pointwise("add", order, first) })
	for _, of := range []**ir.Node{&elements, &indices} {
		*of = do(func() (*ir.Node, error) { return t.g.Reshape(*of, shape(parts*t.k)) })
	}
	return elements, indices, err
}

// worst is an element that comes behind all others, which are not behind equal ones that are before them.
func (t *topK) worst(elem dtype.Type) []byte {
	w := ir.FoldNamed("max").Neutral(elem)
	switch {
	case t.least && elem.IsFloat():
		w = elem.FloatBits(math.NaN())
	case t.least:
		w = ir.FoldNamed("min").Neutral(elem)
	}
	return binary.LittleEndian.AppendUint64(nil, w)[:elem.Size()]
}
