package gomlx

import (
	"fmt"

	"github.com/cutile-go/cutile/graph"
	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/pkg/core/dtypes"
	"github.com/gomlx/gomlx/pkg/core/shapes"
)

// ConvertDType converts elements. A complex number is converted by its real part, but to bool it is true if one part is not 0.
func (b *Builder) ConvertDType(x backends.Op, d dtypes.DType) (backends.Op, error) {
	list, err := b.operands(backends.OpTypeConvertDType, x)
	if err != nil {
		return nil, err
	}
	to, err := storageOf(d)
	if err != nil {
		return nil, err
	}
	v := list[0].pair
	p := pair{re: graph.Convert(v.re, to.elem)}
	switch {
	case to.complex && v.im != nil:
		p.im = graph.Convert(v.im, to.elem)
	case to.complex:
		p.im = zeros(p.re)
	case v.im != nil && d == dtypes.Bool:
		p.re = graph.Or(p.re, graph.Convert(v.im, to.elem))
	}
	return b.result(backends.OpTypeConvertDType, p)
}

// Bitcast takes the bits of elements as another data type. Several smaller elements for one larger lie along the last axis, the
// lowest bits first.
func (b *Builder) Bitcast(x backends.Op, d dtypes.DType) (backends.Op, error) {
	list, err := b.operands(backends.OpTypeBitcast, x)
	if err != nil {
		return nil, err
	}
	v := list[0]
	if v.shape.DType == d {
		return x, nil
	}
	to, err := storageOf(d)
	if err != nil {
		return nil, err
	}
	if (classOf(d)|classOf(v.shape.DType))&(bools|complexes) != 0 {
		return nil, fmt.Errorf("cutile: Bitcast of %s to %s: the bits of bool and of complex numbers are no numbers of the device: use ConvertDType, Real or Imag", v.shape, d)
	}
	have, want := v.re.DType().Size(), to.elem.Size()
	switch {
	case have < want:
		n := want / have
		if r := v.shape.Rank(); r == 0 || v.shape.Dimensions[r-1] != n {
			return nil, fmt.Errorf("cutile: Bitcast of %s to %s: expected a last axis of extent %d", v.shape, d, n)
		}
		return b.result(backends.OpTypeBitcast, pair{re: graph.JoinBits(v.re, to.elem)})
	case have > want:
		return b.result(backends.OpTypeBitcast, pair{re: graph.SplitBits(v.re, to.elem)})
	}
	return b.result(backends.OpTypeBitcast, pair{re: graph.Bitcast(v.re, to.elem)})
}

// Complex makes complex numbers from their parts, of float32 or float64; a scalar is repeated.
func (b *Builder) Complex(re, im backends.Op) (backends.Op, error) {
	list, err := b.operands(backends.OpTypeComplex, re, im)
	if err != nil {
		return nil, err
	}
	x, y := list[0], list[1]
	if x.shape.DType != y.shape.DType || x.shape.DType != dtypes.Float32 && x.shape.DType != dtypes.Float64 {
		return nil, fmt.Errorf("cutile: Complex: the parts are %s and %s, expected both of Float32 or of Float64", x.shape, y.shape)
	}
	p := x.pair
	q := y.pair
	switch {
	case x.shape.Rank() == 0:
		p.re = graph.Broadcast(p.re, y.shape.Dimensions...)
	case y.shape.Rank() == 0:
		q.re = graph.Broadcast(q.re, x.shape.Dimensions...)
	case !x.shape.Equal(y.shape):
		return nil, fmt.Errorf("cutile: Complex: the parts are %s and %s, expected the same shape, or a scalar", x.shape, y.shape)
	}
	return b.result(backends.OpTypeComplex, pair{p.re, q.re})
}

// Where returns x where the condition is true, else y. Scalars are repeated.
func (b *Builder) Where(condition, x, y backends.Op) (backends.Op, error) {
	list, err := b.operands(backends.OpTypeWhere, condition, x, y)
	if err != nil {
		return nil, err
	}
	if err := check(backends.OpTypeWhere, bools, list[0]); err != nil {
		return nil, err
	}
	if err := checkBroadcast(backends.OpTypeWhere, list); err != nil {
		return nil, err
	}
	return b.each(backends.OpTypeWhere, func(v []*graph.Value) *graph.Value { return graph.Where(list[0].re, v[0], v[1]) }, x, y)
}

// Clamp returns x, but at least lo and at most hi, which may be scalars.
func (b *Builder) Clamp(lo, x, hi backends.Op) (backends.Op, error) {
	list, err := b.operands(backends.OpTypeClamp, lo, x, hi)
	if err != nil {
		return nil, err
	}
	if err := check(backends.OpTypeClamp, reals, list...); err != nil {
		return nil, err
	}
	if err := checkBroadcast(backends.OpTypeClamp, list); err != nil {
		return nil, err
	}
	return b.each(backends.OpTypeClamp, func(v []*graph.Value) *graph.Value { return graph.Clamp(v[0], v[1], v[2]) }, lo, x, hi)
}

// Iota returns an array whose elements are their index along an axis.
func (b *Builder) Iota(shape shapes.Shape, axis int) (backends.Op, error) {
	if err := b.usable(backends.OpTypeIota); err != nil {
		return nil, err
	}
	s, err := storageOf(shape.DType)
	if err != nil {
		return nil, err
	}
	p := pair{re: graph.Iota(b.graph, s.elem, axis, shape.Dimensions...)}
	if s.complex {
		p.im = zeros(p.re)
	}
	return b.result(backends.OpTypeIota, p)
}
