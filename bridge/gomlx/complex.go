package gomlx

import (
	"github.com/cutile-go/cutile/graph"
)

// complex gives the complex numbers of an array that has imaginary parts.
func (p pair) complex() graph.Complex { return graph.Complex{Re: p.re, Im: p.im} }

// pairOf gives complex numbers as an array of the back end.
func pairOf(x graph.Complex) pair { return pair{x.Re, x.Im} }

// oneComplex applies a function of complex numbers.
func oneComplex(f func(x graph.Complex) graph.Complex) func([]pair) pair {
	return func(v []pair) pair { return pairOf(f(v[0].complex())) }
}

// twoComplex applies a function of two complex numbers.
func twoComplex(f func(x, y graph.Complex) graph.Complex) func([]pair) pair {
	return func(v []pair) pair { return pairOf(f(v[0].complex(), v[1].complex())) }
}

// toReal applies a function of complex numbers whose results are real.
func toReal(f func(x graph.Complex) *graph.Value) func([]pair) pair {
	return func(v []pair) pair { return pair{re: f(v[0].complex())} }
}

// bothParts tests the real and the imaginary part and joins the answers.
func bothParts(test unaryFunc, join binaryFunc) func([]pair) pair {
	return func(v []pair) pair { return pair{re: join(test(v[0].re), test(v[0].im))} }
}

// compareParts compares the real and the imaginary parts and joins the answers.
func compareParts(compare, join binaryFunc) func([]pair) pair {
	return func(v []pair) pair {
		return pair{re: join(compare(v[0].re, v[1].re), compare(v[0].im, v[1].im))}
	}
}
