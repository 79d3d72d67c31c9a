package main

import (
	"context"
	"math"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/attention"
	"github.com/cutile-go/cutile/kernels/gemm"
	"github.com/cutile-go/cutile/tile"
)

// The functions of this file prepare products of matrices, and attention.

// gemms multiplies matrices of float32. With a tile, the textbook kernel has square tiles of that size, and 32 steps along k; without,
// package gemm chooses.
func gemms(s *session, dims []int, size int) {
	m, n, k := dims[0], dims[1], dims[2]
	as, bs, cs := floats(1, m*k), floats(2, k*n), output(s, make([]float32, m*n))
	a, b, c := wrap(s, as, m, k), wrap(s, bs, k, n), wrap(s, cs, m, n)
	if size == 0 {
		s.cutile(func(ctx context.Context, dev *cutile.Device) error { return gemm.Run(ctx, dev, a, b, c) })
	} else {
		type one = tile.D1
		tiled := cutile.Sized(gemm.Tiled[float32, float32, float32, one, one, one], size, size, 32)
		s.kernel(s.dev, tiled, a, b, c, gemm.Identity[tile.F32T2[one, one]])
	}
	s.plain(func() { product(as, bs, cs, m, n, k) })
}

// product is the loop that a Go programmer would write: the inner loop is over contiguous rows.
func product[E float32 | float64](a, b, c []E, m, n, k int) {
	share(m, func(from, to int) {
		for i := from; i < to; i++ {
			row := c[i*n : (i+1)*n]
			clear(row)
			for p, x := range a[i*k : (i+1)*k] {
				for j, y := range b[p*n : (p+1)*n] {
					row[j] += x * y
				}
			}
		}
	})
}

func doubleGemms(s *session, dims []int, _ int) {
	m, n, k := dims[0], dims[1], dims[2]
	as, bs, cs := doubles(1, m*k), doubles(2, k*n), output(s, make([]float64, m*n))
	a, b, c := wrap(s, as, m, k), wrap(s, bs, k, n), wrap(s, cs, m, n)
	s.cutile(func(ctx context.Context, dev *cutile.Device) error { return gemm.RunFloat64(ctx, dev, a, b, c) })
	s.plain(func() { product(as, bs, cs, m, n, k) })
}

func halfGemms(s *session, dims []int, _ int) {
	m, n, k := dims[0], dims[1], dims[2]
	as, bs, cs := halves(1, m*k), halves(2, k*n), output(s, make([]dtype.BFloat16, m*n))
	a, b, c := wrap(s, as, m, k), wrap(s, bs, k, n), wrap(s, cs, m, n)
	s.cutile(func(ctx context.Context, dev *cutile.Device) error { return gemm.Run(ctx, dev, a, b, c) })
	s.plain(func() {
		sums := make([]float32, m*n)
		product(widened(as), widened(bs), sums, m, n, k)
		for i, x := range sums {
			cs[i] = dtype.BFloat16FromFloat32(x)
		}
	})
}

func widened(x []dtype.BFloat16) []float32 {
	return fill(len(x), func(i int) float32 { return x[i].Float32() })
}

func byteGemms(s *session, dims []int, _ int) {
	m, n, k := dims[0], dims[1], dims[2]
	as, bs, cs := bytes(1, m*k), bytes(2, k*n), output(s, make([]int32, m*n))
	a, b, c := wrap(s, as, m, k), wrap(s, bs, k, n), wrap(s, cs, m, n)
	s.cutile(func(ctx context.Context, dev *cutile.Device) error { return gemm.RunInt8(ctx, dev, a, b, c) })
	s.plain(func() {
		share(m, func(from, to int) {
			for i := from; i < to; i++ {
				row := cs[i*n : (i+1)*n]
				clear(row)
				for p, x := range as[i*k : (i+1)*k] {
					for j, y := range bs[p*n : (p+1)*n] {
						row[j] += int32(x) * int32(y)
					}
				}
			}
		})
	})
}

// attentions is attention of queries to keys: all of them, or with causal 1 those up to their own.
func attentions(s *session, dims []int, _ int) {
	q, k, v := attentionInputs(dims, floats)
	o := output(s, make([]float32, len(q)))
	attend(s, dims, q, k, v, o)
	s.plain(func() { attentionLoops(attentionShape(dims), q, k, v, o) })
}

func halfAttentions(s *session, dims []int, _ int) {
	q, k, v := attentionInputs(dims, halves)
	o := output(s, make([]dtype.BFloat16, len(q)))
	attend(s, dims, q, k, v, o)
	s.plain(func() { halfAttentionLoops(attentionShape(dims), q, k, v, o) })
}

func attentionInputs[E any](dims []int, make func(seed, n int) []E) (q, k, v []E) {
	p := attentionShape(dims)
	keys := p.batch * p.groups * p.keys * p.dim
	return make(1, p.batch*p.heads*p.queries*p.dim), make(2, keys), make(3, keys)
}

func attend[E attention.Float](s *session, dims []int, qs, ks, vs, os []E) {
	p := attentionShape(dims)
	q, o := wrap(s, qs, p.batch, p.heads, p.queries, p.dim), wrap(s, os, p.batch, p.heads, p.queries, p.dim)
	k, v := wrap(s, ks, p.batch, p.groups, p.keys, p.dim), wrap(s, vs, p.batch, p.groups, p.keys, p.dim)
	s.cutile(func(ctx context.Context, dev *cutile.Device) error {
		return attention.Run(ctx, dev, q, k, v, o, p.causal, attention.Scale(p.dim))
	})
}

// decodes is attention of one query of each head to a cache of keys that groups of heads share.
func decodes(s *session, dims []int, _ int) {
	p := decodeShape(dims)
	keys := p.batch * p.groups * p.keys * p.dim
	q, k, v := floats(1, p.batch*p.heads*p.dim), floats(2, keys), floats(3, keys)
	o := output(s, make([]float32, len(q)))
	decode(s, p, q, k, v, o)
	s.plain(func() { attentionLoops(p, q, k, v, o) })
}

func halfDecodes(s *session, dims []int, _ int) {
	p := decodeShape(dims)
	keys := p.batch * p.groups * p.keys * p.dim
	q, k, v := halves(1, p.batch*p.heads*p.dim), halves(2, keys), halves(3, keys)
	o := output(s, make([]dtype.BFloat16, len(q)))
	decode(s, p, q, k, v, o)
	s.plain(func() { halfAttentionLoops(p, q, k, v, o) })
}

func decode[E attention.Float](s *session, p attentionProblem, qs, ks, vs, os []E) {
	q, o := wrap(s, qs, p.batch, p.heads, p.dim), wrap(s, os, p.batch, p.heads, p.dim)
	k, v := wrap(s, ks, p.batch, p.groups, p.keys, p.dim), wrap(s, vs, p.batch, p.groups, p.keys, p.dim)
	lengths := wrap(s, fill(p.batch, func(int) int32 { return int32(p.keys) }))
	s.cutile(func(ctx context.Context, dev *cutile.Device) error {
		return attention.RunDecode(ctx, dev, 0, q, k, v, lengths, o, attention.Scale(p.dim))
	})
}

// attentionProblem is a shape; groups of heads share keys and values.
type attentionProblem struct {
	batch, heads, groups, queries, keys, dim int
	causal                                   bool
}

func attentionShape(d []int) attentionProblem {
	return attentionProblem{d[0], d[1], d[1], d[2], d[3], d[4], d[5] == 1}
}

func decodeShape(d []int) attentionProblem {
	return attentionProblem{batch: d[0], heads: d[1], groups: d[2], queries: 1, keys: d[3], dim: d[4]}
}

func halfAttentionLoops(p attentionProblem, q, k, v, o []dtype.BFloat16) {
	wide := make([]float32, len(o))
	attentionLoops(p, widened(q), widened(k), widened(v), wide)
	for i, x := range wide {
		o[i] = dtype.BFloat16FromFloat32(x)
	}
}

// attentionLoops computes the scores of a query, their softmax, and the mean of the values, one query after another.
func attentionLoops(p attentionProblem, q, k, v, o []float32) {
	scale := float32(1 / math.Sqrt(float64(p.dim)))
	share(p.batch*p.heads*p.queries, func(from, to int) {
		weights := make([]float32, p.keys)
		for row := from; row < to; row++ {
			head, i := row/p.queries, row%p.queries
			group := head/p.heads*p.groups + head%p.heads*p.groups/p.heads
			seen := p.keys
			if p.causal {
				seen = p.keys - p.queries + i + 1
			}
			attendRow(q[row*p.dim:][:p.dim], k[group*p.keys*p.dim:][:seen*p.dim], v[group*p.keys*p.dim:], weights[:seen], scale, o[row*p.dim:][:p.dim])
		}
	})
}

func attendRow(q, k, v, weights []float32, scale float32, o []float32) {
	peak := float32(math.Inf(-1))
	for j := range weights {
		var sum float32
		for c, y := range k[j*len(q):][:len(q)] {
			sum += q[c] * y
		}
		weights[j] = sum * scale
		peak = max(peak, weights[j])
	}
	clear(o)
	var sum float32
	for j, w := range weights {
		w = float32(math.Exp(float64(w - peak)))
		sum += w
		for c, y := range v[j*len(o):][:len(o)] {
			o[c] += w * y
		}
	}
	for c := range o {
		o[c] /= sum
	}
}
