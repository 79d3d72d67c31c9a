package languagetest_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

type (
	floats8 = tile.F32T1[tile.D8]
	floats4 = tile.F32T1[tile.D4]
	places4 = tile.I32T1[tile.D4]
)

// orders stores what depends on the order of elements.
func orders(x tile.In[floats8], cum tile.InOut[floats8], top tile.InOut[floats4], at tile.Out[places4]) {
	v := x.Load(0)
	cum.Store(tile.CumMax(v, 0, tile.Forward), 0)
	cum.Store(tile.CumMin(v, 0, tile.Forward), 1)
	cum.Store(tile.CumMax(v, 0, tile.Backward), 2)
	most, places := tile.ArgTopK[floats4, places4](v)
	top.Store(tile.TopK[floats4](v), 0)
	top.Store(most, 1)
	at.Store(places)
}

// TestNaNInOrders: a running maximum or minimum stays NaN from one on, as Max0 is NaN; TopK has it first, or last where its
// sign is set, as Sort has.
func TestNaNInOrders(t *testing.T) {
	dev := open(t)
	nan := float32(math.NaN())
	x, err := cutile.FromSlice(dev, []float32{3, 1, nan, 5, 0, math.Float32frombits(math.Float32bits(nan) | 1<<31), 7, 2})
	if err != nil {
		t.Fatal(err)
	}
	cum, top, at := zeros[float32](t, dev, 24), zeros[float32](t, dev, 8), zeros[int32](t, dev, 4)
	if err := cutile.Launch(t.Context(), dev, orders, x, cum, top, at); err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		got  []float32
		want []float32
	}{
		"CumMax":          {values(t, cum)[:8], []float32{3, 3, nan, nan, nan, nan, nan, nan}},
		"CumMin":          {values(t, cum)[8:16], []float32{3, 1, nan, nan, nan, nan, nan, nan}},
		"CumMax backward": {values(t, cum)[16:], []float32{nan, nan, nan, nan, nan, nan, 7, 2}},
		"TopK":            {values(t, top)[:4], []float32{nan, 7, 5, 3}},
		"ArgTopK":         {values(t, top)[4:], []float32{nan, 7, 5, 3}},
	} {
		if fmt.Sprint(c.got) != fmt.Sprint(c.want) {
			t.Errorf("%s: got %v, want %v", what, c.got, c.want)
		}
	}
	if got := values(t, at); !slices.Equal(got, []int32{2, 6, 3, 0}) {
		t.Errorf("places: got %v", got)
	}
}
