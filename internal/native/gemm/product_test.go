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
				if _, _, err := k.scheme(target, size{}); err != nil {
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
	if r.IntN(2) == 0 { // as if it needed more calls
		product.budget = r.IntN(1 << 16)
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

// TestShared checks that products of one cache pack an operand once, that the limit of memory holds, and that memory goes back.
func TestShared(t *testing.T) {
	target := targets(t)[0]
	const n, k = 160, 600 // rows of A that are worth packing: they lie 4 KiB apart
	r := rand.New(rand.NewPCG(5, 5))
	p := newProblem(r, F32, n, n, k, RowMajor(1024, 4), RowMajor(n, 4))
	c := p.newC(n * 4)
	sums := Sums{unsafe.Pointer(&c[0]), n * 4}
	spec := ProductSpec{Kind: F32, M: n, N: n, K: k, A: p.a.layout, B: p.b.layout, BlockM: 32, BlockN: 32}
	for _, limit := range []int{1 << 20, 100000, 0} {
		cache := NewCache(limit)
		var left int64
		for i := range 2 {
			product, err := NewProduct(target, spec, p.a.at, p.b.at, cache)
			if err != nil {
				t.Fatal(err)
			}
			doAll(product, 2, sums, false)
			if now := cache.left.Load(); i == 0 {
				left = now
			} else if now != left {
				t.Errorf("limit %d: the second product takes %d bytes", limit, left-now)
			}
		}
		if cache.Operands() != 2 {
			t.Errorf("limit %d: %d operands, expected 2", limit, cache.Operands())
		}
		if used := int64(limit) - left; left < 0 || limit > 0 && used == 0 || limit == 1<<20 && used < 2*n*k*4 {
			t.Errorf("limit %d: %d bytes are used", limit, used)
		}
		if diff := p.differ(c, p.reference(c, n*4, false)); diff != "" {
			t.Errorf("limit %d: %s", limit, diff)
		}
		cache.Release()
	}
}

// TestLasting checks that the operand in memory that does not change is packed by the first of several caches alone, as long as its
// lasting cache has room, and that each product has its results.
func TestLasting(t *testing.T) {
	target := targets(t)[0]
	const n, k = 96, 300
	r := rand.New(rand.NewPCG(6, 6))
	p := newProblem(r, F32, n, n, k, RowMajor(k, 4), RowMajor(n, 4))
	c := p.newC(n * 4)
	sums := Sums{unsafe.Pointer(&c[0]), n * 4}
	for _, limit := range []int{1 << 20, 1000} {
		lasting := NewLasting(limit)
		for i := range 2 {
			cache := NewCache(1 << 20)
			cache.Fix(p.b.at, k*n*4, lasting)
			spec := ProductSpec{Kind: F32, M: n, N: n, K: k, A: p.a.layout, B: p.b.layout, BlockM: 32, BlockN: 32, Shared: true}
			product, err := NewProduct(target, spec, p.a.at, p.b.at, cache)
			if err != nil {
				t.Fatal(err)
			}
			packed := func() (count int) {
				for i := range product.b.shared.cells {
					count += b2i(product.b.shared.cells[i].packed.Load() != nil)
				}
				return count
			}
			if before := packed(); before != 0 && (i == 0 || limit < n*k*4) {
				t.Errorf("limit %d: product %d begins with %d packed cells", limit, i, before)
			} else if before == 0 && i > 0 && limit > n*k*4 {
				t.Errorf("limit %d: product %d begins with none", limit, i)
			}
			doAll(product, 2, sums, false)
			if diff := p.differ(c, p.reference(c, n*4, false)); diff != "" {
				t.Errorf("limit %d, product %d: %s", limit, i, diff)
			}
			cache.Release()
		}
		if want := b2i(limit > n*k*4); lasting.Operands() != want {
			t.Errorf("limit %d: %d lasting operands, expected %d", limit, lasting.Operands(), want)
		}
	}
}

// TestPosition checks that every block has its turn once, group by group.
func TestPosition(t *testing.T) {
	target := targets(t)[0]
	for _, m := range []int{1, 500, 512, 513, 2000} {
		spec := ProductSpec{Kind: F32, M: m, N: 300, K: 1, A: RowMajor(1, 4), B: RowMajor(300, 4), BlockM: 96, BlockN: 64}
		p, err := NewProduct(target, spec, buffer(m), buffer(300), NewCache(0))
		if err != nil {
			t.Fatal(err)
		}
		seen := map[[2]int]bool{}
		for item := range p.Items() {
			i, j := p.Position(item)
			if rows, columns := p.Blocks(); i < 0 || i >= rows || j < 0 || j >= columns || seen[[2]int{i, j}] {
				t.Errorf("M=%d: item %d is at %d,%d of %dx%d, or was there before", m, item, i, j, rows, columns)
			}
			seen[[2]int{i, j}] = true
		}
	}
}
