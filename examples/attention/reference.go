package main

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
)

// problem is a shape. Each group of heads/shared query heads shares one head of keys and values.
type problem struct{ batch, heads, shared, queries, keys int }

// compare runs attention on random numbers and returns the greatest error against float64 arithmetic.
func (p problem) compare(ctx context.Context, dev *cutile.Device, r *rand.Rand) (worst float64, err error) {
	qs := normal(r, p.batch*p.heads*p.queries*headDim)
	ks, vs := normal(r, p.batch*p.shared*p.keys*headDim), normal(r, p.batch*p.shared*p.keys*headDim)
	q, err := cutile.FromSlice(dev, qs, p.batch, p.heads, p.queries, headDim)
	if err != nil {
		return 0, err
	}
	k, err := cutile.FromSlice(dev, ks, p.batch, p.shared, p.keys, headDim)
	if err != nil {
		return 0, err
	}
	v, err := cutile.FromSlice(dev, vs, p.batch, p.shared, p.keys, headDim)
	if err != nil {
		return 0, err
	}
	o, err := cutile.NewTensor[dtype.Float16](dev, p.batch, p.heads, p.queries, headDim)
	if err != nil {
		return 0, err
	}
	if err := attend(ctx, dev, q, k, v, o); err != nil {
		return 0, err
	}
	got, err := o.Slice()
	if err != nil {
		return 0, err
	}
	for b := range p.batch {
		for h := range p.heads {
			at := (b*p.shared + h*p.shared/p.heads) * p.keys * headDim
			for i := range p.queries {
				query := qs[((b*p.heads+h)*p.queries+i)*headDim:][:headDim]
				seen := p.keys - p.queries + i + 1
				for d, want := range reference(query, ks[at:], vs[at:], seen) {
					diff := math.Abs(got[((b*p.heads+h)*p.queries+i)*headDim+d].Float64() - want)
					worst = max(worst, diff) // max keeps a NaN
				}
			}
		}
	}
	return worst, nil
}

// reference computes the attention of one query over the keys that it sees.
func reference(query, keys, values []dtype.Float16, seen int) []float64 {
	out := make([]float64, headDim)
	scores := make([]float64, seen)
	peak, sum := math.Inf(-1), 0.0
	for j := range scores {
		for d := range headDim {
			scores[j] += query[d].Float64() * keys[j*headDim+d].Float64() / math.Sqrt(headDim)
		}
		peak = max(peak, scores[j])
	}
	for j, s := range scores {
		e := math.Exp(s - peak)
		sum += e
		for d := range out {
			out[d] += e * values[j*headDim+d].Float64()
		}
	}
	for d := range out {
		out[d] /= sum
	}
	return out
}

// normal returns normally distributed numbers.
func normal(r *rand.Rand, n int) []dtype.Float16 {
	x := make([]dtype.Float16, n)
	for i := range x {
		x[i] = dtype.Float16FromFloat64(r.NormFloat64())
	}
	return x
}
