package passes

import (
	"math"
	"math/bits"

	"github.com/cutile-go/cutile/tileir"
)

// corners applies an operation that is monotonic in each operand to the ends.
func corners(x, y span, f func(a, b int64) (int64, bool)) (s span, ok bool) {
	s = span{math.MaxInt64, math.MinInt64}
	for _, a := range []int64{x.lo, x.hi} {
		for _, b := range []int64{y.lo, y.hi} {
			n, overflows := f(a, b)
			if overflows {
				return span{}, false
			}
			s.lo, s.hi = min(s.lo, n), max(s.hi, n)
		}
	}
	return s, true
}

func addOverflows(a, b int64) (int64, bool) {
	n := a + b
	return n, (n > a) != (b > 0) && b != 0
}

func subOverflows(a, b int64) (int64, bool) {
	n := a - b
	return n, (n < a) != (b > 0) && b != 0
}

func mulOverflows(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	h := int64(hi)
	if a < 0 {
		h -= b
	}
	if b < 0 {
		h -= a
	}
	n := int64(lo)
	return n, h != n>>63
}

// divideSpan is for positive divisors; the quotient lies between the dividend and zero, whatever the rounding.
func divideSpan(r *ranges, _ *tileir.Value, o *tileir.Op, _ *tileir.TileType) (span, bool) {
	x, y := r.span(o.Operands[0]), r.span(o.Operands[1])
	if o.Int("signedness") != int64(tileir.Signed) || y.lo < 1 {
		return span{}, false
	}
	s := span{min(x.lo, 0), max(x.hi, 0)}
	if y.lo > 1 { // one more at either end covers every rounding
		s = span{min(x.lo/y.lo-1, 0), max(x.hi/y.lo+1, 0)}
		if x.lo >= 0 {
			s.lo = 0
		}
		if o.Int("rounding") == int64(tileir.RoundingZero) {
			s.hi = max(x.hi/y.lo, 0)
		}
	}
	return s, true
}

func remainderSpan(r *ranges, _ *tileir.Value, o *tileir.Op, _ *tileir.TileType) (span, bool) {
	x, y := r.span(o.Operands[0]), r.span(o.Operands[1])
	if o.Int("signedness") != int64(tileir.Signed) || y.lo < 1 {
		return span{}, false
	}
	s := span{max(-(y.hi - 1), min(x.lo, 0)), min(y.hi-1, max(x.hi, 0))}
	return s, true
}
