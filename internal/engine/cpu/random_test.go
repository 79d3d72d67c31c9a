package cpu_test

import (
	"math"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

// scalarProgram is a random program of operations on tiles of float32, int32 and truth values, together with the same
// program on one element in plain Go.
type scalarProgram struct {
	k      *kernel
	n      int
	rng    func() uint64
	floats []pair[float32]
	ints   []pair[int32]
	bools  []pair[bool]
	shape  []int
}

// pair is a tile and what one of its elements is.
type pair[T any] struct {
	tile *tileir.Value
	elem func(i int) T
}

func pick[T any](p *scalarProgram, from []pair[T]) pair[T] { return from[p.rng()%uint64(len(from))] }

// remember keeps what a reference gave, so that long programs are not computed again and again.
func remember[T any](n int, f func(i int) T) func(i int) T {
	known, values := make([]bool, n), make([]T, n)
	return func(i int) T {
		if !known[i] {
			known[i], values[i] = true, f(i)
		}
		return values[i]
	}
}

func (p *scalarProgram) tile(e tileir.Elem) *tileir.TileType { return tileir.Tile(e, p.shape...) }

var floatOps = []struct {
	op string
	f  func(a, b float32) float32
}{
	{"addf", func(a, b float32) float32 { return a + b }}, {"subf", func(a, b float32) float32 { return a - b }},
	{"mulf", func(a, b float32) float32 { return a * b }}, {"divf", func(a, b float32) float32 { return a / b }},
}

var int32Ops = []struct {
	op string
	f  func(a, b int32) int32
}{
	{"addi", func(a, b int32) int32 { return a + b }}, {"subi", func(a, b int32) int32 { return a - b }},
	{"muli", func(a, b int32) int32 { return a * b }}, {"xori", func(a, b int32) int32 { return a ^ b }},
	{"andi", func(a, b int32) int32 { return a & b }}, {"ori", func(a, b int32) int32 { return a | b }},
}

// step adds one random operation.
func (p *scalarProgram) step() {
	k := p.k
	switch p.rng() % 8 {
	case 0, 1:
		o, a, b := floatOps[p.rng()%4], pick(p, p.floats), pick(p, p.floats)
		v := k.one(o.op, vals{a.tile, b.tile}, nearest, p.tile(tileir.F32))
		p.floats = append(p.floats, pair[float32]{v, remember(p.n, func(i int) float32 { return o.f(a.elem(i), b.elem(i)) })})
	case 2, 3:
		o, a, b := int32Ops[p.rng()%6], pick(p, p.ints), pick(p, p.ints)
		v := k.one(o.op, vals{a.tile, b.tile}, nil, p.tile(tileir.I32))
		p.ints = append(p.ints, pair[int32]{v, remember(p.n, func(i int) int32 { return o.f(a.elem(i), b.elem(i)) })})
	case 4:
		a, b := pick(p, p.floats), pick(p, p.floats)
		v := k.one("cmpf", vals{a.tile, b.tile}, attrs{"comparison_predicate": tileir.CompareLessThan, "comparison_ordering": tileir.CompareOrdered}, p.tile(tileir.I1))
		p.bools = append(p.bools, pair[bool]{v, remember(p.n, func(i int) bool { return a.elem(i) < b.elem(i) })})
	case 5:
		c, a, b := pick(p, p.bools), pick(p, p.floats), pick(p, p.floats)
		v := k.one("select", vals{c.tile, a.tile, b.tile}, nil, p.tile(tileir.F32))
		p.floats = append(p.floats, pair[float32]{v, remember(p.n, func(i int) float32 {
			if c.elem(i) {
				return a.elem(i)
			}
			return b.elem(i)
		})})
	case 6:
		a := pick(p, p.ints)
		v := k.one("itof", vals{a.tile}, attrs{"signedness": tileir.Signed, "rounding_mode": tileir.RoundingNearestEven}, p.tile(tileir.F32))
		p.floats = append(p.floats, pair[float32]{v, remember(p.n, func(i int) float32 { return float32(a.elem(i)) })})
	case 7:
		p.constant()
	}
}

// constant adds a tile of one value, as a constant or broadcast from a scalar, in any shape.
func (p *scalarProgram) constant() {
	k, x := p.k, float32(int32(p.rng()%200)-100)/8
	v := constant(k, tileir.Tile(tileir.F32), x)
	switch p.rng() % 3 {
	case 0:
		v = constant(k, p.tile(tileir.F32), x)
	case 1:
		ones := make([]int, len(p.shape))
		for i := range ones {
			ones[i] = 1
		}
		v = k.one("broadcast", vals{k.one("reshape", vals{v}, nil, tileir.Tile(tileir.F32, ones...))}, nil, p.tile(tileir.F32))
	default:
		v = k.one("reshape", vals{constant(k, tileir.Tile(tileir.F32, p.n), x)}, nil, p.tile(tileir.F32))
	}
	p.floats = append(p.floats, pair[float32]{v, func(int) float32 { return x }})
}

// loop wraps a value in a loop that carries it along, so that lives of values cross a region.
func (p *scalarProgram) loop() {
	k, a, b := p.k, pick(p, p.floats), pick(p, p.floats)
	c := pick(p, p.floats)
	s, tt := tileir.Tile(tileir.I32), p.tile(tileir.F32)
	trips := int(p.rng() % 4)
	body := k.region([]tileir.Type{s, tt, tt}, func(v vals) {
		x := k.one("addf", vals{v[2], c.tile}, nearest, tt)
		k.opGroups("continue", []vals{{x, v[1]}}, nil, nil)
	})
	r := k.opGroups("for", []vals{{k.i32(0)}, {k.i32(int32(trips))}, {k.i32(1)}, {a.tile, b.tile}}, nil, []*tileir.Block{body}, tt, tt)
	ref := func(i int) (x, y float32) {
		x, y = a.elem(i), b.elem(i)
		for range trips {
			x, y = y+c.elem(i), x
		}
		return x, y
	}
	p.floats = append(p.floats, pair[float32]{r[0], remember(p.n, func(i int) float32 { x, _ := ref(i); return x })},
		pair[float32]{r[1], remember(p.n, func(i int) float32 { _, y := ref(i); return y })})
}

func TestRandomPrograms(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	shapes := [][]int{{1}, {8}, {4, 64}, {1024}, {2, 2, 32}}
	for seed := range 150 {
		rng := generator(uint64(seed))
		shape := shapes[seed%len(shapes)]
		n := product(shape)
		x, y, z := make([]float32, n), make([]int32, n), make([]byte, n)
		for i := range n {
			x[i], y[i], z[i] = float32(int32(rng()%2000)-1000)/64, int32(rng()>>40)-1<<22, byte(rng()&1)
		}
		var want func(i int) float32
		got, err := runTiles(t, d, []input{{tileir.F32, bytesOf(x)}, {tileir.I32, bytesOf(y)}, {tileir.I1, z}}, func(k *kernel, args vals) *tileir.Value {
			p := &scalarProgram{k: k, n: n, rng: generator(uint64(seed) + 1000), shape: shape}
			for i, e := range []tileir.Elem{tileir.F32, tileir.I32, tileir.I1} {
				args[i] = k.one("reshape", args[i:i+1], nil, p.tile(e))
			}
			p.floats = []pair[float32]{{args[0], func(i int) float32 { return x[i] }}}
			p.ints = []pair[int32]{{args[1], func(i int) int32 { return y[i] }}}
			p.bools = []pair[bool]{{args[2], func(i int) bool { return z[i] != 0 }}}
			for range 30 {
				if p.step(); p.rng()%8 == 0 {
					p.loop()
				}
			}
			sum := p.floats[0]
			for _, f := range p.floats[1:] { // so that every value lives to the end
				prev := sum
				v := k.one("addf", vals{prev.tile, f.tile}, nearest, p.tile(tileir.F32))
				sum = pair[float32]{v, func(i int) float32 { return prev.elem(i) + f.elem(i) }}
			}
			want = sum.elem
			return sum.tile
		})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for i, g := range as[float32](got) {
			if w := want(i); !same(float64(g), float64(w)) && !(math.IsNaN(float64(g)) && math.IsNaN(float64(w))) {
				t.Fatalf("seed %d: element %d is %v, want %v", seed, i, g, w)
			}
		}
	}
}
