package cost

import (
	"go/token"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/internal/access/ranges"
	"github.com/cutile-go/cutile/internal/goval/interval"
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

func signed(op interval.Op) ranges.Arithmetic {
	return ranges.Arithmetic{Op: op, Type: interval.Type{Bits: 8, Signed: true}}
}

func unsigned(op interval.Op) ranges.Arithmetic {
	return ranges.Arithmetic{Op: op, Type: interval.Type{Bits: 8}}
}

// ofInts are the operations with what they compute on 8 bits; ok is false where there is no result.
var ofInts = []struct {
	name string
	how  ranges.Arithmetic
	want func(a, b int64) (v int64, ok bool)
}{
	{"add", signed(interval.Add), func(a, b int64) (int64, bool) { return a + b, true }},
	{"sub", signed(interval.Sub), func(a, b int64) (int64, bool) { return a - b, true }},
	{"mul", signed(interval.Mul), func(a, b int64) (int64, bool) { return a * b, true }},
	{"div", signed(interval.Quo), func(a, b int64) (int64, bool) { return safe(a, b, tileir.RoundingZero) }},
	{"div down", signed(interval.QuoDown), func(a, b int64) (int64, bool) { return safe(a, b, tileir.RoundingNegativeInf) }},
	{"div up", signed(interval.QuoUp), func(a, b int64) (int64, bool) { return safe(a, b, tileir.RoundingPositiveInf) }},
	{"div unsigned", unsigned(interval.Quo), func(a, b int64) (int64, bool) { return safe(unsigned8(a), unsigned8(b), tileir.RoundingZero) }},
	{"div unsigned up", unsigned(interval.QuoUp),
		func(a, b int64) (int64, bool) { return safe(unsigned8(a), unsigned8(b), tileir.RoundingPositiveInf) }},
	{"rem", signed(interval.Rem), func(a, b int64) (int64, bool) {
		if b == 0 {
			return 0, false
		}
		return a - b*rounded(a, b, tileir.RoundingZero), true
	}},
	{"rem unsigned", unsigned(interval.Rem), func(a, b int64) (int64, bool) {
		if b == 0 {
			return 0, false
		}
		return unsigned8(a) % unsigned8(b), true
	}},
	{"min", signed(interval.Least), func(a, b int64) (int64, bool) { return min(a, b), true }},
	{"max", signed(interval.Greatest), func(a, b int64) (int64, bool) { return max(a, b), true }},
	{"min unsigned", unsigned(interval.Least), func(a, b int64) (int64, bool) { return min(unsigned8(a), unsigned8(b)), true }},
	{"max unsigned", unsigned(interval.Greatest), func(a, b int64) (int64, bool) { return max(unsigned8(a), unsigned8(b)), true }},
	{"shl", signed(interval.Shl), func(a, b int64) (int64, bool) {
		if b < 0 || b > 63 {
			return 0, false
		}
		z := new(big.Int).Lsh(big.NewInt(a), uint(b))
		return int64(new(big.Int).And(z, big.NewInt(255)).Uint64()), z.CmpAbs(new(big.Int).SetUint64(math.MaxUint64)) <= 0
	}},
	{"shr", signed(interval.Shr), func(a, b int64) (int64, bool) {
		if b < 0 || b >= 8 {
			return 0, false
		}
		return rounded(a, 1<<b, tileir.RoundingNegativeInf), true
	}},
	{"shr unsigned", unsigned(interval.Shr), func(a, b int64) (int64, bool) {
		if b < 0 || b >= 8 {
			return 0, false
		}
		return unsigned8(a) / (1 << b), true
	}},
	{"and", signed(interval.And), func(a, b int64) (int64, bool) { return a & b, true }},
	{"or", signed(interval.Or), func(a, b int64) (int64, bool) { return a | b, true }},
	{"xor", signed(interval.Xor), func(a, b int64) (int64, bool) { return (a | b) &^ (a & b), true }},
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
				got := combine(c.how, exactly(a), exactly(b), i8, 1)
				want, exists := c.want(a, b)
				if got.known != exists || exists && got.lo != byte8(want) {
					t.Fatalf("%s of %d and %d: %+v, want %d, %v", c.name, a, b, got, want, exists)
				}
			}
		}
	}
}

// i8 is the type of results in these tests.
var i8 = interval.Type{Bits: 8, Signed: true}

// TestIntsOverflow: results that 64 bits do not hold wrap around, or are not known.
func TestIntsOverflow(t *testing.T) {
	i64 := interval.Type{Bits: 64, Signed: true}
	ends := []int64{math.MinInt64, math.MinInt64 + 1, -1 << 62, -1 << 33, -3, -1, 0, 1, 2, 1 << 31, 1 << 32, 1 << 62, math.MaxInt64 - 1, math.MaxInt64}
	for name, c := range map[string]struct {
		op    interval.Op
		exact func(z, a, b *big.Int) *big.Int
	}{"add": {interval.Add, (*big.Int).Add}, "sub": {interval.Sub, (*big.Int).Sub}, "mul": {interval.Mul, (*big.Int).Mul},
		"div": {interval.Quo, (*big.Int).Quo}, "rem": {interval.Rem, (*big.Int).Rem}} {
		for _, a := range ends {
			for _, b := range ends {
				got := combine(ranges.Arithmetic{Op: c.op, Type: i64}, exactly(a), exactly(b), i64, 1)
				if b == 0 && (name == "div" || name == "rem") {
					if got.known {
						t.Errorf("%s of %d and 0: %+v", name, a, got)
					}
					continue
				}
				want := c.exact(new(big.Int), big.NewInt(a), big.NewInt(b))
				low := int64(new(big.Int).And(want, new(big.Int).SetUint64(math.MaxUint64)).Uint64())
				if want.IsInt64() && !got.exact() || got.known && (!got.exact() || got.lo != low) {
					t.Errorf("%s of %d and %d: %+v, want %v", name, a, b, got, want)
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
	tight := 0
	for _, c := range ofInts {
		for range 400 {
			a, as := between(r, false)
			b, bs := between(r, false)
			n := combine(c.how, a, b, i8, 1)
			if a.exact() && b.exact() {
				if v, ok := c.want(a.lo, b.lo); n.known != ok || ok && (n.lo != byte8(v) || n.hi != n.lo || n.deps != 0) {
					t.Errorf("%s of %d and %d: %+v", c.name, a.lo, b.lo, n)
				}
				continue
			}
			if !n.known || n.deps != a.deps|b.deps && !n.exact() {
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
			n = combine(c.how, x, y, i8, 4)
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
	holds := map[token.Token]func(a, b int64) bool{
		token.EQL: func(a, b int64) bool { return a == b }, token.NEQ: func(a, b int64) bool { return a != b },
		token.LSS: func(a, b int64) bool { return a < b }, token.LEQ: func(a, b int64) bool { return a <= b },
		token.GTR: func(a, b int64) bool { return a > b }, token.GEQ: func(a, b int64) bool { return a >= b },
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
									if !unsigned && f(x, y) || unsigned && f(unsigned8(x), unsigned8(y)) {
										yes++
									} else {
										no++
									}
								}
							}
							n := compared(ranges.Comparison{Predicate: mode, Type: interval.Type{Bits: 8, Signed: !unsigned}}, a, b, 1)
							open := yes > 0 && no > 0
							split := unsigned && (lo < 0 && hi >= 0 || other < 0 && end >= 0) // numbers at both ends of the type: perhaps not decided
							if split && n.known && !n.exact() && n.deps == 3 {
								continue
							}
							if !n.known || n.exact() == open || !open && n.lo != truth(yes > 0) || open && (n.lo != 0 || n.hi != 1 || n.deps != 3) {
								t.Fatalf("%v of %+v and %+v, unsigned %v: %+v", mode, a, b, unsigned, n)
							}
						}
					}
				}
			}
		}
	}
	if n := compared(ranges.Comparison{Predicate: token.EQL, Type: i8}, number{}, exactly(1), 1); n.known {
		t.Errorf("of what is not known: %+v", n)
	}
	if n := compared(ranges.Comparison{Predicate: token.LSS, Type: i8}, number{known: true, lo: 1, hi: 2}, exactly(2), 1); n.known {
		t.Errorf("of what varies with nothing: %+v", n)
	}
}
