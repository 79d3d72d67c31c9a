package languagetest_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

// nearer is the number nearer to zero, of two as near the greater one: branches, an early return and a nested choice.
func nearer(a, b tile.I32) tile.I32 {
	x, y := a, b
	if x < 0 {
		x = -x
	}
	if y < 0 {
		y = -y
	}
	if x < y {
		return a
	} else if x == y {
		if a > b {
			return a
		}
		return b
	}
	return b
}

// branches folds and scans by functions with branches.
func branches(x tile.In[tile.I32T1[tile.D16]], fold tile.Out[tile.I32T1[tile.D1]], scan tile.Out[tile.I32T1[tile.D16]], places tile.Out[tile.I32T1[tile.D16]]) {
	v := x.Load(0)
	fold.Store(v.Fold0(math.MaxInt32, nearer))
	scan.Store(v.Scan0(math.MaxInt32, nearer))
	_, at := tile.Scan2(v, tile.Iota[tile.D16](), 0, tile.Forward, math.MinInt32, 0, func(a tile.I32, i tile.I32, b tile.I32, j tile.I32) (tile.I32, tile.I32) {
		switch {
		case a >= b:
			return a, i
		default:
			return b, j
		}
	})
	places.Store(at)
}

// TestBranchesThatCombine compares folds and scans by functions with branches with the same functions on the host.
func TestBranchesThatCombine(t *testing.T) {
	dev := open(t)
	in := []int32{7, -9, 12, -5, 5, 40, -3, 8, 3, -3, 2, 60, -2, 6, 59, 1}
	x, err := cutile.FromSlice(dev, in)
	if err != nil {
		t.Fatal(err)
	}
	fold, scan, places := zeros[int32](t, dev, 1), zeros[int32](t, dev, 16), zeros[int32](t, dev, 16)
	if err := cutile.Launch(t.Context(), dev, branches, x, fold, scan, places); err != nil {
		t.Fatal(err)
	}
	abs := func(n int32) int32 { return max(n, -n) }
	best, top := int32(math.MaxInt32), 0
	var wantScan, wantPlaces []int32
	for i, n := range in {
		if abs(n) < abs(best) || abs(n) == abs(best) && n > best {
			best = n
		}
		if n > in[top] {
			top = i
		}
		wantScan, wantPlaces = append(wantScan, best), append(wantPlaces, int32(top))
	}
	if got := values(t, fold); got[0] != best {
		t.Errorf("fold: got %d, want %d", got[0], best)
	}
	if got := values(t, scan); !slices.Equal(got, wantScan) {
		t.Errorf("scan: got %v, want %v", got, wantScan)
	}
	if got := values(t, places); !slices.Equal(got, wantPlaces) {
		t.Errorf("places: got %v, want %v", got, wantPlaces)
	}
}

// windowMax is the greatest of each 4 neighbours, at distances of 2: of what is there.
func windowMax(x tile.In[tile.F32T1[tile.D4]], y tile.InOut[tile.F32T1[tile.D4]], z tile.Out[tile.F32T1[tile.D1]]) {
	i := z.Index(0)
	if i < 4 {
		z.Store(tile.WindowsOf[tile.F32T1[tile.D4]](x, 2).LoadPad(math.Inf(-1), i).Max0())
		return
	}
	z.Store(tile.WindowsOfInOut[tile.F32T1[tile.D4]](y, 2).LoadPad(math.Inf(-1), i-4).Max0())
}

func TestWindowsWithPadding(t *testing.T) {
	dev := open(t)
	in := []float32{-3, -1, -4, -1, -5, -9, -2}
	x, err := cutile.FromSlice(dev, in)
	if err != nil {
		t.Fatal(err)
	}
	y, err := cutile.FromSlice(dev, in)
	if err != nil {
		t.Fatal(err)
	}
	z := zeros[float32](t, dev, 8)
	if err := cutile.Launch(t.Context(), dev, windowMax, x, y, z); err != nil {
		t.Fatal(err)
	}
	var want []float32
	for i := range 8 {
		from := i % 4 * 2
		want = append(want, slices.Max(in[from:min(from+4, len(in))]))
	}
	if got := values(t, z); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// moved reads a matrix at any places, and writes the same elements at the places one further down.
func moved(x tile.In[tile.F32T2[tile.D2, tile.D4]], i, j tile.In[tile.I16T1[tile.D16]], y tile.InOut[tile.F32T2[tile.D2, tile.D2]], z tile.Out[tile.F32T1[tile.D16]]) {
	row, column := i.Load(0), j.Load(0)
	v := tile.GatherAt[tile.F32T1[tile.D16]](x, -1, row, column)
	tile.ScatterAt(y, v, row+1, column)
	z.Store(v*100 + tile.GatherAtInOut[tile.F32T1[tile.D16]](y, 5, row+1, column))
}

// TestElementsAt reads and writes elements by coordinates, inside and outside of tensors whose rows and columns lie apart.
func TestElementsAt(t *testing.T) {
	dev := open(t)
	data := make([]float32, 15)
	for k := range data {
		data[k] = float32(k + 1)
	}
	is := []int16{0, 1, 2, 3, -1, 2, 2, 1, math.MinInt16, math.MaxInt16 - 1, 0, 0, 2, 1, 4, 1}
	js := []int16{0, 1, 2, 0, 2, -1, 4, 5, 0, 1, 4, 3, 0, 2, 1, 4}
	whole, err := cutile.FromSlice(dev, data, 3, 5)
	if err != nil {
		t.Fatal(err)
	}
	turned, err := cutile.FromSlice(dev, data, 5, 3)
	if err != nil {
		t.Fatal(err)
	}
	i, err := cutile.FromSlice(dev, is)
	if err != nil {
		t.Fatal(err)
	}
	j, err := cutile.FromSlice(dev, js)
	if err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string]*cutile.Tensor[float32]{"rows": whole, "columns": turned.T()} {
		at := func(r, c int) int { // in memory
			if name == "rows" {
				return 5*r + c
			}
			return 3*c + r
		}
		y, z := zeros[float32](t, dev, 3, 5), zeros[float32](t, dev, 16)
		if err := cutile.Launch(t.Context(), dev, moved, x, i, j, y, z); err != nil {
			t.Fatal(name, err)
		}
		inside := func(r, c int) bool { return r >= 0 && r < 3 && c >= 0 && c < 5 }
		wantY, wantZ := make([]float32, 15), make([]float32, 16)
		for pass := range 2 {
			for k := range is {
				r, c := int(is[k]), int(js[k])
				v, w := float32(-1), float32(5)
				if inside(r, c) {
					v = data[at(r, c)]
				}
				if inside(r+1, c) {
					if pass == 0 {
						wantY[5*(r+1)+c] = v
					}
					w = wantY[5*(r+1)+c]
				}
				wantZ[k] = v*100 + w
			}
		}
		if got := values(t, y); !slices.Equal(got, wantY) {
			t.Errorf("%s: written %v, want %v", name, got, wantY)
		}
		if got := values(t, z); !slices.Equal(got, wantZ) {
			t.Errorf("%s: got %v, want %v", name, got, wantZ)
		}
	}
}

// numbered writes down where each element of its tiles lies.
func numbered(x tile.Out[tile.I64T2[tile.D4, tile.D2]], y tile.InOut[tile.I64T3[tile.D2, tile.D2, tile.D4]]) {
	rows, columns := tile.Indices2[tile.D4, tile.D2](x.Index(0), x.Index(1))
	x.Store(1000*rows + columns)
	if x.Index(0) == 0 && x.Index(1) == 0 {
		a, b, c := tile.Indices3[tile.D2, tile.D2, tile.D4](1, 2, 3)
		y.Store(10000*a+100*b+c, 0, 0, 0)
	}
}

func TestIndices(t *testing.T) {
	dev := open(t)
	x, y := zeros[int64](t, dev, 7, 5), zeros[int64](t, dev, 2, 2, 4)
	if err := cutile.Launch(t.Context(), dev, numbered, x, y); err != nil {
		t.Fatal(err)
	}
	for k, got := range values(t, x) {
		if want := int64(1000*(k/5) + k%5); got != want {
			t.Errorf("element %d: got %d, want %d", k, got, want)
		}
	}
	for k, got := range values(t, y) {
		if want := int64(10000*(2+k/8) + 100*(4+k/4%2) + 12 + k%4); got != want {
			t.Errorf("element %d of three axes: got %d, want %d", k, got, want)
		}
	}
}

func extremesAlong(x tile.In[tile.F32T2[tile.D4, tile.D4]], z tile.Out[tile.F32T2[tile.D4, tile.D1]], at tile.InOut[tile.I32T2[tile.D4, tile.D1]]) {
	v := x.Load(0, 0)
	z.Store(v.Max1() - v.Min1())
	at.Store(v.ArgMax1(), 0, 0)
	at.Store(v.ArgMin1(), 0, 1)
}

// TestExtremesAlongAxis: NaN is the greatest and least of a row that has one, and its place is passed over; of equal elements the
// first counts.
func TestExtremesAlongAxis(t *testing.T) {
	dev, nan := open(t), float32(math.NaN())
	x, err := cutile.FromSlice(dev, []float32{
		1, 3, 3, -2,
		1, nan, 5, -2,
		nan, 2, 2, nan,
		nan, nan, nan, nan,
	}, 4, 4)
	if err != nil {
		t.Fatal(err)
	}
	z, at := zeros[float32](t, dev, 4, 1), zeros[int32](t, dev, 4, 2)
	if err := cutile.Launch(t.Context(), dev, extremesAlong, x, z, at); err != nil {
		t.Fatal(err)
	}
	if got, err := z.Slice(); err != nil || fmt.Sprint(got) != "[5 NaN NaN NaN]" {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := at.Slice(); err != nil || fmt.Sprint(got) != "[1 3 2 3 1 1 0 0]" {
		t.Errorf("%v, %v", got, err)
	}
}
