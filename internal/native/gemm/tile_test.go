package gemm

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/cutile-go/cutile/internal/native/host"
)

// targets are what the machine can run: each level with all that it allows, and without what is optional.
func targets(t testing.TB) []Target {
	m := host.Machine()
	var list []Target
	for _, l := range []host.Level{host.LevelAVX2, host.LevelAVX512} {
		if m.Features.Has(l.Requires()) && m.Arch == "amd64" {
			list = append(list, Target{l, m.Features & l.Allows()}, Target{l, l.Requires()})
		}
	}
	if len(list) == 0 {
		t.Skip("this machine runs no machine code for products")
	}
	return list
}

// layouts are the ways in which tests store a matrix of r rows and c columns.
var layouts = []struct {
	name string
	of   func(r, c, elem int) Layout
}{
	{"dense", func(_, c, elem int) Layout { return RowMajor(c, elem) }},
	{"transposed", func(r, _, elem int) Layout { return ColumnMajor(r, elem) }},
	{"wide rows", func(_, c, elem int) Layout { return RowMajor(c+5, elem) }},
	{"transposed wide", func(r, _, elem int) Layout { return ColumnMajor(r+3, elem) }},
	{"scattered", func(_, c, elem int) Layout { return Layout{(3*c + 7) * elem, 3 * elem} }},
}

func TestTile(t *testing.T) {
	for _, target := range targets(t) {
		for k := range Kind(len(kinds)) {
			t.Run(fmt.Sprintf("%v/%d/%v", target.Level, target.Features, k), func(t *testing.T) {
				if _, _, err := k.scheme(target); err != nil {
					t.Skip(err)
				}
				r := rand.New(rand.NewPCG(1, uint64(k)))
				for range 40 {
					m, n, depth := size(r), size(r), size(r)
					testTile(t, r, target, k, m, n, depth, r.IntN(len(layouts)), r.IntN(len(layouts)))
				}
			})
		}
	}
}

// size is often one of the usual sizes, sometimes an odd one.
func size(r *rand.Rand) int {
	if r.IntN(3) == 0 {
		return []int{1, 8, 16, 32, 64, 128}[r.IntN(6)]
	}
	return 1 + r.IntN(70)
}

func testTile(t *testing.T, r *rand.Rand, target Target, kind Kind, m, n, k, la, lb int) {
	t.Helper()
	spec := TileSpec{Kind: kind, M: m, N: n, K: k, A: layouts[la].of(m, k, kind.Elem()), B: layouts[lb].of(k, n, kind.Elem())}
	tile, err := NewTile(target, spec)
	if err != nil {
		t.Fatal(err)
	}
	p := newProblem(r, kind, m, n, k, spec.A, spec.B)
	scratch := make([]byte, tile.Scratch())
	cRow := (n + r.IntN(9)) * kind.Acc()
	keep := r.IntN(2) == 0
	c := p.newC(cRow)
	want := p.reference(c, cRow, keep)
	sums := Sums{unsafe.Pointer(&c[0]), cRow}
	tile.Run(sums, from(sums, keep), p.a.at, p.b.at, scratch)
	if diff := p.differ(c, want); diff != "" {
		t.Fatalf("%v %v, A %s, B %s, keep %v: %s", kind, [3]int{m, n, k}, layouts[la].name, layouts[lb].name, keep, diff)
	}
}

// from is what a product adds to.
func from(c Sums, keep bool) Sums {
	if keep {
		return c
	}
	return Sums{}
}
