package fft

import "github.com/cutile-go/cutile/tile"

// numbers is a tile of complex numbers.
type numbers[T tile.FloatTile] struct{ re, im T }

// Rows transforms the rows of x, each of n = A·B·A complex numbers, in three steps that are matrix products: transforms of
// lengths A, B and A, with twiddle factors between them. Each step moves the axis that it has transformed behind the remaining
// ones, so that the result is sorted. (J. Cooley and J. Tukey, An algorithm for the machine calculation of complex Fourier
// series, 1965; the sorting is T. Stockham's, 1966.)
//
// x and y are [rows, A, 2·A·B], with the two parts of a number as neighbours. The tables have a plane of real and one of
// imaginary parts: wa [2, A, A], wb [2, B, B], ta [2, A, A·B] and tb [2, B, A] have e^(-2πi·j·k/m) in row j and column k, where
// m is A, B, n and A·B respectively. sign is 1, or -1 for the inverse; the result is multiplied by scale. A block has S rows.
//
//cutile:entry
func Rows[S, A, B tile.Dim](x tile.In[tile.F32T3[S, A, tile.Product[tile.Product[A, B], tile.D2]]], wa tile.In[tile.F32T3[tile.D1, A, A]],
	wb tile.In[tile.F32T3[tile.D1, B, B]], ta tile.In[tile.F32T3[tile.D1, A, tile.Product[A, B]]], tb tile.In[tile.F32T3[tile.D1, B, A]],
	y tile.Out[tile.F32T3[S, A, tile.Product[tile.Product[A, B], tile.D2]]], sign, scale float32) {
	outer, inner := planes(wa, sign), planes(wb, sign)
	first := product(outer, split(x.Load(y.Index(0), 0, 0)))
	first = times(first, spread[tile.F32T3[S, A, tile.Product[A, B]]](planes(ta, sign)))
	second := product(inner, numbers[tile.F32T3[S, B, tile.Product[A, A]]]{behind(first.re), behind(first.im)})
	third := middle(second, planes(tb, sign))
	y.Store(join(product(outer, third), scale))
}

// planes reads a table. sign turns the angles around.
func planes[F, N tile.Dim](t tile.In[tile.F32T3[tile.D1, F, N]], sign float32) numbers[tile.F32T3[tile.D1, F, N]] {
	return numbers[tile.F32T3[tile.D1, F, N]]{t.Load(0, 0, 0), t.Load(1, 0, 0) * tile.F32T3[tile.D1, F, N](sign)}
}

// spread repeats numbers along axes of extent 1.
func spread[R, T tile.FloatTile](x numbers[T]) numbers[R] {
	return numbers[R]{tile.Broadcast[R](x.re), tile.Broadcast[R](x.im)}
}

// times is x·y, element by element.
func times[T tile.FloatTile](x, y numbers[T]) numbers[T] {
	return numbers[T]{x.re*y.re - x.im*y.im, x.re*y.im + x.im*y.re}
}

// product is the matrix product w·x for each row of the block.
func product[S, F, N tile.Dim](w numbers[tile.F32T3[tile.D1, F, F]], x numbers[tile.F32T3[S, F, N]]) numbers[tile.F32T3[S, F, N]] {
	m := spread[tile.F32T3[S, F, F]](w)
	var y numbers[tile.F32T3[S, F, N]]
	y.re = tile.DotBatch(-m.im, x.im, tile.DotBatch(m.re, x.re, y.re))
	y.im = tile.DotBatch(m.im, x.re, tile.DotBatch(m.re, x.im, y.im))
	return y
}

// behind moves the first axis of [A, A·B] to the end: [B, A·A].
func behind[S, A, B tile.Dim](x tile.F32T3[S, A, tile.Product[A, B]]) tile.F32T3[S, B, tile.Product[A, A]] {
	return tile.Reshape[tile.F32T3[S, B, tile.Product[A, A]]](x.T())
}

// middle multiplies [B, A, A] by the factors [B, A], and swaps the first two axes: [A, B·A].
func middle[S, A, B tile.Dim](x numbers[tile.F32T3[S, B, tile.Product[A, A]]], t numbers[tile.F32T3[tile.D1, B, A]]) numbers[tile.F32T3[S, A, tile.Product[A, B]]] {
	type box = tile.F32T4[S, B, A, A]
	type column = tile.F32T4[tile.D1, B, A, tile.D1]
	factors := numbers[column]{tile.Reshape[column](t.re), tile.Reshape[column](t.im)}
	y := times(numbers[box]{tile.Reshape[box](x.re), tile.Reshape[box](x.im)}, spread[box](factors))
	type swapped = tile.F32T4[S, A, B, A]
	type rows = tile.F32T3[S, A, tile.Product[A, B]]
	return numbers[rows]{
		tile.Reshape[rows](tile.Permute[swapped](y.re, 0, 2, 1, 3)), tile.Reshape[rows](tile.Permute[swapped](y.im, 0, 2, 1, 3)),
	}
}

// split takes numbers apart whose parts lie side by side.
func split[S, A, N tile.Dim](x tile.F32T3[S, A, tile.Product[N, tile.D2]]) numbers[tile.F32T3[S, A, N]] {
	pairs := tile.Reshape[tile.F32T4[S, A, N, tile.D2]](x)
	return numbers[tile.F32T3[S, A, N]]{
		tile.Reshape[tile.F32T3[S, A, N]](tile.Extract[tile.F32T4[S, A, N, tile.D1]](pairs, 0, 0, 0, 0)),
		tile.Reshape[tile.F32T3[S, A, N]](tile.Extract[tile.F32T4[S, A, N, tile.D1]](pairs, 0, 0, 0, 1)),
	}
}

// join puts the parts of numbers, multiplied by scale, side by side.
func join[S, A, N tile.Dim](x numbers[tile.F32T3[S, A, N]], scale float32) tile.F32T3[S, A, tile.Product[N, tile.D2]] {
	re := tile.Reshape[tile.F32T4[S, A, N, tile.D1]](x.re * tile.F32T3[S, A, N](scale))
	im := tile.Reshape[tile.F32T4[S, A, N, tile.D1]](x.im * tile.F32T3[S, A, N](scale))
	return tile.Reshape[tile.F32T3[S, A, tile.Product[N, tile.D2]]](tile.Cat[tile.F32T4[S, A, N, tile.D2]](re, im, 3))
}
