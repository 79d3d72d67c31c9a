package layout_test

import (
	"math/rand"
	"testing"

	"github.com/cutile-go/cutile/internal/layout"
)

// swizzled is Swizzle.Apply bit by bit.
func swizzled(s layout.Swizzle, x int) int {
	r := x
	for i := range s.Bits {
		from, to := s.Base+s.Shift+i, s.Base+i
		if s.Shift < 0 {
			from, to = s.Base+i, s.Base-s.Shift+i
		}
		r ^= x >> from & 1 << to
	}
	return r
}

func TestSwizzleApply(t *testing.T) {
	r := rand.New(rand.NewSource(12))
	for range rounds {
		s := must(layout.NewSwizzle(r.Intn(5), r.Intn(5), r.Intn(11)-5))
		x := r.Intn(1 << 14)
		y, _ := s.Apply(layout.N(x)).Static()
		if y != swizzled(s, x) {
			t.Fatalf("%v of %d = %d, want %d", s, x, y, swizzled(s, x))
		}
		if sym := s.Apply(layout.Sym(1, false, known(x))); now(sym) != y {
			t.Fatalf("%v of %d is %d at run time, want %d", s, x, now(sym), y)
		}
		if back, _ := s.Apply(layout.N(y)).Static(); back != x && s.Bits <= max(s.Shift, -s.Shift) {
			t.Fatalf("%v is not its own inverse at %d", s, x)
		}
	}
}

// TestLawSlices: the whole at a coordinate is the offset and the slice at what the underscores stand for, for plain and
// for swizzled layouts.
func TestLawSlices(t *testing.T) {
	r := rand.New(rand.NewSource(13))
	straight, kept := 0, 0
	for range rounds {
		a := must(layout.Ordered(layout.Of(4<<r.Intn(3), 4<<r.Intn(3), 1+r.Intn(5)), layout.Of(r.Perm(3)...)))
		if r.Intn(3) == 0 { // strides of any kind, whose sums may carry into the swizzled bits
			a = must(layout.New(a.Shape(), layout.Of(r.Intn(20), 1<<r.Intn(6), 1<<r.Intn(6))))
		}
		s := must(layout.NewSwizzle(r.Intn(4), r.Intn(4), 3+r.Intn(2)))
		c := layout.Composed{Swizzle: s, Offset: layout.N(r.Intn(2) * 64), Layout: a}
		crd, full, rest := []layout.Tuple{}, []layout.Tuple{}, []layout.Tuple{}
		for _, m := range a.Shape().Modes() {
			n, _ := m.IsLeaf()
			size, _ := n.Static()
			i := layout.Leaf(layout.N(r.Intn(size)))
			full = append(full, i)
			if r.Intn(2) == 0 || len(crd) == 0 {
				crd, rest = append(crd, layout.All), append(rest, i)
			} else {
				crd = append(crd, i)
			}
		}
		plain, off, err := layout.SliceAndOffset(a, layout.T(crd...))
		if err != nil {
			t.Fatal(err)
		}
		base, _ := off.IsLeaf()
		moved, _ := must(plain.Index(layout.T(rest...))).IsLeaf()
		if want, _ := must(a.Index(layout.T(full...))).IsLeaf(); !base.Add(moved).Equal(want) {
			t.Fatalf("slice %v of %v = %v behind %v: %v is at %v, want %v", crd, a, plain, off, full, base.Add(moved), want)
		}
		cut, at, err := layout.SliceComposed(c, layout.T(crd...))
		if err != nil {
			t.Fatal(err)
		}
		if cut.Swizzle.Bits == 0 {
			straight++
		} else {
			kept++
		}
		got, want := at.Add(must(cut.Index(layout.T(rest...)))), must(c.Index(layout.T(full...)))
		if !got.Equal(want) {
			t.Fatalf("slice %v of %v = %v behind %v: %v is at %v, want %v", crd, c, cut, at, full, got, want)
		}
	}
	enough(t, straight, rounds/10)
	enough(t, kept, rounds/10)
}

func TestSliceComposedAtRunTime(t *testing.T) {
	c := must(layout.ParseComposed("S<3,3,3> o 0 o (8,64):(64,1)"))
	for i := range 8 {
		row := layout.Leaf(layout.Sym(1, false, known(i)))
		cut, off, err := layout.SliceComposed(c, layout.T(row, layout.All))
		if err != nil {
			t.Fatal(err)
		}
		for j := range 64 {
			got := now(off.Add(must(cut.Index(layout.Of(j)))))
			if want := now(must(c.Index(layout.Of(i, j)))); got != want {
				t.Fatalf("row %d of %v = %v behind %v: element %d at %d, want %d", i, c, cut, off, j, got, want)
			}
		}
	}
}
