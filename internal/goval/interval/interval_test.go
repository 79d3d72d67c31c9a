package interval_test

import (
	"go/token"
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile/internal/goval/interval"
)

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// TestBinary draws ranges and values in them: what Go computes must lie in the range that Binary gives.
func TestBinary(t *testing.T) {
	binary[int8](t, 40000)
	binary[int16](t, 20000)
	binary[int32](t, 20000)
	binary[int64](t, 40000)
	binary[uint8](t, 40000)
	binary[uint16](t, 20000)
	binary[uint32](t, 20000)
	binary[uint64](t, 40000)
}

// TestConvert does so for conversions between all types, and for shift counts of all types.
func TestConvert(t *testing.T) {
	for seed := range uint64(8) {
		pairs[int8](t, seed)
		pairs[int16](t, seed)
		pairs[int32](t, seed)
		pairs[int64](t, seed)
		pairs[uint8](t, seed)
		pairs[uint16](t, seed)
		pairs[uint32](t, seed)
		pairs[uint64](t, seed)
	}
}

func typeOf[T integer]() (t interval.Type) {
	t.Signed = ^T(0) < 0
	for x := T(1); x != 0; x <<= 1 {
		t.Bits++
	}
	return t
}

func number[T integer](x T) interval.Int {
	if x < 0 {
		return interval.Of(int64(x))
	}
	return interval.OfUint(uint64(x))
}

// draw gives a number that is often near 0, a border of the type or a power of two.
func draw[T integer](r *rand.Rand) T {
	x := T(r.Uint64())
	bits := typeOf[T]().Bits
	switch r.IntN(5) {
	case 0:
		x = T(r.IntN(9)) - 4
	case 1:
		x = T(1)<<r.IntN(bits) + T(r.IntN(5)) - 2
	case 2:
		x >>= r.IntN(bits)
	case 3:
		x = -x >> r.IntN(bits)
	}
	return x
}

func drawRange[T integer](r *rand.Rand) (lo, hi T, in interval.Range) {
	lo, hi = draw[T](r), draw[T](r)
	if r.IntN(6) == 0 {
		hi = lo
	}
	if lo > hi {
		lo, hi = hi, lo
	}
	return lo, hi, interval.Range{Lo: number(lo), Hi: number(hi)}
}

// member is a number from lo to hi, often one of these.
func member[T integer](r *rand.Rand, lo, hi T) T {
	switch r.IntN(4) {
	case 0:
		return lo
	case 1:
		return hi
	}
	for range 20 {
		if x := draw[T](r); lo <= x && x <= hi {
			return x
		}
	}
	return lo + T(r.Uint64N(uint64(hi-lo)+1|1))%(hi-lo|1)
}

var operators = []token.Token{token.ADD, token.SUB, token.MUL, token.QUO, token.REM, token.AND, token.OR, token.XOR, token.AND_NOT}

var comparisons = []token.Token{token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ}

func compute[T integer](op token.Token, x, y T) T {
	switch op {
	case token.ADD:
		return x + y
	case token.SUB:
		return x - y
	case token.MUL:
		return x * y
	case token.QUO:
		return x / y
	case token.REM:
		return x % y
	case token.AND:
		return x & y
	case token.OR:
		return x | y
	case token.XOR:
		return x ^ y
	}
	return x &^ y
}

func compare[T integer](op token.Token, x, y T) bool {
	switch op {
	case token.EQL:
		return x == y
	case token.NEQ:
		return x != y
	case token.LSS:
		return x < y
	case token.LEQ:
		return x <= y
	case token.GTR:
		return x > y
	}
	return x >= y
}

func binary[T integer](t *testing.T, n int) {
	typ, r := typeOf[T](), rand.New(rand.NewPCG(1, 2))
	known := 0
	for range n {
		lo1, hi1, a := drawRange[T](r)
		lo2, hi2, b := drawRange[T](r)
		op, cmp := operators[r.IntN(len(operators))], comparisons[r.IntN(len(comparisons))]
		res, _ := interval.Binary(op, typ, a, b)
		neg, _ := interval.Binary(token.SUB, typ, interval.Range{}, a)
		holds, decided := interval.Compare(cmp, a, b)
		for range 6 {
			x, y := member(r, lo1, hi1), member(r, lo2, hi2)
			if x < lo1 || x > hi1 || y < lo2 || y > hi2 {
				continue
			}
			if y != 0 || op != token.QUO && op != token.REM {
				if v := compute(op, x, y); !res.Has(number(v)) {
					t.Fatalf("%T: %v %v %v = %v is not in %v, from %v and %v", x, x, op, y, v, res, a, b)
				}
			}
			if !neg.Has(number(-x)) {
				t.Fatalf("%T: -%v is not in %v, from %v", x, x, neg, a)
			}
			if !interval.Min(a, b).Has(number(min(x, y))) || !interval.Max(a, b).Has(number(max(x, y))) || !a.Union(b).Has(number(y)) {
				t.Fatalf("%T: min, max or union of %v and %v, from %v and %v", x, x, y, a, b)
			}
			if decided && holds != compare(cmp, x, y) {
				t.Fatalf("%T: %v %v %v is decided as %v, from %v and %v", x, x, cmp, y, holds, a, b)
			}
		}
		if decided {
			known++
		}
		if exactly := (res != typ.Range()); exactly {
			known++
		}
	}
	if known < n/4 { // all of the type would always be right
		t.Errorf("%v: only %d of %d ranges say anything", typ, known, n)
	}
}

func pairs[T integer](t *testing.T, seed uint64) {
	pair[T, int8](t, seed)
	pair[T, int16](t, seed)
	pair[T, int32](t, seed)
	pair[T, int64](t, seed)
	pair[T, uint8](t, seed)
	pair[T, uint16](t, seed)
	pair[T, uint32](t, seed)
	pair[T, uint64](t, seed)
}

func pair[T, U integer](t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 7))
	for range 200 {
		lo, hi, a := drawRange[T](r)
		from, to, counts := drawRange[U](r)
		conv, exact := interval.Convert(typeOf[U](), a)
		left, _ := interval.Binary(token.SHL, typeOf[T](), a, counts)
		right, _ := interval.Binary(token.SHR, typeOf[T](), a, counts)
		for range 4 {
			x, n := member(r, lo, hi), member(r, from, to)
			if !conv.Has(number(U(x))) || exact && number(U(x)) != number(x) {
				t.Fatalf("%T(%T(%v)) = %v: %v, exact %v, from %v", n, x, x, U(x), conv, exact, a)
			}
			var l, s T // a negative count is one by more than all bits
			if x < 0 {
				s = ^l
			}
			if n >= 0 {
				l, s = x<<n, x>>n
			}
			if !left.Has(number(l)) || !right.Has(number(s)) {
				t.Fatalf("%T(%v) shifted by %T(%v) is %v and %v: %v and %v, from %v by %v", x, x, n, n, l, s, left, right, a, counts)
			}
		}
	}
}

// TestExact pins ranges that must not be wider than they are.
func TestExact(t *testing.T) {
	i64, u64, i8 := interval.Type{Bits: 64, Signed: true}, interval.Type{Bits: 64}, interval.Type{Bits: 8, Signed: true}
	for _, c := range []struct {
		op    token.Token
		t     interval.Type
		a, b  interval.Range
		want  interval.Range
		exact bool
	}{
		{token.SUB, u64, interval.Ints(8, 8), interval.Ints(0, 100), u64.Range(), false},
		{token.SUB, u64, interval.Ints(100, 108), interval.Ints(0, 100), interval.Ints(0, 108), true},
		{token.ADD, i64, interval.Ints(-3, 5), interval.Ints(-1<<63, -1<<63), i64.Range(), false},
		{token.ADD, i64, interval.Ints(0, 5), interval.Ints(-1<<63, -1<<63), interval.Ints(-1<<63, -1<<63+5), true},
		{token.QUO, i64, i64.Range(), interval.Ints(-1, -1), i64.Range(), false},
		{token.QUO, i64, interval.Ints(-7, 9), interval.Ints(-2, 3), interval.Ints(-9, 9), true},
		{token.REM, i64, interval.Ints(-7, 90), interval.Ints(-8, 3), interval.Ints(-7, 7), true},
		{token.SHL, i64, interval.Ints(-1, 3), interval.Ints(2, 4), interval.Ints(-16, 48), true},
		{token.SHR, i64, interval.Ints(-9, 9), interval.Ints(1, 1<<40), interval.Ints(-5, 4), true},
		{token.AND, i64, i64.Range(), interval.Ints(3, 7), interval.Ints(0, 7), true},
		{token.XOR, i64, interval.Ints(-5, 3), interval.Ints(0, 2), interval.Ints(-8, 7), true},
		{token.XOR, i64, interval.Ints(-5, -5), interval.Ints(3, 3), interval.Ints(-8, -8), true},
		{token.AND, i64, interval.Ints(-5, -3), interval.Ints(-2, -1), interval.Ints(-8, -3), true},
		{token.OR, i64, interval.Ints(-5, -3), interval.Ints(-9, 70), interval.Ints(-5, -1), true},
		{token.REM, i64, interval.Ints(21, 25), interval.Ints(10, 10), interval.Ints(1, 5), true},
		{token.ADD, i8, interval.Ints(120, 123), interval.Ints(10, 10), interval.Ints(-126, -123), false},
		{token.SUB, u64, interval.Ints(1, 3), interval.Ints(4, 4), interval.Range{Lo: interval.OfUint(1<<64 - 3), Hi: interval.OfUint(1<<64 - 1)}, false},
		{token.MUL, i64, interval.Ints(1<<32, 1<<32), interval.Ints(1<<31, 1<<31), interval.Ints(-1<<63, -1<<63), false},
	} {
		if r, exact := interval.Binary(c.op, c.t, c.a, c.b); r != c.want || exact != c.exact {
			t.Errorf("%v %v %v: %v, %v, want %v, %v", c.a, c.op, c.b, r, exact, c.want, c.exact)
		}
	}
}
