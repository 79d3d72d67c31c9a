package main

import (
	"context"
	"errors"
	"slices"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/embedding"
	"github.com/cutile-go/cutile/tile"
)

// The functions of this file prepare workloads that access memory element by element, or have loops that depend on data.

func histograms(s *session, dims []int, _ int) {
	n, bins := dims[0], dims[1]
	xs, counts := unit(1, n), output(s, make([]int32, bins))
	kernel, x, to := histogram[tile.D4096], wrap(s, xs), wrap(s, counts)
	s.cutile(func(ctx context.Context, dev *cutile.Device) error {
		if err := to.Fill(ctx, 0); err != nil {
			return err
		}
		return cutile.Launch(ctx, dev.Grid((n+4095)/4096), kernel, x, to, bins)
	})
	s.plain(func() {
		clear(counts)
		for _, v := range xs {
			counts[int(v*float32(bins))]++
		}
	})
}

func rowGathers(s *session, dims []int, _ int) {
	rows, cols, n := dims[0], dims[1], dims[2]
	table, ids, ys := floats(1, rows*cols), below(2, n, rows), output(s, make([]float32, n*cols))
	t, id, y := wrap(s, table, rows, cols), wrap(s, ids), wrap(s, ys, n, cols)
	s.cutile(func(ctx context.Context, dev *cutile.Device) error { return embedding.Run(ctx, dev, id, t, y) })
	s.plain(func() {
		share(n, func(from, to int) {
			for i := from; i < to; i++ {
				copy(ys[i*cols:][:cols], table[int(ids[i])*cols:][:cols])
			}
		})
	})
}

func gathers(s *session, dims []int, _ int) {
	n, count := dims[0], dims[1]
	xs, ids, ys := floats(1, n), below(2, count, n), output(s, make([]float32, count))
	s.kernel(s.dev, gather[tile.D1024], wrap(s, xs), wrap(s, ids), wrap(s, ys))
	s.plain(func() {
		share(count, func(from, to int) {
			for i, id := range ids[from:to] {
				ys[from+i] = xs[id]
			}
		})
	})
}

// sparseProducts has about each elements in every row: from half to one and a half times as many.
func sparseProducts(s *session, dims []int, _ int) {
	rows, cols, each := dims[0], dims[1], dims[2]
	starts := make([]int32, rows+1)
	for i, n := range below(1, rows, each+1) {
		starts[i+1] = starts[i] + int32(each/2) + n
	}
	n := int(starts[rows])
	columns := make([]int32, n)
	for i := range rows {
		row := columns[starts[i]:starts[i+1]]
		span := cols / len(row)
		for p := range row { // in order
			row[p] = int32(p*span + int(bits(2, int(starts[i])+p)%uint32(span)))
		}
	}
	values, xs, ys := floats(3, n), floats(4, cols), output(s, make([]float32, rows))
	s.kernel(s.dev, csr[tile.D16], wrap(s, starts), wrap(s, columns), wrap(s, values), wrap(s, xs), wrap(s, ys))
	s.plain(func() {
		share(rows, func(from, to int) {
			for i := from; i < to; i++ {
				var sum float32
				for p := starts[i]; p < starts[i+1]; p++ {
					sum += values[p] * xs[columns[p]]
				}
				ys[i] = sum
			}
		})
	})
}

// distances compares words of four letters.
func distances(s *session, dims []int, _ int) {
	n, m := dims[0], dims[1]
	as, bs, ds := below(1, n, 4), below(2, m, 4), output(s, make([]int32, (n+1)*(m+1)))
	s.kernel(s.dev.Grid(1), levenshtein[tile.D256], wrap(s, as), wrap(s, bs), wrap(s, ds), n, m)
	s.plain(func() {
		for j := range m + 1 {
			ds[j] = int32(j)
		}
		for i := 1; i <= n; i++ {
			up, row := ds[(i-1)*(m+1):][:m+1], ds[i*(m+1):][:m+1]
			row[0] = int32(i)
			for j := 1; j <= m; j++ {
				cost := int32(1)
				if as[i-1] == bs[j-1] {
					cost = 0
				}
				row[j] = min(up[j]+1, row[j-1]+1, up[j-1]+cost)
			}
		}
	})
}

// clusters is a step of k-means: each point is assigned to the closest centre. The results are the sums of each centre's points.
func clusters(s *session, dims []int, _ int) {
	n, k, d := dims[0], dims[1], dims[2]
	xs, centres, sums, counts := floats(1, n*d), floats(2, k*d), output(s, make([]float32, k*d)), make([]float32, k)
	kernel := cutile.Sized(kmeans[tile.D1, tile.D1, tile.D1], 64, k, d)
	x, c, total, count := wrap(s, xs, n, d), wrap(s, centres, k, d), wrap(s, sums), wrap(s, counts)
	s.cutile(func(ctx context.Context, dev *cutile.Device) error {
		if err := errors.Join(total.Fill(ctx, 0), count.Fill(ctx, 0)); err != nil {
			return err
		}
		return cutile.Launch(ctx, dev.Grid((n+63)/64), kernel, x, c, total, count)
	})
	s.plain(func() {
		clear(sums)
		clear(counts)
		for i := range n {
			p := xs[i*d:][:d]
			best, label := float32(0), -1
			for j := range k {
				var sum float32
				for a, v := range centres[j*d:][:d] {
					sum += (p[a] - v) * (p[a] - v)
				}
				if label < 0 || sum < best {
					best, label = sum, j
				}
			}
			counts[label]++
			for a, v := range p {
				sums[label*d+a] += v
			}
		}
	})
}

// share of the probability that top-p keeps.
const nucleus = 0.9

func nuclei(s *session, dims []int, _ int) {
	rows, cols := dims[0], dims[1]
	xs, ys := normalized(1, rows, cols), output(s, make([]float32, rows*cols))
	s.kernel(s.dev, cutile.Sized(topP[tile.D1, tile.D1], 1, cols), wrap(s, xs, rows, cols), float32(nucleus), wrap(s, ys, rows, cols))
	s.plain(func() {
		eachRow(rows, cols, xs, func(i int, x []float32) {
			sorted := slices.Clone(x)
			slices.Sort(sorted)
			j := cols
			for sum := float32(0); sum < nucleus && j > 0; sum += sorted[j] {
				j--
			}
			var kept float32
			y := ys[i*cols:][:cols]
			for k, v := range x {
				y[k] = 0
				if v >= sorted[j] {
					y[k] = v
					kept += v
				}
			}
			for k := range y {
				y[k] /= kept
			}
		})
	})
}

// escapes is the part of the plane from -2-1.25i, as wide as 2.5.
func escapes(s *session, dims []int, _ int) {
	rows, cols, limit := dims[0], dims[1], dims[2]
	counts, step := output(s, make([]int32, rows*cols)), float32(2.5)/float32(cols)
	s.kernel(s.dev, mandelbrot[tile.D4, tile.D64], wrap(s, counts, rows, cols), limit, float32(-2), float32(-1.25), step)
	s.plain(func() {
		share(rows, func(from, to int) {
			for i := from; i < to; i++ {
				for j := range cols {
					counts[i*cols+j] = escape(-2+float32(float32(j)*step), -1.25+float32(float32(i)*step), limit)
				}
			}
		})
	})
}

// escape rounds each product, as the contenders do: the conversions keep Go from fusing multiplications with additions.
func escape(cr, ci float32, limit int) (n int32) {
	var zr, zi float32
	for range limit {
		r2, i2 := float32(zr*zr), float32(zi*zi)
		if !(r2+i2 <= 4) {
			return n
		}
		n++
		zi = float32((zr+zr)*zi) + ci
		zr = r2 - i2 + cr
	}
	return n
}
