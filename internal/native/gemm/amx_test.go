package gemm

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/cutile-go/cutile/internal/native/amd64"
	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/internal/native/vec"
)

// tilesTarget may use tile registers, and nothing else that is optional.
var tilesTarget = Target{Level: host.LevelAVX512, Features: host.LevelAVX512.Requires() | host.AMXTile | host.AMXInt8 | host.AMXBF16}

var tilesKinds = []Kind{S8S8, S8U8, U8S8, U8U8, BF16Pairs}

// interpretTiles lets kernels with tiles be interpreted until the test ends. What they need besides is code for AVX2.
func interpretTiles(t *testing.T) {
	t.Helper()
	if m := host.Machine(); m.Arch != "amd64" || !m.Features.Has(host.LevelAVX2.Requires()) {
		t.Skip("the machine does not run code that packs operands for tile registers")
	}
	kernels.byID = nil
	requestAMX = func() error { return nil }
	interpreter = func(lines []amd64.Line) func(frame) frame { return parseTiles(lines).run }
	t.Cleanup(func() { kernels.byID, requestAMX, interpreter = nil, host.RequestAMX, nil })
}

// eachWay runs a test on an interpreter, and on the machine if it has tile registers.
func eachWay(t *testing.T, test func(t *testing.T)) {
	t.Run("interpreted", func(t *testing.T) {
		interpretTiles(t)
		test(t)
	})
	t.Run("machine", func(t *testing.T) {
		if !host.Machine().Features.Has(tilesTarget.Features) {
			t.Skip("the machine has no tile registers")
		}
		if err := host.RequestAMX(); err != nil {
			t.Skip(err)
		}
		test(t)
	})
}

// tilesSize is a size for which tile registers pay: of one tile, of several, and odd ones.
func tilesSize(r *rand.Rand) (m, n, k int) {
	return 16 + r.IntN(90)*r.IntN(2), 16 + r.IntN(90)*r.IntN(2), 64 + r.IntN(200)*r.IntN(2)
}

// TestTilesTile compares tiles of all layouts with the reference.
func TestTilesTile(t *testing.T) {
	eachWay(t, func(t *testing.T) {
		for _, kind := range tilesKinds {
			r := rand.New(rand.NewPCG(8, uint64(kind)))
			for i := range 3 * len(layouts) {
				m, n, k := tilesSize(r)
				if s, _, err := kind.scheme(tilesTarget, size{m, n, k}); err != nil || !s.tiles {
					t.Fatalf("%v of %dx%dx%d is done without tile registers: %v", kind, m, n, k, err)
				}
				testTile(t, r, tilesTarget, kind, m, n, k, i%len(layouts), r.IntN(len(layouts)))
			}
		}
	})
}

// TestTilesInPlace: a kernel reads whole tiles of A where they lie.
func TestTilesInPlace(t *testing.T) {
	eachWay(t, func(t *testing.T) {
		for _, kind := range tilesKinds {
			for i, name := range []string{"dense", "wide rows", "upside down", "repeated rows"} {
				la := indexOfLayout(t, name)
				const m, n, k = 45, 37, 256
				spec := TileSpec{kind, m, n, k, layouts[la].of(m, k, kind.Elem()), RowMajor(n, kind.Elem())}
				if tile, err := NewTile(tilesTarget, spec); err != nil || tile.a != nil {
					t.Fatalf("%v, A %s: %v, %v", kind, name, tile, err)
				}
				testTile(t, rand.New(rand.NewPCG(9, uint64(i))), tilesTarget, kind, m, n, k, la, 0)
			}
		}
	})
}

func indexOfLayout(t *testing.T, name string) int {
	for i, l := range layouts {
		if l.name == name {
			return i
		}
	}
	t.Fatalf("no layout is called %s", name)
	return 0
}

// TestTilesProduct compares products with caches of all sizes, and of several chunks of k.
func TestTilesProduct(t *testing.T) {
	eachWay(t, func(t *testing.T) {
		for _, kind := range tilesKinds {
			r := rand.New(rand.NewPCG(10, uint64(kind)))
			for i := range 9 {
				m, n, k := tilesSize(r)
				if i%3 == 0 {
					m, n, k = 16+r.IntN(20), 16+r.IntN(20), 1024+r.IntN(1500)
				}
				testProduct(t, r, tilesTarget, kind, m, n, k, []int{0, 20000, 1 << 30}[i/3])
			}
		}
	})
}

// TestTilesRefused: without permission, and for small products, there are other ways.
func TestTilesRefused(t *testing.T) {
	defer func() { requestAMX = host.RequestAMX }()
	requestAMX = func() error { return errors.New("no") }
	if s, _, err := S8S8.scheme(tilesTarget, size{64, 64, 64}); err != nil || s.tiles {
		t.Errorf("without permission: tiles %v, %v", s.tiles, err)
	}
	requestAMX = func() error { return nil }
	for _, c := range []struct {
		size
		tiles bool
	}{{size{16, 16, 64}, true}, {size{15, 16, 64}, false}, {size{16, 15, 64}, false}, {size{16, 16, 63}, false}} {
		if s, _, err := S8S8.scheme(tilesTarget, c.size); err != nil || s.tiles != c.tiles {
			t.Errorf("%v: tiles %v, %v", c.size, s.tiles, err)
		}
		if s, _, err := BF16Pairs.scheme(tilesTarget, c.size); err != nil || !s.tiles {
			t.Errorf("%v: pairs are not in tiles: %v", c.size, err)
		}
	}
}

// TestTilesPairs computes what TDPBF16PS is documented to give, from the matrices: for 32 elements of k after the other, one sum
// of those with even numbers and one of the others, which are then added to the element of C.
func TestTilesPairs(t *testing.T) {
	eachWay(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(12, 12))
		for _, s := range []size{{1, 1, 1}, {3, 5, 7}, {16, 16, 32}, {33, 40, 100}, {20, 70, 600}} {
			p := newProblem(r, BF16Pairs, s.m, s.n, s.k, RowMajor(s.k, 2), RowMajor(s.n, 2))
			tile, err := NewTile(tilesTarget, TileSpec{BF16Pairs, s.m, s.n, s.k, p.a.layout, p.b.layout})
			if err != nil {
				t.Fatal(err)
			}
			c := p.newC(s.n * 4)
			tile.Run(Sums{unsafe.Pointer(&c[0]), s.n * 4}, Sums{}, p.a.at, p.b.at, make([]byte, tile.Scratch()))
			for i := range s.m * s.n {
				var want float32
				for k := 0; k < s.k; k += 32 {
					var sums [2]float32
					for l := k; l < min(k+32, s.k); l++ {
						sums[l&1] = vec.FMA32(float32(p.a.number(BF16, i/s.n, l)), float32(p.b.number(BF16, l, i%s.n)), sums[l&1])
					}
					want += sums[0] + sums[1]
				}
				if got := math.Float32frombits(binary.LittleEndian.Uint32(c[4*i:])); got != want {
					t.Fatalf("%v: element %d is %v, want %v", s, i, got, want)
				}
			}
		}
	})
}

// TestTilesPairsBound checks the bound that BF16Pairs promises, as [TestPairsBound] does.
func TestTilesPairsBound(t *testing.T) {
	eachWay(t, func(t *testing.T) { testPairsBounds(t, tilesTarget) })
}

// TestInterpreter: the interpreter of the other tests finds what a CPU would not do, and what a kernel must not.
func TestInterpreter(t *testing.T) {
	good := make([]byte, 64)
	good[0], good[16], good[48] = 1, 64, 16
	config := func(change func(b []byte)) func(*amd64.Assembler) {
		return func(a *amd64.Assembler) {
			b := append([]byte(nil), good...)
			change(b)
			a.Emit(amd64.LDTILECFG, amd64.AtLabel(a.Const(b, 64), 0))
		}
	}
	for want, emit := range map[string]func(*amd64.Assembler){
		"tile 0 has 17 rows of 64 bytes":              config(func(b []byte) { b[48] = 17 }),
		"tile 0 has 0 rows of 64 bytes":               config(func(b []byte) { b[48] = 0 }),
		"byte 21 of a configuration is 3":             config(func(b []byte) { b[21] = 3 }),
		"byte 60 of a configuration is 1":             config(func(b []byte) { b[60] = 1 }),
		"the program leaves tiles behind":             config(func([]byte) {}),
		"tile tmm1 is not configured":                 func(a *amd64.Assembler) { config(func([]byte) {})(a); a.Emit(amd64.TILEZERO, amd64.T(1)) },
		"tile tmm0 is not configured":                 func(a *amd64.Assembler) { a.Emit(amd64.TILEZERO, amd64.T(0)) },
		"the program changes rbp":                     func(a *amd64.Assembler) { a.Emit(amd64.MOV, amd64.R64(amd64.RBP), amd64.R64(amd64.RDI)) },
		"the program reads rbx, which it has not set": func(a *amd64.Assembler) { a.Emit(amd64.MOV, amd64.R64(amd64.RAX), amd64.R64(amd64.RBX)) },
		"the interpreter does not know push":          func(a *amd64.Assembler) { a.Emit(amd64.PUSH, amd64.R64(amd64.RAX)) },
	} {
		a := amd64.Assembler{Record: true}
		emit(&a)
		a.Emit(amd64.MOV, amd64.R64(amd64.RAX), amd64.Imm(0))
		a.Emit(amd64.RET)
		if _, err := a.Finish(); err != nil {
			t.Fatal(err)
		}
		if got := panicOf(func() { parseTiles(a.Lines()).run(frame{}) }); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func panicOf(f func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	f()
	return ""
}
