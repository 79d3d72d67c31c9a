package cpu_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

const f4 = tileir.F4E2M1FN

// randomHalves gives n elements of four bits, and how they lie in memory.
func randomHalves(n int) (elems, memory []byte) {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	memory = make([]byte, (n+1)/2)
	for i := range n {
		x := byte(r.IntN(16))
		elems = append(elems, x)
		memory[i/2] |= x << (i % 2 * 4)
	}
	return elems, memory
}

// storeHalves stores a tile of f4 as bytes of two elements each.
func (k *kernel) storeHalves(v, to *tileir.Value) {
	n := product(v.Type.(*tileir.TileType).Shape)
	flat := k.one("reshape", vals{v}, nil, tileir.Tile(f4, n))
	packed := k.one("pack", vals{flat}, nil, tileir.Tile(tileir.I8, n/2))
	k.store(packed, k.view(to, []int{n / 2}, int64(n/2)), k.i32(0))
}

// TestHalvesThroughViews: elements of four bits lie two to a byte, also where a row or a tile begins in the middle of one.
func TestHalvesThroughViews(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	for _, c := range viewCases {
		for _, dynamic := range []bool{false, true} {
			if !dynamic && slices.Contains(c.strides, 0) {
				continue
			}
			t.Run(fmt.Sprintf("%s/dynamic=%v", c.name, dynamic), func(t *testing.T) {
				n := product(c.tile)
				elems, memory := randomHalves(c.bufferLen)
				src, flat := upload(t, d, memory), upload(t, d, make([]byte, n/2))
				back := upload(t, d, slices.Repeat([]byte{0xee}, len(memory)))
				p := tileir.PointerTile(f4)
				k := newKernel(t, p, tileir.PointerTile(tileir.I8), p)
				v := k.load(c.view(k, k.entry.Params[0], dynamic), c.index(k)...)
				k.storeHalves(v, k.entry.Params[1])
				k.store(v, c.view(k, k.entry.Params[2], dynamic), c.index(k)...)
				k.ret()
				if err := launch(t, d, k.compile(d), [3]uint32{1, 1, 1}, src.Address(), flat.Address(), back.Address()); err != nil {
					t.Fatal(err)
				}
				want := slices.Repeat([]byte{0xee}, len(memory))
				for i := range n {
					elem := byte(0)
					if p := c.where(index(c.tile, i)); p >= 0 {
						elem = elems[p]
						want[p/2] = want[p/2]&^(0xf<<(p%2*4)) | elem<<(p%2*4)
					}
					if g := flat.Host()[i/2] >> (i % 2 * 4) & 0xf; g != elem {
						t.Fatalf("loaded element %v is %x, want %x", index(c.tile, i), g, elem)
					}
				}
				if !slices.Equal(back.Host(), want) {
					t.Fatalf("stored %x, want %x", back.Host(), want)
				}
			})
		}
	}
}

// TestHalvesThroughPointers loads and stores single elements, from the upper half of a byte too, with and without an order
// among blocks; moves pointers back and forth; and reads a global and memory of the block itself.
func TestHalvesThroughPointers(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	elems, memory := randomHalves(8)
	src, out, back := upload(t, d, memory), upload(t, d, make([]byte, 8)), upload(t, d, make([]byte, 4))
	p := tileir.PointerTile(f4)
	k := newKernel(t, p, tileir.PointerTile(tileir.I8), p)
	k.module.Globals = []*tileir.Global{{Name: "table", Value: &tileir.Constant{Type: tileir.Tile(f4, 8), Data: []byte{1, 2, 3, 4, 5, 6, 7, 8}}}}
	weak := attrs{"memory_ordering_semantics": tileir.MemoryWeak}
	relaxed := attrs{"memory_ordering_semantics": tileir.MemoryRelaxed, "memory_scope": tileir.ScopeDevice}
	load := func(at *tileir.Value, as attrs) *tileir.Value {
		return k.op("load_ptr_tko", vals{at}, as, tileir.Tile(f4, 8), tileir.Token)[0]
	}
	order := []int32{3, 0, 7, 7, 1, 2, 5, 4}
	behind := k.one("offset", vals{k.entry.Params[0], k.i32(3)}, nil, p)
	v := load(k.pointersTo(k.one("offset", vals{behind, k.i32(-3)}, nil, p), order...), weak)
	room := k.one("alloca", nil, attrs{"num_elem": tileir.Int(8), "alignment": tileir.Int(16)}, p)
	k.op("store_ptr_tko", vals{k.pointersTo(room, 0, 1, 2, 3, 4, 5, 6, 7), v}, relaxed, tileir.Token)
	v = load(k.pointersTo(room, 0, 1, 2, 3, 4, 5, 6, 7), relaxed)
	g := load(k.pointersTo(k.one("get_global", nil, attrs{"name": tileir.String("table")}, p), 7, 6, 5, 4, 3, 2, 1, 0), weak)
	both := k.one("cat", vals{v, g}, attrs{"dim": tileir.Int(0)}, tileir.Tile(f4, 16))
	k.storeHalves(both, k.entry.Params[1])
	mask := k.bools(true, true, false, true, true, false, true, true)
	k.opGroups("store_ptr_tko", []vals{{k.pointersTo(k.entry.Params[2], order...)}, {v}, {mask}}, weak, nil, tileir.Token)
	k.ret()
	if err := launch(t, d, k.compile(d), [3]uint32{1, 1, 1}, src.Address(), out.Address(), back.Address()); err != nil {
		t.Fatal(err)
	}
	var want []byte
	for _, i := range order {
		want = append(want, elems[i])
	}
	want = append(want, 8, 7, 6, 5, 4, 3, 2, 1)
	for i, w := range want {
		if got := out.Host()[i/2] >> (i % 2 * 4) & 0xf; got != w {
			t.Errorf("element %d is %x, want %x", i, got, w)
		}
	}
	stored := make([]byte, 4) // elements 2 and 6 stay zero; of the two stores to element 7 the mask lets the second through
	for i, x := range elems {
		if i != 2 && i != 6 {
			stored[i/2] |= x << (i % 2 * 4)
		}
	}
	if !slices.Equal(back.Host(), stored) {
		t.Errorf("stored %x, want %x", back.Host(), stored)
	}
}

// TestHalvesByManyBlocks: blocks that store neighbouring halves of bytes do not lose each other's.
func TestHalvesByManyBlocks(t *testing.T) {
	d := newDevice(t, cpu.Options{Workers: 4})
	const n = 999
	out := upload(t, d, make([]byte, (n+1)/2))
	p := tileir.PointerTile(f4)
	k := newKernel(t, p)
	x := k.op("get_tile_block_id", nil, nil, tileir.Tile(tileir.I32), tileir.Tile(tileir.I32), tileir.Tile(tileir.I32))[0]
	at := k.one("offset", vals{k.entry.Params[0], x}, nil, p)
	one := k.one("reshape", vals{at}, nil, tileir.PointerTile(f4, 1))
	two := k.one("broadcast", vals{one}, nil, tileir.PointerTile(f4, 2))
	v := constant(k, tileir.Tile(f4, 2), byte(5), byte(5))
	k.op("store_ptr_tko", vals{two, v}, attrs{"memory_ordering_semantics": tileir.MemoryWeak}, tileir.Token)
	k.ret()
	if err := launch(t, d, k.compile(d), [3]uint32{n, 1, 1}, out.Address()); err != nil {
		t.Fatal(err)
	}
	want := slices.Repeat([]byte{0x55}, (n+1)/2)
	want[n/2] = 5
	if !slices.Equal(out.Host(), want) {
		t.Errorf("stored %x", out.Host())
	}
}

// TestHalvesOutside: a view from the middle of a byte, and an element behind the last, are faults.
func TestHalvesOutside(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	for want, build := range map[string]func(k *kernel, base *tileir.Value){
		"load_view_tko of f4E2M1FN from the middle of the byte at address": func(k *kernel, base *tileir.Value) {
			k.load(k.view(k.one("offset", vals{base, k.i32(1)}, nil, base.Type), []int{4}, 4), k.i32(0))
		},
		"load_view_tko of f4E2M1FN outside memory: elements 0 to 9 from the view's base are bytes 0 to 4 of an allocation of 4 bytes": func(k *kernel, base *tileir.Value) {
			k.load(k.view(base, []int{16}, 10), k.i32(0))
		},
		"element 1: load_ptr_tko of f4E2M1FN outside memory: bytes 4 to 4 of an allocation of 4 bytes": func(k *kernel, base *tileir.Value) {
			k.op("load_ptr_tko", vals{k.pointersTo(base, 7, 8)}, attrs{"memory_ordering_semantics": tileir.MemoryWeak}, tileir.Tile(f4, 2), tileir.Token)
		},
	} {
		k := newKernel(t, tileir.PointerTile(f4))
		build(k, k.entry.Params[0])
		k.ret()
		err := launch(t, d, k.compile(d), [3]uint32{1, 1, 1}, upload(t, d, make([]byte, 4)).Address())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
