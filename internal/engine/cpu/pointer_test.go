package cpu_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"unsafe"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

// pointersTo makes a tile of pointers to the first n elements behind a base, in an order.
func (k *kernel) pointersTo(base *tileir.Value, order ...int32) *tileir.Value {
	e, n := base.Type.(*tileir.TileType).Elem, len(order)
	one := k.one("reshape", vals{base}, nil, tileir.PointerTile(e, 1))
	all := k.one("broadcast", vals{one}, nil, tileir.PointerTile(e, n))
	return k.one("offset", vals{all, constant(k, tileir.Tile(tileir.I32, n), order...)}, nil, tileir.PointerTile(e, n))
}

func TestPointerLoadStore(t *testing.T) {
	for _, interpret := range []bool{true, false} {
		testPointerLoadStore(t, newDevice(t, cpu.Options{Interpret: interpret}))
	}
}

func testPointerLoadStore(t *testing.T, d *cpu.Device) {
	order := []int32{3, 0, 7, 7, 1, 2, 100, -100}
	mask := []bool{true, true, true, false, true, true, false, false}
	for _, e := range sizes {
		for _, strong := range []tileir.Int{tileir.MemoryWeak, tileir.MemoryRelaxed} {
			as := attrs{"memory_ordering_semantics": strong}
			if strong != tileir.MemoryWeak {
				as["memory_scope"] = tileir.ScopeDevice
			}
			src, out, back := upload(t, d, counting(e, 8)), upload(t, d, make([]byte, 8*e.Bytes())), upload(t, d, make([]byte, 8*e.Bytes()))
			p := tileir.PointerTile(e)
			k := newKernel(t, p, p, p)
			m := k.bools(mask...)
			pad := k.one("constant", nil, attrs{"value": &tileir.Constant{Type: tileir.Tile(e, 8), Data: encodeInts(e, []int64{-1})}}, tileir.Tile(e, 8))
			v := k.opGroups("load_ptr_tko", []vals{{k.pointersTo(k.entry.Params[0], order...)}, {m}, {pad}}, as, nil, tileir.Tile(e, 8), tileir.Token)[0]
			k.store(v, k.view(k.entry.Params[1], []int{8}, 8), k.i32(0))
			k.opGroups("store_ptr_tko", []vals{{k.pointersTo(k.entry.Params[2], order...)}, {v}, {m}}, as, nil, tileir.Token)
			k.ret()
			if err := launch(t, d, k.compile(d), [3]uint32{1, 1, 1}, src.Address(), out.Address(), back.Address()); err != nil {
				t.Fatal(err)
			}
			if want := encodeInts(e, []int64{3, 0, 7, -1, 1, 2, -1, -1}); !slices.Equal(out.Host(), want) {
				t.Errorf("%s: loaded %v, want %v", e, out.Host(), want)
			}
			if want := encodeInts(e, []int64{0, 1, 2, 3, 0, 0, 0, 7}); !slices.Equal(back.Host(), want) {
				t.Errorf("%s: stored %v, want %v", e, back.Host(), want)
			}
		}
	}
}

func TestPointerCasts(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	buf := upload(t, d, []uint32{0x3f800000, 5})
	p, ip := tileir.PointerTile(tileir.F32), tileir.PointerTile(tileir.I32)
	k := newKernel(t, p)
	i64 := tileir.Tile(tileir.I64)
	n := k.one("ptr_to_int", k.entry.Params, nil, i64)
	n = k.one("addi", vals{n, constant(k, i64, int64(4))}, nil, i64)
	q := k.one("int_to_ptr", vals{n}, nil, p)
	q = k.one("ptr_to_ptr", vals{q}, nil, ip)
	v := k.op("load_ptr_tko", vals{k.one("ptr_to_ptr", k.entry.Params, nil, ip)}, attrs{"memory_ordering_semantics": tileir.MemoryWeak}, tileir.Tile(tileir.I32), tileir.Token)[0]
	k.op("store_ptr_tko", vals{q, v}, attrs{"memory_ordering_semantics": tileir.MemoryWeak}, tileir.Token)
	k.ret()
	if err := launch(t, d, k.compile(d), [3]uint32{1, 1, 1}, buf.Address()); err != nil {
		t.Fatal(err)
	}
	if got := elems[uint32](buf); got[1] != 0x3f800000 {
		t.Errorf("%x", got)
	}
}

// rmwCase is a mode with its element type, a start value, the argument of every block, and the end value.
type rmwCase struct {
	mode  tileir.Int
	elem  tileir.Elem
	start uint64
	arg   uint64
	end   uint64
}

func rmwCases(blocks uint64) []rmwCase {
	f32, f64 := func(x float32) uint64 { return uint64(math.Float32bits(x)) }, math.Float64bits
	f16 := func(x float32) uint64 { return uint64(dtype.Float16FromFloat32(x)) }
	bf16 := func(x float32) uint64 { return uint64(dtype.BFloat16FromFloat32(x)) }
	n := float32(blocks)
	cases := []rmwCase{
		{tileir.AtomicAddF, tileir.F32, f32(1), f32(0.5), f32(1 + n/2)}, {tileir.AtomicAddF, tileir.F64, f64(1), f64(0.5), f64(1 + float64(blocks)/2)},
		{tileir.AtomicAddF, tileir.F16, f16(1), f16(0.5), f16(1 + n/2)}, {tileir.AtomicAddF, tileir.BF16, bf16(1), bf16(0.5), bf16(1 + n/2)},
		{tileir.AtomicXchg, tileir.F32, f32(1), f32(2), f32(2)}, {tileir.AtomicXchg, tileir.F64, f64(1), f64(2), f64(2)},
	}
	for _, e := range []tileir.Elem{tileir.I32, tileir.I64} {
		mask := uint64(1)<<(e.Bits()-1)<<1 - 1
		minus := ^uint64(4) & mask // -5
		cases = append(cases, rmwCase{tileir.AtomicAdd, e, 7, 3, 7 + 3*blocks}, rmwCase{tileir.AtomicAnd, e, 0xff, 0x3c, 0x3c},
			rmwCase{tileir.AtomicOr, e, 1, 6, 7}, rmwCase{tileir.AtomicXor, e, 0xf0, 0xff, 0xf0 ^ 0xff*(blocks&1)},
			rmwCase{tileir.AtomicMax, e, minus, 3, 3}, rmwCase{tileir.AtomicMin, e, 3, minus, minus},
			rmwCase{tileir.AtomicUMax, e, 3, minus, minus}, rmwCase{tileir.AtomicUMin, e, minus, 3, 3}, rmwCase{tileir.AtomicXchg, e, 1, 2, 2})
	}
	return cases
}

func TestAtomics(t *testing.T) {
	const blocks = 201
	d := newDevice(t, cpu.Options{Workers: 4})
	for _, c := range rmwCases(blocks) {
		t.Run(fmt.Sprintf("%d/%s", c.mode, c.elem), func(t *testing.T) {
			w := c.elem.Bytes()
			one := func(v uint64) []byte { return encodeInts(c.elem2(), []int64{int64(v)}) }
			data := slices.Repeat(one(c.start), 4)
			buf, red, olds := upload(t, d, data), upload(t, d, data), upload(t, d, make([]byte, 4*w*blocks))
			p := tileir.PointerTile(c.elem)
			k := newKernel(t, p, p, p)
			tt := tileir.Tile(c.elem, 4)
			arg := k.one("constant", nil, attrs{"value": &tileir.Constant{Type: tt, Data: one(c.arg)}}, tt)
			as := attrs{"memory_ordering_semantics": tileir.MemoryRelaxed, "memory_scope": tileir.ScopeDevice, "mode": c.mode}
			old := k.opGroups("atomic_rmw_tko", []vals{{k.pointersTo(k.entry.Params[0], 0, 1, 2, 3)}, {arg}, {k.bools(true, true, false, true)}}, as, nil, tt, tileir.Token)[0]
			k.store(old, k.view(k.entry.Params[2], []int{4}, 4*blocks), k.ids()[0])
			if c.mode != tileir.AtomicXchg {
				v := k.partition(k.entry.Params[1], []int{4}, nil, tileir.NoPadding, []int64{3}, []int64{1})
				k.opGroups("atomic_red_view_tko", []vals{{v}, {k.i32(0)}, {arg}}, as, nil, tileir.Token)
			}
			k.ret()
			if err := launch(t, d, k.compile(d), [3]uint32{blocks, 1, 1}, buf.Address(), red.Address(), olds.Address()); err != nil {
				t.Fatal(err)
			}
			want := slices.Concat(one(c.end), one(c.end), one(c.start), one(c.end))
			if !slices.Equal(buf.Host(), want) {
				t.Errorf("rmw: %x, want %x", buf.Host(), want)
			}
			if c.mode != tileir.AtomicXchg {
				if want := slices.Concat(one(c.end), one(c.end), one(c.end), one(c.start)); !slices.Equal(red.Host(), want) {
					t.Errorf("red: %x, want %x", red.Host(), want)
				}
			}
			first := 0 // exactly one block saw the start value, when values change for good
			for b := range blocks {
				if slices.Equal(olds.Host()[4*w*b:][:w], one(c.start)) {
					first++
				}
				if !slices.Equal(olds.Host()[4*w*b+2*w:][:w], make([]byte, w)) {
					t.Fatal("a masked element has an old value")
				}
			}
			if c.mode == tileir.AtomicAdd && first != 1 {
				t.Errorf("%d blocks saw the start value", first)
			}
		})
	}
}

// elem2 is the integer type as wide as the element.
func (c rmwCase) elem2() tileir.Elem {
	return map[int]tileir.Elem{2: tileir.I16, 4: tileir.I32, 8: tileir.I64}[c.elem.Bytes()]
}

// TestCompareAndSwap builds a lock-free counter from compare-and-swap in a loop.
func TestCompareAndSwap(t *testing.T) {
	const blocks = 100
	d := newDevice(t, cpu.Options{Workers: 4})
	for _, e := range []tileir.Elem{tileir.I32, tileir.I64} {
		s := tileir.Tile(e)
		k := newKernel(t, tileir.PointerTile(e))
		one := k.one("constant", nil, attrs{"value": &tileir.Constant{Type: s, Data: encodeInts(e, []int64{1})}}, s)
		zero := k.one("constant", nil, attrs{"value": &tileir.Constant{Type: s, Data: encodeInts(e, []int64{0})}}, s)
		as := attrs{"memory_ordering_semantics": tileir.MemoryAcqRel, "memory_scope": tileir.ScopeDevice}
		body := k.region([]tileir.Type{s}, func(args vals) {
			next := k.one("addi", vals{args[0], one}, nil, s)
			old := k.op("atomic_cas_tko", vals{k.entry.Params[0], args[0], next}, as, s, tileir.Token)[0]
			same := k.one("cmpi", vals{old, args[0]}, attrs{"comparison_predicate": tileir.CompareEqual, "signedness": tileir.Signed}, tileir.Tile(tileir.I1))
			then := k.region(nil, func(vals) { k.opGroups("break", []vals{{}}, nil, nil) })
			k.opGroups("if", []vals{{same}}, nil, []*tileir.Block{then, nil})
			k.opGroups("continue", []vals{{old}}, nil, nil)
		})
		k.opGroups("loop", []vals{{zero}}, nil, []*tileir.Block{body})
		k.ret()
		buf := upload(t, d, make([]byte, 8))
		if err := launch(t, d, k.compile(d), [3]uint32{blocks, 1, 1}, buf.Address()); err != nil {
			t.Fatal(err)
		}
		if got := elems[int64](buf)[0]; got != blocks {
			t.Errorf("%s: counter is %d, want %d", e, got, blocks)
		}
	}
}

// TestAllocAt makes buffers whose addresses are aligned as other memory is, and steps out of them on both sides.
func TestAllocAt(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	k := newKernel(t, tileir.PointerTile(tileir.I8))
	k.op("load_ptr_tko", vals{k.entry.Params[0]}, attrs{"memory_ordering_semantics": tileir.MemoryWeak}, tileir.Tile(tileir.I8), tileir.Token)
	k.ret()
	kern := k.compile(d)
	for _, skew := range []uint8{0, 1, 16, 255} {
		b, err := d.AllocAt(10, skew)
		if err != nil {
			t.Fatal(err)
		}
		if b.Address()%256 != uint64(skew) || uintptr(unsafe.Pointer(&b.Host()[0]))%256 != uintptr(skew) || len(b.Host()) != 10 {
			t.Errorf("skew %d: address %#x, memory at %p with %d bytes", skew, b.Address(), &b.Host()[0], len(b.Host()))
		}
		for at := -2; at < 12; at++ {
			err := launch(t, d, kern, [3]uint32{1, 1, 1}, b.Address()+uint64(at))
			if inside := at >= 0 && at < 10; (err == nil) != inside {
				t.Errorf("skew %d, byte %d: %v", skew, at, err)
			}
		}
	}
}
