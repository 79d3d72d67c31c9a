package dist_test

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dist"
)

// ordered checks sums and products of random floats, bit by bit, and Max and Min with numbers that are not.
func (r *rank) ordered() error {
	if err := orders(r, func(x float64) float32 { return float32(x) }, func(op dist.Op, a, b float32) float32 {
		if op == dist.Sum {
			return a + b
		}
		return a * b
	}); err != nil {
		return err
	}
	return orders(r, func(x float64) float64 { return x }, func(op dist.Op, a, b float64) float64 {
		if op == dist.Sum {
			return a + b
		}
		return a * b
	})
}

func orders[E float32 | float64](r *rank, from func(float64) E, do func(op dist.Op, a, b E) E) error {
	size := r.g.Size()
	for _, n := range []int{7, 70001} {
		arrays := make([][]E, size)
		for rank := range arrays {
			random := rand.New(rand.NewPCG(uint64(rank), uint64(n)))
			for range n * size {
				arrays[rank] = append(arrays[rank], from(random.NormFloat64()*math.Exp2(float64(random.IntN(40)))))
			}
		}
		src, err := cutile.FromSlice(r.dev, arrays[r.g.Rank()], size, n)
		if err != nil {
			return err
		}
		part, err := cutile.NewTensor[E](r.dev, n)
		if err != nil {
			return err
		}
		for _, op := range []dist.Op{dist.Sum, dist.Product} {
			want := slices.Clone(arrays[0])
			for _, a := range arrays[1:] {
				for i, x := range a {
					want[i] = do(op, want[i], x)
				}
			}
			if err := dist.ReduceScatter(r, r.g, op, part, src); err != nil {
				return err
			}
			if err := got("ReduceScatter in order", part, want[r.g.Rank()*n:(r.g.Rank()+1)*n]); err != nil {
				return err
			}
			all, err := cutile.NewTensor[E](r.dev, size*n)
			if err != nil {
				return err
			}
			if err := dist.AllReduce(r, r.g, op, all, src); err != nil {
				return err
			}
			if err := got("AllReduce in order", all, want); err != nil {
				return err
			}
			if err := dist.Reduce(r, r.g, op, size-1, all, src); err != nil {
				return err
			}
			if err := got("Reduce in order", all, want); err != nil { // elsewhere, it has them already
				return err
			}
		}
	}
	return nil
}
