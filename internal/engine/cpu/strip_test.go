package cpu_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/tileir"
)

// bothWays runs a program as machine code, and interpreted with strips of some lengths and without.
func bothWays(t *testing.T, o cpu.Options, run func(d *cpu.Device) []byte) {
	t.Helper()
	byCode := run(newDevice(t, o))
	o.Interpret = true
	want := run(newDevice(t, cpu.WithStrip(o, -1)))
	if !bytes.Equal(byCode, want) {
		t.Fatal("machine code changes the result")
	}
	for _, n := range []int{64, 1000, 1024} {
		if got := run(newDevice(t, cpu.WithStrip(o, n))); !bytes.Equal(got, want) {
			t.Fatalf("strips of %d elements change the result", n)
		}
	}
}

// mixed adds to a random program what else a run may hold: math, half precision, rows and columns spread over the tile,
// numbers of elements, conversions and reductions, which end it.
func (p *scalarProgram) mixed(pool vals) vals {
	k, pick := p.k, func() *tileir.Value { return pool[p.rng()%uint64(len(pool))] }
	full, n := p.tile(tileir.F32), p.n
	rows, cols := p.shape[0], p.n/p.shape[0]
	flat := func(v *tileir.Value, shape ...int) *tileir.Value {
		return k.one("reshape", vals{v}, nil, tileir.Tile(v.Type.(*tileir.TileType).Elem, shape...))
	}
	near := attrs{"rounding_mode": tileir.RoundingNearestEven}
	switch p.rng() % 8 {
	case 0:
		h := tileir.Tile(tileir.F16, p.shape...)
		a, b := k.one("ftof", vals{pick()}, near, h), k.one("ftof", vals{pick()}, near, h)
		return append(pool, k.one("ftof", vals{k.one("mulf", vals{a, b}, near, h)}, near, full))
	case 1:
		return append(pool, k.one("exp", vals{pick()}, attrs{"rounding_mode": tileir.RoundingFull}, full), k.one("absf", vals{pick()}, nil, full))
	case 2:
		f := tileir.Tile(tileir.F32)
		dim, shape, out := 1, []int{rows, 1}, tileir.Tile(tileir.F32, rows)
		if p.rng()%2 == 0 {
			dim, shape, out = 0, []int{1, cols}, tileir.Tile(tileir.F32, cols)
		}
		sum := k.fold("reduce", flat(pick(), rows, cols), dim, nil, out, func(e, a *tileir.Value) *tileir.Value { return k.one("addf", vals{e, a}, near, f) })
		wide := k.one("broadcast", vals{flat(sum, shape...)}, nil, tileir.Tile(tileir.F32, rows, cols))
		return append(pool, flat(wide, p.shape...))
	case 3:
		i := k.one("iota", nil, nil, tileir.Tile(tileir.I32, n))
		by := k.one("broadcast", vals{flat(k.i32(int32(p.rng()%7)+1), 1)}, nil, tileir.Tile(tileir.I32, n))
		q := k.one("divi", vals{i, by}, attrs{"signedness": tileir.Signed, "rounding": tileir.RoundingZero}, tileir.Tile(tileir.I32, n))
		v := k.one("itof", vals{q}, attrs{"signedness": tileir.Signed, "rounding_mode": tileir.RoundingNearestEven}, tileir.Tile(tileir.F32, n))
		return append(pool, flat(v, p.shape...))
	case 4:
		c := k.one("cmpf", vals{pick(), pick()}, attrs{"comparison_predicate": tileir.CompareLessThan, "comparison_ordering": tileir.CompareOrdered}, p.tile(tileir.I1))
		return append(pool, k.one("select", vals{c, pick(), pick()}, nil, full))
	case 5:
		return append(pool, k.one("fma", vals{pick(), pick(), pick()}, near, full))
	case 6:
		p.floats = p.floats[:0]
		p.constant()
		return append(pool, p.floats[0].tile)
	default:
		return append(pool, k.one([]string{"addf", "subf", "mulf", "divf"}[p.rng()%4], vals{pick(), pick()}, near, full))
	}
}

func TestStripsRandomPrograms(t *testing.T) {
	shapes := [][]int{{4096}, {64, 32}, {4, 1024}, {2, 32, 64}, {256, 4}, {64}}
	seeds := 40
	if testenv.Few() {
		seeds = 8
	}
	for seed := range seeds {
		shape := shapes[seed%len(shapes)]
		n := product(shape)
		x, y := randomFloats(n, uint64(seed), 4), randomFloats(n, uint64(seed)+100, 4)
		bothWays(t, cpu.Options{Workers: 1}, func(d *cpu.Device) []byte {
			got, err := runTiles(t, d, []input{{tileir.F32, bytesOf(x)}, {tileir.F32, bytesOf(y)}}, func(k *kernel, args vals) *tileir.Value {
				p := &scalarProgram{k: k, n: n, rng: generator(uint64(seed)), shape: shape}
				pool := vals{}
				for _, a := range args {
					pool = append(pool, k.one("reshape", vals{a}, nil, p.tile(tileir.F32)))
				}
				for range 25 {
					pool = p.renamed(p.mixed(pool))
				}
				sum := pool[0]
				for _, v := range pool[1:] {
					sum = k.one("maxf", vals{sum, v}, nil, p.tile(tileir.F32))
				}
				last := k.one("addf", vals{pool[len(pool)-1], sum}, nearest, p.tile(tileir.F32))
				return k.one("select", vals{k.one("cmpf", vals{sum, last}, attrs{"comparison_predicate": tileir.CompareEqual, "comparison_ordering": tileir.CompareOrdered}, p.tile(tileir.I1)), pool[len(pool)/2], last}, nil, p.tile(tileir.F32))
			})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			return got
		})
	}
}

// TestStripsScalarPrograms runs the programs of TestRandomPrograms, which have loops and constants of all kinds, with
// their operations in program order and shuffled.
func TestStripsScalarPrograms(t *testing.T) {
	shapes := [][]int{{4096}, {4, 64}, {1024}, {32, 128}}
	for seed := range 24 {
		shape := shapes[seed%len(shapes)]
		n := product(shape)
		x, y, z := randomFloats(n, uint64(seed), 8), make([]int32, n), make([]byte, n)
		for i, rng := 0, generator(uint64(seed)); i < n; i++ {
			y[i], z[i] = int32(rng()>>40)-1<<22, byte(rng()&1)
		}
		var want []byte
		for _, reorder := range []uint64{0, 1, 2} {
			bothWays(t, cpu.Options{Workers: 1, Reorder: reorder}, func(d *cpu.Device) []byte {
				got, err := runTiles(t, d, []input{{tileir.F32, bytesOf(x)}, {tileir.I32, bytesOf(y)}, {tileir.I1, z}}, func(k *kernel, args vals) *tileir.Value {
					p := &scalarProgram{k: k, n: n, rng: generator(uint64(seed)), shape: shape}
					for i, e := range []tileir.Elem{tileir.F32, tileir.I32, tileir.I1} {
						args[i] = k.one("reshape", args[i:i+1], nil, p.tile(e))
					}
					p.floats, p.ints, p.bools = []pair[float32]{{tile: args[0]}}, []pair[int32]{{tile: args[1]}}, []pair[bool]{{tile: args[2]}}
					for range 30 {
						if p.step(); p.rng()%8 == 0 {
							p.loop()
						}
					}
					last := p.floats[len(p.floats)-1].tile
					for range 6 {
						last = k.one("select", vals{pick(p, p.bools).tile, last, pick(p, p.floats).tile}, nil, p.tile(tileir.F32))
					}
					return last
				})
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				if want == nil {
					want = got
				}
				if !bytes.Equal(got, want) {
					t.Fatalf("seed %d: shuffle %d changes the result", seed, reorder)
				}
				return got
			})
		}
	}
}

// TestStripsMemory stores from runs in many ways: in place, shifted onto what is loaded, twice to overlapping places,
// at ragged edges, through strides, and a loaded tile as it is.
func TestStripsMemory(t *testing.T) {
	const size, tile = 8192, 2048
	p := tileir.PointerTile(tileir.F32)
	for name, c := range map[string]struct {
		in      []int64 // offsets of loads in elements
		out     []int64 // of stores
		extent  int64
		strides []int64
	}{
		"in place":         {[]int64{0, 2048}, []int64{0}, tile, []int64{1}},
		"shifted up":       {[]int64{0, 100}, []int64{100}, tile, []int64{1}},
		"shifted down":     {[]int64{100, 200}, []int64{0}, tile, []int64{1}},
		"two stores":       {[]int64{0, 1}, []int64{2048, 4096}, tile, []int64{1}},
		"overlapping":      {[]int64{0, 1}, []int64{4096, 4000}, tile, []int64{1}},
		"overlapping down": {[]int64{0, 1}, []int64{4000, 4096}, tile, []int64{1}},
		"all of it":        {[]int64{0, 7}, []int64{3, 1000, 5}, tile, []int64{1}},
		"ragged":           {[]int64{0, 50}, []int64{4096, 4000}, tile - 77, []int64{1}},
		"strided":          {[]int64{0, 1}, []int64{2, 5}, tile, []int64{2}},
	} {
		t.Run(name, func(t *testing.T) {
			bothWays(t, cpu.Options{}, func(d *cpu.Device) []byte {
				k := newKernel(t, p)
				view := func(at int64) *tileir.Value {
					base := k.one("offset", vals{k.entry.Params[0], k.i32(int32(at))}, nil, p)
					return k.partition(base, []int{tile}, nil, tileir.PadZero, []int64{c.extent}, c.strides)
				}
				f := tileir.Tile(tileir.F32, tile)
				x, y := k.load(view(c.in[0]), k.i32(0)), k.load(view(c.in[1]), k.i32(0))
				v := k.one("addf", vals{x, y}, nearest, f)
				for i, at := range c.out {
					if i == 2 {
						v = x // as loaded
					}
					k.store(v, view(at), k.i32(0))
					v = k.one("mulf", vals{v, y}, nearest, f)
				}
				k.ret()
				buf := upload(t, d, randomFloats(size, 3, 1))
				if err := launch(t, d, k.compile(d), [3]uint32{1, 1, 1}, buf.Address()); err != nil {
					t.Fatal(err)
				}
				return append([]byte(nil), buf.Host()...)
			})
		})
	}
}

// TestStripsSizes stores tiles of two sizes to the same place, the smaller ones between what a run might hold.
func TestStripsSizes(t *testing.T) {
	const n, m = 2048, 128
	p := tileir.PointerTile(tileir.F32)
	bothWays(t, cpu.Options{}, func(d *cpu.Device) []byte {
		k := newKernel(t, p)
		big, small := k.view(k.entry.Params[0], []int{n}, 2*n), k.view(k.entry.Params[0], []int{m}, 2*n)
		f, g := tileir.Tile(tileir.F32, n), tileir.Tile(tileir.F32, m)
		s := k.load(small, k.i32(3))
		x := k.load(big, k.i32(0))
		y := k.one("addf", vals{x, x}, nearest, f)
		k.store(k.one("mulf", vals{s, s}, nearest, g), small, k.i32(9))
		z := k.one("mulf", vals{y, x}, nearest, f)
		k.store(z, big, k.i32(0))
		k.store(k.one("addf", vals{s, s}, nearest, g), small, k.i32(10))
		k.store(k.one("addf", vals{k.load(big, k.i32(0)), y}, nearest, f), big, k.i32(1))
		k.ret()
		buf := upload(t, d, randomFloats(2*n, 5, 1))
		if err := launch(t, d, k.compile(d), [3]uint32{1, 1, 1}, buf.Address()); err != nil {
			t.Fatal(err)
		}
		return append([]byte(nil), buf.Host()...)
	})
}

// TestStripsBools loads truth values that other programs wrote as bytes other than 0 and 1.
func TestStripsBools(t *testing.T) {
	const n = 2048
	p := tileir.PointerTile(tileir.I1)
	in, want := make([]byte, n), make([]byte, n)
	for i := range in {
		if in[i] = byte(i); in[i] != 0 {
			want[i] = 1
		}
	}
	bothWays(t, cpu.Options{}, func(d *cpu.Device) []byte {
		k := newKernel(t, p, p)
		v := k.load(k.view(k.entry.Params[0], []int{n}, n), k.i32(0))
		f := tileir.Tile(tileir.I1, n)
		v = k.one("andi", vals{v, k.one("ori", vals{v, v}, nil, f)}, nil, f)
		k.store(v, k.view(k.entry.Params[1], []int{n}, n), k.i32(0))
		k.ret()
		out := upload(t, d, make([]byte, n))
		if err := launch(t, d, k.compile(d), [3]uint32{1, 1, 1}, upload(t, d, in).Address(), out.Address()); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(out.Host(), want) {
			t.Error("bytes above 1 are not true")
		}
		return append([]byte(nil), out.Host()...)
	})
}

// TestStripsFaults asks for the first fault in program order and for what was stored before it.
func TestStripsFaults(t *testing.T) {
	const n = 4096
	p := tileir.PointerTile(tileir.I32)
	tt := tileir.Tile(tileir.I32, n)
	signed := attrs{"signedness": tileir.Signed, "rounding": tileir.RoundingZero}
	for _, c := range []struct {
		zeros [2]int // in the divisors of the first and second division
		far   bool   // the second store is outside memory
		want  string
	}{
		{[2]int{-1, -1}, true, "k.ir:23:1: kernel k, block (0, 0, 0): "},
		{[2]int{3000, 2500}, true, "outside memory"}, // a quotient by zero is no fault in a tile
	} {
		text := ""
		bothWays(t, cpu.Options{}, func(d *cpu.Device) []byte {
			k := newKernel(t, p, p, p)
			x := k.load(k.view(k.entry.Params[0], []int{n}, n), k.i32(0))
			y := k.load(k.view(k.entry.Params[1], []int{n}, n), k.i32(0))
			z := k.load(k.view(k.entry.Params[1], []int{n}, 2*n), k.i32(1))
			for k.line < 13 {
				k.i32(0)
			}
			a := k.one("divi", vals{x, y}, signed, tt) // line 14
			view := k.view(k.entry.Params[2], []int{n}, 2*n)
			b := k.one("divi", vals{a, z}, signed, tt) // line 17
			out := int32(1)
			if c.far {
				out = 9
			}
			k.store(a, view, k.i32(0))
			base := k.entry.Params[2]
			k.store(b, k.partition(base, []int{n}, nil, tileir.PadZero, []int64{100 * n}, []int64{1}), k.i32(out))
			k.ret()
			div := make([]int32, 2*n)
			for i := range div {
				div[i] = 1
			}
			for i, at := range c.zeros {
				if at >= 0 {
					div[i*n+at] = 0
				}
			}
			bx, by, bz := upload(t, d, make([]int32, n)), upload(t, d, div), upload(t, d, make([]int32, 2*n))
			err := launch(t, d, k.compile(d), [3]uint32{1, 1, 1}, bx.Address(), by.Address(), bz.Address())
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("%v, want %q", err, c.want)
			}
			text = err.Error()
			return []byte(text)
		})
	}
}

// chain is a kernel that loads tiles, computes with them and stores one.
func chain(t testing.TB, n, inputs int, compute func(k *kernel, f *tileir.TileType, in vals) *tileir.Value) *kernel {
	params := make([]tileir.Type, inputs+1)
	for i := range params {
		params[i] = tileir.PointerTile(tileir.F32)
	}
	k := newKernel(t, params...)
	var in vals
	id := k.ids()[0]
	const total = 1 << 18
	for _, p := range k.entry.Params[:inputs] {
		in = append(in, k.load(k.view(p, []int{n}, total), id))
	}
	v := compute(k, tileir.Tile(tileir.F32, n), in)
	k.store(v, k.view(k.entry.Params[inputs], []int{n}, total), id)
	k.ret()
	return k
}

// siluChain is silu(x)*a + b in seven operations.
func siluChain(k *kernel, f *tileir.TileType, in vals) *tileir.Value {
	one := constant(k, f, float32(1))
	e := k.one("exp", vals{k.one("negf", in[:1], nil, f)}, attrs{"rounding_mode": tileir.RoundingFull}, f)
	s := k.one("divf", vals{one, k.one("addf", vals{e, one}, nearest, f)}, nearest, f)
	y := k.one("mulf", vals{k.one("mulf", vals{in[0], s}, nearest, f), in[1]}, nearest, f)
	return k.one("addf", vals{y, in[2]}, nearest, f)
}

// mulAddChain is twelve cheap operations.
func mulAddChain(k *kernel, f *tileir.TileType, in vals) *tileir.Value {
	v := in[0]
	for i := range 6 {
		v = k.one("mulf", vals{v, in[1+i%2]}, nearest, f)
		v = k.one("addf", vals{v, in[1+(i+1)%2]}, nearest, f)
	}
	return v
}

var chains = []struct {
	name    string
	compute func(k *kernel, f *tileir.TileType, in vals) *tileir.Value
}{{"silu", siluChain}, {"muladd", mulAddChain}}

func TestStripsChains(t *testing.T) {
	const total = 1 << 18
	for _, c := range chains {
		for _, n := range []int{1024, 65536} {
			bothWays(t, cpu.Options{}, func(d *cpu.Device) []byte {
				k := chain(t, n, 3, c.compute)
				var args []uint64
				for i := range 3 {
					args = append(args, upload(t, d, randomFloats(total, uint64(i), 1)).Address())
				}
				out := upload(t, d, make([]float32, total))
				if err := launch(t, d, k.compile(d), [3]uint32{uint32(total / n), 1, 1}, append(args, out.Address())...); err != nil {
					t.Fatal(err)
				}
				return append([]byte(nil), out.Host()...)
			})
		}
	}
}

// BenchmarkStrips compares chains with strips and without in one run, alternating.
func BenchmarkStrips(b *testing.B) {
	const total = 1 << 18
	for _, c := range chains {
		for _, n := range []int{1024, 65536, 262144} {
			b.Run(fmt.Sprintf("%s/tile=%d", c.name, n), func(b *testing.B) {
				var runs [2]func()
				for i, strip := range []int{-1, 0} {
					d := newDevice(b, cpu.WithStrip(cpu.Options{Workers: 1}, strip))
					kern := chain(b, n, 3, c.compute).compile(d)
					var args []uint64
					for j := range 3 {
						args = append(args, upload(b, d, randomFloats(total, uint64(j), 1)).Address())
					}
					args = append(args, upload(b, d, make([]float32, total)).Address())
					runs[i] = launcher(b, d, kern, [3]uint32{uint32(total / n), 1, 1}, args)
				}
				off, on := alternate(b, runs[0], runs[1])
				b.ReportMetric(float64(total)/on.Seconds()/1e6, "Melem/s")
				b.ReportMetric(float64(total)/off.Seconds()/1e6, "Melem/s-off")
				b.ReportMetric(off.Seconds()/on.Seconds(), "off/on")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
