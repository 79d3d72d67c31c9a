package words

import (
	"go/constant"
	"go/token"
	"math"

	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simtc/emit"
)

// mathOp is a function of floats: PTX's instructions for it by element type, and how to compute it
// on known numbers.
type mathOp struct {
	n     int // operands
	ops   map[string]string
	known func(x, y, z float64) float64
	alone bool // computing in f32 and rounding gives another result, so types without an instruction are refused
	swap  bool // PTX has the operands in the opposite order
}

// mathOps lists the mathematical functions of package cute, by the names in their directives. Types
// below f32 without an instruction are computed in f32.
var mathOps = map[string]mathOp{
	"exp2":       {n: 1, ops: map[string]string{"f32": "ex2.approx.f32", "f16": "ex2.approx.f16"}, known: first(math.Exp2)},
	"log2":       {n: 1, ops: map[string]string{"f32": "lg2.approx.f32"}, known: first(math.Log2)},
	"sin":        {n: 1, ops: map[string]string{"f32": "sin.approx.f32"}, known: first(math.Sin)},
	"cos":        {n: 1, ops: map[string]string{"f32": "cos.approx.f32"}, known: first(math.Cos)},
	"tanh":       {n: 1, ops: map[string]string{"f32": "tanh.approx.f32", "f16": "tanh.approx.f16"}, known: first(math.Tanh)},
	"rsqrt":      {n: 1, ops: map[string]string{"f32": "rsqrt.approx.f32", "f64": "rsqrt.approx.f64"}, known: first(rsqrt)},
	"sqrt":       {n: 1, ops: map[string]string{"f32": "sqrt.rn.f32", "f64": "sqrt.rn.f64"}, known: first(math.Sqrt)},
	"rcp":        {n: 1, ops: map[string]string{"f32": "rcp.rn.f32", "f64": "rcp.rn.f64"}, known: first(inverse)},
	"sqrtapprox": {n: 1, ops: map[string]string{"f32": "sqrt.approx.f32"}, known: first(math.Sqrt)},
	"rcpapprox":  {n: 1, ops: map[string]string{"f32": "rcp.approx.f32"}, known: first(inverse)},
	"floor":      {n: 1, ops: rounding("rmi"), known: first(math.Floor)},
	"ceil":       {n: 1, ops: rounding("rpi"), known: first(math.Ceil)},
	"trunc":      {n: 1, ops: rounding("rzi"), known: first(math.Trunc)},
	"roundeven":  {n: 1, ops: rounding("rni"), known: first(math.RoundToEven)},
	"divapprox":  {n: 2, ops: map[string]string{"f32": "div.approx.f32"}, known: func(x, y, _ float64) float64 { return x / y }},
	"minnum":     {n: 2, ops: withHalves("min"), known: func(x, y, _ float64) float64 { return number2(x, y, math.Min) }},
	"maxnum":     {n: 2, ops: withHalves("max"), known: func(x, y, _ float64) float64 { return number2(x, y, math.Max) }},
	"copysign": {n: 2, ops: map[string]string{"f32": "copysign.f32", "f64": "copysign.f64"}, swap: true,
		known: func(x, y, _ float64) float64 { return math.Copysign(x, y) }},
	"fma": {n: 3, ops: withHalves("fma.rn"), known: math.FMA, alone: true},
}

// first makes a function of one number into one of three, of which it takes the first.
func first(f func(float64) float64) func(x, y, z float64) float64 {
	return func(x, _, _ float64) float64 { return f(x) }
}

// rsqrt and inverse are functions that package math lacks.
func rsqrt(x float64) float64   { return 1 / math.Sqrt(x) }
func inverse(x float64) float64 { return 1 / x }

// number2 gives f of two numbers, or the other one if one of them is NaN: that is how PTX's min and
// max differ from Go's.
func number2(x, y float64, f func(x, y float64) float64) float64 {
	switch {
	case math.IsNaN(x):
		return y
	case math.IsNaN(y):
		return x
	}
	return f(x, y)
}

// rounding lists the instructions that round to an integer by PTX's mode, by element type.
func rounding(mode string) map[string]string {
	return map[string]string{"f32": "cvt." + mode + ".f32.f32", "f64": "cvt." + mode + ".f64.f64", "f16": "cvt." + mode + ".f16.f16"}
}

// withHalves lists the instructions of an operation that exists for all floats of 16 bits and more.
func withHalves(op string) map[string]string {
	return map[string]string{"f32": op + ".f32", "f64": op + ".f64", "f16": op + ".f16", "bf16": op + ".bf16"}
}

// mathWords lists the words for functions of numbers.
var mathWords = func() map[string]intrinsic {
	words := map[string]intrinsic{
		"abs": func(c *call) []emit.Value {
			return give(c.lift(1, func(e *emit.Elem, in []emit.Value) emit.Value { return c.abs(in[0], e) }))
		},
		"bitcast": func(c *call) []emit.Value { return give(c.bitcast(c.arg(0))) },
	}
	for name, op := range mathOps {
		words[name] = func(c *call) []emit.Value {
			return give(c.lift(op.n, func(e *emit.Elem, in []emit.Value) emit.Value { return c.mathOp(op, in, e) }))
		}
	}
	return words
}()

// lift computes a function of n arguments that have the result's type, element by element if one of
// them is a vector.
func (c *call) lift(n int, f func(e *emit.Elem, in []emit.Value) emit.Value) emit.Value {
	// All arguments have the type of the result, or are vectors of it.
	e, _ := emit.Numbers(c.resultType(0))
	var many *emit.Vec
	for i := range n {
		if v, ok := c.arg(i).(*emit.Vec); ok {
			// The elements are paired by their order.
			c.Must(many == nil || len(many.Elems) == len(v.Elems), c.pos, "%s takes vectors of the same shape, not %s and %s", c.called(), shapeText(many), v.Shape)
			many = v
		}
	}
	in := make([]emit.Value, n)
	one := func(i int) emit.Value {
		for k := range in {
			in[k] = c.arg(k)
			if v, ok := in[k].(*emit.Vec); ok {
				in[k] = v.Elems[i]
			}
		}
		return f(e, in)
	}
	if many == nil {
		return one(0)
	}
	r := &emit.Vec{Elem: e, Shape: many.Shape, Elems: make([]emit.Value, len(many.Elems))}
	for i := range r.Elems {
		r.Elems[i] = one(i)
	}
	return r
}

// shapeText gives the shape of a vector as text, and () for no vector.
func shapeText(v *emit.Vec) string {
	if v == nil {
		return "()"
	}
	return v.Shape.String()
}

// mathOp computes a function of floats, now if every operand is known.
func (c *call) mathOp(op mathOp, in []emit.Value, e *emit.Elem) emit.Value {
	if static(in) {
		return c.mathKnown(op, in, e)
	}
	name := op.ops[e.Name]
	if name == "" {
		// f32 has more than twice the precision, so the second rounding gives what a single one would,
		// or a number as close as the approximation of f32 is.
		small := e.Bits < 32 || e.Name == "tf32"
		c.Must(small && !op.alone, c.pos, "%s does not take %s: the GPU has no such instruction; convert to another type first", c.called(), e.Name)
		wide := make([]emit.Value, len(in))
		for i, x := range in {
			wide[i] = c.Convert(x, e, emit.F32)
		}
		return c.Convert(c.mathOp(op, wide, emit.F32), emit.F32, e)
	}
	src := make([]simt.Operand, len(in))
	for i, x := range in {
		k := i
		if op.swap {
			// copysign takes the sign first in PTX and last in Go.
			k = len(in) - 1 - i
		}
		src[k] = c.InReg(x, e)
	}
	return c.Emit(e, name, src...)
}

// static reports whether all numbers are known.
func static(in []emit.Value) bool {
	for _, x := range in {
		if !emit.IsStatic(x) {
			return false
		}
	}
	return true
}

// mathKnown computes a function on known numbers in float64 and rounds the result to the type. The
// product and sum of a fused multiply-add are exact before they are rounded once, as float64 would
// round the sum already.
func (c *call) mathKnown(op mathOp, in []emit.Value, e *emit.Elem) emit.Value {
	var f [3]float64
	exact := op.alone
	for i, x := range in {
		// float64 holds every number of a smaller float, so that one rounding at the end is enough.
		f[i] = goval.Float(x)
		_, finite := x.(constant.Value)
		exact = exact && finite
	}
	if !exact {
		return e.Val().Round(op.known(f[0], f[1], f[2]))
	}
	// Constants of package go/constant are exact, so the product and the sum are not rounded.
	xy := constant.BinaryOp(constant.ToFloat(in[0].(constant.Value)), token.MUL, constant.ToFloat(in[1].(constant.Value)))
	return e.Val().RoundExact(constant.BinaryOp(xy, token.ADD, constant.ToFloat(in[2].(constant.Value))))
}

// abs gives the absolute value of a number.
func (c *call) abs(x emit.Value, e *emit.Elem) emit.Value {
	switch {
	case e.IsInt() && !e.Signed:
		return x
	case e.IsInt():
		// Of x and -x the larger one is the absolute value; the least integer stays negative, as in
		// Go.
		return c.Minmax("max", x, c.Negate(x, e), e)
	}
	return c.mathOp(mathOp{n: 1, ops: withHalves("abs"), known: first(math.Abs)}, []emit.Value{x}, e)
}

// bitcast gives the number that has the same bits in another type.
func (c *call) bitcast(x emit.Value) emit.Value {
	from, _ := emit.Numbers(c.typeArg(1))
	to, _ := emit.Numbers(c.typeArg(0))
	// Raw and FromRaw keep bits, and would have to invent or to drop some.
	c.Must(from.Bits == to.Bits, c.pos, "Bitcast keeps the width: %s has %d bits, %s has %d", from.Name, from.Bits, to.Name, to.Bits)
	if v, ok := x.(*emit.Vec); ok {
		return v.Each(to, func(x emit.Value) emit.Value { return c.bitcastOne(x, from, to) })
	}
	return c.bitcastOne(x, from, to)
}

// bitcastOne gives one number that has the same bits in another type.
func (c *call) bitcastOne(x emit.Value, from, to *emit.Elem) emit.Value {
	if emit.IsStatic(x) {
		return c.decoded(c.Bits(x, from), to)
	}
	return c.FromRaw(c.Raw(x, from), to)
}

// decoded gives the number that some bits encode. A float is not rounded to its type again:
// rounding would saturate an infinity in a type of 8 bits.
func (c *call) decoded(bits uint64, e *emit.Elem) emit.Value {
	if e.Float {
		return goval.FromFloat(e.DType.FloatFromBits(bits))
	}
	return e.Val().Wrap(constant.MakeUint64(bits))
}
