package graph

import (
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/graph/ir"
)

// maxTransform is the greatest length of a Fourier transform.
const maxTransform = 1 << 24

// FFT returns the discrete Fourier transforms of x along axes, one after the other: element k along an axis of extent n is the sum over
// j of x[j]·e^(-2πi·jk/n). The result has the shape of x.
//
// The elements are float32 or float64, and an axis has 1 to 2^24 of them. A transform is fast if n is a product of numbers up to 64,
// such as a power of two: it is then one matrix product with a constant matrix for each of them. (J. W. Cooley and J. W. Tukey, An
// algorithm for the machine calculation of complex Fourier series, 1965.) A prime factor above 64 needs two transforms of a power of
// two that is 2 to 4 times as long. (L. Bluestein, A linear filtering approach to the computation of discrete Fourier transform,
// 1970.) A program holds about 2n numbers as constants.
func FFT(x Complex, axes ...int) Complex {
	return transformAxes(x, axes, false)
}

// InverseFFT returns the inverse of [FFT] along axes: the sum over k of x[k]·e^(2πi·jk/n), divided by n.
func InverseFFT(x Complex, axes ...int) Complex {
	return transformAxes(x, axes, true)
}

// RealFFT returns the elements 0 to n/2 along the last one of axes of the transforms of real numbers along axes, as [FFT] does. The
// others are their conjugates. That axis of the result has the extent n/2 + 1 (n/2 rounded down).
func RealFFT(x *Value, axes ...int) Complex {
	axes, bad := fftAxes(Complex{x, x}, axes)
	if bad != nil {
		return Complex{bad, bad}
	}
	last := len(axes) - 1
	half := x.node.Shape[axes[last]]/2 + 1
	y := alongAxis(Complex{Re: x}, axes[last], false).Each(func(v *Value) *Value { return Narrow(v, axes[last], 0, half) })
	for _, a := range axes[:last] {
		y = alongAxis(y, a, false)
	}
	return y
}

// InverseRealFFT returns the inverse of [RealFFT] along axes: real numbers, n of them along the last one of axes, where x has the
// extent n/2 + 1. The imaginary parts of element 0 and, if n is even, of element n/2 are taken for 0.
func InverseRealFFT(x Complex, n int, axes ...int) *Value {
	axes, bad := fftAxes(x, axes)
	if bad != nil {
		return bad
	}
	last := len(axes) - 1
	if have := x.Re.node.Shape[axes[last]]; n < 1 || n > maxTransform || have != n/2+1 {
		return x.Re.g.fail(fmt.Errorf("axis %d of %v has extent %d, expected n/2+1 for n = %d, which must be 1 to %d", axes[last], x.Re, have, n, maxTransform))
	}
	for _, a := range axes[:last] {
		x = alongAxis(x, a, true)
	}
	return alongAxis(mirrored(x, axes[last], n), axes[last], true).Re
}

// mirrored completes the transform of real numbers: element n-k is the conjugate of element k.
func mirrored(x Complex, axis, n int) Complex {
	from := (n + 1) / 2 // elements 1 to from-1 have a mirror image
	if from <= 1 {
		return x
	}
	tail := x.Conj().Each(func(v *Value) *Value { return Reverse(Narrow(v, axis, 1, from), axis) })
	return Complex{Concat(axis, x.Re, tail.Re), Concat(axis, x.Im, tail.Im)}
}

func transformAxes(x Complex, axes []int, inverse bool) Complex {
	axes, bad := fftAxes(x, axes)
	if bad != nil {
		return Complex{bad, bad}
	}
	for _, a := range axes {
		x = alongAxis(x, a, inverse)
	}
	return x
}

// fftAxes checks the operand of a transform and counts negative axes from the end. bad stands for a mistake, else it is nil.
func fftAxes(x Complex, axes []int) (out []int, bad *Value) {
	g, in, ok := named(operand{"x.Re", x.Re}, operand{"x.Im", x.Im})
	if !ok {
		return nil, &Value{g: g}
	}
	fail := func(format string, args ...any) ([]int, *Value) {
		return nil, g.fail(fmt.Errorf(format, args...))
	}
	re, im := in[0], in[1]
	switch {
	case re.Elem != im.Elem || !slices.Equal(re.Shape, im.Shape) || re.Elem != dtype.F32 && re.Elem != dtype.F64:
		return fail("the parts are %s and %s, expected both float32 or both float64, of one shape: use Convert or Broadcast", re.Type(), im.Type())
	case len(axes) == 0:
		return fail("there are no axes of %s: name those to transform along", re.Type())
	}
	for i, a := range axes {
		axis, err := ir.AxisOf(a, re)
		if err != nil {
			return nil, g.fail(err)
		}
		if slices.Contains(out, axis) {
			return fail("axis %d of %s is named twice in %v", axes[i], re.Type(), axes)
		}
		if n := re.Shape[axis]; n < 1 || n > maxTransform {
			return fail("axis %d of %s has extent %d, expected 1 to %d", a, re.Type(), n, maxTransform)
		}
		out = append(out, axis)
	}
	return out, nil
}
