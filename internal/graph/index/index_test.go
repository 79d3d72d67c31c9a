package index_test

import (
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile/internal/graph/index"
)

// TestForms shows what remains of chains of reshapes: a0 has 6 positions, a1 has 4.
func TestForms(t *testing.T) {
	a, b, c := index.Axis(0, 6), index.Axis(1, 4), index.Axis(2, 576)
	flat := a.Times(4).Add(b)
	parts := c.Div(9).Mod(64).Times(9).Add(c.Div(3).Mod(3).Times(3)).Add(c.Mod(3))
	for _, c := range []struct {
		got  index.Expr
		want string
	}{
		{flat.Div(4), "a0"},
		{flat.Mod(4), "a1"},
		{flat.Div(4).Times(4).Add(flat.Mod(4)), "4*a0+a1"},
		{flat.Div(8), "(a0)/2"},
		{flat.Mod(8).Add(flat.Div(8).Times(8)), "4*a0+a1"},
		{flat.Div(3).Div(2), "(4*a0+a1)/6"},
		{flat.Clamp(0, 23), "4*a0+a1"},
		{flat.Clamp(-3, 9), "clamp(4*a0+a1, 0, 9)"},
		{flat.Plus(-24).Clamp(0, 9), "0"},
		{flat.Plus(7).Div(24), "(4*a0+a1+7)/24"},
		{parts, "a2"},
		{b.Times(6).Plus(3).Mod(6), "3"},
		{a.Times(2).Plus(2).Mod(4), "2*(a0+1)%2"},
	} {
		if got := c.got.String(); got != c.want {
			t.Errorf("got %s, expected %s", got, c.want)
		}
	}
}

// TestRandom compares random expressions with the same arithmetic on numbers, at every position.
func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		extents := []int{1 + r.IntN(6), 1 + r.IntN(6), 1 + r.IntN(6)}
		e, f := random(r, extents, 4)
		lo, hi := e.Range()
		var at [3]int64
		for at[0] = range int64(extents[0]) {
			for at[1] = range int64(extents[1]) {
				for at[2] = range int64(extents[2]) {
					if got, want := eval(e, at), f(at); got != want || got < lo || got > hi {
						t.Fatalf("%v of extents %v at %v: got %d in [%d, %d], expected %d", e, extents, at, got, lo, hi, want)
					}
				}
			}
		}
	}
}

func random(r *rand.Rand, extents []int, depth int) (index.Expr, func([3]int64) int64) {
	if depth == 0 || r.IntN(6) == 0 {
		if r.IntN(4) == 0 {
			n := int64(r.IntN(20) - 10)
			return index.Constant(n), func([3]int64) int64 { return n }
		}
		i := r.IntN(3)
		return index.Axis(i, extents[i]), func(at [3]int64) int64 { return at[i] }
	}
	e, f := random(r, extents, depth-1)
	n := int64(1 + r.IntN(8))
	switch r.IntN(6) {
	case 0, 1:
		g, h := random(r, extents, depth-1)
		return e.Add(g), func(at [3]int64) int64 { return f(at) + h(at) }
	case 2:
		return e.Times(n - 3), func(at [3]int64) int64 { return f(at) * (n - 3) }
	case 3:
		return e.Div(n), func(at [3]int64) int64 { return (f(at) - modulo(f(at), n)) / n }
	case 4:
		return e.Mod(n), func(at [3]int64) int64 { return modulo(f(at), n) }
	}
	return e.Clamp(-n, n), func(at [3]int64) int64 { return max(-n, min(n, f(at))) }
}

func modulo(a, n int64) int64 { return (a%n + n) % n }

func eval(e index.Expr, at [3]int64) int64 {
	f := e.Replace(func(a *index.Atom) (index.Expr, bool) { return index.Constant(at[a.Axis]), true })
	return f.Const
}
