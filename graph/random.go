package graph

import (
	"fmt"
	"math"
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/graph/ir"
)

// The numbers of Philox4x32. (J. K. Salmon and others, Parallel random numbers: as easy as 1, 2, 3, 2011, table 2 and section 3.)
const (
	philoxMul0, philoxMul1 = 0xD2511F53, 0xCD9E8D57
	philoxAdd0, philoxAdd1 = 0x9E3779B9, 0xBB67AE85
	philoxRounds           = 10
)

// RandomState adds the constant state of a generator of random bits: the key is seed, and the counter 0. What is made of a constant
// is the same in each run of a program: for other numbers each time, a state is a [Graph.Parameter] of type uint64 and shape [3], and
// the next state a result.
func RandomState(g *Graph, seed uint64) *Value { return Constant(g, []uint64{seed, 0, 0}) }

// RandomBits makes an array of random integers without a sign, of 8 to 64 bits, and the state for the numbers that come next.
//
// A state is uint64[3]: a key, which chooses a stream, and the lower and the upper half of a counter. Philox4x32 with 10 rounds
// encrypts the counter to 128 bits, those of the counter after it are the next ones, and so on; bits that an array does not need are
// dropped. Elements are made of them in row-major order, the lowest bits first, so that the bits are the same on every device and for
// elements of any size. (J. K. Salmon and others, Parallel random numbers: as easy as 1, 2, 3, 2011.)
func RandomBits(state *Value, elem dtype.Type, shape ...int) (next, bits *Value) {
	g, size, ok := randomSize(state, elem, !elem.IsInt() || elem.IsSigned(), "an unsigned integer", shape)
	if !ok {
		return &Value{g: g}, &Value{g: g}
	}
	width := elem.Size()
	blocks := (size*width + 15) / 16
	word := func(i int) *Value { return Reshape(Narrow(state, 0, i, i+1)) }
	key, low, high := word(0), word(1), word(2)
	sum := Add(low, like(low, float64(blocks)))
	next = Stack(0, key, sum, Add(high, Convert(Less(sum, low), dtype.U64)))

	bits = philox(key, low, high, blocks) // uint32[blocks 4]
	switch {
	case width > 4:
		bits = JoinBits(Reshape(bits, 2*blocks, 2), elem)
	case width < 4:
		bits = SplitBits(bits, elem)
	}
	return next, Reshape(Narrow(Reshape(bits, blocks*16/width), 0, 0, size), shape...)
}

// randomSize checks the arguments of a function of random numbers and gives the number of elements.
func randomSize(state *Value, elem dtype.Type, refused bool, expected string, shape []int) (g *Graph, size int, ok bool) {
	g, in, ok := named(operand{"the state", state})
	if !ok {
		return g, 0, false
	}
	size = 1
	for _, d := range shape {
		if d < 0 || d > 0 && size > ir.MaxElements/d {
			g.fail(fmt.Errorf("the shape %v, expected extents of at least 0 and at most %d elements", shape, ir.MaxElements))
			return g, 0, false
		}
		size *= d
	}
	switch {
	case in[0].Elem != dtype.U64 || !slices.Equal(in[0].Shape, []int{3}):
		g.fail(fmt.Errorf("the state is %s, expected uint64[3]", in[0].Type()))
	case refused:
		g.fail(fmt.Errorf("elements of %v, expected %s", elem, expected))
	default:
		return g, size, true
	}
	return g, 0, false
}

// philox encrypts the numbers from a counter on: the result is uint32[blocks 4].
func philox(key, low, high *Value, blocks int) *Value {
	c := Add(low, Iota(low.g, dtype.U64, 0, blocks))
	h := Add(high, Convert(Less(c, low), dtype.U64))
	c0, c1 := halves(c)
	c2, c3 := halves(h)
	k0, k1 := halves(key)
	for range philoxRounds {
		m0, m1 := like(c0, philoxMul0), like(c0, philoxMul1)
		high0, low0 := MulHigh(m0, c0), Mul(m0, c0)
		high1, low1 := MulHigh(m1, c2), Mul(m1, c2)
		c0, c1, c2, c3 = Xor(Xor(high1, c1), k0), low1, Xor(Xor(high0, c3), k1), low0
		k0, k1 = Add(k0, like(k0, philoxAdd0)), Add(k1, like(k1, philoxAdd1))
	}
	return Stack(1, c0, c1, c2, c3)
}

// halves gives the lower and the upper 32 bits.
func halves(x *Value) (low, high *Value) {
	return Convert(x, dtype.U32), Convert(ShiftRight(x, like(x, 32)), dtype.U32)
}

// wordOf is the integer that a random float is made of.
var wordOf = map[dtype.Type]dtype.Type{dtype.F16: dtype.U16, dtype.BF16: dtype.U16, dtype.F32: dtype.U32, dtype.F64: dtype.U64}

// significand is the number of bits of the fractions of a type of floats, with the one before the point.
var significand = map[dtype.Type]int{dtype.F16: 11, dtype.BF16: 8, dtype.F32: 24, dtype.F64: 53}

// Uniform makes random floats (float16, bfloat16, float32 or float64) of equal probability from 0 up to 1, not including 1, and the
// next state; [RandomBits] says what a state is. They are the highest bits of the random integer of the same size, as many as the
// type has, divided by a power of two: multiples of 2^-11, 2^-8, 2^-24 or 2^-53, the same on every device.
func Uniform(state *Value, elem dtype.Type, shape ...int) (next, x *Value) {
	g, _, ok := randomSize(state, elem, wordOf[elem] == dtype.Invalid, "float16, bfloat16, float32 or float64", shape)
	if !ok {
		return &Value{g: g}, &Value{g: g}
	}
	next, bits := RandomBits(state, wordOf[elem], shape...)
	return next, fraction(bits, elem, 0)
}

// fraction makes floats from 0 up to 1 of random integers; those above 0 up to 1 if more is 1.
func fraction(bits *Value, elem dtype.Type, more float64) *Value {
	n := significand[elem]
	x := Convert(ShiftRight(bits, like(bits, float64(8*elem.Size()-n))), elem)
	return Mul(Add(x, like(x, more)), like(x, math.Ldexp(1, -n)))
}

// Normal makes random floats of the normal distribution with mean 0 and variance 1, and the next state; [RandomBits] says what a state
// is. Two of them are made of two fractions of [Uniform]: the square root of -2·ln(1-u), times the cosine and the sine of 2πv. The
// functions may differ in their last bits between devices. No number is farther from 0 than 5.8; than 8.6 in float64. Those of float16
// and bfloat16 are rounded from float32. (G. E. P. Box and M. E. Muller, A note on the generation of random normal deviates, 1958.)
func Normal(state *Value, elem dtype.Type, shape ...int) (next, x *Value) {
	g, size, ok := randomSize(state, elem, wordOf[elem] == dtype.Invalid, "float16, bfloat16, float32 or float64", shape)
	if !ok {
		return &Value{g: g}, &Value{g: g}
	}
	wide := elem
	if elem.Size() < 4 {
		wide = dtype.F32
	}
	half := (size + 1) / 2
	next, bits := RandomBits(state, wordOf[wide], 2, half)
	u, v := fraction(Narrow(bits, 0, 0, 1), wide, 1), fraction(Narrow(bits, 0, 1, 2), wide, 0)
	r := Sqrt(Mul(Log(u), like(u, -2)))
	angle := Mul(v, like(v, 2*math.Pi))
	both := Reshape(Concat(0, Mul(r, Cos(angle)), Mul(r, Sin(angle))), 2*half)
	return next, Convert(Reshape(Narrow(both, 0, 0, size), shape...), elem)
}
