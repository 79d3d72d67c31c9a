package graph

import (
	"fmt"
	"math"
	"slices"

	"github.com/cutile-go/cutile/internal/graph/ir"
)

// BatchNorm scales x [batch, channels, …] by the mean and variance of each channel, multiplies it by scale and adds bias: all of
// shape [channels]. An x of rank 1 has one channel. Of float16 and bfloat16 it is computed in float32.
func BatchNorm(x, scale, bias, mean, variance *Value, epsilon float64) *Value {
	list := []operand{{"x", x}, {"scale", scale}, {"bias", bias}, {"mean", mean}, {"variance", variance}}
	bad := check(func(in []*ir.Node) error { return channelled(in, list) }, list...)
	if bad != nil {
		return bad
	}
	shape := slices.Repeat([]int{1}, x.Rank())
	if len(shape) > 1 {
		shape[1] = x.node.Shape[1]
	}
	channel := func(v *Value) *Value { return Reshape(v, shape...) }
	return wide(func(v []*Value) *Value {
		x, scale, bias, mean, variance := v[0], v[1], v[2], v[3], v[4]
		factor := Mul(scale, Rsqrt(Add(variance, like(variance, epsilon))))
		return Add(Mul(Sub(x, channel(mean)), channel(factor)), channel(bias))
	}, x, scale, bias, mean, variance)
}

// channelled checks x and what belongs to its channels.
func channelled(in []*ir.Node, list []operand) error {
	x, channels := in[0], 1
	if err := elements(x, ir.Floats); err != nil {
		return err
	}
	switch x.Rank() {
	case 0:
		return fmt.Errorf("x is %s, expected axes of a batch and of channels", x.Type())
	case 1:
	default:
		channels = x.Shape[1]
	}
	want := &ir.Node{Elem: x.Elem, Shape: []int{channels}}
	for i, v := range in[1:] {
		if v.Elem != x.Elem || !slices.Equal(v.Shape, want.Shape) {
			return fmt.Errorf("%s is %s, expected %s: x is %s", list[i+1].name, v.Type(), want.Type(), x.Type())
		}
	}
	return nil
}

// Attention returns softmax(q·kᵀ·scale + bias)·v for q [batch, heads, queries, d], k [batch, heads, keys, d] and v [batch, heads,
// keys, dv]. bias, which may be nil, is broadcast to [batch, heads, queries, keys]; a scale of 0 stands for 1/√d.
//
// With 64 keys or more, and 16 queries, it is one kernel that keeps no scores in memory; so is what is written as a [MatMul] of a
// [Softmax] and values. Short floats are then rounded fewer times than these operations round them.
//
// Keys are hidden by -Inf in bias. A query without any other key has NaN, as the definition says. Of float16 and bfloat16, a large negative
// number instead of -Inf leaves few bits of the scores where all keys have it.
func Attention(q, k, v, bias *Value, scale float64) *Value {
	list := []operand{{"q", q}, {"k", k}, {"v", v}}
	if bias != nil {
		list = append(list, operand{"bias", bias})
	}
	if bad := check(func(in []*ir.Node) error { return attended(in, list) }, list...); bad != nil {
		return bad
	}
	if scale == 0 {
		scale = 1 / math.Sqrt(float64(k.node.Shape[3]))
	}
	scores := Mul(MatMul(q, Transpose(k, 0, 1, 3, 2)), like(q, scale))
	if bias != nil {
		scores = Add(scores, bias)
	}
	return MatMul(Softmax(scores, -1), v)
}

// attended checks q, k and v, and perhaps a bias, of an Attention.
func attended(in []*ir.Node, list []operand) error {
	q, k, v := in[0], in[1], in[2]
	if err := elements(q, ir.Floats); err != nil {
		return err
	}
	for i, x := range in {
		if x.Elem != q.Elem || i < 3 && x.Rank() != 4 {
			return fmt.Errorf("%s is %s, expected elements of q, %s, and 4 axes: of batches, heads, places and elements", list[i].name, x.Type(), q.Type())
		}
	}
	if q.Shape[3] != k.Shape[3] || k.Shape[2] != v.Shape[2] {
		return fmt.Errorf("q, k and v are %s, %s and %s, expected as many elements of q as of k, and as many keys of k as of v", q.Type(), k.Type(), v.Type())
	}
	outer := make([]*ir.Node, 3) // the axes of batches and heads
	for i := range outer {
		outer[i] = &ir.Node{Elem: q.Elem, Shape: in[i].Shape[:2]}
	}
	if _, err := commonShape(outer); err != nil {
		return fmt.Errorf("q, k and v are %s, %s and %s, expected as many batches and heads, or 1", q.Type(), k.Type(), v.Type())
	}
	if len(in) == 3 {
		return nil
	}
	batch, _ := commonShape(outer[:2]) // the one of all three was found
	scores := &ir.Node{Elem: q.Elem, Shape: slices.Concat(batch, []int{q.Shape[2], k.Shape[2]})}
	if _, err := commonShape([]*ir.Node{scores, in[3]}); err != nil {
		return fmt.Errorf("bias is %s, expected extents of %v, or 1", in[3].Type(), scores.Shape)
	}
	return nil
}
