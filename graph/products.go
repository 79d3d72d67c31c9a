package graph

import (
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/graph/ir"
)

// DotAxes says which axes of two arrays belong together in a [DotGeneral].
type DotAxes struct {
	LeftBatch, RightBatch []int // axes that the result has once
	LeftSum, RightSum     []int // axes along which products are added up
}

// DotGeneral multiplies arrays: the result has the batch axes, the other axes of x and the other axes of y, and the products are
// added up along the axes of the sum. Products of float16 and bfloat16 are added in float32, those of 8-bit integers in int32;
// the result has the element type out, which is either that type or that of x and y. For other types it is theirs. The order in
// which floats are added depends on the shapes.
func DotGeneral(x, y *Value, axes DotAxes, out dtype.Type) *Value {
	return build(func(g *ir.Graph, in []*ir.Node) (*ir.Node, error) {
		return g.Dot(in[0], in[1], ir.DotAttr{LeftBatch: axes.LeftBatch, RightBatch: axes.RightBatch, LeftSum: axes.LeftSum, RightSum: axes.RightSum}, out)
	}, x, y)
}

// MatMul returns the matrix product of the last two axes of x and y, as NumPy does: the other axes are broadcast, and an array of
// rank 1 is a row on the left and a column on the right. The result has the element type of x and y.
func MatMul(x, y *Value) *Value {
	return build(func(g *ir.Graph, in []*ir.Node) (*ir.Node, error) {
		l, r := in[0], in[1]
		err := multiplied(l, r)
		if err != nil {
			return nil, err
		}
		row, column := l.Rank() == 1, r.Rank() == 1
		if row {
			if l, err = g.Reshape(l, []int{1, l.Shape[0]}); err != nil {
				return nil, err
			}
		}
		if column {
			if r, err = g.Reshape(r, []int{r.Shape[0], 1}); err != nil {
				return nil, err
			}
		}
		out, err := matmul(g, l, r)
		if err != nil {
			return nil, err
		}
		shape := slices.Clone(out.Shape[:out.Rank()-2])
		if !row {
			shape = append(shape, out.Shape[out.Rank()-2])
		}
		if !column {
			shape = append(shape, out.Shape[out.Rank()-1])
		}
		return g.Reshape(out, shape)
	}, x, y)
}

// multiplied checks the operands of a matrix product.
func multiplied(l, r *ir.Node) error {
	want := ""
	switch {
	case l.Rank() == 0 || r.Rank() == 0:
		want = "at least one axis"
	case l.Elem != r.Elem || !ir.Numbers.Has(l.Elem):
		want = "the same element type, " + ir.Numbers.String()
	case l.Shape[l.Rank()-1] != r.Shape[max(0, r.Rank()-2)]:
		want = "as many columns of the first as rows of the second"
	default:
		return nil
	}
	return fmt.Errorf("the arrays are %s and %s, expected %s", l.Type(), r.Type(), want)
}

// matmul multiplies arrays of rank 2 or more. Axes of one array alone before the last two become axes of rows, so that the product
// is one of larger matrices.
func matmul(g *ir.Graph, l, r *ir.Node) (*ir.Node, error) {
	if r.Rank() == 2 {
		return g.Dot(l, r, ir.DotAttr{LeftSum: []int{l.Rank() - 1}, RightSum: []int{0}}, l.Elem)
	}
	rank := max(l.Rank(), r.Rank())
	batch, err := commonShape([]*ir.Node{{Elem: l.Elem, Shape: l.Shape[:l.Rank()-2]}, {Elem: r.Elem, Shape: r.Shape[:r.Rank()-2]}})
	if err != nil {
		return nil, fmt.Errorf("the axes of %s and %s before the last two: %w", l.Type(), r.Type(), err)
	}
	var axes []int
	for i := range rank - 2 {
		axes = append(axes, i)
	}
	if l, err = expanded(g, l, slices.Concat(batch, l.Shape[l.Rank()-2:])); err != nil {
		return nil, err
	}
	if r, err = expanded(g, r, slices.Concat(batch, r.Shape[r.Rank()-2:])); err != nil {
		return nil, err
	}
	return g.Dot(l, r, ir.DotAttr{LeftBatch: axes, RightBatch: axes, LeftSum: []int{rank - 1}, RightSum: []int{rank - 2}}, l.Elem)
}
