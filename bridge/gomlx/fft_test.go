package gomlx_test

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/gomlx/backends"
)

// dft is the definition of the transform of rows of n numbers.
func dft(x []complex128, n int, inverse bool) []complex128 {
	out := make([]complex128, len(x))
	sign, scale := -1.0, 1.0
	if inverse {
		sign, scale = 1, 1/float64(n)
	}
	for row := 0; row < len(x); row += n {
		for k := range n {
			var sum complex128
			for j := range n {
				sum += x[row+j] * cmplx.Rect(1, sign*2*math.Pi*float64(j*k%n)/float64(n))
			}
			out[row+k] = sum * complex(scale, 0)
		}
	}
	return out
}

// TestFFT: lengths that are products with a matrix, that have factors, and primes beyond such products.
func TestFFT(t *testing.T) {
	b := open(t)
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{1, 2, 3, 8, 64, 65, 67, 128, 134, 210} {
		x := make([]complex128, 2*n)
		reals := make([]float64, 2*n)
		for i := range x {
			x[i], reals[i] = complex(r.NormFloat64(), r.NormFloat64()), r.NormFloat64()
		}
		half := n/2 + 1
		out := run(t, b, func(b backends.Builder, x []backends.Op) []backends.Op {
			half := op(b.FFT(x[1], backends.FFTForwardReal, []int{n}))
			return []backends.Op{op(b.FFT(x[0], backends.FFTForward, []int{n})), op(b.FFT(x[0], backends.FFTInverse, []int{n})), half, op(b.FFT(half, backends.FFTInverseReal, []int{n}))}
		}, of(x, 2, n), of(reals, 2, n))
		near(t, fmt.Sprint("forward ", n), out[0], dft(x, n, false), 1e-11)
		near(t, fmt.Sprint("inverse ", n), out[1], dft(x, n, true), 1e-11)
		full := dft(widen(reals), n, false)
		near(t, fmt.Sprint("real ", n), out[2], append(append([]complex128{}, full[:half]...), full[n:n+half]...), 1e-11)
		near(t, fmt.Sprint("back to real ", n), out[3], widen(reals), 1e-11)
	}
}

// TestFFTAxes: transforms along several axes are transforms along one after the other.
func TestFFTAxes(t *testing.T) {
	b := open(t)
	r := rand.New(rand.NewPCG(7, 8))
	reals := normal(r, 2*3*4)
	out := run(t, b, func(b backends.Builder, x []backends.Op) []backends.Op {
		y := op(b.FFT(x[0], backends.FFTForwardReal, []int{3, 4}))
		return []backends.Op{y, op(b.FFT(y, backends.FFTInverseReal, []int{3, 4}))}
	}, of(reals, 2, 3, 4))
	near(t, "back", out[1], widen(reals), 1e-12)
	var want []complex128
	for block := 0; block < 24; block += 12 {
		rows := dft(widen(reals[block:block+12]), 4, false)
		for k := range 3 {
			for c := range 3 {
				var sum complex128
				for j := range 3 {
					sum += rows[4*j+c] * cmplx.Rect(1, -2*math.Pi*float64(j*k)/3)
				}
				want = append(want, sum)
			}
		}
	}
	near(t, "along two axes", out[0], want, 1e-12)
}
