package parallel_test

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dist"
	"github.com/cutile-go/cutile/dist/parallel"
	"github.com/cutile-go/cutile/internal/testing/mpitest"
	"github.com/cutile-go/cutile/kernels/gemm"
)

func init() { cases["overlap"] = (*rank).overlap }

// BenchmarkOverlap measures steps of a backward pass of matrix products in two processes: with buckets of one layer, whose sums begin while other
// layers are computed, and with one bucket, whose sum begins at the end; further the backward pass and the sum alone. The four take turns.
//
//	go test ./dist/parallel -run '^$' -bench Overlap -benchtime 1x
func BenchmarkOverlap(b *testing.B) {
	for _, l := range mpitest.Installed() {
		b.Run(l.Name, func(b *testing.B) {
			program, err := os.Executable()
			if err != nil {
				b.Fatal(err)
			}
			for range b.N {
				out, code := l.Run(b, 2, []string{caseEnv + "=overlap"}, program)
				if code != 0 {
					b.Fatalf("code %d\n%s", code, out)
				}
				fmt.Printf("%s:\n%s", l.Name, out)
			}
		})
	}
}

// overlap measures in the processes of the benchmark.
func (r *rank) overlap() error {
	const (
		depth, width = 12, 768
		rounds       = 25
	)
	g, err := dist.Join(r, r.dev) // sums in any order
	if err != nil {
		return err
	}
	defer g.Close()
	x, err := cutile.Full(r.dev, float32(1), 128, width)
	if err != nil {
		return err
	}
	var layers []parallel.Parameter
	for i := range depth {
		layers = append(layers, parallel.Parameter{Name: fmt.Sprint("w", i), Shape: []int{width, width}})
	}
	set := func(bucket int) *parallel.Gradients[float32] {
		s, e := parallel.NewGradients[float32](r, g, layers, parallel.WithBucket(bucket))
		if e != nil && err == nil {
			err = e
		}
		return s
	}
	apart, whole := set(4*width*width), set(1<<30)
	if err != nil {
		return err
	}
	backward := func(s *parallel.Gradients[float32], ready bool) error {
		for i := range depth {
			if err := gemm.Run(r, r.dev, x.T(), x, s.Tensor(i)); err != nil {
				return err
			}
			if !ready {
				continue
			}
			if err := s.Ready(r, s.Tensor(i)); err != nil {
				return err
			}
		}
		if !ready {
			return nil
		}
		return s.Finish(r)
	}
	sums := func() error {
		for i := range depth {
			if err := whole.Ready(r, whole.Tensor(i)); err != nil {
				return err
			}
		}
		return whole.Finish(r)
	}
	ways := []struct {
		name string
		do   func() error
		took []time.Duration
	}{
		{name: "buckets of one layer", do: func() error { return backward(apart, true) }},
		{name: "one bucket", do: func() error { return backward(whole, true) }},
		{name: "the backward pass alone", do: func() error { return backward(whole, false) }},
		{name: "the sum alone", do: sums},
	}
	for range rounds {
		for i := range ways {
			if err := g.Barrier(r); err != nil {
				return err
			}
			start := time.Now()
			if err := ways[i].do(); err != nil {
				return err
			}
			if err := r.dev.Sync(r); err != nil {
				return err
			}
			ways[i].took = append(ways[i].took, time.Since(start))
		}
	}
	if r.g.Rank() > 0 {
		return nil
	}
	var median [4]time.Duration
	for i, w := range ways {
		slices.Sort(w.took)
		median[i] = w.took[len(w.took)/2]
		fmt.Printf("%-24s median %8v, least %8v\n", w.name, median[i].Round(time.Microsecond), w.took[0].Round(time.Microsecond))
	}
	fmt.Printf("buckets take %.2f of the time of one bucket; they hide %.2f of the sum\n", float64(median[0])/float64(median[1]), float64(median[1]-median[0])/float64(median[3]))
	return nil
}
