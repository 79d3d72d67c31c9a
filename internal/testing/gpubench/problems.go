package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
)

const log2E = math.Log2E

var nan = float32(math.NaN())

// even are n numbers from -most up to most, in steps that elements of 16 bits have, too.
func even(n int, seed uint64, most, step float64) []float32 {
	r := rand.New(rand.NewPCG(seed, 1))
	x, steps := make([]float32, n), int(2*most/step)
	for i := range x {
		x[i] = float32(step*float64(r.IntN(steps)) - most)
	}
	return x
}

// gemmProblem multiplies matrices whose sums are exact in float32, in any order. One element in each 32 by 32, and the last one, are
// computed anew.
func gemmProblem(d []int) *problem {
	m, n, k := d[0], d[1], d[2]
	a, b := even(m*k, 1, 2, 1./16), even(k*n, 2, 2, 1./16)
	return &problem{
		in: []array{{[]int{m, k}, a}, {[]int{k, n}, b}}, out: []int{m, n},
		check: func(c []float32) error {
			const part = 32
			return whole(c, tiles(m, part)*tiles(n, part)+1, func(at int) error {
				r := rand.New(rand.NewPCG(uint64(at), 2))
				i, j := min(at/tiles(n, part)*part+r.IntN(part), m-1), min(at%tiles(n, part)*part+r.IntN(part), n-1)
				if at == tiles(m, part)*tiles(n, part) {
					i, j = m-1, n-1
				}
				sum := 0.
				for x := range k {
					sum += float64(a[i*k+x]) * float64(b[x*n+j])
				}
				return near(c, i*n+j, sum, 2e-3)
			})
		},
	}
}

// softmaxProblem computes all rows anew.
func softmaxProblem(d []int) *problem {
	rows, cols := d[0], d[1]
	x := even(rows*cols, 3, 8, 1./64)
	return &problem{
		in: []array{{[]int{rows, cols}, x}}, out: []int{rows, cols},
		check: func(y []float32) error {
			return whole(y, rows, func(i int) error {
				want := soft(x[i*cols : (i+1)*cols])
				for j, w := range want {
					if got := float64(y[i*cols+j]); !(math.Abs(got-w) <= 1e-5*w+1e-12) {
						return wrong(i*cols+j, got, w)
					}
				}
				return nil
			})
		},
	}
}

// soft gives e^x divided by the sum of all e^x.
func soft[E float32 | float64](x []E) []float64 {
	most, sum, out := math.Inf(-1), 0., make([]float64, len(x))
	for _, v := range x {
		most = max(most, float64(v))
	}
	for i, v := range x {
		out[i] = math.Exp(float64(v) - most)
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

// attentionProblem has as many keys as queries. One query in 64 of each head, and the last one, are computed anew.
func attentionProblem(d []int) *problem {
	heads, rows, dim := d[0]*d[1], d[2], d[3]
	shape, n := []int{d[0], d[1], rows, dim}, size(d)
	q, k, v := even(n, 4, 4, 1./8), even(n, 5, 1, 1./64), even(n, 6, 1, 1./64)
	return &problem{
		in: []array{{shape, q}, {shape, k}, {shape, v}}, out: shape,
		check: func(o []float32) error {
			const part = 64
			return whole(o, heads*tiles(rows, part)+1, func(at int) error {
				r := rand.New(rand.NewPCG(uint64(at), 3))
				head, i := min(at/tiles(rows, part), heads-1), min(at%tiles(rows, part)*part+r.IntN(part), rows-1)
				if at == heads*tiles(rows, part) {
					i = rows - 1
				}
				first := head * rows * dim
				for x, want := range attend(q[first+i*dim:][:dim], k[first:][:rows*dim], v[first:][:rows*dim]) {
					if err := near(o, first+i*dim+x, want, 4e-4); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
}

// attend gives the mean of values that a query weighs.
func attend(q, k, v []float32) []float64 {
	dim, scores := len(q), make([]float64, len(k)/len(q))
	for j := range scores {
		for x, e := range k[j*dim:][:dim] {
			scores[j] += float64(q[x]) * float64(e)
		}
		scores[j] /= math.Sqrt(float64(dim))
	}
	out := make([]float64, dim)
	for j, weight := range soft(scores) {
		for x, e := range v[j*dim:][:dim] {
			out[x] += weight * float64(e)
		}
	}
	return out
}

// addProblem computes all sums anew, which must be equal.
func addProblem(d []int) *problem {
	x, y := even(d[0], 7, 100, 1./64), even(d[0], 8, 100, 1./64)
	return &problem{
		in: []array{{d, x}, {d, y}}, out: d,
		check: func(z []float32) error {
			return whole(z, 1, func(int) error {
				for i, got := range z {
					if want := x[i] + y[i]; got != want {
						return wrong(i, float64(got), float64(want))
					}
				}
				return nil
			})
		},
	}
}

// whole checks that no element of a result was left out, and runs n further checks side by side.
func whole(out []float32, n int, check func(i int) error) error {
	for i, x := range out {
		if x != x {
			return fmt.Errorf("element %d is NaN", i)
		}
	}
	var next atomic.Int64
	var group sync.WaitGroup
	errs := make([]error, n)
	for range min(n, runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				errs[i] = check(i)
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// near allows a difference of tolerance, and of a unit in the last place of an element of 16 bits.
func near(out []float32, at int, want, tolerance float64) error {
	if got := float64(out[at]); !(math.Abs(got-want) <= tolerance+math.Abs(want)/1024) {
		return wrong(at, got, want)
	}
	return nil
}

func wrong(at int, got, want float64) error {
	return fmt.Errorf("element %d is %v, want %v", at, got, want)
}
