package languagetest_test

import (
	"math"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

// lowHalf computes in 64 bits what only 32 bits are used of: a quotient depends on the upper half, too.
func lowHalf(a, b int32, out tile.Out[tile.I32T1[tile.D4]]) {
	q := int32((int(a)*int(b) + int(a)) / 7)
	r := int32((int(a)*int(b) - int(b)) % 1000003)
	s := int32((int(a) * int(b)) >> 9)
	m := int32(max(int(a)*int(b), int(b)))
	at := tile.Iota[tile.D4]()
	v := tile.Where(at == 0, tile.I32T1[tile.D4](tile.I32(q)), tile.I32T1[tile.D4](tile.I32(r)))
	v = tile.Where(at == 2, tile.I32T1[tile.D4](tile.I32(s)), v)
	out.Store(tile.Where(at == 3, tile.I32T1[tile.D4](tile.I32(m)), v))
}

// What is computed in 32 bits where only the low half is used must not depend on the upper half.
func TestLowHalves(t *testing.T) {
	dev := open(t)
	numbers := []int32{0, 1, -7, 46341, 65536, 99991, -123456789, math.MaxInt32, math.MinInt32}
	out := zeros[int32](t, dev, 4)
	for _, a := range numbers {
		for _, b := range numbers {
			if err := cutile.Launch(t.Context(), dev, lowHalf, a, b, out); err != nil {
				t.Fatal(err)
			}
			x, y := int(a), int(b)
			want := [4]int32{int32((x*y + x) / 7), int32((x*y - y) % 1000003), int32((x * y) >> 9), int32(max(x*y, y))}
			if got := [4]int32(values(t, out)); got != want {
				t.Errorf("of %d and %d: %v, want %v", a, b, got, want)
			}
		}
	}
}
