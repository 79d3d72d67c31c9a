package languagetest_test

import (
	"slices"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

type (
	four     = tile.I32T1[tile.D4]
	twoByTwo = tile.I32T2[tile.D2, tile.D2]
)

// cut is a helper that has a view as its own.
func cut(x tile.In[four], from, to int) tile.In[four] {
	x = x.Slice(0, from, to)
	return x
}

// viewer keeps a view.
type viewer struct {
	x    tile.In[four]
	from int
}

func (h viewer) next() viewer { h.x, h.from = h.x.Slice(0, 1, 100), h.from+1; return h }

// parts adds up parts of a tensor: each has its own extent, whatever was cut from its parent before.
func parts(x tile.In[four], out tile.Out[four], extents tile.Out[tile.I32T1[tile.D8]]) {
	a, b := x.Slice(0, 1, 4), x.Slice(0, 0, 6)
	c := b.Slice(0, 2, 5)
	v := a.Load(0) + 10*b.Load(0) + 100*c.Load(0) + 1000*x.Load(1)
	for i := range 3 {
		d := x.Slice(0, i, i+2)
		v = v*3 + d.Load(0)
	}
	v = v*3 + cut(x, 3, 5).Load(0)
	h := viewer{x: x}
	k := h.next().next()
	v = v*3 + k.x.Load(0) + h.x.Load(1) + x.Load(0)
	out.Store(v)
	e := func(i, n int) tile.I32T1[tile.D8] {
		return tile.Where(tile.Iota[tile.D8]() == tile.I32T1[tile.D8](i), tile.I32T1[tile.D8](tile.I32(n)), 0)
	}
	extents.Store(e(0, x.Len(0)) + e(1, a.Len(0)) + e(2, b.Len(0)) + e(3, c.Len(0)) + e(4, k.x.Len(0)) + e(5, h.x.Len(0)) + e(6, x.Tiles(0)) + e(7, k.from))
}

func TestPartsOfTensors(t *testing.T) {
	dev := open(t)
	in := []int32{1, 2, 3, 4, 5, 6, 7}
	x, err := cutile.FromSlice(dev, in)
	if err != nil {
		t.Fatal(err)
	}
	out, extents := zeros[int32](t, dev, 4), zeros[int32](t, dev, 8)
	if err := cutile.Launch(t.Context(), dev, parts, x, out, extents); err != nil {
		t.Fatal(err)
	}
	at := func(s []int32, i int) int32 { // what lies outside reads as zero
		if i < len(s) {
			return s[i]
		}
		return 0
	}
	want := make([]int32, 4)
	for j := range want {
		v := at(in[1:4], j) + 10*at(in[0:6], j) + 100*at(in[2:5], j) + 1000*at(in, 4+j)
		for i := range 3 {
			v = v*3 + at(in[i:i+2], j)
		}
		v = v*3 + at(in[3:5], j)
		want[j] = v*3 + at(in[2:], j) + at(in, 4+j) + at(in, j)
	}
	if got := values(t, out); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := values(t, extents); !slices.Equal(got, []int32{7, 3, 6, 3, 5, 7, 2, 2}) {
		t.Errorf("extents %v", got)
	}
}

// mirror stores through parts that lie side by side, and through their parent.
func mirror(x tile.InOut[twoByTwo]) {
	left, right := x.Slice(1, 0, 2), x.Slice(1, 2, 4)
	top := x.Slice(0, 0, 1)
	l, r := left.Load(0, 0), right.Load(0, 0)
	left.Store(r, 0, 0)
	right.Store(l, 0, 0)
	top.Store(top.Load(0, 1)*10, 0, 1)
	x.Store(x.Load(1, 1)+100, 1, 1)
}

func TestStoresThroughParts(t *testing.T) {
	dev := open(t)
	x, err := cutile.FromSlice(dev, []int32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, 4, 4)
	if err != nil {
		t.Fatal(err)
	}
	if err := cutile.Launch(t.Context(), dev.Grid(1), mirror, x); err != nil {
		t.Fatal(err)
	}
	want := []int32{3, 4, 10, 20, 7, 8, 5, 6, 9, 10, 111, 112, 13, 14, 115, 116}
	if got := values(t, x); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
