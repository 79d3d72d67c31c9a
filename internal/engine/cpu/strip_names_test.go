package cpu_test

import (
	"math"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/tileir"
)

// places is how many tiles the memory of a namesProgram has.
const places = 6

// renamed gives tiles of a pool a second name, or uses one tile twice: under one name, or under two.
func (p *scalarProgram) renamed(pool vals) vals {
	full := p.tile(tileir.F32)
	rename := func(v *tileir.Value) *tileir.Value {
		row := p.k.one("reshape", vals{v}, nil, tileir.Tile(tileir.F32, p.n))
		if p.rng()%2 == 0 {
			bits := p.k.one("bitcast", vals{row}, nil, tileir.Tile(tileir.I32, p.n))
			row = p.k.one("bitcast", vals{bits}, nil, row.Type)
		}
		return p.k.one("reshape", vals{row}, nil, full)
	}
	v := pool[p.rng()%uint64(len(pool))]
	switch p.rng() % 6 {
	case 0, 1:
		return append(pool, rename(v))
	case 2:
		return append(pool, p.k.one("addf", vals{v, v}, nearest, full))
	case 3:
		return append(pool, p.k.one("mulf", vals{v, rename(v)}, nearest, full))
	}
	return pool
}

// namesProgram is a random program whose tiles have several names: other shapes and types of the same bytes, operands that
// are one tile twice, and tiles that are stored, or overwritten where they were loaded from, and used again later. A plan
// that frees a tile with the last use of one of its names gives a wrong result.
type namesProgram struct {
	scalarProgram
	mem    *tileir.Value
	last   *tileir.Value // the token of the last access
	stored [places]func(i int) float32
}

func (p *namesProgram) flat(e tileir.Elem) *tileir.TileType { return tileir.Tile(e, p.n) }

// as is another name of a tile.
func (p *namesProgram) as(v *tileir.Value, t *tileir.TileType) *tileir.Value {
	op := "reshape"
	if v.Type.(*tileir.TileType).Elem != t.Elem {
		op = "bitcast"
	}
	return p.k.one(op, vals{v}, nil, t)
}

// view sees the memory as tiles in a row or as tiles of the program's shape.
func (p *namesProgram) view(place int) (view *tileir.Value, index vals) {
	if p.rng()%2 == 0 {
		return p.k.view(p.mem, []int{p.n}, int64(places*p.n)), vals{p.k.i32(int32(place))}
	}
	var shape []int64
	for _, n := range p.shape {
		shape, index = append(shape, int64(n)), append(index, p.k.i32(0))
	}
	shape[0] *= places
	index[0] = p.k.i32(int32(place))
	return p.k.view(p.mem, p.shape, shape...), index
}

var weakAccess = attrs{"memory_ordering_semantics": tileir.MemoryWeak}

func (p *namesProgram) load(place int) {
	view, index := p.view(place)
	r := p.k.opGroups("load_view_tko", []vals{{view}, index, {p.last}}, weakAccess, nil, view.Type.(tileir.ViewType).TileType(), tileir.Token)
	p.last = r[1]
	p.floats = append(p.floats, pair[float32]{p.as(r[0], p.tile(tileir.F32)), p.stored[place]})
}

func (p *namesProgram) store(v pair[float32], place int) {
	view, index := p.view(place)
	name := p.as(v.tile, view.Type.(tileir.ViewType).TileType())
	p.last = p.k.opGroups("store_view_tko", []vals{{name}, {view}, index, {p.last}}, weakAccess, nil, tileir.Token)[0]
	p.stored[place] = v.elem
}

// step adds one or a few operations.
func (p *namesProgram) step() {
	k, x, y := p.k, pick(&p.scalarProgram, p.floats), pick(&p.scalarProgram, p.floats)
	if p.rng()%2 == 0 { // what is new is used more often, so that other tiles end early
		x = p.floats[len(p.floats)-1]
	}
	place, full, row := int(p.rng()%places), p.tile(tileir.F32), p.flat(tileir.F32)
	float := func(v *tileir.Value, elem func(i int) float32) {
		p.floats = append(p.floats, pair[float32]{v, remember(p.n, elem)})
	}
	switch p.rng() % 13 {
	case 0: // two names, of which the later one comes through other types
		bits := p.as(p.as(x.tile, row), p.flat(tileir.I32))
		p.floats = append(p.floats, pair[float32]{p.as(p.as(bits, p.tile(tileir.I32)), full), x.elem})
	case 1: // the bits of one or the other
		c := pick(&p.scalarProgram, p.bools)
		bits := p.tile(tileir.I32)
		v := k.one("select", vals{c.tile, p.as(x.tile, bits), p.as(y.tile, bits)}, nil, bits)
		float(p.as(v, full), func(i int) float32 {
			if c.elem(i) {
				return x.elem(i)
			}
			return y.elem(i)
		})
	case 2: // one tile twice, under one name
		o := floatOps[p.rng()%4]
		float(k.one(o.op, vals{x.tile, x.tile}, nearest, full), func(i int) float32 { return o.f(x.elem(i), x.elem(i)) })
	case 3: // one tile twice, under two names of another shape
		o := floatOps[p.rng()%4]
		float(p.as(k.one(o.op, vals{p.as(x.tile, row), p.as(x.tile, row)}, nearest, row), full), func(i int) float32 { return o.f(x.elem(i), x.elem(i)) })
	case 4: // in another shape
		o := floatOps[p.rng()%4]
		float(p.as(k.one(o.op, vals{p.as(x.tile, row), p.as(y.tile, row)}, nearest, row), full), func(i int) float32 { return o.f(x.elem(i), y.elem(i)) })
	case 5: // stored, and still there
		p.store(x, place)
	case 6: // stored twice
		p.store(x, place)
		p.store(x, int(p.rng()%places))
	case 7: // made, stored, and used by what comes next
		float(k.one("mulf", vals{x.tile, y.tile}, nearest, full), func(i int) float32 { return x.elem(i) * y.elem(i) })
		p.store(p.floats[len(p.floats)-1], place)
	case 8:
		p.load(place)
	case 9: // divisions want operands that nobody changes
		a, b := pick(&p.scalarProgram, p.ints), pick(&p.scalarProgram, p.ints)
		by := k.one("ori", vals{b.tile, constant(k, p.tile(tileir.I32), int32(1))}, nil, p.tile(tileir.I32))
		v := k.one("divi", vals{a.tile, by}, attrs{"signedness": tileir.Signed, "rounding": tileir.RoundingZero}, p.tile(tileir.I32))
		p.ints = append(p.ints, pair[int32]{v, remember(p.n, func(i int) int32 { return a.elem(i) / (b.elem(i) | 1) })})
	case 10:
		if p.rng()%3 == 0 {
			p.loop()
			break
		}
		p.exchange(place, int(p.rng()%places))
	default:
		p.scalarProgram.step()
	}
}

// exchange loads two tiles, which nothing else uses, and stores them, or their sum and the second, the other way round: what
// a strip still reads where it lies is overwritten before.
func (p *namesProgram) exchange(a, b int) {
	p.load(a)
	p.load(b)
	n := len(p.floats)
	x, y := p.floats[n-2], p.floats[n-1]
	if p.floats = p.floats[:n-2]; p.rng()%2 == 0 {
		first := x
		v := p.k.one("addf", vals{x.tile, y.tile}, nearest, p.tile(tileir.F32))
		x = pair[float32]{v, remember(p.n, func(i int) float32 { return first.elem(i) + y.elem(i) })}
	}
	p.store(x, b)
	p.store(y, a)
}

// TestStripsNames runs programs of tiles with several names in strips of some lengths and without, with the operations in
// order and shuffled. Plain Go, one element at a time, says what memory holds at the end.
func TestStripsNames(t *testing.T) {
	shapes := [][]int{{4096}, {4, 64}, {2, 32, 64}, {1024}, {64}, {1024, 2}, {16, 128}}
	type way struct {
		*cpu.Device
		strip   int
		reorder uint64
	}
	var ways []way
	for _, strip := range []int{-1, 64, 1000, 1024} {
		for reorder := range uint64(3) {
			o := cpu.Options{Workers: 1, Reorder: reorder, Interpret: strip != 1000} // machine code takes no strips
			ways = append(ways, way{newDevice(t, cpu.WithStrip(o, strip)), strip, reorder})
		}
	}
	found, finite, all := map[string]int{}, 0, 0
	seeds := 60
	if testenv.Few() {
		seeds = 8
	}
	for seed := range seeds {
		p := &namesProgram{}
		p.shape, p.rng = shapes[seed%len(shapes)], generator(uint64(seed)+500)
		p.n = product(p.shape)
		x, y, z := randomFloats(places*p.n, uint64(seed), 8), make([]int32, p.n), make([]byte, p.n)
		for i, rng := 0, generator(uint64(seed)); i < p.n; i++ {
			y[i], z[i] = int32(rng()>>40)-1<<22, byte(rng()&1)
		}
		p.k = newKernel(t, tileir.PointerTile(tileir.F32), tileir.PointerTile(tileir.I32), tileir.PointerTile(tileir.I1))
		p.mem = p.k.entry.Params[0]
		p.last = p.k.one("make_token", nil, nil, tileir.Token)
		for place := range places {
			p.stored[place] = func(i int) float32 { return x[place*p.n+i] }
		}
		p.load(0)
		p.load(1)
		for i, e := range []tileir.Elem{tileir.I32, tileir.I1} {
			v := p.as(p.k.load(p.k.view(p.k.entry.Params[1+i], []int{p.n}, int64(p.n)), p.k.i32(0)), p.tile(e))
			if e == tileir.I32 {
				p.ints = []pair[int32]{{v, func(i int) int32 { return y[i] }}}
			} else {
				p.bools = []pair[bool]{{v, func(i int) bool { return z[i] != 0 }}}
			}
		}
		for range 40 {
			p.step()
		}
		p.store(p.floats[len(p.floats)-1], 0)
		p.store(p.floats[len(p.floats)/2], 1)
		p.k.ret()
		want := make([]float32, len(x))
		for i := range want {
			want[i] = p.stored[i/p.n](i % p.n)
			if all++; !math.IsNaN(float64(want[i])) && !math.IsInf(float64(want[i]), 0) {
				finite++
			}
		}
		for _, w := range ways {
			d, mem := w.Device, upload(t, w.Device, x)
			if err := launch(t, d, p.k.compile(d), [3]uint32{1, 1, 1}, mem.Address(), upload(t, d, y).Address(), upload(t, d, z).Address()); err != nil {
				t.Fatalf("seed %d, strips of %d, shuffle %d: %v", seed, w.strip, w.reorder, err)
			}
			for i, got := range elems[float32](mem) {
				if !same(float64(got), float64(want[i])) {
					t.Fatalf("seed %d, strips of %d, shuffle %d: place %d, element %d is %v, want %v", seed, w.strip, w.reorder, i/p.n, i%p.n, got, want[i])
				}
			}
			if err := mem.Free(); err != nil {
				t.Fatal(err)
			}
			for _, run := range cpu.Runs(d, p.k.entry) {
				found["runs"]++
				for _, op := range run {
					found[op]++
				}
			}
		}
	}
	// A test of strips whose programs have none would say nothing.
	for _, op := range []string{"runs", "reshape", "bitcast", "select", "divi", "load_view_tko", "store_view_tko"} {
		if found[op] < seeds {
			t.Errorf("the strips of all programs have %d %s", found[op], op)
		}
	}
	if finite < all*3/4 { // nor would one of NaN alone
		t.Errorf("%d of %d elements are finite", finite, all)
	}
	t.Logf("in strips: %v; %d of %d elements are finite", found, finite, all)
}
