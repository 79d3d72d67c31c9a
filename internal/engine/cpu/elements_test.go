package cpu_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

// TestConstants stores constants of each element type: one element for all, and one for each.
func TestConstants(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	give := func(e tileir.Elem, data []byte) []byte {
		t.Helper()
		got, err := runTiles(t, d, nil, func(k *kernel, _ vals) *tileir.Value {
			tt := tileir.Tile(e, 8)
			return k.one("constant", nil, attrs{"value": &tileir.Constant{Type: tt, Data: data}}, tt)
		})
		if err != nil {
			t.Fatalf("%s: %v", e, err)
		}
		return got
	}
	check := func(e tileir.Elem, data []byte) {
		t.Helper()
		if got := give(e, data); !bytes.Equal(got, data) {
			t.Errorf("%s: % x, want % x", e, got, data)
		}
		one := data[3*e.Bytes():][:e.Bytes()]
		if got, want := give(e, one), bytes.Repeat(one, 8); !bytes.Equal(got, want) {
			t.Errorf("%s, one for all: % x, want % x", e, got, want)
		}
	}
	for _, e := range sizes {
		check(e, encodeInts(e, []int64{0, 1, -1, 7, -128, 127, 100, -3}))
	}
	for _, f := range formats {
		check(f.elem, f.encode([]float64{0, 1, -1, 0.5, -2, 65504, 3, -0.125}))
	}
	// Truth values are packed, the lowest bit first.
	if got, want := give(tileir.I1, []byte{0b10010110}), []byte{0, 1, 1, 0, 1, 0, 0, 1}; !bytes.Equal(got, want) {
		t.Errorf("i1: %v, want %v", got, want)
	}
}

// TestBitcast sees elements as another type of the same width: the bytes stay.
func TestBitcast(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	for _, c := range []struct{ from, to tileir.Elem }{
		{tileir.F32, tileir.I32}, {tileir.I32, tileir.F32}, {tileir.F64, tileir.I64}, {tileir.I64, tileir.F64}, {tileir.F16, tileir.BF16},
		{tileir.I16, tileir.F16}, {tileir.I8, tileir.F8E4M3FN}, {tileir.F8E5M2, tileir.I8},
	} {
		data := counting(tileir.I8, 16*c.from.Bytes())
		got, err := runTiles(t, d, []input{{c.from, data}}, func(k *kernel, args vals) *tileir.Value {
			return k.one("bitcast", args, nil, tileir.Tile(c.to, 16))
		})
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("bitcast of %s to %s: % x, %v", c.from, c.to, got, err)
		}
	}
	// What follows sees the new type: 1.0 is 0x3f800000.
	got, err := runTiles(t, d, []input{{tileir.F32, bytesOf([]float32{1, -1, 0, 2})}}, func(k *kernel, args vals) *tileir.Value {
		v := k.one("bitcast", args, nil, tileir.Tile(tileir.I32, 4))
		return k.one("addi", vals{v, v}, nil, v.Type)
	})
	if want := []uint32{0x7f000000, 0x7f000000, 0, 0x80000000}; err != nil || !slices.Equal(as[uint32](got), want) {
		t.Errorf("twice the bits of floats: %x, %v, want %x", as[uint32](got), err, want)
	}
}

// TestReshape keeps the order of elements: rows of the new shape are filled one after the other.
func TestReshape(t *testing.T) {
	for _, c := range []struct{ from, to []int }{{[]int{2, 4, 8}, []int{8, 8}}, {[]int{64}, []int{4, 16}}, {[]int{16, 2}, []int{2, 16}}} {
		turned := []int{c.to[1], c.to[0]}
		checkMoved(t, "reshape", [][]int{c.from}, turned, func(k *kernel, e tileir.Elem, args vals) *tileir.Value {
			v := k.one("reshape", args, nil, tileir.Tile(e, c.to...))
			return k.one("permute", vals{v}, attrs{"permutation": tileir.Ints{1, 0}}, tileir.Tile(e, turned...))
		}, func(at []int) (int, int) { return 0, at[1]*c.to[1] + at[0] })
	}
}

// TestCompareAndSwapElements swaps where the value in memory is the expected one and the mask allows it.
func TestCompareAndSwapElements(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	tt := tileir.Tile(tileir.I32, 4)
	k := newKernel(t, tileir.PointerTile(tileir.I32), tileir.PointerTile(tileir.I32))
	numbers := func(v ...int32) *tileir.Value { return constant(k, tt, v...) }
	old := k.opGroups("atomic_cas_tko", []vals{{k.pointersTo(k.entry.Params[0], 0, 1, 2, 3)}, {numbers(1, 9, 3, 4)}, {numbers(10, 20, 30, 40)},
		{k.bools(true, true, true, false)}}, attrs{"memory_ordering_semantics": tileir.MemoryAcqRel, "memory_scope": tileir.ScopeDevice}, nil, tt, tileir.Token)[0]
	k.store(old, k.view(k.entry.Params[1], []int{4}, 4), k.i32(0))
	k.ret()
	mem, olds := upload(t, d, []int32{1, 2, 3, 4}), upload(t, d, make([]int32, 4))
	if err := launch(t, d, k.compile(d), [3]uint32{1, 1, 1}, mem.Address(), olds.Address()); err != nil {
		t.Fatal(err)
	}
	if got, want := elems[int32](mem), []int32{10, 2, 30, 4}; !slices.Equal(got, want) {
		t.Errorf("memory %v, want %v", got, want)
	}
	if got, want := elems[int32](olds)[:3], []int32{1, 2, 3}; !slices.Equal(got, want) {
		t.Errorf("old values %v, want %v", got, want)
	}
}

// TestEntriesOfOneModule compiles two kernels of one module by name and runs both.
func TestEntriesOfOneModule(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	storing := func(name string, v int32) *kernel {
		k := newKernel(t, tileir.PointerTile(tileir.I32))
		k.entry.Name = name
		k.store(constant(k, tileir.Tile(tileir.I32, 1), v), k.view(k.entry.Params[0], []int{1}, 1), k.i32(0))
		k.ret()
		return k
	}
	m := &tileir.Module{Entries: []*tileir.Entry{storing("one", 1).entry, storing("two", 2).entry}}
	if err := tileir.Verify(m, tileir.Newest); err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"one", "two"} {
		kern, err := d.Compile(bg, m, name)
		if err != nil {
			t.Fatal(err)
		}
		buf := upload(t, d, make([]int32, 1))
		if err := launch(t, d, kern, [3]uint32{1, 1, 1}, buf.Address()); err != nil {
			t.Fatal(err)
		}
		if got := elems[int32](buf)[0]; got != int32(i+1) {
			t.Errorf("entry %s stored %d, want %d", name, got, i+1)
		}
	}
	if _, err := d.Compile(bg, m, "three"); err == nil || err.Error() != `cpu: the module has no entry "three"` {
		t.Errorf("an entry that is not there: %v", err)
	}
}
