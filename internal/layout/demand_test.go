package layout_test

import (
	"math/rand"
	"reflect"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/internal/layout"
)

// watched is a run-time value that notes whether something that was demanded of it does not hold.
type watched struct {
	known
	failed *string
}

// Apply implements [layout.Expr].
func (w watched) Apply(op layout.Op, x, y layout.Int, wide bool) layout.Expr {
	return watched{w.known.Apply(op, x, y, wide).(known), w.failed}
}

// Checking implements [layout.Checker].
func (watched) Checking() bool { return true }

// Check implements [layout.Checker].
func (w watched) Check(n layout.Int, why string) {
	if now(n) > 0 {
		*w.failed = why
	}
}

// watch makes the symbols of a tuple watched ones.
func watch(t layout.Tuple, failed *string) layout.Tuple {
	n, ok := t.IsLeaf()
	if !ok {
		var modes []layout.Tuple
		for _, m := range t.Modes() {
			modes = append(modes, watch(m, failed))
		}
		return layout.T(modes...)
	}
	if _, ok := n.Static(); ok {
		return t
	}
	return layout.Leaf(layout.Sym(n.Div(), n.Wide(), watched{n.Expr().(known), failed}))
}

// hideWatched makes some leaves of a layout watched symbols.
func hideWatched(r *rand.Rand, l layout.Layout, failed *string) layout.Layout {
	h := hideLayout(r, l)
	return must(layout.New(watch(h.Shape(), failed), watch(h.Stride(), failed)))
}

// TestSymbolicDemands: where the composition of layouts with symbols is not A(B(c)), as numbers do not divide one another, the
// program is told so when it runs. Of numbers that divide, it is told nothing.
func TestSymbolicDemands(t *testing.T) {
	r := rand.New(rand.NewSource(12))
	right, told := 0, 0
	for range rounds {
		a, b := randomLayout(r, anySizes), randomLayout(r, anySizes)
		failed := ""
		ha, hb := hideWatched(r, a, &failed), b
		if r.Intn(2) == 0 {
			hb = hideWatched(r, b, &failed)
		}
		got, err := layout.Compose(ha, hb)
		if err != nil {
			continue
		}
		if failed != "" {
			told++
			continue
		}
		right++
		if at, differs := differsInside(a, b, revealLayout(got)); differs {
			t.Fatalf("%v of %v, as %v of %v, = %v: place %d differs at run time, and nothing is said", a, b, ha, hb, got, at)
		}
	}
	enough(t, right, rounds/10)
	enough(t, told, rounds/100)
}

// TestSymbolicDivisions: the same of what divides a layout by another one, which composes with it and its complement.
func TestSymbolicDivisions(t *testing.T) {
	for name, op := range map[string]func(a layout.Layout, b layout.Tiler) (layout.Layout, error){
		"logical divide": layout.LogicalDivide, "zipped divide": layout.ZippedDivide,
		"tiled divide": layout.TiledDivide, "flat divide": layout.FlatDivide,
	} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewSource(14))
			right, told, refused := 0, 0, 0
			for range rounds {
				a, b := randomLayout(r, anySizes), injective(r, anySizes)
				want, staticErr := op(a, b)
				failed := ""
				ha := hideWatched(r, a, &failed)
				got, err := op(ha, b)
				if err != nil {
					refused++
					continue
				}
				switch shown := revealLayout(got); {
				case failed != "":
					told++
				case staticErr != nil || !slices.Equal(offsets(shown), offsets(want)):
					if at, differs := differsInside(a, b, shown); differs {
						t.Fatalf("%s of %v, %v by %v = %v (%v), at run time %v: place %d differs, and nothing is said", name, a, ha, b, want, staticErr, shown, at)
					}
				default:
					right++
				}
			}
			t.Logf("%d right, %d told, %d refused", right, told, refused)
			enough(t, right, rounds/20)
			enough(t, told, rounds/100)
		})
	}
}

// differsInside compares a division of a by b, in the part that is b, with A(B(c)), where b stays within a.
func differsInside(a, b, divided layout.Layout) (at int, differs bool) {
	size, _ := must(a.Size(), nil).Static()
	for i, at := range offsets(b) {
		if at < size && (i >= len(offsets(divided)) || value(divided, i) != value(a, at)) {
			return i, true
		}
	}
	return 0, false
}

// TestRecastsWhole: a recast layout reaches the wider elements that hold those of the layout, and no others. So does one with
// symbols, of which the program is told what does not hold.
func TestRecastsWhole(t *testing.T) {
	r := rand.New(rand.NewSource(13))
	right, wrong := 0, 0
	for range rounds {
		a := randomLayout(r, anySizes)
		up := 1 << r.Intn(3)
		failed := ""
		hidden := hideWatched(r, a, &failed)
		err := layout.RecastsWhole(16*up, 16, hidden)
		if err == nil {
			_, err = layout.Recast(16*up, 16, hidden)
		}
		if err != nil || failed != "" {
			wrong++
			continue
		}
		right++
		var want []int
		for _, at := range offsets(a) {
			want = append(want, at/up)
		}
		for _, l := range []layout.Layout{a, hidden} {
			recast := must(layout.Recast(16*up, 16, l))
			if !slices.Equal(sortedSet(offsets(revealLayout(recast))), sortedSet(want)) {
				t.Fatalf("%v, as %v, by %d is %v", a, l, up, recast)
			}
		}
	}
	enough(t, right, rounds/10)
	enough(t, wrong, rounds/100)
}

// TestRecastsNarrower: of a layout with a mode that is a row, the narrower elements are all parts of its elements, each once; one
// with symbols has the same, or the program is told.
func TestRecastsNarrower(t *testing.T) {
	r := rand.New(rand.NewSource(15))
	right, told := 0, 0
	for range rounds {
		a := randomLayout(r, anySizes)
		const down = 2
		want := must(layout.Recast(8, 8*down, a))
		if slices.ContainsFunc(a.Stride().Leaves(), func(d layout.Tuple) bool { return reflect.DeepEqual(d, layout.Leaf(layout.N(1))) }) {
			var parts []int
			for _, at := range offsets(a) {
				parts = append(parts, down*at, down*at+1)
			}
			if got := offsets(want); len(got) != len(parts) || !slices.Equal(sortedSet(got), sortedSet(parts)) {
				t.Fatalf("%v by %d is %v", a, down, want)
			}
		}
		failed := ""
		hidden := hideWatched(r, a, &failed)
		got, err := layout.Recast(8, 8*down, hidden)
		switch {
		case err != nil || failed != "":
			told++
		case !slices.Equal(slices.Sorted(slices.Values(offsets(revealLayout(got)))), slices.Sorted(slices.Values(offsets(want)))):
			t.Fatalf("%v, as %v, by %d is %v, want %v", a, hidden, down, got, want)
		default:
			right++
		}
	}
	enough(t, right, rounds/10)
	enough(t, told, rounds/100)
}
