package norm

import (
	"context"
	"errors"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/tile"
)

// PolyRows computes y = w[0]·x³·r₃ + w[1]·x²·r₂ + w[2]·x·r₁ + b for each row, where rₚ is 1/√(mean of x²ᵖ + eps). A block has R rows and makes
// two passes over them, C elements at a time. (Z. Zhuo and others, Polynomial composition activations, 2024.)
func PolyRows[E tile.FloatElem, R, C tile.Dim](x tile.In[tile.FloatTile2[E, R, C]], w, b tile.In[tile.FloatTile1[E, tile.D1]],
	y tile.InOut[tile.FloatTile2[E, R, C]], eps float32) {
	i := tile.BlockID(0)
	r := powersOf(x, i, eps)
	one, two, three := weightOf[R, C](w, 2, r.one), weightOf[R, C](w, 1, r.two), weightOf[R, C](w, 0, r.three)
	for j := range x.Tiles(1) {
		t := tile.F32T2[R, C](x.Load(i, j))
		sum := tile.FMA(tile.FMA(tile.FMA(three, t, two), t, one), t, tile.F32T2[R, C](b.Load(0)))
		y.Store(tile.FloatTile2[E, R, C](sum), i, j)
	}
}

// powers are the rₚ of R rows; behind the last row they are 0.
type powers[R tile.Dim] struct{ one, two, three tile.F32T2[R, tile.D1] }

func powersOf[E tile.FloatElem, R, C tile.Dim](x tile.In[tile.FloatTile2[E, R, C]], i int, eps float32) powers[R] {
	var one, two, three tile.F32T2[R, C]
	for j := range x.Tiles(1) {
		t := tile.F32T2[R, C](x.Load(i, j))
		s := t * t
		one += s
		two = tile.FMA(s, s, two)
		three = tile.FMA(s*s, s, three)
	}
	root := func(sum tile.F32T2[R, C]) tile.F32T2[R, tile.D1] {
		r := tile.Rsqrt(sum.Sum1()/tile.F32T2[R, tile.D1](max(x.Len(1), 1)) + tile.F32T2[R, tile.D1](eps))
		return tile.Where(rowsInside[R](i, x.Len(0)), r, 0)
	}
	return powers[R]{root(one), root(two), root(three)}
}

// weightOf is w[at]·r.
func weightOf[R, C tile.Dim, E tile.FloatElem](w tile.In[tile.FloatTile1[E, tile.D1]], at int, r tile.F32T2[R, tile.D1]) tile.F32T2[R, C] {
	return tile.F32T2[R, C](tile.F32T2[R, tile.D1](w.Load(at)) * r)
}

// PolyBackwardRows computes the gradients of [PolyRows]: with sₚ = Σ dy·xᵖ over a row of n elements,
//
//	dx = Σ w·p·xᵖ⁻¹·rₚ·(dy - xᵖ·rₚ²·sₚ/n) over the three powers        dw = Σ rₚ·sₚ and db = Σ dy over all rows
//
// A block processes R rows at a time in three passes, and writes four sums, of the three elements of w and of b, which [SumRows] adds.
func PolyBackwardRows[E tile.FloatElem, R, C tile.Dim](dy, x tile.In[tile.FloatTile2[E, R, C]], w tile.In[tile.FloatTile1[E, tile.D1]],
	dx tile.InOut[tile.FloatTile2[E, R, C]], sums tile.Out[tile.F32T2[tile.D1, tile.D4]], eps float32) {
	var one, two, three, all tile.F32T2[R, tile.D1]
	n := tile.F32T2[R, tile.D1](max(x.Len(1), 1)) // rows without elements add 0
	for i := sums.Index(0); i < x.Tiles(0); i += sums.Tiles(0) {
		r := powersOf(x, i, eps)
		s := alongOf(dy, x, i)
		one, two, three, all = tile.FMA(r.one, s.one, one), tile.FMA(r.two, s.two, two), tile.FMA(r.three, s.three, three), all+s.all
		w1, w2, w3 := weightOf[R, C](w, 2, r.one), weightOf[R, C](w, 1, r.two), weightOf[R, C](w, 0, r.three)
		a1, a2, a3 := tile.F32T2[R, C](r.one*r.one*s.one/n), tile.F32T2[R, C](r.two*r.two*s.two/n), tile.F32T2[R, C](r.three*r.three*s.three/n)
		for j := range x.Tiles(1) {
			d, t := tile.F32T2[R, C](dy.Load(i, j)), tile.F32T2[R, C](x.Load(i, j))
			s := t * t
			g := w1*(d-t*a1) + 2*w2*t*(d-s*a2) + 3*w3*s*(d-s*t*a3)
			dx.Store(tile.FloatTile2[E, R, C](g), i, j)
		}
	}
	high := tile.Cat[tile.F32T2[tile.D1, tile.D2]](three.Sum0(), two.Sum0(), 1)
	low := tile.Cat[tile.F32T2[tile.D1, tile.D2]](one.Sum0(), all.Sum0(), 1)
	sums.Store(tile.Cat[tile.F32T2[tile.D1, tile.D4]](high, low, 1))
}

// along are the sums of dy·xᵖ over R rows, and of dy.
type along[R tile.Dim] struct{ one, two, three, all tile.F32T2[R, tile.D1] }

func alongOf[E tile.FloatElem, R, C tile.Dim](dy, x tile.In[tile.FloatTile2[E, R, C]], i int) along[R] {
	var one, two, three, all tile.F32T2[R, C]
	for j := range x.Tiles(1) {
		d, t := tile.F32T2[R, C](dy.Load(i, j)), tile.F32T2[R, C](x.Load(i, j))
		all += d
		one = tile.FMA(d, t, one)
		two = tile.FMA(d, t*t, two)
		three = tile.FMA(d, t*t*t, three)
	}
	return along[R]{one.Sum1(), two.Sum1(), three.Sum1(), all.Sum1()}
}

// Poly queues y = w[0]·norm(x³) + w[1]·norm(x²) + w[2]·norm(x) + b for each row of x [rows, cols] with w [3] and b [1], where norm(u) is
// u/√(mean of u² + eps). Rows have any length; the sixth powers of their elements must be float32 numbers.
func Poly[E Float](ctx context.Context, on cutile.Target, x, w, b, y *cutile.Tensor[E], eps float32) error {
	const name = "norm.Poly"
	n, err := shape.Check(name, shape.Of("x", x, matrix), shape.Of("w", w, "3"), shape.Of("b", b, "1"), shape.Of("y", y, matrix))
	if err != nil || n["rows"]*n["cols"] == 0 {
		return err
	}
	r, c := tileFor(n)
	if on, err = shape.Grid(name, on, shape.Tiles(n["rows"], r)); err != nil {
		return err
	}
	return cutile.Launch(ctx, on, cutile.Sized(PolyRows[E, one, one], r, c), x, w, b, y, eps)
}

// PolyBackward queues the gradients dx, dw and db of [Poly], given the gradient of y.
func PolyBackward[E Float](ctx context.Context, on cutile.Target, dy, x, w, dx, dw, db *cutile.Tensor[E], eps float32) error {
	n, err := shape.Check("norm.PolyBackward", shape.Of("dy", dy, matrix), shape.Of("x", x, matrix), shape.Of("w", w, "3"),
		shape.Of("dx", dx, matrix), shape.Of("dw", dw, "3"), shape.Of("db", db, "1"))
	if err != nil {
		return err
	}
	r, c := tileFor(n)
	sums, err := sumsFor(dw.Device(), shape.Extents{"rows": n["rows"], "cols": 4}, r)
	if err != nil {
		return err
	}
	defer sums.Close() // after the kernels
	if err := cutile.Launch(ctx, on, cutile.Sized(PolyBackwardRows[E, one, one], r, c), dy, x, w, dx, sums, eps); err != nil {
		return err
	}
	return errors.Join(sumRows(ctx, on, sums.Narrow(1, 0, 3), dw), sumRows(ctx, on, sums.Narrow(1, 3, 4), db))
}
