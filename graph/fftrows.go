package graph

import (
	"math"
	"math/bits"
	"slices"
)

// In this file a Complex without Im stands for real numbers.

// parts applies a function to the parts that are there.
func (x Complex) parts(f func(part *Value) *Value) Complex {
	if x.Im == nil {
		return Complex{Re: f(x.Re)}
	}
	return x.Each(f)
}

// times is a product of x, which may be real, with complex numbers.
func (x Complex) times(product func(x, y *Value) *Value, y Complex) Complex {
	if x.Im == nil {
		return Complex{product(x.Re, y.Re), product(x.Re, y.Im)}
	}
	return x.Bilinear(product, y)
}

// alongAxis transforms along an axis, and divides by its extent for the inverse.
func alongAxis(x Complex, axis int, inverse bool) Complex {
	shape := x.Re.Shape()
	rank, n := len(shape), shape[axis]
	var order, back []int
	for i := range rank {
		if i != axis {
			back, order = append(back, len(order)), append(order, i)
		}
	}
	order, back = append(order, axis), slices.Insert(back, axis, rank-1)
	moved := make([]int, rank)
	rows := 1
	for i, a := range order {
		if moved[i] = shape[a]; a != axis {
			rows *= shape[a]
		}
	}
	x = x.parts(func(v *Value) *Value { return Reshape(Transpose(v, order...), rows, n) })
	x = transformRows(x, inverse)
	if inverse {
		x = x.Each(func(v *Value) *Value { return Mul(v, like(v, 1/float64(n))) })
	}
	return x.Each(func(v *Value) *Value { return Transpose(Reshape(v, moved...), back...) })
}

// directLength is the greatest length of a transform by a matrix product.
const directLength = 64

// transformRows transforms rows without scaling. A length n = a·b with a ≤ directLength is a product with a matrix, of the elements b
// apart, rotations, and transforms of length b.
func transformRows(x Complex, inverse bool) Complex {
	rows, n := x.Re.node.Shape[0], x.Re.node.Shape[1]
	if n <= directLength {
		return timesMatrix(x, n, inverse)
	}
	a := directLength
	for n%a != 0 {
		a--
	}
	if a == 1 {
		return chirp(x, inverse)
	}
	b := n / a
	swap := func(v *Value) *Value { return Transpose(v, 0, 2, 1) }
	x = x.parts(func(v *Value) *Value { return Reshape(swap(Reshape(v, rows, a, b)), rows*b, a) })
	x = timesMatrix(x, a, inverse)
	x = x.Each(func(v *Value) *Value { return swap(Reshape(v, rows, b, a)) }) // rows, a, b
	x = x.Mul(rotations(x.Re, []int{a, b}, n, func(i int) int { return i / b * (i % b) }, inverse))
	x = x.Each(func(v *Value) *Value { return Reshape(v, rows*a, b) })
	x = transformRows(x, inverse)
	return x.Each(func(v *Value) *Value { return Reshape(swap(Reshape(v, rows, a, b)), rows, n) })
}

// timesMatrix multiplies rows by the matrix of the transform of length n.
func timesMatrix(x Complex, n int, inverse bool) Complex {
	m := rotations(x.Re, []int{n, n}, n, func(i int) int { return i / n * (i % n) }, inverse)
	return x.times(MatMul, m)
}

// chirp transforms rows of a length that has no factor up to directLength but 1, as a convolution, which transforms of a power of two
// compute: jk = (j² + k² - (j-k)²)/2.
func chirp(x Complex, inverse bool) Complex {
	n := x.Re.node.Shape[1]
	m := 1 << bits.Len(uint(2*n-2))
	square := func(i int) int { return i * i }
	w := rotations(x.Re, []int{n}, 2*n, square, inverse)
	filter := rotations(x.Re, []int{1, m}, 2*n, func(i int) int {
		if i = min(i, m-i); i < n {
			return square(i)
		}
		return -1
	}, !inverse)
	padded := x.times(Mul, w).Each(func(v *Value) *Value {
		return Pad(v, like(v, 0), []int{0, 0}, []int{0, m - n}, nil)
	})
	y := transformRows(transformRows(padded, false).Mul(transformRows(filter, false)), true)
	return y.Each(func(v *Value) *Value { return Mul(Narrow(v, 1, 0, n), like(v, 1/float64(m))) }).Mul(w)
}

// rotations gives the numbers e^(-2πi·turn(j)/parts), for inverse transforms their conjugates, and 0 for a negative turn, as constants
// of the element type of x. Angles lie between -π and π, so that numbers of opposite angles are exactly conjugate.
func rotations(x *Value, shape []int, parts int, turn func(j int) int, inverse bool) Complex {
	n := 1
	for _, d := range shape {
		n *= d
	}
	re, im := make([]float64, n), make([]float64, n)
	for j := range n {
		k := turn(j)
		if k < 0 {
			continue
		}
		if k %= parts; 2*k > parts {
			k -= parts
		}
		sin, cos := math.Sincos(2 * math.Pi * float64(k) / float64(parts))
		switch { // exactly -1, i or -i
		case 2*k == parts:
			sin = 0
		case 4*k == parts || 4*k == -parts:
			cos = 0
		}
		if !inverse {
			sin = -sin
		}
		re[j], im[j] = cos, sin
	}
	elem := x.node.Elem
	return Complex{numbers(x.g, elem, re, shape...), numbers(x.g, elem, im, shape...)}
}
