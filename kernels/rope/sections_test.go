package rope_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
	"github.com/cutile-go/cutile/kernels/rope"
)

// testSections compares with [turn] of copies in which all pairs take the position of one axis: pair i of the result is that of its axis.
func testSections[E element](t *testing.T, tolerance float64) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for _, s := range []struct {
		tokens, heads, dim int
		sections           []int
	}{{7, 5, 96, []int{16, 24, 8}}, {3, 2, 10, []int{2, 0, 3}}, {2, 3, 128, []int{64}}, {4, 1, 12, []int{1, 2, 1, 2}}, {0, 2, 4, []int{1, 1}}} {
		cos, sin := tables(t, dev, s.dim)
		axes := len(s.sections)
		where := make([]float64, axes*s.tokens)
		for i := range where {
			where[i] = float64(r.IntN(room))
		}
		positions, _ := kerneltest.Tensor[int32](t, dev, where, axes, s.tokens)
		for _, p := range []rope.Pairs{rope.Halves, rope.Neighbours} {
			x, xs := kerneltest.Random[E](t, dev, r, s.tokens, s.heads, s.dim)
			want := make([]float64, len(xs))
			first := 0
			for a, pairs := range s.sections {
				of := turn(xs, where[a*s.tokens:(a+1)*s.tokens], s.heads, s.dim, p)
				for i := range of {
					pair := i % s.dim % max(s.dim/2, 1)
					if p == rope.Neighbours {
						pair = i % s.dim / 2
					}
					if pair >= first && pair < first+pairs {
						want[i] = of[i]
					}
				}
				first += pairs
			}
			kerneltest.Must(t, rope.RunSections(t.Context(), dev, x, cos, sin, positions, s.sections, p))
			kerneltest.Near(t, fmt.Sprint(s, p), x, want, tolerance)
		}
	}
}

func TestRunSections(t *testing.T) {
	t.Run("float32", func(t *testing.T) { testSections[float32](t, 1e-6) })
	t.Run("float16", func(t *testing.T) { testSections[dtype.Float16](t, 2e-3) })
	t.Run("bfloat16", func(t *testing.T) { testSections[dtype.BFloat16](t, 2e-2) })
}

// TestSectionsOutside: a position outside the tables makes zeros of the pairs of its axis alone.
func TestSectionsOutside(t *testing.T) {
	dev := kerneltest.CPU(t)
	cos, sin := tables(t, dev, 4)
	positions, _ := kerneltest.Tensor[int32](t, dev, []float64{0, room}, 2, 1)
	x, _ := kerneltest.Tensor[float32](t, dev, []float64{1, 2, 3, 4}, 1, 1, 4)
	kerneltest.Must(t, rope.RunSections(t.Context(), dev, x, cos, sin, positions, []int{1, 1}, rope.Halves))
	kerneltest.Near(t, "x", x, []float64{1, 0, 3, 0}, 0)
}

// testRounded: each number is as near as the format allows, with the scale that its head's greatest magnitude has.
func testRounded[E element](t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for _, s := range []struct{ tokens, heads, dim int }{{1, 1, 2}, {7, 5, 96}, {3, 40, 128}, {2, 3, 10}, {0, 2, 4}, {2, 2, 0}} {
		cos, sin := tables(t, dev, s.dim)
		where := make([]float64, s.tokens)
		for i := range where {
			where[i] = float64(r.IntN(room))
		}
		positions, _ := kerneltest.Tensor[int32](t, dev, where, s.tokens)
		for _, p := range []rope.Pairs{rope.Halves, rope.Neighbours} {
			x, xs := kerneltest.Random[E](t, dev, r, s.tokens, s.heads, s.dim)
			if len(xs) > s.dim { // the last head is 0
				kerneltest.Must(t, x.Narrow(0, s.tokens-1, s.tokens).Narrow(1, s.heads-1, s.heads).Fill(t.Context(), *new(E)))
				clear(xs[len(xs)-s.dim:])
			}
			y, scales := kerneltest.New[dtype.Float8E4M3FN](t, dev, s.tokens, s.heads, s.dim), kerneltest.New[float32](t, dev, s.tokens, s.heads)
			kerneltest.Must(t, rope.RunRounded(t.Context(), dev, x, cos, sin, positions, y, scales, p))
			kerneltest.Near(t, "x stays", x, xs, 0)
			exact := turn(xs, where, s.heads, s.dim, p)
			units := make([]float64, s.tokens*s.heads)
			for h := range units {
				for _, v := range exact[h*s.dim:][:s.dim] {
					units[h] = max(units[h], math.Abs(v)/448)
				}
			}
			kerneltest.Near(t, fmt.Sprint("scales ", s, p), scales, units, 1e-6)
			got, err := y.Slice()
			kerneltest.Must(t, err)
			for i, v := range exact {
				unit := units[i/s.dim]
				// Half of the last of four significant bits, or of the least number that the format has.
				if d := math.Abs(got[i].Float64()*unit - v); !(d <= (1+1e-5)*max(math.Abs(v)/16, unit/1024)) {
					t.Fatalf("%v: element %d is %v·%v, want %v", s, i, got[i].Float64(), unit, v)
				}
			}
		}
	}
}

func TestRunRounded(t *testing.T) {
	t.Run("float32", testRounded[float32])
	t.Run("float16", testRounded[dtype.Float16])
	t.Run("bfloat16", testRounded[dtype.BFloat16])
}

func TestSectionMistakes(t *testing.T) {
	dev := kerneltest.CPU(t)
	cos, sin := tables(t, dev, 8)
	x := kerneltest.New[float32](t, dev, 2, 1, 8)
	positions := kerneltest.New[int32](t, dev, 3, 2)
	for _, c := range []struct {
		sections []int
		want     string
	}{
		{[]int{2, 2}, "there are 2 sections for positions along 3 axes, expected the same number, 1 to 4"},
		{[]int{1, 1, 1}, "the sections [1 1 1] have 3 pairs, expected 4, half of the 8 numbers of a head"},
		{[]int{5, -1, 0}, "section 1 has -1 pairs, expected 0 or more"},
	} {
		kerneltest.Mismatch(t, rope.RunSections(t.Context(), dev, x, cos, sin, positions, c.sections, rope.Halves), "rope.RunSections: "+c.want)
	}
	var none *cutile.Tensor[float32]
	kerneltest.Mismatch(t, rope.RunRounded(t.Context(), dev, x, cos, sin, kerneltest.New[int32](t, dev, 2), kerneltest.New[dtype.Float8E4M3FN](t, dev, 2, 1, 8), none, rope.Halves),
		"rope.RunRounded: scales is nil, expected a tensor")
}
