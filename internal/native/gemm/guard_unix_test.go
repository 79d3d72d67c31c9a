//go:build unix

package gemm

import (
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"testing"
	"unsafe"

	"github.com/cutile-go/cutile/internal/testing/guard"
)

// guarded is memory of n bytes that begins right behind a page that cannot be touched, or ends right before one.
func guarded(t *testing.T, n int, atEnd bool) []byte {
	t.Helper()
	m, err := guard.New(n, atEnd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Free() })
	return m.Bytes
}

// TestGuard runs products whose operands, C and scratch memory lie beside pages that fault.
func TestGuard(t *testing.T) {
	for _, target := range targets(t) {
		for k := range Kind(len(kinds)) {
			t.Run(fmt.Sprintf("%v/%d/%v", target.Level, target.Features, k), func(t *testing.T) {
				if _, _, err := k.scheme(target, size{}); err != nil {
					t.Skip(err)
				}
				r := rand.New(rand.NewPCG(3, uint64(k)))
				for i := range 24 {
					testGuard(t, r, target, k, 1+r.IntN(40), 1+r.IntN(70), 1+r.IntN(40), i%2 == 0)
				}
			})
		}
	}
}

// TestTilesGuard does so with tile registers.
func TestTilesGuard(t *testing.T) {
	eachWay(t, func(t *testing.T) {
		for _, kind := range tilesKinds {
			r := rand.New(rand.NewPCG(11, uint64(kind)))
			for i := range 16 {
				m, n, k := tilesSize(r)
				if i%4 < 2 { // A is read where it lies
					k &^= 63
				}
				testGuard(t, r, tilesTarget, kind, m, n, k, i%2 == 0)
			}
		}
	})
}

func testGuard(t *testing.T, r *rand.Rand, target Target, kind Kind, m, n, k int, atEnd bool) {
	la, lb := layouts[r.IntN(len(layouts))], layouts[r.IntN(len(layouts))]
	p := newProblem(r, kind, m, n, k, la.of(m, k, kind.Elem()), lb.of(k, n, kind.Elem()))
	p.a.guard(t, atEnd)
	p.b.guard(t, atEnd)
	tile, err := NewTile(target, TileSpec{kind, m, n, k, p.a.layout, p.b.layout})
	if err != nil {
		t.Fatal(err)
	}
	cRow := (n + 3) * kind.Acc()
	initial := p.newC(cRow)
	want := p.reference(initial, cRow, true)
	to, from := guarded(t, len(initial), atEnd), guarded(t, len(initial), atEnd)
	copy(to, initial)
	copy(from, initial)
	scratch := guarded(t, tile.Scratch(), atEnd)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if fault := recover(); fault != nil {
			t.Fatalf("%v %v, A %s, B %s: %v", kind, [3]int{m, n, k}, la.name, lb.name, fault)
		}
	}()
	tile.Run(Sums{unsafe.Pointer(&to[0]), cRow}, Sums{unsafe.Pointer(&from[0]), cRow}, p.a.at, p.b.at, scratch)
	if diff := p.differ(to, want); diff != "" {
		t.Fatalf("%v %v, A %s, B %s: %s", kind, [3]int{m, n, k}, la.name, lb.name, diff)
	}
	product, err := NewProduct(target, ProductSpec{kind, m, n, k, p.a.layout, p.b.layout, 1 + r.IntN(m), 1 + r.IntN(n), false}, p.a.at, p.b.at, NewCache(1<<20))
	if err != nil {
		t.Fatal(err)
	}
	copy(to, initial)
	for i := range product.Items() {
		product.Do(new(Worker), i, Sums{unsafe.Pointer(&to[0]), cRow}, Sums{unsafe.Pointer(&from[0]), cRow})
	}
	if diff := p.differ(to, want); diff != "" {
		t.Fatalf("%v %v, A %s, B %s, as a product: %s", kind, [3]int{m, n, k}, la.name, lb.name, diff)
	}
}

// guard moves a matrix beside a page that faults.
func (m *matrix) guard(t *testing.T, atEnd bool) {
	memory := guarded(t, len(m.memory), atEnd)
	copy(memory, m.memory)
	m.memory, m.at = memory, unsafe.Pointer(&memory[m.origin])
}
