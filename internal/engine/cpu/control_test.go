package cpu_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

// scalarKernel runs a kernel of scalars that gives some numbers.
func scalarKernel(t *testing.T, d *cpu.Device, e tileir.Elem, build func(k *kernel) vals) ([]int64, error) {
	t.Helper()
	k := newKernel(t, tileir.PointerTile(e))
	out := build(k)
	for i, v := range out {
		at := k.one("offset", vals{k.entry.Params[0], k.i32(int32(i))}, nil, k.entry.Params[0].Type)
		k.op("store_ptr_tko", vals{at, v}, attrs{"memory_ordering_semantics": tileir.MemoryWeak}, tileir.Token)
	}
	k.ret()
	buf := upload(t, d, make([]byte, (len(out)+1)*e.Bytes()))
	if err := launch(t, d, k.compile(d), [3]uint32{1, 1, 1}, buf.Address()); err != nil {
		return nil, err
	}
	var got []int64
	for _, v := range decodeInts(e, buf.Host()[:len(out)*e.Bytes()], true) {
		got = append(got, v.Int64())
	}
	return got, nil
}

func TestForBounds(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	for _, e := range []tileir.Elem{tileir.I8, tileir.I16, tileir.I32, tileir.I64} {
		least, greatest := int64(-1)<<(e.Bits()-1), int64(1)<<(e.Bits()-1)-1
		for _, c := range []struct {
			lo, hi, step int64
			unsigned     bool
			trips, last  int64
		}{
			{0, 10, 1, false, 10, 9}, {0, 10, 3, false, 4, 9}, {5, 5, 1, false, 0, -7}, {6, 5, 1, false, 0, -7}, {-3, 2, 2, false, 3, 1},
			{greatest - 2, greatest, 4, false, 1, greatest - 2}, {least, least + 2, 1, false, 2, least + 1},
			{0, -2, 100, true, -1, 0}, {-3, -1, 1, true, 2, -2}, {5, -1, 0x7f, true, -1, 0}, {-1, 5, 1, true, 0, -7},
		} {
			if c.trips < 0 { // counted in full width
				if e != tileir.I8 {
					continue
				}
				c.trips = ((c.hi & 0xff) - (c.lo & 0xff) + c.step - 1) / c.step
				c.last = int64(int8(c.lo + (c.trips-1)*c.step))
			}
			got, err := scalarKernel(t, d, e, func(k *kernel) vals {
				s := tileir.Tile(e)
				num := func(v int64) *tileir.Value {
					return k.one("constant", nil, attrs{"value": &tileir.Constant{Type: s, Data: encodeInts(e, []int64{v})}}, s)
				}
				one := num(1)
				body := k.region([]tileir.Type{s, s, s}, func(a vals) {
					k.opGroups("continue", []vals{{k.one("addi", vals{a[1], one}, nil, s), a[0]}}, nil, nil)
				})
				as := attrs{}
				if c.unsigned {
					as["unsignedCmp"] = tileir.Bool(true)
				}
				return k.opGroups("for", []vals{{num(c.lo)}, {num(c.hi)}, {num(c.step)}, {num(0), num(-7)}}, as, []*tileir.Block{body}, s, s)
			})
			if err != nil || !slices.Equal(got, []int64{c.trips, c.last}) {
				t.Errorf("%s: for %+v gives %v, %v", e, c, got, err)
			}
		}
	}
	_, err := scalarKernel(t, d, tileir.I32, func(k *kernel) vals {
		body := k.region([]tileir.Type{tileir.Tile(tileir.I32)}, func(vals) { k.opGroups("continue", []vals{{}}, nil, nil) })
		k.opGroups("for", []vals{{k.i32(0)}, {k.i32(4)}, {k.i32(0)}, {}}, nil, []*tileir.Block{body})
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "for: the step must be positive, but it is 0") {
		t.Errorf("step 0: %v", err)
	}
}

// TestCarriedSwap exchanges carried values, tiles and scalars, so that moves depend on one another.
func TestCarriedSwap(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	s := tileir.Tile(tileir.I32)
	got, err := scalarKernel(t, d, tileir.I32, func(k *kernel) vals {
		body := k.region([]tileir.Type{s, s, s, s}, func(a vals) { // Fibonacci, and a rotation
			sum := k.one("addi", vals{a[1], a[2]}, nil, s)
			_ = sum
			k.opGroups("continue", []vals{{a[2], sum, a[1]}}, nil, nil)
		})
		return k.opGroups("for", []vals{{k.i32(0)}, {k.i32(10)}, {k.i32(1)}, {k.i32(0), k.i32(1), k.i32(0)}}, nil, []*tileir.Block{body}, s, s, s)
	})
	if err != nil || !slices.Equal(got, []int64{55, 89, 34}) {
		t.Errorf("%v, %v", got, err)
	}
	x, y := []float32{1, 2, 3, 4}, []float32{5, 6, 7, 8}
	res, err := runTiles(t, d, []input{{tileir.F32, bytesOf(x)}, {tileir.F32, bytesOf(y)}}, func(k *kernel, args vals) *tileir.Value {
		tt := tileir.Tile(tileir.F32, 4)
		body := k.region([]tileir.Type{s, tt, tt}, func(a vals) { k.opGroups("continue", []vals{{a[2], a[1]}}, nil, nil) })
		r := k.opGroups("for", []vals{{k.i32(0)}, {k.i32(3)}, {k.i32(1)}, args}, nil, []*tileir.Block{body}, tt, tt)
		return k.one("subf", r, nearest, tt)
	})
	if err != nil || !slices.Equal(as[float32](res), []float32{4, 4, 4, 4}) {
		t.Errorf("%v, %v", as[float32](res), err)
	}
}

// TestCollatz nests if, loop, break and continue: the number of steps to 1.
func TestCollatz(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	s, b := tileir.Tile(tileir.I64), tileir.Tile(tileir.I1)
	eq := attrs{"comparison_predicate": tileir.CompareEqual, "signedness": tileir.Signed}
	steps := func(n int64) (count int64) {
		for ; n != 1; count++ {
			if n%2 == 0 {
				n /= 2
			} else {
				n = 3*n + 1
			}
		}
		return count
	}
	for _, n := range []int64{1, 2, 7, 27, 97} {
		got, err := scalarKernel(t, d, tileir.I64, func(k *kernel) vals {
			num := func(v int64) *tileir.Value { return constant(k, s, v) }
			zero, one, two, three := num(0), num(1), num(2), num(3)
			body := k.region([]tileir.Type{s, s}, func(a vals) {
				done := k.one("cmpi", vals{a[0], one}, eq, b)
				next := k.one("addi", vals{a[1], one}, nil, s)
				leave := k.region(nil, func(vals) { k.opGroups("break", []vals{{a[1], a[0]}}, nil, nil) })
				k.opGroups("if", []vals{{done}}, nil, []*tileir.Block{leave, {}})
				even := k.one("cmpi", vals{k.one("remi", vals{a[0], two}, attrs{"signedness": tileir.Signed}, s), zero}, eq, b)
				half := k.region(nil, func(vals) {
					k.opGroups("continue", []vals{{k.one("shri", vals{a[0], one}, attrs{"signedness": tileir.Signed}, s), next}}, nil, nil)
				})
				more := k.region(nil, func(vals) {
					k.opGroups("yield", []vals{{k.one("muli", vals{a[0], three}, nil, s)}}, nil, nil)
				})
				r := k.opGroups("if", []vals{{even}}, nil, []*tileir.Block{half, more}, s)
				k.opGroups("continue", []vals{{k.one("addi", vals{r[0], one}, nil, s), next}}, nil, nil)
			})
			return k.opGroups("loop", []vals{{num(n), zero}}, nil, []*tileir.Block{body}, s, s)
		})
		if err != nil || !slices.Equal(got, []int64{steps(n), 1}) {
			t.Errorf("%d: %v, %v, want %d", n, got, err, steps(n))
		}
	}
}

func TestReturnEarly(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	k := newKernel(t, tileir.PointerTile(tileir.I32))
	id := k.ids()[0]
	odd := k.one("trunci", vals{id}, nil, tileir.Tile(tileir.I1))
	then := k.region(nil, func(vals) { k.ret() })
	k.opGroups("if", []vals{{odd}}, nil, []*tileir.Block{then, nil})
	v := k.one("reshape", vals{id}, nil, tileir.Tile(tileir.I32, 1))
	k.store(v, k.view(k.entry.Params[0], []int{1}, 8), id)
	k.ret()
	buf := upload(t, d, slices.Repeat([]int32{-1}, 8))
	if err := launch(t, d, k.compile(d), [3]uint32{8, 1, 1}, buf.Address()); err != nil {
		t.Fatal(err)
	}
	if want := []int32{0, -1, 2, -1, 4, -1, 6, -1}; !slices.Equal(elems[int32](buf), want) {
		t.Errorf("%v", elems[int32](buf))
	}
}

func TestGridAndParameters(t *testing.T) {
	d := newDevice(t, cpu.Options{Workers: 3})
	types := []tileir.Type{tileir.PointerTile(tileir.I64), tileir.Tile(tileir.I1), tileir.Tile(tileir.I8), tileir.Tile(tileir.I16), tileir.Tile(tileir.I32), tileir.Tile(tileir.I64)}
	k := newKernel(t, types...)
	s, wide := tileir.Tile(tileir.I32), tileir.Tile(tileir.I64)
	sum := k.entry.Params[5]
	for _, p := range k.entry.Params[1:5] {
		sum = k.one("addi", vals{sum, k.one("exti", vals{p}, attrs{"signedness": tileir.Unsigned}, wide)}, nil, wide)
	}
	id, grid := k.ids(), k.op("get_num_tile_blocks", nil, nil, s, s, s)
	at := k.one("addi", vals{k.one("muli", vals{k.one("addi", vals{k.one("muli", vals{id[2], grid[1]}, nil, s), id[1]}, nil, s), grid[0]}, nil, s), id[0]}, nil, s)
	v := k.one("addi", vals{sum, k.one("exti", vals{at}, attrs{"signedness": tileir.Signed}, wide)}, nil, wide)
	k.store(k.one("reshape", vals{v}, nil, tileir.Tile(tileir.I64, 1)), k.view(k.entry.Params[0], []int{1}, 3*5*7), at)
	k.ret()
	buf := upload(t, d, make([]int64, 3*5*7))
	if err := launch(t, d, k.compile(d), [3]uint32{3, 5, 7}, buf.Address(), 1, 200, 60000, 4e9, 1<<40); err != nil {
		t.Fatal(err)
	}
	for i, v := range elems[int64](buf) {
		if want := 1<<40 + 1 + 200 + 60000 + int64(4e9) + int64(i); v != want {
			t.Fatalf("block %d wrote %d, want %d", i, v, want)
		}
	}
}

func TestGlobalsAndAlloca(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	k := newKernel(t, tileir.PointerTile(tileir.F32))
	k.module.Globals = []*tileir.Global{{Name: "table", Value: &tileir.Constant{Type: tileir.Tile(tileir.F32, 4), Data: bytesOf([]float32{1, 2, 3, 4})}}}
	p, tt := tileir.PointerTile(tileir.F32), tileir.Tile(tileir.F32, 4)
	g := k.one("get_global", nil, attrs{"name": tileir.String("table")}, p)
	room := k.one("alloca", nil, attrs{"num_elem": tileir.Int(8), "alignment": tileir.Int(16)}, p)
	v := k.load(k.view(g, []int{4}, 4), k.i32(0))
	k.store(v, k.view(room, []int{4}, 8), k.i32(1))
	sum := k.one("addf", vals{k.load(k.view(room, []int{4}, 8), k.i32(1)), k.load(k.view(room, []int{4}, 8), k.i32(0))}, nearest, tt)
	k.store(sum, k.view(k.entry.Params[0], []int{4}, 4), k.i32(0))
	k.store(k.one("addf", vals{v, v}, nearest, tt), k.view(g, []int{4}, 4), k.i32(0))
	k.ret()
	buf := upload(t, d, make([]float32, 4))
	kern := k.compile(d)
	for i := range 3 { // globals keep what a launch stored
		if err := launch(t, d, kern, [3]uint32{1, 1, 1}, buf.Address()); err != nil {
			t.Fatal(err)
		}
		if got := elems[float32](buf); got[3] != float32(4*math.Pow(2, float64(i))) {
			t.Fatalf("launch %d: %v", i, got)
		}
	}
	if err := kern.Close(); err != nil {
		t.Fatal(err)
	}
}
