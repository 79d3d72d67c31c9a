package onnx

import (
	"math"
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

var quantOperators = map[string]operator{
	"QuantizeLinear": {10, 0, 2, 3, quantize, false}, "DequantizeLinear": {10, 0, 2, 3, dequantize, false},
	"DynamicQuantizeLinear": {11, 0, 1, 1, dynamicQuantize, false}, "MatMulInteger": {10, 0, 2, 4, matMulInteger, false},
	"ConvInteger": {10, 0, 2, 4, convInteger, false}, "QLinearMatMul": {10, 0, 8, 8, qlinearMatMul, false},
	"QLinearConv": {10, 0, 8, 9, qlinearConv, false},
}

// perAxis gives scales or zero points the shape that fits x: one for all, one for each index along an axis, or one for each block
// along it.
func perAxis(c *call, v *value, shape []int, a, block int) *value {
	if size(v.Shape()) == 1 && block == 0 {
		return graph.Reshape(v)
	}
	a = axis(a, len(shape))
	if block == 0 {
		if v.Rank() != 1 || v.Shape()[0] != shape[a] {
			refuse("scales or zero points of shape %v for axis %d of shape %v, expected one number for each index", v.Shape(), a, shape)
		}
		return spread(v, len(shape), a)
	}
	blocks := v.Shape()
	if len(blocks) != len(shape) || block < 0 || (shape[a]+block-1)/block != blocks[a] {
		refuse("scales or zero points of shape %v for blocks of %d along axis %d of shape %v", blocks, block, a, shape)
	}
	wide := slices.Insert(slices.Clone(blocks), a+1, block)
	repeated := slices.Clone(blocks)
	repeated[a] *= block
	v = graph.Reshape(graph.Broadcast(graph.ExpandDims(v, a+1), wide...), repeated...)
	return graph.Narrow(v, a, 0, shape[a])
}

// limits are the least and the greatest number of an integer type.
func limits(t dtype.Type) (lo, hi float64) {
	bits := 8 * t.Size()
	if t.IsSigned() {
		return -math.Ldexp(1, bits-1), math.Ldexp(1, bits-1) - 1
	}
	return 0, math.Ldexp(1, bits) - 1
}

func quantize(c *call) []*val {
	x := c.x(0)
	a, block := c.int("axis", 1), c.int("block_size", 0)
	to := dtype.U8
	if code := c.int("output_dtype", 0); code != 0 {
		var err error
		if to, err = typeOf(int64(code)); err != nil {
			refuse("output_dtype: %w", err)
		}
	}
	if c.has(2) {
		to = c.in[2].elem
	}
	if code := c.int("precision", 0); code != 0 && elemTypes[int64(code)].elem != x.DType() {
		refuse("precision is %d, expected the type of input 0", code)
	}
	saturate := c.int("saturate", 1) != 0
	scale := perAxis(c, c.x(1), c.in[0].shape, a, block)
	if x.DType() == dtype.I32 {
		x = graph.Convert(x, dtype.F32)
	}
	return c.one(quantized(c, graph.Div(x, graph.Convert(scale, x.DType())), c.opt(2), to, a, block, saturate))
}

// quantized rounds to integers, or to small floats, and adds the zero point.
func quantized(c *call, y, zero *value, to dtype.Type, a, block int, saturate bool) *value {
	if small(to) {
		if !saturate {
			refuse("saturate = 0 is not supported")
		}
		if zero != nil {
			y = graph.Add(y, graph.Convert(perAxis(c, zero, y.Shape(), a, block), y.DType()))
		}
		return graph.Convert(y, to)
	}
	if !to.IsInt() {
		refuse("the result would have elements of %v, expected integers or floats of 8 bits", to)
	}
	y = graph.RoundToEven(graph.Convert(y, dtype.F32))
	if zero != nil {
		y = graph.Add(y, graph.Convert(perAxis(c, zero, y.Shape(), a, block), dtype.F32))
	}
	lo, hi := limits(to)
	return graph.Convert(graph.Clamp(c.num(dtype.F32, lo), y, c.num(dtype.F32, hi)), to)
}

func dequantize(c *call) []*val {
	x, scale := c.x(0), c.x(1)
	a, block := c.int("axis", 1), c.int("block_size", 0)
	to := scale.DType()
	if code := c.int("output_dtype", 0); code != 0 {
		var err error
		if to, err = typeOf(int64(code)); err != nil {
			refuse("output_dtype: %w", err)
		}
	}
	y := dequantized(c, x, scale, c.opt(2), a, block)
	return c.one(graph.Convert(y, to))
}

func dequantized(c *call, x, scale, zero *value, a, block int) *value {
	shape := x.Shape()
	y := graph.Convert(x, dtype.F32)
	if zero != nil {
		z := perAxis(c, zero, shape, a, block)
		if x.DType() == dtype.I32 || x.DType() == dtype.U32 {
			y = graph.Convert(graph.Sub(x, z), dtype.F32)
		} else {
			y = graph.Sub(y, graph.Convert(z, dtype.F32))
		}
	}
	return graph.Convert(graph.Mul(y, graph.Convert(perAxis(c, scale, shape, a, block), dtype.F32)), scale.DType())
}

// dynamicQuantize takes the scale from the least and the greatest element.
func dynamicQuantize(c *call) []*val {
	x := c.x(0)
	zero := c.like(x, 0)
	lo, hi := graph.Min(graph.ReduceMin(x), zero), graph.Max(graph.ReduceMax(x), zero)
	scale := graph.Div(graph.Sub(hi, lo), c.like(x, 255))
	safe := graph.Where(graph.Equal(scale, zero), c.like(x, 1), scale)
	point := graph.Convert(graph.Clamp(zero, graph.RoundToEven(graph.Div(graph.Neg(lo), safe)), c.like(x, 255)), dtype.U8)
	return c.out(quantized(c, graph.Div(x, safe), point, dtype.U8, 0, 0, true), scale, point)
}

// rowsOf gives zero points of the rows of a matrix product's left operand an axis of columns.
func rowsOf(v *value) *value {
	if v.Rank() == 1 && size(v.Shape()) > 1 {
		return graph.ExpandDims(v, -1)
	}
	if size(v.Shape()) == 1 {
		return graph.Reshape(v)
	}
	return v
}

func less(x, zero *value, shape func(*value) *value) *value {
	x = graph.Convert(x, dtype.I32)
	if zero == nil {
		return x
	}
	return graph.Sub(x, shape(graph.Convert(zero, dtype.I32)))
}

func columnsOf(v *value) *value {
	if size(v.Shape()) == 1 {
		return graph.Reshape(v)
	}
	return v
}

func matMulInteger(c *call) []*val {
	return c.one(graph.MatMul(less(c.x(0), c.opt(2), rowsOf), less(c.x(1), c.opt(3), columnsOf)))
}

func convInteger(c *call) []*val {
	return c.one(convolved(c, integers32(c, c.x(0), 2, 1), integers32(c, c.x(1), 3, 0)))
}

// qlinearMatMul has the inputs a, scale, zero, b, scale, zero, and the scale and zero point of the result.
func qlinearMatMul(c *call) []*val {
	product := graph.MatMul(less(c.x(0), c.x(2), rowsOf), less(c.x(3), c.x(5), columnsOf))
	scale := graph.Div(graph.Mul(graph.Convert(rowsOf(c.x(1)), dtype.F32), graph.Convert(columnsOf(c.x(4)), dtype.F32)), graph.Convert(rowsOf(c.x(6)), dtype.F32))
	y := graph.RoundToEven(graph.Mul(graph.Convert(product, dtype.F32), scale))
	to := c.in[7].elem
	lo, hi := limits(to)
	y = graph.Add(y, graph.Convert(rowsOf(c.x(7)), dtype.F32))
	return c.one(graph.Convert(graph.Clamp(c.num(dtype.F32, lo), y, c.num(dtype.F32, hi)), to))
}

// qlinearConv has the inputs x, scale, zero, w, scale, zero, the scale and zero point of the result, and a bias.
func qlinearConv(c *call) []*val {
	y := convolved(c, integers32(c, c.x(0), 2, 1), integers32(c, c.x(3), 5, 0))
	y = biased(c, y, 8)
	scale := spread(graph.Convert(c.x(4), dtype.F32), y.Rank(), 1)
	scale = graph.Div(graph.Mul(graph.Reshape(graph.Convert(c.x(1), dtype.F32)), scale), graph.Reshape(graph.Convert(c.x(6), dtype.F32)))
	return c.one(quantized(c, graph.Mul(graph.Convert(y, dtype.F32), scale), c.x(7), c.in[7].elem, 1, 0, true))
}
