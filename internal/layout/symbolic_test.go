package layout_test

import (
	"math/rand"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/internal/layout"
)

// known is a run-time value that the test knows: with it the algebra runs on symbols, and the answers can be checked
// against the same operation on numbers.
type known int

// Apply computes at once. It sees every operation that the algebra delays to run time.
func (known) Apply(op layout.Op, x, y layout.Int, wide bool) layout.Expr {
	a, b := now(x), now(y)
	switch op {
	case layout.OpAdd:
		return known(a + b)
	case layout.OpMul:
		return known(a * b)
	case layout.OpDiv:
		return known(a / b)
	case layout.OpMod:
		return known(a % b)
	case layout.OpMin:
		return known(min(a, b))
	case layout.OpAbs:
		return known(max(a, -a))
	case layout.OpAnd:
		return known(a & b)
	case layout.OpXor:
		return known(a ^ b)
	case layout.OpShl:
		return known(a << b)
	case layout.OpShr:
		return known(a >> b)
	}
	panic("unknown operation " + op.String())
}

// now is the number behind an integer. It checks the claimed divisor.
func now(n layout.Int) int {
	if v, ok := n.Static(); ok {
		return v
	}
	var v int
	switch e := n.Expr().(type) {
	case known:
		v = int(e)
	case watched:
		v = int(e.known)
	}
	if v%n.Div() != 0 {
		panic("the claimed divisor does not divide " + n.String())
	}
	return v
}

// hide makes some leaves of a static tuple symbols with a true divisor.
func hide(r *rand.Rand, t layout.Tuple) layout.Tuple {
	n, ok := t.IsLeaf()
	if !ok {
		var modes []layout.Tuple
		for _, m := range t.Modes() {
			modes = append(modes, hide(r, m))
		}
		return layout.T(modes...)
	}
	v, _ := n.Static()
	if v == 0 || r.Intn(2) == 0 {
		return t
	}
	div := 1
	for range 3 {
		if d := 1 + r.Intn(v); v%d == 0 {
			div = d
		}
	}
	return layout.Leaf(layout.Sym(div, r.Intn(4) == 0, known(v)))
}

func hideLayout(r *rand.Rand, l layout.Layout) layout.Layout {
	return must(layout.New(hide(r, l.Shape()), hide(r, l.Stride())))
}

// reveal replaces symbols by their numbers.
func reveal(t layout.Tuple) layout.Tuple {
	if n, ok := t.IsLeaf(); ok {
		return layout.Leaf(layout.N(now(n)))
	}
	var modes []layout.Tuple
	for _, m := range t.Modes() {
		modes = append(modes, reveal(m))
	}
	return layout.T(modes...)
}

func revealLayout(l layout.Layout) layout.Layout {
	return must(layout.New(reveal(l.Shape()), reveal(l.Stride())))
}

// TestSymbolicIsTheSameFunction runs operations on numbers and on symbols for the same numbers. Powers of two always
// divide one another, which is what the algebra trusts symbols to do.
func TestSymbolicIsTheSameFunction(t *testing.T) {
	ops := map[string]func(a layout.Layout, b layout.Tiler) (layout.Layout, error){
		"composition": layout.Compose, "logical divide": layout.LogicalDivide, "flat divide": layout.FlatDivide,
		"coalesce": func(a layout.Layout, _ layout.Tiler) (layout.Layout, error) { return layout.Coalesce(a), nil },
		"left product": func(a layout.Layout, b layout.Tiler) (layout.Layout, error) {
			return layout.LogicalProduct(b.(layout.Layout), a)
		},
	}
	for name, op := range ops {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewSource(9))
			done := 0
			for range rounds / 2 {
				a, b := injective(r, twoPowers), injective(r, twoPowers)
				want, err := op(a, b)
				if err != nil {
					continue
				}
				hidden := hideLayout(r, a)
				got, err := op(hidden, b)
				if err != nil {
					continue
				}
				done++
				if shown := revealLayout(got); !slices.Equal(offsets(shown), offsets(want)) {
					t.Fatalf("%s of %v and %v = %v; as %v it is %v, at run time %v", name, a, b, want, hidden, got, shown)
				}
			}
			enough(t, done, rounds/10)
		})
	}
}

func TestSymbolicIndex(t *testing.T) {
	r := rand.New(rand.NewSource(10))
	for range rounds {
		a := randomLayout(r, anySizes)
		size := must(a.Size(), nil)
		n, _ := size.Static()
		i := r.Intn(n)
		hidden := hideLayout(r, a)
		off := must(hidden.Index(layout.Leaf(layout.Sym(1, false, known(i)))))
		if v, _ := off.IsLeaf(); now(v) != value(a, i) {
			t.Fatalf("%v at %d is %d at run time, want %d", hidden, i, now(v), value(a, i))
		}
		crd := must(layout.Coord(layout.Sym(1, false, known(i)), hidden.Shape()))
		if back := must(a.Index(reveal(crd))); !back.Equal(layout.Leaf(layout.N(value(a, i)))) {
			t.Fatalf("the coordinate %v of %d in %v lies at %v", crd, i, a, back)
		}
	}
}

// TestSymbolicArithmetic holds every operation on symbols against the same on numbers, and the claimed divisors.
func TestSymbolicArithmetic(t *testing.T) {
	two := map[string]func(a, b layout.Int) layout.Int{
		"add": layout.Int.Add, "mul": layout.Int.Mul, "quo": layout.Int.Quo, "mod": layout.Int.Mod,
		"ceil": layout.Int.CeilDiv, "round up": layout.Int.RoundUp, "min": layout.Int.Min, "and": layout.Int.And,
		"xor":   layout.Int.Xor,
		"shift": func(a, b layout.Int) layout.Int { return a.Shift(now(b)%7 - 3) },
		"abs":   func(a, b layout.Int) layout.Int { return a.Abs().Add(b) },
	}
	r := rand.New(rand.NewSource(11))
	for name, f := range two {
		for range rounds {
			a, b := layout.N(r.Intn(100)), layout.N(1+r.Intn(100))
			x, _ := hide(r, layout.Leaf(a)).IsLeaf()
			y, _ := hide(r, layout.Leaf(b)).IsLeaf()
			if got, want := now(f(x, y)), now(f(a, b)); got != want {
				t.Fatalf("%s of %v=%v and %v=%v is %d, want %d", name, x, a, y, b, got, want)
			}
		}
	}
}

func TestSymbolFolds(t *testing.T) {
	x := layout.Sym(8, false, nil)
	wide := layout.Sym(4, true, nil)
	for _, c := range []struct {
		got  layout.Int
		want string
	}{
		{x.Mul(layout.N(0)), "0"}, {x.Mul(layout.N(1)), "?{div=8}"}, {x.Add(layout.N(0)), "?{div=8}"},
		{x.Mod(layout.N(4)), "0"}, {x.Mod(layout.N(12)), "?{div=4}"}, {x.Quo(layout.N(4)), "?{div=2}"},
		{x.Quo(layout.N(3)), "?"}, {x.Mul(wide), "?{i64 div=32}"}, {x.Add(wide), "?{i64 div=4}"},
		{wide.CeilDiv(layout.N(2)), "?{i64}"}, {x.Shift(2), "?{div=32}"}, {x.Shift(-2), "?{div=2}"},
		{x.Shift(-5), "?"}, {x.And(layout.N(48)), "?{div=8}"}, {x.Xor(layout.N(0)), "?{div=8}"},
		{x.Mul(layout.N(3)).Abs(), "?{div=24}"}, {layout.Sym(0, true, nil), "?{i64}"},
		{layout.N(-7).Quo(layout.N(2)), "-3"}, {layout.N(5).Xor(layout.N(3)), "6"},
	} {
		if c.got.String() != c.want {
			t.Errorf("got %v, want %s", c.got, c.want)
		}
	}
	e := layout.Sym(2, false, known(6))
	if !e.Equal(layout.Sym(2, false, known(6))) || e.Equal(layout.Sym(2, false, nil)) || x.Equal(x) || e.Wide() {
		t.Error("symbols are equal where their expressions are, and unknown otherwise")
	}
}
