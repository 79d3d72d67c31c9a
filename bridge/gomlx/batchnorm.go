package gomlx

import (
	"fmt"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
	"github.com/gomlx/gomlx/backends"
)

// normalization has what the three operations of batch normalization share. They compute in float32 for float16 and bfloat16.
// (XLA, operation semantics, BatchNormInference, BatchNormTraining and BatchNormGrad.)
type normalization struct {
	x       *graph.Value   // in the type of computation
	v       []*graph.Value // the other operands
	elem    dtype.Type     // of the results
	axes    []int          // all but that of the features
	shape   []int          // 1 along them
	epsilon float32
}

func (b *Builder) normalization(t backends.OpType, epsilon float32, axis int, ops ...backends.Op) (*normalization, error) {
	list, err := b.operands(t, ops...)
	if err != nil {
		return nil, err
	}
	if err := check(t, floats, list...); err != nil {
		return nil, err
	}
	if _, _, err := parts(t, list); err != nil {
		return nil, err
	}
	shape := list[0].shape.Dimensions
	if axis < 0 {
		axis += len(shape)
	}
	if axis < 0 || axis >= len(shape) {
		return nil, fmt.Errorf("cutile: %s of %s: there is no axis %d", t, list[0].shape, axis)
	}
	n := &normalization{elem: list[0].re.DType(), epsilon: epsilon}
	for i := range shape {
		if i == axis {
			n.shape = append(n.shape, shape[i])
		} else {
			n.shape, n.axes = append(n.shape, 1), append(n.axes, i)
		}
	}
	wide := n.elem
	if wide == dtype.F16 || wide == dtype.BF16 {
		wide = dtype.F32
	}
	n.x = graph.Convert(list[0].re, wide)
	for i, y := range list[1:] {
		if s := y.shape; !(s.Rank() == 1 && s.Dimensions[0] == shape[axis] || t == backends.OpTypeBatchNormGradient && i == 3 && s.Equal(list[0].shape)) {
			return nil, fmt.Errorf("cutile: %s of %s: operand %d is %s, expected %d elements along one axis, as axis %d has features", t, list[0].shape, i+2, s, shape[axis], axis)
		}
		n.v = append(n.v, graph.Convert(y.re, wide))
	}
	return n, nil
}

// along puts a number of each feature along the axis of the features.
func (n *normalization) along(v *graph.Value) *graph.Value { return graph.Reshape(v, n.shape...) }

// fold gives a number for each feature, such as the mean.
func (n *normalization) fold(f func(x *graph.Value, axes ...int) *graph.Value, v *graph.Value) *graph.Value {
	if len(n.axes) == 0 {
		return v
	}
	return f(v, n.axes...)
}

// factor gives 1/√(variance + epsilon).
func (n *normalization) factor(variance *graph.Value) *graph.Value {
	return graph.Rsqrt(graph.Add(variance, number(variance, float64(n.epsilon))))
}

// normal gives (x - mean)·factor.
func (n *normalization) normal(mean, variance *graph.Value) *graph.Value {
	return graph.Mul(graph.Sub(n.x, n.along(mean)), n.along(n.factor(variance)))
}

// results makes the Ops of arrays in the element type of x.
func (n *normalization) results(b *Builder, t backends.OpType, list ...*graph.Value) ([]backends.Op, error) {
	out := make([]backends.Op, len(list))
	for i, v := range list {
		var err error
		if out[i], err = b.result(t, pair{re: graph.Convert(v, n.elem)}); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// BatchNormForInference returns (x - mean)/√(variance + epsilon)·scale + offset, by features along an axis.
func (b *Builder) BatchNormForInference(x, scale, offset, mean, variance backends.Op, epsilon float32, axis int) (backends.Op, error) {
	t := backends.OpTypeBatchNormForInference
	n, err := b.normalization(t, epsilon, axis, x, scale, offset, mean, variance)
	if err != nil {
		return nil, err
	}
	y := graph.Add(graph.Mul(n.normal(n.v[2], n.v[3]), n.along(n.v[0])), n.along(n.v[1]))
	out, err := n.results(b, t, y)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// BatchNormForTraining does as BatchNormForInference by the mean and the variance of the batch, which it returns, too. The variance
// is the mean of squares.
func (b *Builder) BatchNormForTraining(x, scale, offset backends.Op, epsilon float32, axis int) (normalized, batchMean, batchVariance backends.Op, err error) {
	t := backends.OpTypeBatchNormForTraining
	n, err := b.normalization(t, epsilon, axis, x, scale, offset)
	if err != nil {
		return nil, nil, nil, err
	}
	mean := n.fold(graph.ReduceMean, n.x)
	d := graph.Sub(n.x, n.along(mean))
	variance := n.fold(graph.ReduceMean, graph.Mul(d, d))
	y := graph.Add(graph.Mul(n.normal(mean, variance), n.along(n.v[0])), n.along(n.v[1]))
	out, err := n.results(b, t, y, mean, variance)
	if err != nil {
		return nil, nil, nil, err
	}
	return out[0], out[1], out[2], nil
}

// BatchNormGradient returns the gradients of BatchNormForTraining by x, scale and offset from the one by its result.
func (b *Builder) BatchNormGradient(x, scale, mean, variance, gradOutput backends.Op, epsilon float32, axis int) (gradX, gradScale, gradOffset backends.Op, err error) {
	t := backends.OpTypeBatchNormGradient
	n, err := b.normalization(t, epsilon, axis, x, scale, mean, variance, gradOutput)
	if err != nil {
		return nil, nil, nil, err
	}
	grad := n.v[3]
	if grad.Rank() != n.x.Rank() {
		return nil, nil, nil, fmt.Errorf("cutile: %s: the gradient of the result is %v, expected %v", t, grad, n.x)
	}
	normal := n.normal(n.v[1], n.v[2])
	product := graph.Mul(grad, normal)
	factor := n.along(graph.Mul(n.v[0], n.factor(n.v[2])))
	rest := graph.Add(n.along(n.fold(graph.ReduceMean, grad)), graph.Mul(normal, n.along(n.fold(graph.ReduceMean, product))))
	out, err := n.results(b, t, graph.Mul(factor, graph.Sub(grad, rest)), n.fold(graph.ReduceSum, product), n.fold(graph.ReduceSum, grad))
	if err != nil {
		return nil, nil, nil, err
	}
	return out[0], out[1], out[2], nil
}
