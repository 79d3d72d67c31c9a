package gomlx

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
	"github.com/gomlx/gomlx/backends"
)

// FFT computes a discrete Fourier transform along the last axes, one for each number of lengths. Inverse transforms are divided by
// their length.
func (b *Builder) FFT(x backends.Op, kind backends.FFTType, lengths []int) (backends.Op, error) {
	list, err := b.operands(backends.OpTypeFFT, x)
	if err != nil {
		return nil, err
	}
	v := list[0]
	want, fromReal := complexes, kind == backends.FFTForwardReal
	if fromReal {
		want = floats
	}
	if err := check(backends.OpTypeFFT, want, v); err != nil {
		return nil, err
	}
	if d := v.re.DType(); d != dtype.F32 && d != dtype.F64 {
		return nil, fmt.Errorf("cutile: FFT of %s: expected Float32 or Float64: convert it", v.shape)
	}
	if err := checkLengths(v, kind, lengths); err != nil {
		return nil, err
	}
	rank, n := v.shape.Rank(), len(lengths)
	p, last := v.pair, rank-1
	switch kind {
	case backends.FFTForward, backends.FFTInverse:
		for i := range lengths {
			p = transformAxis(p, rank-n+i, kind == backends.FFTInverse)
		}
	case backends.FFTForwardReal:
		p = transformAxis(pair{p.re, zeros(p.re)}, last, false)
		half := lengths[n-1]/2 + 1
		p = pair{graph.Narrow(p.re, last, 0, half), graph.Narrow(p.im, last, 0, half)}
		for i := range n - 1 {
			p = transformAxis(p, rank-n+i, false)
		}
	case backends.FFTInverseReal:
		for i := range n - 1 {
			p = transformAxis(p, rank-n+i, true)
		}
		p = pair{re: transformAxis(mirrored(p, last, lengths[n-1]), last, true).re}
	}
	return b.result(backends.OpTypeFFT, p)
}

func checkLengths(v *op, kind backends.FFTType, lengths []int) error {
	rank, n := v.shape.Rank(), len(lengths)
	if kind < backends.FFTForward || kind > backends.FFTInverseReal {
		return fmt.Errorf("cutile: FFT: no transform %s", kind)
	}
	if n < 1 || n > rank {
		return fmt.Errorf("cutile: FFT of %s along %d axes, expected 1 to its rank", v.shape, n)
	}
	for i, length := range lengths {
		have, want := v.shape.Dimensions[rank-n+i], length
		if kind == backends.FFTInverseReal && i == n-1 {
			want = length/2 + 1
		}
		if length < 1 || have != want {
			return fmt.Errorf("cutile: FFT of %s: axis %d has extent %d, expected %d for a length of %d", v.shape, rank-n+i, have, want, length)
		}
	}
	return nil
}

// mirrored completes the transform of real numbers: element n-k is the conjugate of element k.
func mirrored(p pair, axis, n int) pair {
	from := (n + 1) / 2 // elements 1 to from-1 have a mirror image
	if from <= 1 {
		return p
	}
	tail := func(v *graph.Value) *graph.Value { return graph.Reverse(graph.Narrow(v, axis, 1, from), axis) }
	return pair{graph.Concat(axis, p.re, tail(p.re)), graph.Concat(axis, p.im, graph.Neg(tail(p.im)))}
}

// transformAxis transforms along an axis.
func transformAxis(p pair, axis int, inverse bool) pair {
	rank := p.re.Rank()
	order := make([]int, 0, rank)
	for i := range rank {
		if i != axis {
			order = append(order, i)
		}
	}
	order = append(order, axis)
	move := func(v *graph.Value, axes []int) *graph.Value { return graph.Transpose(v, axes...) }
	p = pair{move(p.re, order), move(p.im, order)}
	shape := p.re.Shape()
	if p.err() != nil {
		return p
	}
	n := shape[rank-1]
	rows := product(shape[:rank-1])
	flat := pair{graph.Reshape(p.re, rows, n), graph.Reshape(p.im, rows, n)}
	flat = transform(flat, inverse)
	if inverse {
		scale := number(flat.re, 1/float64(n))
		flat = pair{graph.Mul(flat.re, scale), graph.Mul(flat.im, scale)}
	}
	back := backOrder(rank, axis)
	return pair{move(graph.Reshape(flat.re, shape...), back), move(graph.Reshape(flat.im, shape...), back)}
}

// backOrder puts the last axis back to its place.
func backOrder(rank, axis int) []int {
	order := make([]int, 0, rank)
	for i := range rank - 1 {
		order = append(order, i)
	}
	return slices.Insert(order, axis, rank-1)
}

// directLength is the greatest length of a transform by a matrix product.
const directLength = 64

// transform transforms rows without scaling. A length n = a·b with a ≤ directLength is a product with a matrix, of the elements b
// apart, rotations, and transforms of length b. (J. W. Cooley and J. W. Tukey, An algorithm for the machine calculation of complex
// Fourier series, 1965.)
func transform(p pair, inverse bool) pair {
	shape := p.re.Shape()
	if p.err() != nil {
		return p
	}
	rows, n := shape[0], shape[1]
	if n <= directLength {
		return timesMatrix(p, n, inverse)
	}
	a := directLength
	for n%a != 0 {
		a--
	}
	if a == 1 {
		return chirp(p, inverse)
	}
	b := n / a
	each := func(p pair, f func(v *graph.Value) *graph.Value) pair { return pair{f(p.re), f(p.im)} }
	swap := func(v *graph.Value) *graph.Value { return graph.Transpose(v, 0, 2, 1) }
	p = each(p, func(v *graph.Value) *graph.Value { return graph.Reshape(swap(graph.Reshape(v, rows, a, b)), rows*b, a) })
	p = timesMatrix(p, a, inverse)
	p = each(p, func(v *graph.Value) *graph.Value { return swap(graph.Reshape(v, rows, b, a)) }) // rows, a, b
	p = mulComplex(p, rotations(p.re, []int{a, b}, n, func(i int) int { return i / b * (i % b) }, inverse))
	p = each(p, func(v *graph.Value) *graph.Value { return graph.Reshape(v, rows*a, b) })
	p = transform(p, inverse)
	return each(p, func(v *graph.Value) *graph.Value { return graph.Reshape(swap(graph.Reshape(v, rows, a, b)), rows, n) })
}

// timesMatrix multiplies rows by the matrix of the transform of length n.
func timesMatrix(p pair, n int, inverse bool) pair {
	m := rotations(p.re, []int{n, n}, n, func(i int) int { return i / n * (i % n) }, inverse)
	return bilinear(graph.MatMul, p, m)
}

// chirp transforms rows of a length that has no factor up to directLength but 1, as a convolution, which transforms of a power of
// two compute. (L. Bluestein, A linear filtering approach to the computation of discrete Fourier transform, 1970.)
func chirp(p pair, inverse bool) pair {
	n := p.re.Shape()[1]
	m := 1 << bits.Len(uint(2*n-2))
	square := func(i int) int { return i * i }
	w := rotations(p.re, []int{n}, 2*n, square, inverse)
	x := padded(mulComplex(p, w), m)
	filter := rotations(p.re, []int{1, m}, 2*n, func(i int) int { return square(min(i, m-i)) }, !inverse)
	used := filled(filter.re, 1)
	index := graph.Iota(p.re.Graph(), dtype.I32, 1, 1, m)
	gap := graph.And(graph.GreaterEqual(index, number(index, float64(n))), graph.LessEqual(index, number(index, float64(m-n))))
	used = graph.Where(gap, zeros(used), used)
	filter = pair{graph.Mul(filter.re, used), graph.Mul(filter.im, used)}
	y := transform(mulComplex(transform(x, false), transform(filter, false)), true)
	scale := number(p.re, 1/float64(m))
	y = pair{graph.Mul(graph.Narrow(y.re, 1, 0, n), scale), graph.Mul(graph.Narrow(y.im, 1, 0, n), scale)}
	return mulComplex(y, w)
}

func padded(p pair, n int) pair {
	pad := func(v *graph.Value) *graph.Value {
		return graph.Pad(v, number(v, 0), []int{0, 0}, []int{0, n - v.Shape()[1]}, nil)
	}
	return pair{pad(p.re), pad(p.im)}
}

// rotations gives the numbers e^(-2πi·turn(j)/parts), for inverse transforms their conjugates, as constants of the element type of
// like. Angles lie between -π and π, so that numbers of opposite angles are exactly conjugate.
func rotations(like *graph.Value, shape []int, parts int, turn func(j int) int, inverse bool) pair {
	n := product(shape)
	re, im := make([]float64, n), make([]float64, n)
	for j := range n {
		k := turn(j) % parts
		if 2*k > parts {
			k -= parts
		}
		sin, cos := math.Sincos(2 * math.Pi * float64(k) / float64(parts))
		if !inverse {
			sin = -sin
		}
		re[j], im[j] = cos, sin
	}
	g := like.Graph()
	constant := func(x []float64) *graph.Value { return graph.Convert(graph.Constant(g, x, shape...), like.DType()) }
	return pair{constant(re), constant(im)}
}
