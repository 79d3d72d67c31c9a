package layout_test

import (
	"math/rand"
	"testing"

	"github.com/cutile-go/cutile/internal/layout"
)

// TestLawLocalTile: element (i,j) of tile (x,y) is element (x*m+i, y*n+j), also of the coordinates.
func TestLawLocalTile(t *testing.T) {
	r := rand.New(rand.NewSource(14))
	for range rounds / 3 {
		tm, tn, gm, gn := 1<<r.Intn(4), 1<<r.Intn(4), 1+r.Intn(4), 1+r.Intn(4)
		shape := layout.Of(tm*gm, tn*gn)
		a := must(layout.Ordered(shape, layout.Of(r.Perm(2)...)))
		x, y, i, j := r.Intn(gm), r.Intn(gn), r.Intn(tm), r.Intn(tn)
		for _, l := range []layout.Layout{a, must(layout.Identity(shape))} {
			want := must(l.Index(layout.Of(x*tm+i, y*tn+j))).String()
			tile, off, err := layout.LocalTile(l, layout.TileOf(tm, tn), layout.Of(x, y))
			if err != nil {
				t.Fatal(err)
			}
			if got := sum(off, must(tile.Index(layout.Of(i, j)))); got != want {
				t.Fatalf("tile (%d,%d) of %v is %v behind %v: element (%d,%d) at %s, want %s", x, y, l, tile, off, i, j, got, want)
			}
			row, off, err := layout.LocalTile(l, layout.TileOf(tm, tn), layout.T(layout.Leaf(layout.N(x)), layout.All))
			if err != nil {
				t.Fatal(err)
			}
			if got := sum(off, must(row.Index(layout.Of(i, j, y)))); got != want {
				t.Fatalf("tiles (%d,_) of %v are %v behind %v: element (%d,%d) of %d at %s, want %s", x, l, row, off, i, j, y, got, want)
			}
		}
	}
}

// sum is [layout.AddOffsets], held against adding leaf by leaf; a coordinate that lacks modes has 0 there.
func sum(a, b layout.Tuple) string {
	x, y := a.Leaves(), b.Leaves()
	if len(x) < len(y) {
		x, y = y, x
	}
	s := make([]layout.Tuple, len(x))
	for i := range x {
		p, _ := x[i].IsLeaf()
		if i < len(y) {
			q, _ := y[i].IsLeaf()
			p = p.Add(q)
		}
		s[i] = layout.Leaf(p)
	}
	want := layout.T(s...).String()
	if len(s) == 1 {
		want = s[0].String()
	}
	if got := layout.AddOffsets(a, b).String(); got != want {
		return got + " instead of " + want
	}
	return want
}

// TestLawLocalPartition: the threads' parts are disjoint and together everything.
func TestLawLocalPartition(t *testing.T) {
	r := rand.New(rand.NewSource(15))
	for range rounds / 10 {
		tm, tn := 1<<r.Intn(3), 1<<r.Intn(3)
		threads := must(layout.Ordered(layout.Of(tm, tn), layout.Of(r.Perm(2)...)))
		a := must(layout.Ordered(layout.Of(tm<<r.Intn(3), tn<<r.Intn(3)), layout.Of(r.Perm(2)...)))
		var all []int
		for i := range tm * tn {
			part, off, err := layout.LocalPartition(a, threads, layout.N(i))
			if err != nil {
				t.Fatal(err)
			}
			n, _ := off.IsLeaf()
			for _, o := range offsets(part) {
				all = append(all, o+now(n))
			}
		}
		if size := now(a.Size()); len(all) != size || !distinct(all) {
			t.Fatalf("%v dealt out to %v: %d of %d elements, distinct %v", a, threads, len(all), size, distinct(all))
		}
	}
}

// TestLawTV: every element of the tile belongs to one (thread, value), and it is the one that the two layouts say.
func TestLawTV(t *testing.T) {
	r := rand.New(rand.NewSource(16))
	for range rounds / 10 {
		tm, tn, vm, vn := 1<<r.Intn(4), 1<<r.Intn(4), 1<<r.Intn(3), 1<<r.Intn(3)
		threads := must(layout.Ordered(layout.Of(tm, tn), layout.Of(r.Perm(2)...)))
		values := must(layout.Ordered(layout.Of(vm, vn), layout.Of(r.Perm(2)...)))
		tile, tv, err := layout.LayoutTV(threads, values)
		if err != nil {
			t.Fatal(err)
		}
		if !tile.Equal(layout.Of(tm*vm, tn*vn)) || !distinct(offsets(tv)) || now(tv.Size()) != tm*vm*tn*vn {
			t.Fatalf("layout_tv of %v and %v = %v, %v", threads, values, tile, tv)
		}
		i, j, k, l := r.Intn(tm), r.Intn(tn), r.Intn(vm), r.Intn(vn)
		thread, value := must(threads.Index(layout.Of(i, j))), must(values.Index(layout.Of(k, l)))
		want := layout.Leaf(layout.N((i*vm + k) + (j*vn+l)*tm*vm))
		if got := must(tv.Index(layout.T(thread, value))); !got.Equal(want) {
			t.Fatalf("layout_tv of %v and %v = %v: value (%d,%d) of thread (%d,%d) at %v, want %v", threads, values, tv, k, l, i, j, got, want)
		}
	}
}

// TestLawTileToShape: the whole shape is covered once, and the first block is the block.
func TestLawTileToShape(t *testing.T) {
	r := rand.New(rand.NewSource(17))
	for range rounds / 10 {
		bm, bn := 1<<r.Intn(3), 1<<r.Intn(3)
		block := must(layout.Ordered(layout.Of(bm, bn), layout.Of(r.Perm(2)...)))
		m, n := bm*(1+r.Intn(4)), bn*(1+r.Intn(4))
		l := must(layout.TileToShape(block, layout.Of(m, n), layout.Of(r.Perm(2)...)))
		if !l.Shape().ProductEach().Equal(layout.Of(m, n)) || !distinct(offsets(l)) || now(must(l.Cosize())) != m*n {
			t.Fatalf("%v to (%d,%d) = %v", block, m, n, l)
		}
		i, j := r.Intn(bm), r.Intn(bn)
		if a, b := must(l.Index(layout.Of(i, j))), must(block.Index(layout.Of(i, j))); !a.Equal(b) {
			t.Fatalf("%v to (%d,%d) = %v: (%d,%d) at %v, in the block at %v", block, m, n, l, i, j, a, b)
		}
	}
}

// TestLawRecast: splitting elements and joining them again is the layout itself, and the bits that are reached stay.
func TestLawRecast(t *testing.T) {
	r := rand.New(rand.NewSource(18))
	for range rounds {
		a := lay(zeroUnits(injective(r, twoPowers).String()))
		small := must(layout.Recast(8, 32, a))
		if back := must(layout.Recast(32, 8, small)); !back.Equal(a) {
			t.Fatalf("%v as bytes is %v, and back %v", a, small, back)
		}
		reached := map[int]bool{}
		for _, o := range offsets(a) {
			for k := range 4 {
				reached[4*o+k] = true
			}
		}
		got := offsets(small)
		if a.Size().Is(len(got)) { // no mode of stride 1 to hold the bytes
			continue
		}
		if len(got) != len(reached) {
			t.Fatalf("%v as bytes is %v: %d bytes, want %d", a, small, len(got), len(reached))
		}
		for _, o := range got {
			if !reached[o] {
				t.Fatalf("%v as bytes is %v: byte %d is not part of it", a, small, o)
			}
		}
	}
}
