package gomlx

import (
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/pkg/core/dtypes"
)

// reduction is an operation that folds elements along axes.
type reduction struct {
	takes   class
	real    func(x *graph.Value, axes ...int) *graph.Value
	complex func(x pair, axes []int) pair
}

var reductions = map[backends.OpType]reduction{
	backends.OpTypeReduceSum:        {numbers, graph.ReduceSum, sumComplex},
	backends.OpTypeReduceProduct:    {numbers, graph.ReduceProd, productComplex},
	backends.OpTypeReduceMax:        {bools | reals, graph.ReduceMax, nil},
	backends.OpTypeReduceMin:        {bools | reals, graph.ReduceMin, nil},
	backends.OpTypeReduceBitwiseAnd: {bitwise, graph.ReduceAnd, nil},
	backends.OpTypeReduceBitwiseOr:  {bitwise, graph.ReduceOr, nil},
	backends.OpTypeReduceBitwiseXor: {bitwise, graph.ReduceXor, nil},
	backends.OpTypeReduceLogicalAnd: {bools, graph.ReduceAnd, nil},
	backends.OpTypeReduceLogicalOr:  {bools, graph.ReduceOr, nil},
	backends.OpTypeReduceLogicalXor: {bools, graph.ReduceXor, nil},
}

func (b *Builder) reduce(t backends.OpType, x backends.Op, axes []int) (backends.Op, error) {
	list, err := b.operands(t, x)
	if err != nil {
		return nil, err
	}
	f := reductions[t]
	if err := check(t, f.takes, list...); err != nil {
		return nil, err
	}
	if v := list[0]; v.im != nil {
		return b.result(t, f.complex(v.pair, axes))
	}
	return b.result(t, pair{re: f.real(list[0].re, axes...)})
}

func sumComplex(x pair, axes []int) pair {
	return pair{graph.ReduceSum(x.re, axes...), graph.ReduceSum(x.im, axes...)}
}

// productComplex multiplies the elements along axes in pairs, those products in pairs, and so on.
func productComplex(x pair, axes []int) pair {
	rank := x.re.Rank()
	if len(axes) == 0 {
		for i := range rank {
			axes = append(axes, i)
		}
	}
	var order, kept []int
	n := 1
	for i, d := range x.re.Shape() {
		if slices.Contains(axes, i) || slices.Contains(axes, i-rank) {
			n *= d
		} else {
			order, kept = append(order, i), append(kept, d)
		}
	}
	for i := range rank {
		if !slices.Contains(order, i) {
			order = append(order, i)
		}
	}
	flat := func(v *graph.Value) *graph.Value {
		return graph.Reshape(graph.Transpose(v, order...), append(slices.Clone(kept), n)...)
	}
	x = pair{flat(x.re), flat(x.im)}
	last := len(kept)
	part := func(from, to int) pair {
		return pair{graph.Narrow(x.re, last, from, to), graph.Narrow(x.im, last, from, to)}
	}
	if n == 0 {
		one := graph.ReduceProd(x.re, last)
		return pair{one, zeros(one)}
	}
	for ; n > 1; n = (n + 1) / 2 {
		half := n / 2
		p := pairOf(part(0, half).complex().Mul(part(half, 2*half).complex()))
		if n%2 == 1 {
			rest := part(n-1, n)
			p = pair{graph.Concat(last, p.re, rest.re), graph.Concat(last, p.im, rest.im)}
		}
		x = p
	}
	return pair{graph.Reshape(x.re, kept...), graph.Reshape(x.im, kept...)}
}

// ReduceSum adds the elements along axes, without axes all of them, as the other reductions.
func (b *Builder) ReduceSum(x backends.Op, axes ...int) (backends.Op, error) {
	return b.reduce(backends.OpTypeReduceSum, x, axes)
}

// ReduceProduct multiplies the elements along axes.
func (b *Builder) ReduceProduct(x backends.Op, axes ...int) (backends.Op, error) {
	return b.reduce(backends.OpTypeReduceProduct, x, axes)
}

// ReduceMax returns the greatest element along axes; a NaN if there is one.
func (b *Builder) ReduceMax(x backends.Op, axes ...int) (backends.Op, error) {
	return b.reduce(backends.OpTypeReduceMax, x, axes)
}

// ReduceMin returns the least element along axes; a NaN if there is one.
func (b *Builder) ReduceMin(x backends.Op, axes ...int) (backends.Op, error) {
	return b.reduce(backends.OpTypeReduceMin, x, axes)
}

// ReduceBitwiseAnd joins the bits of elements along axes by and.
func (b *Builder) ReduceBitwiseAnd(x backends.Op, axes ...int) (backends.Op, error) {
	return b.reduce(backends.OpTypeReduceBitwiseAnd, x, axes)
}

// ReduceBitwiseOr joins the bits of elements along axes by or.
func (b *Builder) ReduceBitwiseOr(x backends.Op, axes ...int) (backends.Op, error) {
	return b.reduce(backends.OpTypeReduceBitwiseOr, x, axes)
}

// ReduceBitwiseXor joins the bits of elements along axes by exclusive or.
func (b *Builder) ReduceBitwiseXor(x backends.Op, axes ...int) (backends.Op, error) {
	return b.reduce(backends.OpTypeReduceBitwiseXor, x, axes)
}

// ReduceLogicalAnd tells whether all elements along axes are true.
func (b *Builder) ReduceLogicalAnd(x backends.Op, axes ...int) (backends.Op, error) {
	return b.reduce(backends.OpTypeReduceLogicalAnd, x, axes)
}

// ReduceLogicalOr tells whether any element along axes is true.
func (b *Builder) ReduceLogicalOr(x backends.Op, axes ...int) (backends.Op, error) {
	return b.reduce(backends.OpTypeReduceLogicalOr, x, axes)
}

// ReduceLogicalXor tells whether an odd number of elements along axes is true.
func (b *Builder) ReduceLogicalXor(x backends.Op, axes ...int) (backends.Op, error) {
	return b.reduce(backends.OpTypeReduceLogicalXor, x, axes)
}

// ArgMinMax returns the index of the least or the greatest element along an axis, of equal ones the first; of a NaN if there is one.
func (b *Builder) ArgMinMax(x backends.Op, axis int, d dtypes.DType, isMin bool) (backends.Op, error) {
	list, err := b.operands(backends.OpTypeArgMinMax, x)
	if err != nil {
		return nil, err
	}
	if err := check(backends.OpTypeArgMinMax, bools|reals, list...); err != nil {
		return nil, err
	}
	s, err := storageOf(d)
	if err != nil {
		return nil, err
	}
	if classOf(d) != ints {
		return nil, fmt.Errorf("cutile: ArgMinMax: indices of %s, expected integers", d)
	}
	v := list[0].re
	if v.DType() == dtype.Bool {
		v = graph.Convert(v, dtype.U8)
	}
	arg := graph.ArgMax
	if isMin {
		arg = graph.ArgMin
	}
	return b.result(backends.OpTypeArgMinMax, pair{re: arg(v, axis, s.elem)})
}
