package layout_test

import (
	"math/rand"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/internal/layout"
)

func TestLawComposition(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	done := 0
	for range rounds {
		a, b := randomLayout(r, twoPowers), randomLayout(r, twoPowers)
		c, err := layout.Compose(a, b)
		if err != nil {
			continue
		}
		done++
		var want []int
		for _, i := range offsets(b) {
			want = append(want, value(a, i))
		}
		if !slices.Equal(offsets(c), want) {
			t.Fatalf("%v o %v = %v, but A(B(c)) = %v", a, b, c, want)
		}
		// The result's domain is B's: every coordinate of B is one of R.
		if !b.Shape().WeaklyCongruent(c.Shape()) {
			t.Fatalf("%v o %v = %v has not the shape of B", a, b, c)
		}
	}
	enough(t, done, rounds/2)
}

func TestLawCoalesce(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for range rounds {
		a := randomLayout(r, anySizes)
		c := layout.Coalesce(a)
		if !slices.Equal(offsets(c), offsets(a)) || c.Depth() > 1 || c.Rank() > len(a.Shape().Leaves()) {
			t.Fatalf("coalesce of %v = %v", a, c)
		}
		f := layout.Filter(a)
		if !slices.Equal(sortedSet(offsets(f)), sortedSet(offsets(a))) {
			t.Fatalf("filter of %v = %v hits other offsets", a, f)
		}
	}
}

func sortedSet(xs []int) []int {
	xs = slices.Clone(xs)
	slices.Sort(xs)
	return slices.Compact(xs)
}

func TestLawComplement(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	for range rounds {
		a := injective(r, twoPowers)
		target := 1 + r.Intn(600)
		c, err := layout.Complement(a, layout.Leaf(layout.N(target)))
		if err != nil {
			t.Fatalf("complement of %v in %d: %v", a, target, err)
		}
		values := offsets(c)
		var sums []int
		for _, x := range offsets(a) {
			for _, y := range values {
				sums = append(sums, x+y)
			}
		}
		if !slices.IsSorted(values) || !distinct(sums) || slices.Max(sums)+1 < target {
			t.Fatalf("complement of %v in %d = %v: unordered, not disjoint or too short", a, target, c)
		}
	}
}

func TestLawInverses(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	left := 0
	for range rounds {
		a := randomLayout(r, anySizes)
		right, err := layout.RightInverse(a)
		if err != nil {
			t.Fatalf("right inverse of %v: %v", a, err)
		}
		for i, x := range offsets(right) {
			if value(a, x) != i {
				t.Fatalf("right inverse of %v = %v, but A(R(%d)) = %d", a, right, i, value(a, x))
			}
		}
		l, err := layout.LeftInverse(a)
		if err != nil {
			continue
		}
		left++
		once := distinct(offsets(a))
		for i, x := range offsets(a) {
			if back := value(l, x); value(a, back) != x || once && back != i {
				t.Fatalf("left inverse of %v = %v, but R(A(%d)) = %d", a, l, i, back)
			}
		}
	}
	enough(t, left, rounds/2)
	compact := must(layout.Compact(layout.Of(4, 3, 5)))
	if inv := must(layout.RightInverse(compact)); inv.String() != "60:1" {
		t.Errorf("the right inverse of %v is %v, want all 60", compact, inv)
	}
}

func TestLawDivides(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	done := 0
	for range rounds {
		a, b := injective(r, twoPowers), injective(r, twoPowers)
		z, err := layout.ZippedDivide(a, b)
		if err != nil {
			continue
		}
		done++
		rest := must(layout.Complement(b, layout.Leaf(a.Size())))
		want := outer(through(a, b), through(a, rest))
		if !slices.Equal(offsets(z), want) || z.Rank() != 2 {
			t.Fatalf("zipped divide of %v by %v = %v, want the offsets %v", a, b, z, want)
		}
		for name, f := range map[string]func(layout.Layout, layout.Tiler) (layout.Layout, error){
			"logical": layout.LogicalDivide, "tiled": layout.TiledDivide, "flat": layout.FlatDivide} {
			if d := must(f(a, b)); !slices.Equal(offsets(d), want) {
				t.Fatalf("%s divide of %v by %v = %v is another function than %v", name, a, b, d, z)
			}
		}
	}
	enough(t, done, rounds/6)
}

func TestLawDivideByMode(t *testing.T) {
	r := rand.New(rand.NewSource(6))
	for range rounds {
		m, n := 4<<r.Intn(3), 4<<r.Intn(3)
		tm, tn := 1<<r.Intn(3), 1<<r.Intn(3)
		a := must(layout.Ordered(layout.Of(m, n, 3), layout.Of(r.Perm(3)...)))
		z := must(layout.ZippedDivide(a, layout.TileOf(tm, tn)))
		for range 10 {
			i, j, k, x, y := r.Intn(tm), r.Intn(tn), r.Intn(3), r.Intn(m/tm), r.Intn(n/tn)
			got := must(z.Index(layout.T(layout.Of(i, j), layout.Of(x, y, k)))).String()
			want := must(a.Index(layout.Of(x*tm+i, y*tn+j, k))).String()
			if got != want {
				t.Fatalf("%v by %dx%d = %v: tile (%d,%d,%d) element (%d,%d) lies at %s, want %s", a, tm, tn, z, x, y, k, i, j, got, want)
			}
		}
	}
}

// through lists A(B(i)).
func through(a, b layout.Layout) (vs []int) {
	for _, i := range offsets(b) {
		vs = append(vs, value(a, i))
	}
	return vs
}

// outer adds each of the second to all of the first.
func outer(first, second []int) (sums []int) {
	for _, y := range second {
		for _, x := range first {
			sums = append(sums, x+y)
		}
	}
	return sums
}

func TestLawProducts(t *testing.T) {
	r := rand.New(rand.NewSource(7))
	done := 0
	for range rounds {
		a, b := injective(r, twoPowers), injective(r, twoPowers)
		p, err := layout.LogicalProduct(a, b)
		if err != nil {
			continue
		}
		done++
		cosize := must(b.Cosize())
		rest := must(layout.Complement(a, layout.Leaf(a.Size().Mul(cosize))))
		want := outer(offsets(a), through(rest, b))
		for name, f := range map[string]func(layout.Layout, layout.Tiler) (layout.Layout, error){
			"logical": layout.LogicalProduct, "zipped": layout.ZippedProduct,
			"tiled": layout.TiledProduct, "flat": layout.FlatProduct} {
			if d := must(f(a, b)); !slices.Equal(offsets(d), want) {
				t.Fatalf("%s product of %v and %v = %v is another function than %v", name, a, b, d, p)
			}
		}
		if !distinct(want) {
			t.Fatalf("the product of %v and %v = %v overlaps", a, b, p)
		}
	}
	enough(t, done, rounds/6)
}

// TestLawArrangement looks at elements of blocked and raked products: where block element (i,j) of repetition (x,y) is.
func TestLawArrangement(t *testing.T) {
	r := rand.New(rand.NewSource(8))
	for range rounds {
		bm, bn, tm, tn := 1+r.Intn(4), 1+r.Intn(4), 1+r.Intn(4), 1+r.Intn(4)
		block := must(layout.Ordered(layout.Of(bm, bn), layout.Of(r.Perm(2)...)))
		tiler := must(layout.Ordered(layout.Of(tm, tn), layout.Of(r.Perm(2)...)))
		blocked := must(layout.BlockedProduct(block, tiler))
		raked := must(layout.RakedProduct(block, tiler))
		i, j, x, y := r.Intn(bm), r.Intn(bn), r.Intn(tm), r.Intn(tn)
		inBlock := number(must(block.Index(layout.Of(i, j))).String())
		want := inBlock + bm*bn*number(must(tiler.Index(layout.Of(x, y))).String())
		if got := must(blocked.Index(layout.Of(x*bm+i, y*bn+j))); !got.Equal(layout.Leaf(layout.N(want))) {
			t.Fatalf("blocked product of %v and %v = %v: element (%d,%d) of block (%d,%d) at %v, want %d", block, tiler, blocked, i, j, x, y, got, want)
		}
		if got := must(raked.Index(layout.Of(i*tm+x, j*tn+y))); !got.Equal(layout.Leaf(layout.N(want))) {
			t.Fatalf("raked product of %v and %v = %v: element (%d,%d) of block (%d,%d) at %v, want %d", block, tiler, raked, i, j, x, y, got, want)
		}
	}
}

// TestLawProductByMode: each mode is repeated on its own, an underscore leaves it alone.
func TestLawProductByMode(t *testing.T) {
	block := lay("(2,4):(1,2)")
	for op, want := range map[string]string{
		"logical_product": "((2,3),4):((1,2),2)", "zipped_product": "((2,4),(3,1)):((1,2),(2,0))",
		"tiled_product": "((2,4),3,1):((1,2),2,0)", "flat_product": "(2,4,3,1):(1,2,2,0)",
	} {
		for _, tiler := range []string{"[3:1;_]", "[3]"} {
			if got, err := algebra[op]([]string{block.String(), tiler}); got != want {
				t.Errorf("%s of %v and %s = %s, %v, want %s", op, block, tiler, got, err, want)
			}
		}
	}
}
