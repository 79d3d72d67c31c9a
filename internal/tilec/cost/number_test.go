package cost

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/tileir"
)

// byte8 wraps to 8 bits, the width of these tests.
func byte8(v int64) int64 { return int64(int8(v)) }

func unsigned8(v int64) int64 { return int64(uint8(v)) }

// rounded divides exactly and rounds.
func rounded(a, b int64, mode tileir.Int) int64 {
	q := big.NewRat(a, b)
	down := new(big.Int).Div(q.Num(), q.Denom()).Int64() // towards negative infinity, as the denominator is positive
	switch {
	case q.IsInt() || mode == tileir.RoundingNegativeInf:
		return down
	case mode == tileir.RoundingPositiveInf || q.Sign() < 0:
		return down + 1
	}
	return down
}

// ofInts are the operations with what they compute on 8 bits; ok is false where there is no result.
var ofInts = []struct {
	name string
	f    binary
	in   operand
	want func(a, b int64) (v int64, ok bool)
}{
	{"add", addInts, operand{bits: 8}, func(a, b int64) (int64, bool) { return a + b, true }},
	{"sub", subInts, operand{bits: 8}, func(a, b int64) (int64, bool) { return a - b, true }},
	{"mul", mulInts, operand{bits: 8}, func(a, b int64) (int64, bool) { return a * b, true }},
	{"div", divInts, operand{bits: 8, mode: int64(tileir.RoundingZero)}, func(a, b int64) (int64, bool) { return safe(a, b, tileir.RoundingZero) }},
	{"div down", divInts, operand{bits: 8, mode: int64(tileir.RoundingNegativeInf)}, func(a, b int64) (int64, bool) { return safe(a, b, tileir.RoundingNegativeInf) }},
	{"div up", divInts, operand{bits: 8, mode: int64(tileir.RoundingPositiveInf)}, func(a, b int64) (int64, bool) { return safe(a, b, tileir.RoundingPositiveInf) }},
	{"div unsigned", divInts, operand{bits: 8, unsigned: true}, func(a, b int64) (int64, bool) { return safe(unsigned8(a), unsigned8(b), tileir.RoundingZero) }},
	{"div unsigned up", divInts, operand{bits: 8, unsigned: true, mode: int64(tileir.RoundingPositiveInf)},
		func(a, b int64) (int64, bool) { return safe(unsigned8(a), unsigned8(b), tileir.RoundingPositiveInf) }},
	{"rem", remInts, operand{bits: 8}, func(a, b int64) (int64, bool) {
		if b == 0 {
			return 0, false
		}
		return a - b*rounded(a, b, tileir.RoundingZero), true
	}},
	{"rem unsigned", remInts, operand{bits: 8, unsigned: true}, func(a, b int64) (int64, bool) {
		if b == 0 {
			return 0, false
		}
		return unsigned8(a) % unsigned8(b), true
	}},
	{"min", minInts, operand{bits: 8}, func(a, b int64) (int64, bool) { return min(a, b), true }},
	{"max", maxInts, operand{bits: 8}, func(a, b int64) (int64, bool) { return max(a, b), true }},
	{"min unsigned", minInts, operand{bits: 8, unsigned: true}, func(a, b int64) (int64, bool) { return min(unsigned8(a), unsigned8(b)), true }},
	{"max unsigned", maxInts, operand{bits: 8, unsigned: true}, func(a, b int64) (int64, bool) { return max(unsigned8(a), unsigned8(b)), true }},
	{"shl", shiftLeft, operand{bits: 8}, func(a, b int64) (int64, bool) {
		if b < 0 || b >= 62 {
			return 0, false
		}
		z := new(big.Int).Lsh(big.NewInt(a), uint(b))
		return z.Int64(), z.IsInt64()
	}},
	{"shr", shiftRight, operand{bits: 8}, func(a, b int64) (int64, bool) {
		if b < 0 || b >= 8 {
			return 0, false
		}
		return rounded(a, 1<<b, tileir.RoundingNegativeInf), true
	}},
	{"shr unsigned", shiftRight, operand{bits: 8, unsigned: true}, func(a, b int64) (int64, bool) {
		if b < 0 || b >= 8 {
			return 0, false
		}
		return unsigned8(a) / (1 << b), true
	}},
	{"and", andInts, operand{bits: 8}, func(a, b int64) (int64, bool) { return a & b, true }},
	{"or", orInts, operand{bits: 8}, func(a, b int64) (int64, bool) { return a | b, true }},
	{"xor", xorInts, operand{bits: 8}, func(a, b int64) (int64, bool) { return (a | b) &^ (a & b), true }},
}

func safe(a, b int64, mode tileir.Int) (int64, bool) {
	if b == 0 {
		return 0, false
	}
	return rounded(a, b, mode), true
}

// TestInts compares each operation with exact arithmetic on all pairs of 8 bits.
func TestInts(t *testing.T) {
	for _, c := range ofInts {
		for a := int64(-128); a < 128; a++ {
			for b := int64(-128); b < 128; b++ {
				got, ok := c.f(a, b, c.in)
				want, exists := c.want(a, b)
				if ok != exists || ok && byte8(got) != byte8(want) {
					t.Fatalf("%s of %d and %d: %d, %v, want %d, %v", c.name, a, b, got, ok, want, exists)
				}
			}
		}
	}
}

// TestIntsOverflow: results that 64 bits do not hold are none.
func TestIntsOverflow(t *testing.T) {
	ends := []int64{math.MinInt64, math.MinInt64 + 1, -1 << 62, -1 << 33, -3, -1, 0, 1, 2, 1 << 31, 1 << 32, 1 << 62, math.MaxInt64 - 1, math.MaxInt64}
	for name, c := range map[string]struct {
		f     binary
		exact func(z, a, b *big.Int) *big.Int
	}{"add": {addInts, (*big.Int).Add}, "sub": {subInts, (*big.Int).Sub}, "mul": {mulInts, (*big.Int).Mul}, "div": {divInts, nil}, "rem": {remInts, nil}} {
		for _, a := range ends {
			for _, b := range ends {
				got, ok := c.f(a, b, operand{bits: 64})
				var want *big.Int
				switch {
				case c.exact != nil:
					want = c.exact(new(big.Int), big.NewInt(a), big.NewInt(b))
				case b == 0:
					if ok {
						t.Errorf("%s of %d and 0: %d", name, a, got)
					}
					continue
				case name == "div":
					want = new(big.Int).Quo(big.NewInt(a), big.NewInt(b))
				default:
					want = new(big.Int).Rem(big.NewInt(a), big.NewInt(b))
				}
				if ok != want.IsInt64() || ok && got != want.Int64() {
					t.Errorf("%s of %d and %d: %d, %v, want %v", name, a, b, got, ok, want)
				}
			}
		}
	}
}

// between makes a range, or a list of numbers in one.
func between(r *rand.Rand, lists bool) (number, []int64) {
	lo := int64(r.IntN(256) - 128)
	hi := min(lo+int64(r.IntN(20)), 127)
	if lists {
		elems := make([]int64, 4)
		for i := range elems {
			elems[i] = lo + int64(r.IntN(int(hi-lo+1)))
		}
		return list(elems), elems
	}
	var all []int64
	for v := lo; v <= hi; v++ {
		all = append(all, v)
	}
	return number{known: true, lo: lo, hi: hi, deps: 1 << r.IntN(3)}, all
}

// TestRangesOfInts: a range holds every result of the numbers in the operands' ranges, and lists have each one.
func TestRangesOfInts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	monotone := map[string]bool{"add": true, "sub": true, "mul": true, "min": true, "max": true, "min unsigned": true, "max unsigned": true, "shl": true, "shr": true, "shr unsigned": true}
	tight := 0
	for _, c := range ofInts {
		for range 400 {
			a, as := between(r, false)
			b, bs := between(r, false)
			n := combine(a, b, c.f, c.in, monotone[c.name], 1)
			if a.exact() && b.exact() {
				if v, ok := c.want(a.lo, b.lo); n.known != ok || ok && (n.lo != byte8(v) || n.hi != n.lo || n.deps != 0) {
					t.Errorf("%s of %d and %d: %+v", c.name, a.lo, b.lo, n)
				}
				continue
			}
			if !n.known || n.deps != a.deps|b.deps {
				t.Fatalf("%s of %+v and %+v: %+v", c.name, a, b, n)
			}
			least, most := int64(math.MaxInt64), int64(math.MinInt64)
			for _, x := range as {
				for _, y := range bs {
					if v, ok := c.want(x, y); ok {
						least, most = min(least, byte8(v)), max(most, byte8(v))
					}
				}
			}
			if n.lo > least || n.hi < most {
				t.Fatalf("%s of %+v and %+v: %d to %d, but there are %d to %d", c.name, a, b, n.lo, n.hi, least, most)
			}
			if n.lo == least && n.hi == most {
				tight++
			}
			x, xs := between(r, true)
			y, ys := between(r, true)
			n = combine(x, y, c.f, c.in, monotone[c.name], 4)
			var want []int64
			for i := range xs {
				v, ok := c.want(xs[i], ys[i])
				if !ok {
					want = nil
					break
				}
				want = append(want, byte8(v))
			}
			if n.known != (want != nil) {
				t.Fatalf("%s of %d and %d: known %v", c.name, xs, ys, n.known)
			}
			for i, v := range want {
				if n.at(i) != v || n.lo != slices.Min(want) || n.hi != slices.Max(want) {
					t.Fatalf("%s of %d and %d: %+v, want %d", c.name, xs, ys, n, want)
				}
			}
		}
	}
	if tight < 1000 {
		t.Errorf("only %d ranges are as small as they can be", tight)
	}
}

// TestCompareRanges: a comparison of ranges is decided exactly where it holds for all pairs of numbers or for none.
func TestCompareRanges(t *testing.T) {
	holds := map[tileir.Int]func(a, b int64) bool{
		tileir.CompareEqual: func(a, b int64) bool { return a == b }, tileir.CompareNotEqual: func(a, b int64) bool { return a != b },
		tileir.CompareLessThan: func(a, b int64) bool { return a < b }, tileir.CompareLessThanOrEqual: func(a, b int64) bool { return a <= b },
		tileir.CompareGreaterThan: func(a, b int64) bool { return a > b }, tileir.CompareGreaterThanOrEqual: func(a, b int64) bool { return a >= b },
	}
	for mode, f := range holds {
		for lo := int64(-3); lo < 4; lo++ {
			for hi := lo; hi < 4; hi++ {
				for other := int64(-3); other < 4; other++ {
					for end := other; end < 4; end++ {
						for _, unsigned := range []bool{false, true} {
							a, b := number{known: true, lo: lo, hi: hi, deps: 1}, number{known: true, lo: other, hi: end, deps: 2}
							yes, no := 0, 0
							for x := lo; x <= hi; x++ {
								for y := other; y <= end; y++ {
									if f(x, y) {
										yes++
									} else {
										no++
									}
								}
							}
							n := compareRanges(a, b, operand{bits: 8, unsigned: unsigned, mode: int64(mode)})
							open := yes > 0 && no > 0 || unsigned && (lo < 0 || other < 0)
							if !n.known || n.exact() == open || !open && n.lo != truth(yes > 0) || open && (n.lo != 0 || n.hi != 1 || n.deps != 3) {
								t.Fatalf("%d of %+v and %+v, unsigned %v: %+v", mode, a, b, unsigned, n)
							}
						}
					}
				}
			}
		}
	}
	if n := compareRanges(number{}, exactly(1), operand{bits: 8}); n.known {
		t.Errorf("of what is not known: %+v", n)
	}
	if n := compareRanges(number{known: true, lo: 1, hi: 2}, exactly(2), operand{bits: 8, mode: int64(tileir.CompareLessThan)}); n.known {
		t.Errorf("of what varies with nothing: %+v", n)
	}
}
