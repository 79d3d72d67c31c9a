package graph

import (
	"fmt"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/graph/ir"
)

// ReduceSum adds the elements along axes, which the result lacks. Without axes it adds all elements, as the other reductions do.
// Sums of float16 and bfloat16 are computed in float32.
func ReduceSum(x *Value, axes ...int) *Value { return reduce("sum", x, axes) }

// ReduceProd multiplies the elements along axes.
func ReduceProd(x *Value, axes ...int) *Value { return reduce("prod", x, axes) }

// ReduceMax returns the greatest element along axes; a NaN if there is one. Of no elements it is -Inf, or the least integer.
func ReduceMax(x *Value, axes ...int) *Value { return reduce("max", x, axes) }

// ReduceMin returns the least element along axes; a NaN if there is one. Of no elements it is +Inf, or the greatest integer.
func ReduceMin(x *Value, axes ...int) *Value { return reduce("min", x, axes) }

// ReduceAnd joins the bits of elements along axes by and; of bools, it tells whether all are true.
func ReduceAnd(x *Value, axes ...int) *Value { return reduce("and", x, axes) }

// ReduceOr joins the bits of elements along axes by or; of bools, it tells whether any is true.
func ReduceOr(x *Value, axes ...int) *Value { return reduce("or", x, axes) }

// ReduceXor joins the bits of elements along axes by exclusive or.
func ReduceXor(x *Value, axes ...int) *Value { return reduce("xor", x, axes) }

func reduce(fold string, x *Value, axes []int) *Value {
	return build(func(g *ir.Graph, in []*ir.Node) (*ir.Node, error) { return g.Reduce(fold, in[0], allAxes(in[0], axes)) }, x)
}

// allAxes gives axes, or all axes of an array if there are none.
func allAxes(x *ir.Node, axes []int) []int {
	if len(axes) > 0 {
		return axes
	}
	for i := range x.Rank() {
		axes = append(axes, i)
	}
	return axes
}

// ReduceMean returns the mean of the floats along axes, which is computed in float32 for float16 and bfloat16.
func ReduceMean(x *Value, axes ...int) *Value {
	bad := check(func(in []*ir.Node) error { return folded(in[0], ir.Floats, axes...) }, operand{"", x})
	if bad != nil {
		return bad
	}
	return wide(func(v []*Value) *Value { return mean(v[0], axes) }, x)
}

func mean(x *Value, axes []int) *Value {
	n := 1
	for _, a := range allAxes(x.node, axes) {
		if a < 0 {
			a += x.Rank()
		}
		n *= x.node.Shape[a]
	}
	return Div(reduce("sum", x, axes), like(x, float64(n)))
}

// folded checks the operand and the axes of a fold.
func folded(x *ir.Node, c ir.Class, axes ...int) error {
	if err := elements(x, c); err != nil {
		return err
	}
	_, err := ir.AxesIn(axes, x.Rank(), x.Type)
	return err
}

// keep puts axes of extent 1 where a reduction of x dropped axes.
func keep(reduced, x *Value, axes ...int) *Value {
	if x == nil || x.node == nil || reduced.node == nil {
		return reduced
	}
	return ExpandDims(reduced, allAxes(x.node, axes)...)
}

// ArgMax returns the index of the greatest element along an axis, which the result lacks: of equal ones the first. A NaN is
// greater than any number.
func ArgMax(x *Value, axis int, elem dtype.Type) *Value { return argReduce(x, axis, false, elem) }

// ArgMin returns the index of the least element along an axis. A NaN is less than any number.
func ArgMin(x *Value, axis int, elem dtype.Type) *Value { return argReduce(x, axis, true, elem) }

func argReduce(x *Value, axis int, min bool, elem dtype.Type) *Value {
	return build(func(g *ir.Graph, in []*ir.Node) (*ir.Node, error) {
		return g.ArgReduce(in[0], ir.ArgReduceAttr{Axis: axis, Min: min}, elem)
	}, x)
}

// CumSum adds each element and all before it along an axis; all behind it if reverse is set.
func CumSum(x *Value, axis int, reverse bool) *Value { return scan("sum", x, axis, reverse) }

// CumProd multiplies each element and all before it along an axis; all behind it if reverse is set.
func CumProd(x *Value, axis int, reverse bool) *Value { return scan("prod", x, axis, reverse) }

// CumMax returns the greatest of each element and all before it along an axis; of all behind it if reverse is set.
func CumMax(x *Value, axis int, reverse bool) *Value { return scan("max", x, axis, reverse) }

// CumMin returns the least of each element and all before it along an axis; of all behind it if reverse is set.
func CumMin(x *Value, axis int, reverse bool) *Value { return scan("min", x, axis, reverse) }

func scan(fold string, x *Value, axis int, reverse bool) *Value {
	return build(func(g *ir.Graph, in []*ir.Node) (*ir.Node, error) { return g.Scan(fold, in[0], axis, reverse) }, x)
}

// Softmax returns e^x over the sum of e^x along an axis, computed so that it does not overflow; for float16 and bfloat16 in float32.
func Softmax(x *Value, axis int) *Value {
	bad := check(func(in []*ir.Node) error { return folded(in[0], ir.Floats, axis) }, operand{"", x})
	if bad != nil {
		return bad
	}
	return wide(func(v []*Value) *Value {
		e := Exp(Sub(v[0], keep(ReduceMax(v[0], axis), v[0], axis)))
		return Div(e, keep(ReduceSum(e, axis), v[0], axis))
	}, x)
}

// LogSoftmax returns the logarithm of [Softmax].
func LogSoftmax(x *Value, axis int) *Value {
	bad := check(func(in []*ir.Node) error { return folded(in[0], ir.Floats, axis) }, operand{"", x})
	if bad != nil {
		return bad
	}
	return wide(func(v []*Value) *Value {
		d := Sub(v[0], keep(ReduceMax(v[0], axis), v[0], axis))
		return Sub(d, Log(keep(ReduceSum(Exp(d), axis), v[0], axis)))
	}, x)
}

// LayerNorm scales the elements along the last axes of x, as many as scale has, to mean 0 and variance 1, and multiplies them by
// scale and adds bias, which may be nil; of float16 and bfloat16 in float32. (J. L. Ba and others, Layer normalization, 2016.)
func LayerNorm(x, scale, bias *Value, epsilon float64) *Value {
	list := []operand{{"x", x}, {"scale", scale}}
	if bias != nil {
		list = append(list, operand{"bias", bias})
	}
	if bad := check(normalized, list...); bad != nil {
		return bad
	}
	axes := lastAxes(scale)
	return wide(func(v []*Value) *Value {
		x, scale, bias := v[0], v[1], v[2]
		d := Sub(x, keep(mean(x, axes), x, axes...))
		variance := keep(mean(Mul(d, d), axes), x, axes...)
		y := Mul(Mul(d, Rsqrt(Add(variance, like(x, epsilon)))), scale)
		if bias != nil {
			y = Add(y, bias)
		}
		return y
	}, x, scale, bias)
}

// RMSNorm divides the elements along the last axes of x, as many as scale has, by the root of the mean of their squares, and
// multiplies them by scale; of float16 and bfloat16 in float32. (B. Zhang and R. Sennrich, Root mean square layer normalization, 2019.)
func RMSNorm(x, scale *Value, epsilon float64) *Value {
	if bad := check(normalized, operand{"x", x}, operand{"scale", scale}); bad != nil {
		return bad
	}
	axes := lastAxes(scale)
	return wide(func(v []*Value) *Value {
		x, scale := v[0], v[1]
		mean := keep(mean(Mul(x, x), axes), x, axes...)
		return Mul(Mul(x, Rsqrt(Add(mean, like(x, epsilon)))), scale)
	}, x, scale)
}

// lastAxes are as many axes as a value has, from the last one on.
func lastAxes(v *Value) []int {
	axes := make([]int, v.Rank())
	for i := range axes {
		axes[i] = -1 - i
	}
	return axes
}

// normalized checks x, scale and perhaps bias of a norm.
func normalized(in []*ir.Node) error {
	x := in[0]
	if err := elements(x, ir.Floats); err != nil {
		return err
	}
	for i, v := range in[1:] {
		if v.Elem != x.Elem || !fits(v, x.Shape) {
			return fmt.Errorf("%s is %s, expected elements of x, %s, and the extents of its last axes, or 1", []string{"scale", "bias"}[i], v.Type(), x.Type())
		}
	}
	return nil
}
