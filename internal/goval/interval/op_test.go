package interval_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile/internal/goval/interval"
)

// exact computes without bounds: nil where there is no result.
type exact func(x, y int64) *big.Int

func ofBig(f func(z, x, y *big.Int) *big.Int) exact {
	return func(x, y int64) *big.Int { return f(new(big.Int), big.NewInt(x), big.NewInt(y)) }
}

// divided is for what has no result where y is 0.
func divided(f exact) exact {
	return func(x, y int64) *big.Int {
		if y == 0 {
			return nil
		}
		return f(x, y)
	}
}

// floor is x / y rounded down.
func floor(x, y int64) *big.Int {
	r := big.NewRat(1, 1).SetFrac(big.NewInt(x), big.NewInt(y))
	return new(big.Int).Div(r.Num(), r.Denom()) // the denominator is positive
}

// ceiling is x / y rounded up.
func ceiling(x, y int64) *big.Int {
	r := big.NewRat(1, 1).SetFrac(big.NewInt(x), big.NewInt(y))
	return r.Num().Neg(new(big.Int).Div(r.Num().Neg(r.Num()), r.Denom()))
}

// ops are the operations with what they compute, of package math/big.
var ops = []struct {
	name string
	op   interval.Op
	want exact
}{
	{"add", interval.Add, ofBig((*big.Int).Add)}, {"sub", interval.Sub, ofBig((*big.Int).Sub)}, {"mul", interval.Mul, ofBig((*big.Int).Mul)},
	{"quo", interval.Quo, divided(ofBig((*big.Int).Quo))}, {"quo down", interval.QuoDown, divided(floor)},
	{"quo up", interval.QuoUp, divided(ceiling)}, {"rem", interval.Rem, divided(ofBig((*big.Int).Rem))},
	{"and", interval.And, ofBig((*big.Int).And)}, {"or", interval.Or, ofBig((*big.Int).Or)}, {"xor", interval.Xor, ofBig((*big.Int).Xor)},
	{"and not", interval.AndNot, ofBig((*big.Int).AndNot)},
	{"shl", interval.Shl, func(x, y int64) *big.Int {
		if y < 0 || y > 64 {
			y = 64
		}
		return new(big.Int).Lsh(big.NewInt(x), uint(y))
	}},
	{"shr", interval.Shr, func(x, y int64) *big.Int {
		if y < 0 || y > 64 {
			y = 64
		}
		return new(big.Int).Rsh(big.NewInt(x), uint(y))
	}},
	{"least", interval.Least, func(x, y int64) *big.Int { return big.NewInt(min(x, y)) }},
	{"greatest", interval.Greatest, func(x, y int64) *big.Int { return big.NewInt(max(x, y)) }},
}

// wrapped is a result as a type holds it.
func wrapped(t interval.Type, v *big.Int) *big.Int {
	m := new(big.Int).Lsh(big.NewInt(1), uint(t.Bits))
	v = new(big.Int).Mod(v, m)
	if t.Signed && v.Bit(t.Bits-1) == 1 {
		v.Sub(v, m)
	}
	return v
}

var bytes = []interval.Type{{Bits: 8, Signed: true}, {Bits: 8}}

// TestBytes computes all pairs of numbers of 8 bits.
func TestBytes(t *testing.T) {
	for _, c := range ops {
		for _, typ := range bytes {
			lo, hi := ends(typ)
			for x := lo; x <= hi; x++ {
				for y := lo; y <= hi; y++ {
					v, ok := c.op.Of(typ, interval.Of(x), interval.Of(y))
					want := c.want(x, y)
					if want == nil {
						if ok {
							t.Fatalf("%s of %d and %d: %v", c.name, x, y, v)
						}
						continue
					}
					unbounded := want.IsInt64() && want.BitLen() <= 63
					if want = wrapped(typ, want); ok && v.String() != want.String() || !ok && unbounded {
						t.Fatalf("%s of %d and %d: %v, %v, want %v", c.name, x, y, v, ok, want)
					}
				}
			}
		}
	}
}

func ends(t interval.Type) (lo, hi int64) {
	lo, _ = t.Range().Lo.Int64()
	hi, _ = t.Range().Hi.Int64()
	return lo, hi
}

// TestEnds computes numbers near the ends of 64 bits: what cannot be held is told.
func TestEnds(t *testing.T) {
	ends := []int64{math.MinInt64, math.MinInt64 + 1, -1 << 62, -1 << 33, -3, -1, 0, 1, 2, 31, 63, 64, 1 << 31, 1 << 32, 1 << 62, math.MaxInt64 - 1, math.MaxInt64}
	for _, c := range ops {
		for _, typ := range []interval.Type{{Bits: 64, Signed: true}, {Bits: 64}} {
			for _, x := range ends {
				for _, y := range ends {
					want := c.want(x, y)
					v, ok := c.op.Of(typ, interval.Of(x), interval.Of(y))
					if held := want != nil && want.CmpAbs(new(big.Int).SetUint64(math.MaxUint64)) <= 0; ok != held && (ok || want != nil) && c.op != interval.Shl {
						t.Errorf("%s of %d and %d: known %v", c.name, x, y, ok)
					}
					if ok && v.String() != wrapped(typ, want).String() {
						t.Errorf("%s of %d and %d: %v, want %v", c.name, x, y, v, wrapped(typ, want))
					}
				}
			}
		}
	}
}

// TestRanges: a range has every result of the numbers in the operands' ranges of 8 bits, and often it is the least one that
// does: all of the type would always be right.
func TestRanges(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, c := range ops {
		tight, all := 0, 0
		for n := range 3000 {
			typ := bytes[n%2]
			xlo, xhi, a := byteRange(r, typ)
			ylo, yhi, b := byteRange(r, typ)
			got, same := c.op.Range(typ, a, b)
			var least, most *big.Int
			for x := xlo; x <= xhi; x++ {
				for y := ylo; y <= yhi; y++ {
					v := c.want(x, y)
					if v == nil {
						continue
					}
					w := wrapped(typ, v)
					if least == nil || w.Cmp(least) < 0 {
						least = w
					}
					if most == nil || w.Cmp(most) > 0 {
						most = w
					}
					if same && w.Cmp(v) != 0 {
						t.Fatalf("%s of %v and %v is said to be exact: %v becomes %v", c.name, a, b, v, w)
					}
				}
			}
			if least == nil {
				continue
			}
			found := interval.Ints(least.Int64(), most.Int64())
			if !found.Within(got) || !got.Within(typ.Range()) {
				t.Fatalf("%s of %v and %v in %v: %v, but there are %v", c.name, a, b, typ, got, found)
			}
			if all++; got == found {
				tight++
			}
		}
		if tight < all/20 {
			t.Errorf("%s: only %d of %d ranges are as small as they can be", c.name, tight, all)
		}
	}
}

func byteRange(r *rand.Rand, t interval.Type) (lo, hi int64, in interval.Range) {
	least, most := ends(t)
	lo = least + r.Int64N(256)
	if r.IntN(2) == 0 {
		lo = min(max(least, r.Int64N(40)-20), most)
	}
	hi = min(lo+r.Int64N(1+r.Int64N(40)), most)
	return lo, hi, interval.Ints(lo, hi)
}

// TestWrap converts all ranges of a few bits: numbers that wrap to one side of the type keep a range.
func TestWrap(t *testing.T) {
	for _, typ := range []interval.Type{{Bits: 3, Signed: true}, {Bits: 3}, {Bits: 1, Signed: true}, {Bits: 1}} {
		for lo := int64(-20); lo < 20; lo++ {
			least, most := typ.Range().Hi, typ.Range().Lo
			for hi := lo; hi < 20; hi++ {
				w := typ.Wrap(interval.Of(hi))
				if w.String() != wrapped(typ, big.NewInt(hi)).String() {
					t.Fatalf("%d in %v is %v", hi, typ, w)
				}
				least, most = interval.Min(interval.One(least), interval.One(w)).Lo, interval.Max(interval.One(most), interval.One(w)).Hi
				got, same := interval.Convert(typ, interval.Ints(lo, hi))
				if want := (interval.Range{Lo: least, Hi: most}); got != want {
					t.Errorf("%d to %d in %v: %v, want %v", lo, hi, typ, got, want)
				}
				if same != (got == interval.Ints(lo, hi)) {
					t.Errorf("%d to %d in %v: exact %v", lo, hi, typ, same)
				}
			}
		}
	}
}
