package gemm

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"
)

func TestProduct(t *testing.T) {
	for _, target := range targets(t) {
		for k := range Kind(len(kinds)) {
			t.Run(fmt.Sprintf("%v/%d/%v", target.Level, target.Features, k), func(t *testing.T) {
				if _, _, err := k.scheme(target); err != nil {
					t.Skip(err)
				}
				r := rand.New(rand.NewPCG(2, uint64(k)))
				for i := range 8 {
					limit := []int{0, 20000, 1 << 30}[i%3]
					long := i % 2
					testProduct(t, r, target, k, 1+r.IntN(150-110*long), 1+r.IntN(150-110*long), 1+r.IntN(20+600*long), limit)
				}
			})
		}
	}
}

func testProduct(t *testing.T, r *rand.Rand, target Target, kind Kind, m, n, k, limit int) {
	t.Helper()
	spec := ProductSpec{Kind: kind, M: m, N: n, K: k}
	la, lb := layouts[r.IntN(len(layouts))], layouts[r.IntN(len(layouts))]
	spec.A, spec.B = la.of(m, k, kind.Elem()), lb.of(k, n, kind.Elem())
	if r.IntN(4) > 0 {
		spec.BlockM, spec.BlockN = 1+r.IntN(70), 1+r.IntN(70)
	}
	p := newProblem(r, kind, m, n, k, spec.A, spec.B)
	cRow := (n + r.IntN(9)) * kind.Acc()
	keep := r.IntN(2) == 0
	c := p.newC(cRow)
	want := p.reference(c, cRow, keep)
	cache := NewCache(limit)
	product, err := NewProduct(target, spec, p.a.at, p.b.at, cache)
	if err != nil {
		t.Fatal(err)
	}
	doAll(product, 3, Sums{unsafe.Pointer(&c[0]), cRow}, keep)
	cache.Release()
	if diff := p.differ(c, want); diff != "" {
		t.Fatalf("%+v, A %s, B %s, keep %v, cache of %d: %s", spec, la.name, lb.name, keep, limit, diff)
	}
}

// doAll computes a product with several goroutines.
func doAll(p *Product, workers int, c Sums, keep bool) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			var w Worker
			for {
				item := int(next.Add(1) - 1)
				if item >= p.Items() {
					return
				}
				p.Do(&w, item, c, from(c, keep))
			}
		})
	}
	wg.Wait()
}
