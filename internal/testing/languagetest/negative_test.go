package languagetest_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/tile"
)

type countType interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~int | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

func shiftedLeft[N countType](n N) int64  { return 77 << n }
func shiftedRight[N countType](n N) int32 { return int32(-77*int32(int8(n)|1)) >> n }

// byNumber shifts by a count, here and in a function of the kernel.
func byNumber[N countType](n N, twice bool, out tile.Out[tile.I64T1[tile.D1]]) {
	y := shiftedLeft(n)
	if twice {
		y += int64(shiftedRight(n))
	}
	out.Store(tile.I64T1[tile.D1](y))
}

// byTile shifts by the elements of a tile.
func byTile[T, N tile.IntTile](x tile.In[T], n tile.In[N], up bool, out tile.Out[T]) {
	v := x.Load(0)
	if up {
		v <<= n.Load(0)
	} else {
		v = v >> n.Load(0)
	}
	out.Store(v)
}

// waited launches a kernel and gives the error of the launch or of its end.
func waited(t *testing.T, dev *cutile.Device, kernel any, args ...any) error {
	t.Helper()
	if err := cutile.Launch(t.Context(), dev, kernel, args...); err != nil {
		return err
	}
	return dev.Sync(t.Context())
}

// reported demands the error of a negative count, or none.
func reported(t *testing.T, err error, negative bool, what string) {
	t.Helper()
	if !negative && err != nil {
		t.Errorf("%s: %v", what, err)
	}
	if negative && (err == nil || !strings.Contains(err.Error(), "negative shift count") || !strings.Contains(err.Error(), "negative_test.go:")) {
		t.Errorf("%s: error %v, want a negative shift count with its place", what, err)
	}
}

func numbers[N countType](t *testing.T, dev *cutile.Device, counts ...N) {
	for _, n := range counts {
		for _, twice := range []bool{false, true} {
			reported(t, waited(t, dev, byNumber[N], n, twice, zeros[int64](t, dev, 1)), n < 0, fmt.Sprintf("%T %d", n, n))
		}
	}
}

// TestNegativeCounts: a device that checks reports what Go panics for, for counts of every type, and no large counts.
func TestNegativeCounts(t *testing.T) {
	dev := open(t)
	numbers[int8](t, dev, 0, 7, 127, -1, -128)
	numbers[int16](t, dev, 3, math.MaxInt16, -1, math.MinInt16)
	numbers[int32](t, dev, 31, math.MaxInt32, -1, math.MinInt32)
	numbers[int64](t, dev, 63, math.MaxInt64, -1, math.MinInt64, 1<<32|1)
	numbers[int](t, dev, 5, -5)
	numbers[uint8](t, dev, 255)
	numbers[uint16](t, dev, 1<<15)
	numbers[uint32](t, dev, 1<<31)
	numbers[uint64](t, dev, 1<<63)
}

type element interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
	dtype.Elem
}

func tiles[E, F element](t *testing.T, dev *cutile.Device, kernel any, n F, negative bool) {
	t.Helper()
	x, out := zeros[E](t, dev, 8), zeros[E](t, dev, 8)
	by, err := cutile.FromSlice(dev, []F{0, 1, 2, 3, 4, 5, n, 7})
	if err != nil {
		t.Fatal(err)
	}
	for _, up := range []bool{false, true} {
		reported(t, waited(t, dev, kernel, x, by, up, out), negative, fmt.Sprintf("%T by %T %d", kernel, n, n))
	}
}

// TestNegativeCountsInTiles is the same where one element of a tile is negative.
func TestNegativeCountsInTiles(t *testing.T) {
	dev := open(t)
	tiles[int32, int8](t, dev, byTile[tile.I32T1[tile.D8], tile.I8T1[tile.D8]], -1, true)
	tiles[uint8, int16](t, dev, byTile[tile.U8T1[tile.D8], tile.I16T1[tile.D8]], -300, true)
	tiles[int8, int32](t, dev, byTile[tile.I8T1[tile.D8], tile.I32T1[tile.D8]], math.MinInt32, true)
	tiles[int64, int64](t, dev, byTile[tile.I64T1[tile.D8], tile.I64T1[tile.D8]], -64, true)
	tiles[int32, int32](t, dev, byTile[tile.I32T1[tile.D8], tile.I32T1[tile.D8]], 1<<30, false)
	tiles[int32, uint8](t, dev, byTile[tile.I32T1[tile.D8], tile.U8T1[tile.D8]], 255, false)
}

// shiftSum combines by shifts, which cannot stop a kernel there.
func shiftSum(x tile.In[vec32], out tile.Out[tile.I32T1[tile.D1]]) {
	out.Store(tile.I32T1[tile.D1](x.Load(0).Fold0(0, func(a, b tile.I32) tile.I32 { return a<<1 ^ b>>(b&3) })))
}

// guarded shifts only where the count is not negative.
func guarded(n int, out tile.Out[tile.I64T1[tile.D1]]) {
	y := tile.I64(1)
	if n >= 0 {
		y <<= n
	}
	if n > -3 && 1<<(n+3) > 4 {
		y++
	}
	out.Store(tile.I64T1[tile.D1](y))
}

// TestCountsThatAreNotReached: what Go does not evaluate is not reported, and combining functions compile.
func TestCountsThatAreNotReached(t *testing.T) {
	dev := open(t)
	for _, n := range []int{-5, 4} {
		if err := waited(t, dev, guarded, n, zeros[int64](t, dev, 1)); err != nil {
			t.Errorf("by %d: %v", n, err)
		}
	}
	if err := waited(t, dev, shiftSum, zeros[int32](t, dev, 8), zeros[int32](t, dev, 1)); err != nil {
		t.Error(err)
	}
}
