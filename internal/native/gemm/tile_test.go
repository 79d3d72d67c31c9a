package gemm

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/cutile-go/cutile/internal/native/host"
)

// targets are what the machine can run: each level with all that it allows, without what is optional, and without the newer of
// two extensions that do the same in different ways.
func targets(t testing.TB) []Target {
	m := host.Machine()
	var list []Target
	for _, l := range host.Levels()[1:] {
		list = append(list, Target{Level: l, Features: m.Features & l.Allows()}, Target{Level: l, Features: l.Requires()})
		if m.Features.Has(host.I8MM) {
			list = append(list, Target{Level: l, Features: m.Features & l.Allows() &^ host.I8MM})
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
	{"upside down", func(_, c, elem int) Layout { return Layout{-c * elem, elem} }},
	{"repeated rows", func(_, _, elem int) Layout { return Layout{0, elem} }},
	{"backwards", func(_, c, elem int) Layout { return Layout{c * elem, -elem} }},
	{"scattered", func(_, c, elem int) Layout { return Layout{(3*c + 7) * elem, 3 * elem} }},
}

func TestTile(t *testing.T) {
	for _, target := range targets(t) {
		for k := range Kind(len(kinds)) {
			t.Run(fmt.Sprintf("%v/%d/%v", target.Level, target.Features, k), func(t *testing.T) {
				if _, _, err := k.scheme(target, size{}); err != nil {
					t.Skip(err)
				}
				r := rand.New(rand.NewPCG(1, uint64(k)))
				for i := range 30 {
					m, n, depth := someSize(r), someSize(r), someSize(r)
					if i%8 == 0 {
						m, n, depth = 1+r.IntN(20), 1+r.IntN(80), 1+r.IntN(900)
					}
					testTile(t, r, target, k, m, n, depth, r.IntN(len(layouts)), r.IntN(len(layouts)))
				}
			})
		}
	}
}

// someSize is often one of the usual sizes, sometimes an odd one.
func someSize(r *rand.Rand) int {
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
	if r.IntN(2) == 0 { // as if it were too long for one call
		tile.short, tile.budget = false, r.IntN(1<<16)
	}
	scratch := bytes.Repeat([]byte{0xFF}, tile.Scratch()) // no numbers
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

// TestSums checks that the sums can begin elsewhere than where they go, in products of one call and of several.
func TestSums(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, target := range targets(t) {
		for _, k := range []int{5, 300, 700} {
			const m, n = 21, 37
			p := newProblem(r, F32, m, n, k, RowMajor(k, 4), RowMajor(n, 4))
			initial := p.newC(n * 4)
			want := p.reference(initial, n*4, true)
			tile, err := NewTile(target, TileSpec{F32, m, n, k, p.a.layout, p.b.layout})
			if err != nil {
				t.Fatal(err)
			}
			to := make([]byte, len(initial))
			tile.Run(Sums{unsafe.Pointer(&to[0]), n * 4}, Sums{unsafe.Pointer(&initial[0]), n * 4}, p.a.at, p.b.at, nil)
			if diff := p.differ(to, want); diff != "" {
				t.Errorf("%v, K=%d: %s", target.Level, k, diff)
			}
		}
	}
}

// TestMinusZero: -0 stays -0 if all products are -0, whatever follows the last element of K in panels.
func TestMinusZero(t *testing.T) {
	for _, target := range targets(t) {
		for _, kind := range []Kind{F32, F64, F16, BF16, E5M2} {
			for _, k := range []int{1, 2, 7, 33, 513} {
				const m, n = 9, 21
				p := newProblem(rand.New(rand.NewPCG(1, 1)), kind, m, n, k, RowMajor(k, kind.Elem()), RowMajor(n, kind.Elem()))
				clear(p.a.memory)
				for i := range p.b.memory { // negative numbers
					p.b.memory[i] = 0xA0
				}
				c := bytes.Repeat(append(make([]byte, kind.Acc()-1), 0x80), m*n)
				want := string(c)
				tile, err := NewTile(target, TileSpec{kind, m, n, k, p.a.layout, p.b.layout})
				if err != nil {
					t.Fatal(err)
				}
				sums := Sums{unsafe.Pointer(&c[0]), n * kind.Acc()}
				tile.Run(sums, sums, p.a.at, p.b.at, bytes.Repeat([]byte{0xFF}, tile.Scratch()))
				if string(c) != want {
					t.Errorf("%v, %v, K=%d: % x", target, kind, k, c)
				}
			}
		}
	}
}

// TestRefused checks the errors for what there is no code for.
func TestRefused(t *testing.T) {
	wide := Target{Level: host.LevelAVX512, Features: host.LevelAVX512.Requires()}
	dense := RowMajor(4, 4)
	for _, c := range []struct {
		target Target
		spec   TileSpec
		want   string
	}{
		{wide, TileSpec{F32, 0, 4, 4, dense, dense}, "gemm: a product of f32 with M=0, N=4, K=4: each must be at least 1"},
		{wide, TileSpec{F32, 4, 4, -1, dense, dense}, "gemm: a product of f32 with M=4, N=4, K=-1: each must be at least 1"},
		{wide, TileSpec{F64, 1 << 40, 1 << 40, 4, dense, dense}, "gemm: a product of f64 with M=1099511627776, N=1099511627776, K=4 does not fit in memory"},
		{wide, TileSpec{Kind(99), 4, 4, 4, dense, dense}, "gemm: no product is known for Kind(99)"},
		{wide, TileSpec{BF16Pairs, 4, 4, 4, dense, dense}, "gemm: products of bf16 in pairs need avx512bf16, which may not be used here at level avx512"},
		{Target{Level: host.LevelNEON}, TileSpec{BF16Pairs, 4, 4, 4, dense, dense}, "gemm: products of bf16 in pairs need avx512bf16, which may not be used here at level neon"},
		{Target{}, TileSpec{F32, 4, 4, 4, dense, dense}, "gemm: no machine code for products at level interpreter"},
	} {
		if _, err := NewTile(c.target, c.spec); err == nil || err.Error() != c.want {
			t.Errorf("%+v: error %v, expected %q", c.spec, err, c.want)
		}
		product := ProductSpec{Kind: c.spec.Kind, M: c.spec.M, N: c.spec.N, K: c.spec.K, A: c.spec.A, B: c.spec.B}
		if _, err := NewProduct(c.target, product, nil, nil, NewCache(0)); err == nil || err.Error() != c.want {
			t.Errorf("%+v: error %v, expected %q", product, err, c.want)
		}
	}
	blocks := ProductSpec{Kind: F32, M: 4, N: 4, K: 4, A: dense, B: dense, BlockM: -8}
	if _, err := NewProduct(wide, blocks, nil, nil, NewCache(0)); err == nil || err.Error() != "gemm: blocks of -8x0 elements" {
		t.Errorf("negative blocks: %v", err)
	}
}

// TestPairs checks the bound that BF16Pairs promises.
func TestPairs(t *testing.T) {
	target := targets(t)
	wide := target[len(target)-2] // with all that the machine has
	if _, _, err := BF16Pairs.scheme(wide, size{}); err != nil {
		t.Skip(err)
	}
	r := rand.New(rand.NewPCG(6, 6))
	const m, n, k = 20, 40, 301
	p := newProblem(r, BF16Pairs, m, n, k, RowMajor(k, 2), RowMajor(n, 2))
	for i := range p.a.memory { // no subnormal numbers
		p.a.memory[i] = []byte{p.a.memory[i], 0x3F ^ p.a.memory[i]&0x80}[i&1]
	}
	tile, err := NewTile(wide, TileSpec{BF16Pairs, m, n, k, p.a.layout, p.b.layout})
	if err != nil {
		t.Fatal(err)
	}
	c := make([]float32, m*n)
	tile.Run(Sums{unsafe.Pointer(&c[0]), n * 4}, Sums{}, p.a.at, p.b.at, make([]byte, tile.Scratch()))
	for i := range m {
		for j := range n {
			exact, size := 0.0, 0.0
			for l := range k {
				x := p.a.number(BF16, i, l) * p.b.number(BF16, l, j)
				exact, size = exact+x, size+math.Abs(x)
			}
			if diff := math.Abs(float64(c[i*n+j]) - exact); diff > 2*k*0x1p-24*size {
				t.Fatalf("element %d,%d is %v, exactly %v: the difference is more than the bound %v", i, j, c[i*n+j], exact, 2*k*0x1p-24*size)
			}
		}
	}
}

// TestPeak checks that a number comes out, and that levels without code are refused.
func TestPeak(t *testing.T) {
	for _, target := range targets(t) {
		if p, err := Peak(target.Level); err != nil || p < 1e6 || p > 1e13 { // emulators are slow
			t.Errorf("%v: %v operations in a second, %v", target.Level, p, err)
		}
	}
	if _, err := Peak(host.LevelNone); err == nil || err.Error() != "gemm: no machine code for products at level interpreter" {
		t.Errorf("interpreter: %v", err)
	}
}

func TestPairsPay(t *testing.T) {
	zen5 := host.CPU{Vendor: host.AMD, Family: 26, Features: host.AVX512BF16}
	lacking, intel := zen5, zen5
	lacking.Features = host.AVX512F
	intel.Vendor, intel.Family = host.Intel, 6
	if !PairsPay(zen5) || PairsPay(lacking) || PairsPay(intel) {
		t.Errorf("Zen 5: %v, without the instruction: %v, Intel: %v", PairsPay(zen5), PairsPay(lacking), PairsPay(intel))
	}
	defer func() { requestAMX = host.RequestAMX }()
	for _, refusal := range []error{nil, errors.New("no")} {
		requestAMX = func() error { return refusal }
		intel.Features = host.AVX512BF16 | host.AMXTile | host.AMXBF16
		if PairsPay(intel) != (refusal == nil) {
			t.Errorf("AMX whose permission is %v: %v", refusal, PairsPay(intel))
		}
	}
}
