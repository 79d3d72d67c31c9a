package gemm_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/gemm"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
)

// TestScaled: factors, and what is in c before; with a beta of 0 that may be anything.
func TestScaled(t *testing.T) {
	t.Run("float32", func(t *testing.T) { testScaled[float32, float32](t, 1e-4) })
	t.Run("float16", func(t *testing.T) { testScaled[dtype.Float16, dtype.Float16](t, 1e-2) })
	t.Run("bfloat16 to float32", func(t *testing.T) { testScaled[dtype.BFloat16, float32](t, 1e-4) })
	t.Run("float8", func(t *testing.T) { testScaled[dtype.Float8E5M2, float32](t, 1e-4) })
}

func testScaled[E, C kerneltest.Num](t *testing.T, tolerance float64) {
	run := scaledOf[E, C]()
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for _, x := range extents {
		for _, f := range [][2]float32{{1, 0}, {-0.5, 0}, {2, 0.25}, {0, 1}} {
			a, as := kerneltest.Random[E](t, dev, r, x.m, x.k)
			b, bs := kerneltest.Random[E](t, dev, r, x.k, x.n)
			c, cs := kerneltest.Random[C](t, dev, r, x.m, x.n)
			if f[1] == 0 {
				c, _ = kerneltest.Tensor[C](t, dev, filled(len(cs), math.NaN()), x.m, x.n)
			}
			kerneltest.Must(t, run(t.Context(), dev, f[0], a, b, f[1], c))
			want := multiply(as, bs, x.m, x.n, x.k)
			for i := range want {
				want[i] = float64(f[0])*want[i] + float64(f[1])*cs[i]
			}
			kerneltest.Near(t, fmt.Sprint("product ", x, f), c, want, tolerance)
		}
	}
}

// scaledOf gives the function for elements that tests name by another constraint.
func scaledOf[E, C kerneltest.Num]() func(context.Context, cutile.Target, float32, *cutile.Tensor[E], *cutile.Tensor[E], float32, *cutile.Tensor[C]) error {
	for _, f := range []any{gemm.RunScaled[float32, float32], gemm.RunScaled[dtype.Float16, dtype.Float16], gemm.RunScaled[dtype.BFloat16, float32],
		gemm.RunScaled[dtype.Float8E5M2, float32]} {
		if f, ok := f.(func(context.Context, cutile.Target, float32, *cutile.Tensor[E], *cutile.Tensor[E], float32, *cutile.Tensor[C]) error); ok {
			return f
		}
	}
	panic("BUG: no such elements")
}

func filled(n int, v float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = v
	}
	return out
}

// TestSeveral: products of all sizes in one launch, and more than one launch takes.
func TestSeveral(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for _, count := range []int{1, len(extents), 11} {
		var a, b []*cutile.Tensor[dtype.Float16]
		var c []*cutile.Tensor[float32]
		var want [][]float64
		for p := range count {
			x := extents[p%len(extents)]
			at, as := kerneltest.Random[dtype.Float16](t, dev, r, x.m, x.k)
			bt, bs := kerneltest.Random[dtype.Float16](t, dev, r, x.k, x.n)
			a, b, c = append(a, at), append(b, bt), append(c, kerneltest.New[float32](t, dev, x.m, x.n))
			want = append(want, multiply(as, bs, x.m, x.n, x.k))
		}
		kerneltest.Must(t, gemm.RunSeveral(t.Context(), dev, a, b, c))
		for p := range c {
			kerneltest.Near(t, fmt.Sprintf("product %d of %d", p, count), c[p], want[p], 1e-4)
		}
	}
	x := func(shape ...int) *cutile.Tensor[float32] { return kerneltest.New[float32](t, dev, shape...) }
	type list = []*cutile.Tensor[float32]
	kerneltest.Mismatch(t, gemm.RunSeveral(t.Context(), dev, list{x(2, 3)}, list{x(3, 4), x(3, 4)}, list{x(2, 4)}),
		"gemm.RunSeveral: there are 1 tensors in a, 2 in b and 1 in c, expected the same number, at least one")
	kerneltest.Mismatch(t, gemm.RunSeveral(t.Context(), dev, list{x(2, 3), x(2, 3)}, list{x(3, 4), x(4, 4)}, list{x(2, 4), nil}),
		"gemm.RunSeveral: b[1] has shape [4 4], expected [k n]: axis 0 is 4, but k is 3 along axis 1 of a[1]", "gemm.RunSeveral: c[1] is nil, expected a tensor")
}

// ragged is the reference: rows of groups times their matrices, and the gradient of these; other rows keep what they have.
func ragged(a, b, dc []float64, spans [][2]int, k, n int, keep float64) (c, db []float64) {
	rows := 0
	if k > 0 {
		rows = len(a) / k
	} else if n > 0 {
		rows = len(dc) / n
	}
	c, db = filled(rows*n, keep), make([]float64, len(b))
	for g, s := range spans {
		copy(c[s[0]*n:s[1]*n], multiply(a[s[0]*k:s[1]*k], b[g*k*n:(g+1)*k*n], s[1]-s[0], n, k))
		for r := s[0]; r < s[1]; r++ {
			for i := range k {
				for j := range n {
					db[(g*k+i)*n+j] += a[r*k+i] * dc[r*n+j]
				}
			}
		}
	}
	return c, db
}

// raggedCases are offsets into rows; groups may be empty, and rows may belong to no group.
var raggedCases = []struct {
	rows, k, n int
	offsets    []float64
}{
	{200, 33, 70, []float64{0, 65, 65, 130, 131, 200}},
	{100, 130, 20, []float64{7, 7, 90}},
	{5, 3, 1, []float64{0, 5}},
	{5, 0, 3, []float64{0, 2, 5}},
	{0, 4, 3, []float64{0, 0, 0}},
	{6, 4, 3, []float64{2}},
}

func TestRagged(t *testing.T) {
	t.Run("float32", func(t *testing.T) {
		testRagged(t, 1e-4, gemm.RunRagged[float32, float32], gemm.RaggedWeights[float32, float32])
	})
	t.Run("float16", func(t *testing.T) {
		testRagged(t, 1e-2, gemm.RunRagged[dtype.Float16, dtype.Float16], gemm.RaggedWeights[dtype.Float16, dtype.Float16])
	})
	t.Run("bfloat16 to float32", func(t *testing.T) {
		testRagged(t, 1e-4, gemm.RunRagged[dtype.BFloat16, float32], gemm.RaggedWeights[dtype.BFloat16, float32])
	})
}

// grouped is a function that takes rows, matrices or rows, bounds and a result.
type grouped[E, C kerneltest.Num] = func(ctx context.Context, on cutile.Target, a, b *cutile.Tensor[E], bounds *cutile.Tensor[int32], c *cutile.Tensor[C]) error

func testRagged[E, C kerneltest.Num](t *testing.T, tolerance float64, run, weights grouped[E, C]) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for _, x := range raggedCases {
		groups := len(x.offsets) - 1
		a, as := kerneltest.Random[E](t, dev, r, x.rows, x.k)
		b, bs := kerneltest.Random[E](t, dev, r, groups, x.k, x.n)
		dc, dcs := kerneltest.Random[E](t, dev, r, x.rows, x.n)
		c, db, da := kerneltest.New[C](t, dev, x.rows, x.n), kerneltest.New[C](t, dev, groups, x.k, x.n), kerneltest.New[C](t, dev, x.rows, x.k)
		offsets, _ := kerneltest.Tensor[int32](t, dev, x.offsets, groups+1)
		var spans [][2]int
		for g := range groups {
			spans = append(spans, [2]int{int(x.offsets[g]), int(x.offsets[g+1])})
		}
		want, wantB := ragged(as, bs, dcs, spans, x.k, x.n, -7)
		kerneltest.Must(t, run(t.Context(), dev, a, b, offsets, c))
		kerneltest.Near(t, fmt.Sprint("c ", x), c, want, tolerance)
		kerneltest.Must(t, weights(t.Context(), dev, a, dc, offsets, db))
		kerneltest.Near(t, fmt.Sprint("db ", x), db, wantB, tolerance)
		kerneltest.Must(t, run(t.Context(), dev, dc, b.T(), offsets, da))
		wantA, _ := ragged(dcs, turned(bs, groups, x.k, x.n), as, spans, x.n, x.k, -7)
		kerneltest.Near(t, fmt.Sprint("da ", x), da, wantA, tolerance)
	}
}

// turned swaps the last two axes of b [groups, k, n].
func turned(b []float64, groups, k, n int) []float64 {
	out := make([]float64, len(b))
	for g := range groups {
		for i := range k {
			for j := range n {
				out[(g*n+j)*k+i] = b[(g*k+i)*n+j]
			}
		}
	}
	return out
}

func TestMasked(t *testing.T) {
	t.Run("float32", func(t *testing.T) {
		testMasked(t, 1e-4, gemm.RunMasked[float32, float32], gemm.MaskedWeights[float32, float32])
	})
	t.Run("bfloat16", func(t *testing.T) {
		testMasked(t, 3e-2, gemm.RunMasked[dtype.BFloat16, dtype.BFloat16], gemm.MaskedWeights[dtype.BFloat16, dtype.BFloat16])
	})
	t.Run("float8 to float32", func(t *testing.T) {
		testMasked(t, 1e-4, gemm.RunMasked[dtype.Float8E4M3FN, float32], gemm.MaskedWeights[dtype.Float8E4M3FN, float32])
	})
}

func testMasked[E, C kerneltest.Num](t *testing.T, tolerance float64, run, weights grouped[E, C]) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for _, x := range []struct {
		room, k, n int
		counts     []float64
	}{{70, 40, 33, []float64{70, 0, 1, 65}}, {3, 7, 130, []float64{2, 3}}, {0, 7, 5, []float64{0, 0}}, {4, 5, 3, nil}} {
		groups := len(x.counts)
		a, as := kerneltest.Random[E](t, dev, r, groups, x.room, x.k)
		b, bs := kerneltest.Random[E](t, dev, r, groups, x.k, x.n)
		dc, dcs := kerneltest.Random[E](t, dev, r, groups, x.room, x.n)
		c, db := kerneltest.New[C](t, dev, groups, x.room, x.n), kerneltest.New[C](t, dev, groups, x.k, x.n)
		counts, _ := kerneltest.Tensor[int32](t, dev, x.counts, groups)
		var spans [][2]int
		for g, n := range x.counts {
			spans = append(spans, [2]int{g * x.room, g*x.room + int(n)})
		}
		want, wantB := ragged(as, bs, dcs, spans, x.k, x.n, -7)
		kerneltest.Must(t, run(t.Context(), dev, a, b, counts, c))
		kerneltest.Near(t, fmt.Sprint("c ", x), c, want, tolerance)
		kerneltest.Must(t, weights(t.Context(), dev, a, dc, counts, db))
		kerneltest.Near(t, fmt.Sprint("db ", x), db, wantB, tolerance)
	}
}

// TestWrongBounds: bounds that make no sense are errors of the kernels, in both directions.
func TestWrongBounds(t *testing.T) {
	dev := kerneltest.CPU(t)
	x := func(shape ...int) *cutile.Tensor[float32] { return kerneltest.New[float32](t, dev, shape...) }
	for _, bounds := range [][]float64{{0, 3, 2}, {-1, 2, 4}, {0, 2, 5}, {3, 2, 4}} {
		offsets, _ := kerneltest.Tensor[int32](t, dev, bounds, 3)
		fails(t, dev, gemm.RunRagged(t.Context(), dev, x(4, 3), x(2, 3, 5), offsets, x(4, 5)), "offsets of groups do not ascend from 0 to the number of rows")
		fails(t, dev, gemm.RaggedWeights(t.Context(), dev, x(4, 3), x(4, 5), offsets, x(2, 3, 5)), "offsets of groups do not ascend from 0 to the number of rows")
	}
	none, _ := kerneltest.Tensor[int32](t, dev, []float64{0, 1}, 2)
	fails(t, dev, gemm.RunRagged(t.Context(), dev, x(0, 3), x(1, 3, 5), none, x(0, 5)), "offsets of groups do not ascend from 0 to the number of rows")
	for _, bounds := range [][]float64{{0, 5}, {-1, 2}} {
		counts, _ := kerneltest.Tensor[int32](t, dev, bounds, 2)
		fails(t, dev, gemm.RunMasked(t.Context(), dev, x(2, 4, 3), x(2, 3, 5), counts, x(2, 4, 5)), "a count of rows is negative, or greater than the room for them")
		fails(t, dev, gemm.MaskedWeights(t.Context(), dev, x(2, 4, 3), x(2, 4, 5), counts, x(2, 3, 5)), "a count of rows is negative, or greater than the room for them")
	}
	offsets := kerneltest.New[int32](t, dev, 2)
	kerneltest.Mismatch(t, gemm.RunRagged(t.Context(), dev, x(4, 3), x(2, 3, 5), offsets, x(4, 5)), "gemm.RunRagged: there are 2 offsets for 2 groups, expected 3")
	kerneltest.Mismatch(t, gemm.RunMasked(t.Context(), dev, x(2, 3, 4).T(), x(2, 3, 5), offsets, x(2, 4, 5)),
		"gemm.RunMasked: a has strides [12 1 4] and c [20 5 1], expected contiguous elements")
}

// fails waits for a kernel that must end with a message.
func fails(t *testing.T, dev *cutile.Device, err error, message string) {
	t.Helper()
	if err == nil {
		err = dev.Sync(t.Context())
	}
	if err == nil || !strings.Contains(err.Error(), message) {
		t.Errorf("error %v, want %s", err, message)
	}
}
