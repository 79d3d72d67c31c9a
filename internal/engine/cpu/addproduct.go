package cpu

import (
	"math"

	"github.com/cutile-go/cutile/internal/native/vec"
)

// pollRows is how many rows of the second operand, where they are long, are multiplied between two looks at whether the
// launch is to end.
const pollRows = 16

// multiplied is a type that mma accumulates in.
type multiplied interface{ int32 | float32 | float64 }

// addProduct adds the product of a, m rows of k, and b, k rows of n, to c. Each element of c gets its products one after the
// other, each time rounded once, as machine code does: so neither the shape of the tile nor the blocking changes the
// result. exact says that the products need no rounding; otherwise they are added as fused operations, which Go computes
// slowly.
//
// The inner loop for exact products runs along rows of c and b, two rows of c by four rows of b at a time: that is as many values as Go
// keeps in registers. A classic block of sums in registers spills and is only as fast as the plain loop.
func addProduct[T multiplied](f *frame, c, a, b []T, m, n, k int, exact bool) {
	if !exact {
		addFused(f, c, a, b, m, n, k)
		return
	}
	i := 0
	long := n*k > 8*pollElems // a row takes long
	for ; i+2 <= m; i += 2 {
		f.poll()
		c0, c1 := c[i*n:][:n], c[(i+1)*n:][:n]
		a0, a1 := a[i*k:][:k], a[(i+1)*k:][:k]
		p := 0
		for ; p+4 <= k; p += 4 {
			if long && p%pollRows == 0 {
				f.poll()
			}
			twoByFour(c0, c1, (*[4]T)(a0[p:]), (*[4]T)(a1[p:]), b[p*n:])
		}
		for ; p < k; p++ {
			addScaled(c0, b[p*n:], a0[p])
			addScaled(c1, b[p*n:], a1[p])
		}
	}
	if i < m {
		for p := range k {
			if long && p%pollRows == 0 {
				f.poll()
			}
			addScaled(c[i*n:][:n], b[p*n:], a[i*k+p])
		}
	}
}

// twoByFour adds four rows of b, scaled by x and y, to two rows.
func twoByFour[T multiplied](c0, c1 []T, x, y *[4]T, b []T) {
	n := len(c0)
	b0, b1, b2, b3 := b[:n], b[n:][:n], b[2*n:][:n], b[3*n:][:n]
	b0, b1, b2, b3, c1 = b0[:len(c0)], b1[:len(c0)], b2[:len(c0)], b3[:len(c0)], c1[:len(c0)]
	x0, x1, x2, x3 := x[0], x[1], x[2], x[3]
	y0, y1, y2, y3 := y[0], y[1], y[2], y[3]
	for j := range c0 {
		q0, q1, q2, q3 := b0[j], b1[j], b2[j], b3[j]
		c0[j] = c0[j] + T(x0*q0) + T(x1*q1) + T(x2*q2) + T(x3*q3)
		c1[j] = c1[j] + T(y0*q0) + T(y1*q1) + T(y2*q2) + T(y3*q3)
	}
}

// addScaled adds one row, scaled.
func addScaled[T multiplied](c, b []T, x T) {
	b = b[:len(c)]
	for j := range c {
		c[j] += T(x * b[j])
	}
}

// addFused is addProduct with fused operations.
func addFused[T multiplied](f *frame, c, a, b []T, m, n, k int) {
	for i := range m {
		for p := range k {
			if p%pollRows == 0 {
				f.poll()
			}
			switch row := any(c[i*n:][:n]).(type) {
			case []float32:
				addFused32(row, any(b[p*n:][:n]).([]float32), float32(a[i*k+p]))
			case []float64:
				addFused64(row, any(b[p*n:][:n]).([]float64), float64(a[i*k+p]))
			}
		}
	}
}

// addFused32 computes in float64, where the product of two float32 is exact and the sum is rounded. Rounding that to
// float32 is wrong only where it lies in the middle between two of them, or below the normal ones: see [vec.FMA32].
func addFused32(c, b []float32, x float32) {
	const least = 1023 - 125 // the exponent below which a float32 has fewer bits
	b = b[:len(c)]
	wide := float64(x)
	for j, y := range b {
		s := float64(wide*float64(y)) + float64(c[j])
		bits := math.Float64bits(s)
		if bits&(1<<29-1) == 1<<28 || bits>>52&0x7ff < least && s != 0 {
			c[j] = vec.FMA32(x, y, c[j])
			continue
		}
		c[j] = float32(s)
	}
}

func addFused64(c, b []float64, x float64) {
	b = b[:len(c)]
	for j, y := range b {
		c[j] = math.FMA(x, y, c[j])
	}
}
