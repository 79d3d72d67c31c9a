package access

import (
	"math"
	"math/bits"

	"github.com/cutile-go/cutile/internal/access/ranges"
	"github.com/cutile-go/cutile/internal/goval/interval"
)

// SpanOf is the range of a form: all integers of 64 bits where nothing more is known.
func (in *Info) SpanOf(f Form) interval.Range {
	s, _ := in.spanOf(f)
	return s
}

// spanOf reports whether all of the form's numbers surely have 64 bits.
func (in *Info) spanOf(f Form) (s interval.Range, ok bool) {
	s, ok = interval.Ints(f.Const, f.Const), true
	for _, t := range f.Terms {
		p := interval.Ints(t.Coef, t.Coef)
		for _, a := range t.Atoms {
			var exact bool
			p, exact = interval.Mul.Range(ranges.Int64s, p, in.atomSpan(a))
			ok = ok && exact
		}
		var exact bool
		s, exact = interval.Add.Range(ranges.Int64s, s, p)
		ok = ok && exact
	}
	if !ok {
		s = ranges.Int64s.Range()
	}
	return s, ok
}

func (in *Info) atomSpan(a Atom) interval.Range {
	if a.Kind == Index {
		return interval.Ints(0, int64(a.Size)-1)
	}
	return in.Span(a.Value)
}

// Divisor is a number that divides a form for sure, at least 1; it is 0 for the form that is 0, which everything divides.
func (in *Info) Divisor(f Form) int64 {
	d := magnitude(f.Const)
	for _, t := range f.Terms {
		n := magnitude(t.Coef)
		for _, a := range t.Atoms {
			if p, ok := in.promised[a.Value]; ok && a.Value != nil {
				if m, ok := mul(n, p.divisor); ok {
					n = m
				}
			}
		}
		d = gcd(d, n)
	}
	return d
}

func magnitude(n int64) int64 {
	if n == math.MinInt64 {
		return 1 << 62 // which divides it
	}
	return max(n, -n)
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// lcm is the least common multiple, or the first number if that is too much.
func lcm(a, b int64) int64 {
	if b <= 0 {
		return a
	}
	if n, ok := mul(a/gcd(a, b), b); ok && n <= maxDivisor {
		return n
	}
	return a
}

func add(a, b int64, ok bool) (int64, bool) {
	s := a + b
	return s, ok && (b == 0 || (s > a) == (b > 0))
}

func mul(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(magnitude(a)), uint64(magnitude(b)))
	if a == math.MinInt64 || b == math.MinInt64 || hi != 0 || lo > math.MaxInt64 {
		return 0, a == 0 || b == 0
	}
	return a * b, true
}
