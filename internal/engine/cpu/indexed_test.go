package cpu_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/tileir"
)

// indexedCase reads offsets, and a mask if there is one, and moves elements by pointers that are so far from one address: it loads them,
// stores what it loaded elsewhere, doubles it, and puts that back; or it adds a number to each. Before that, another block does so with
// offsets of 0, so that machine code knows where the tensor is.
type indexedCase struct {
	elem    tileir.Elem
	offsets []int32
	mask    []byte // nil for none
	origin  int32  // bytes behind the tensor's first element
	skew    int32  // and more of them for the second block
	add     bool
	count   func(k *kernel, base, iota *tileir.Value) *tileir.Value // makes the offsets of the first one instead; nil to read them all
}

func (c *indexedCase) kernel(t testing.TB) *kernel {
	n, e := len(c.offsets), c.elem
	k := newKernel(t, tileir.PointerTile(e), tileir.PointerTile(tileir.I32), tileir.PointerTile(tileir.I8), tileir.PointerTile(e))
	block := k.ids()[0]
	tiles := func(param int) *tileir.Value { return k.view(k.entry.Params[param], []int{n}, 2*int64(n)) }
	bytes := k.one("ptr_to_ptr", vals{k.entry.Params[0]}, nil, tileir.PointerTile(tileir.I8))
	whole := attrs{"overflow": tileir.OverflowNone}
	skew := k.one("muli", vals{block, k.i32(c.skew)}, whole, block.Type)
	bytes = k.one("offset", vals{bytes, k.one("addi", vals{k.i32(c.origin), skew}, whole, block.Type)}, nil, bytes.Type)
	from := k.one("reshape", vals{k.one("ptr_to_ptr", vals{bytes}, nil, tileir.PointerTile(e))}, nil, tileir.PointerTile(e, 1))
	all := k.one("broadcast", vals{from}, nil, tileir.PointerTile(e, n))
	at := k.one("offset", vals{all, c.read(k, tiles(1), block)}, nil, all.Type)
	var mask vals
	if c.mask != nil {
		m := k.load(tiles(2), block)
		zero := constant(k, tileir.Tile(tileir.I8, n), make([]int8, n)...)
		mask = vals{k.one("cmpi", vals{m, zero}, attrs{"comparison_predicate": tileir.CompareNotEqual, "signedness": tileir.Signed}, tileir.Tile(tileir.I1, n))}
	}
	tile := tileir.Tile(e, n)
	if c.add {
		one := k.one("constant", nil, attrs{"value": &tileir.Constant{Type: tile, Data: encodeInts(e, slices.Repeat([]int64{-3}, n))}}, tile)
		if c.skew > 0 { // other numbers
			one = k.one("addi", vals{one, k.one("iota", nil, nil, tile)}, whole, tile)
		}
		as := attrs{"memory_ordering_semantics": tileir.MemoryRelaxed, "memory_scope": tileir.ScopeDevice, "mode": tileir.AtomicAdd}
		k.opGroups("atomic_rmw_tko", []vals{{at}, {one}, mask, nil}, as, nil, tile, tileir.Token)
	} else {
		weak := attrs{"memory_ordering_semantics": tileir.MemoryWeak}
		v := k.opGroups("load_ptr_tko", []vals{{at}, mask, nil}, weak, nil, tile, tileir.Token)[0]
		k.store(v, tiles(3), block)
		k.opGroups("store_ptr_tko", []vals{{at}, {k.one("addi", vals{v, v}, whole, tile)}, mask}, weak, nil, tileir.Token)
	}
	k.ret()
	return k
}

// read gives the offsets of a block.
func (c *indexedCase) read(k *kernel, view, block *tileir.Value) *tileir.Value {
	x := k.load(view, block)
	if c.count == nil {
		return x
	}
	first := k.one("extract", vals{x, k.i32(0)}, nil, tileir.Tile(tileir.I32, 1))
	return c.count(k, k.one("broadcast", vals{first}, nil, x.Type), k.one("iota", nil, nil, x.Type))
}

// indexedElems is how many elements the tensor has. Those that are ninety behind the origin are the last ones.
const indexedElems = 140

// run gives what memory holds afterwards.
func (c *indexedCase) run(t *testing.T, d *cpu.Device) ([]byte, error) {
	n := len(c.offsets)
	mask := append(slices.Repeat([]byte{1}, n), c.mask...)
	offsets := append(make([]int32, n), c.offsets...)
	x, y := upload(t, d, randomInput(c.elem, indexedElems, 1).data), upload(t, d, make([]byte, 2*n*c.elem.Bytes()))
	err := launch(t, d, c.kernel(t).compile(d), [3]uint32{2, 1, 1}, x.Address(), upload(t, d, offsets).Address(), upload(t, d, mask).Address(), y.Address())
	return bytes.Join([][]byte{x.Host(), y.Host()}, nil), err
}

// offsetOrders are offsets of elements, from an origin of fifty elements behind the first one on.
var offsetOrders = map[string]func(i int) int32{
	"adjacent": func(i int) int32 { return int32(i % 90) }, "first": func(i int) int32 { return int32(i%90) - 50 }, "last": func(i int) int32 { return int32(i%64) + 26 },
	"backward": func(i int) int32 { return 89 - int32(i%140) }, "third": func(i int) int32 { return int32(i*3%140) - 50 },
	"beyond": func(i int) int32 { return int32(i%64) + 27 }, "before": func(i int) int32 { return int32(i%90) - 51 },
	"greatest": func(i int) int32 { return math.MaxInt32 - 3 + int32(i) }, "least": func(i int) int32 { return math.MinInt32 + int32(i) },
	"bound": func(i int) int32 { return 1<<30 - 2 + int32(i) }, "other bound": func(i int) int32 { return -1<<30 - 2 + int32(i) },
}

// TestIndexed moves elements by offsets from one address with machine code: where all are in the tensor, where a mask holds back those
// that are not, where none does, and where the address is no multiple of the element's size. Memory and faults are those of the
// interpreter.
func TestIndexed(t *testing.T) {
	for _, e := range []tileir.Elem{tileir.I8, tileir.I16, tileir.I32, tileir.I64} {
		for name, order := range offsetOrders {
			for choice := range 8 {
				c := &indexedCase{elem: e, add: choice&4 != 0, origin: int32(50 * e.Bytes())}
				n := 64
				if c.add {
					n = 512 // so that adding up pays
				}
				if c.add && e.Bytes() < 4 {
					continue
				}
				if choice&2 != 0 {
					c.skew = 1
				}
				for i := range n {
					x := order(i)
					c.offsets = append(c.offsets, x)
					if choice&1 != 0 {
						on := byte(i % 7)
						if x < -50 || x >= 90 {
							on = 0
						}
						c.mask = append(c.mask, on)
					}
				}
				t.Run(fmt.Sprint(e, name, choice), func(t *testing.T) { c.compare(t) })
			}
		}
	}
}

// countings make offsets of a number and of numbers that count up.
var countings = map[string]func(k *kernel, base, iota *tileir.Value) *tileir.Value{
	"up":    func(k *kernel, base, iota *tileir.Value) *tileir.Value { return k.whole("addi", base, iota) },
	"after": func(k *kernel, base, iota *tileir.Value) *tileir.Value { return k.whole("addi", iota, base) },
	"less":  func(k *kernel, base, iota *tileir.Value) *tileir.Value { return k.whole("subi", iota, base) },
	"down":  func(k *kernel, base, iota *tileir.Value) *tileir.Value { return k.whole("subi", base, iota) },
	"twice": func(k *kernel, base, iota *tileir.Value) *tileir.Value {
		return k.whole("addi", iota, k.whole("addi", base, iota))
	},
	"same": func(k *kernel, base, iota *tileir.Value) *tileir.Value {
		return k.whole("subi", k.whole("addi", base, iota), iota)
	},
	"more": func(k *kernel, base, iota *tileir.Value) *tileir.Value {
		return k.whole("addi", base, k.whole("subi", iota, constant(k, iota.Type.(*tileir.TileType), slices.Repeat([]int32{3}, iota.Type.(*tileir.TileType).Size())...)))
	},
}

// whole is an operation on integers that may wrap around.
func (k *kernel) whole(name string, x, y *tileir.Value) *tileir.Value {
	return k.one(name, vals{x, y}, attrs{"overflow": tileir.OverflowNone}, x.Type)
}

// TestCountedOffsets moves elements by offsets that count up, where machine code knows that, and by others that look like them: in one
// vector and in several, and where the first ones, which a mask holds back, are before the tensor.
func TestCountedOffsets(t *testing.T) {
	for name, count := range countings {
		for choice := range 8 {
			c := &indexedCase{elem: tileir.I32, origin: 200, count: count, offsets: make([]int32, []int{16, 32}[choice&1])}
			if c.offsets[0] = int32(choice); choice&2 != 0 {
				c.offsets[0] = []int32{-58, 58}[choice>>2]
			}
			for i := range c.offsets {
				if choice&2 != 0 {
					c.mask = append(c.mask, byte(max(0, min(1, i-12))))
				}
			}
			t.Run(fmt.Sprint(name, choice), func(t *testing.T) { c.compare(t) })
		}
	}
}

func (c *indexedCase) compare(t *testing.T) {
	want, wantErr := c.run(t, newDevice(t, cpu.Options{Interpret: true, Workers: 1}))
	for _, l := range cpu.NativeLevels() {
		d := newDevice(t, cpu.Options{Workers: 1})
		cpu.SetLevel(d, l)
		got, err := c.run(t, d)
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Errorf("%s: %v, want %v", l, err, wantErr)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: memory differs", l)
		}
	}
}

// TestIndexedCode: machine code takes offsets of 32 bits where one address is what they count from.
func TestIndexedCode(t *testing.T) {
	target, err := host.Named("avx512")
	if err != nil {
		t.Fatal(err)
	}
	c := &indexedCase{elem: tileir.I32, offsets: make([]int32, 64)}
	x, err := cpu.Explain(t.Context(), c.kernel(t).module, "k", target)
	if err != nil {
		t.Fatal(err)
	}
	for op, want := range map[string]bool{"vpgatherdd": true, "vpscatterdd": true, "vpgatherqd": false, "vpscatterqd": false} {
		if strings.Contains(codeOf(x), op) != want {
			t.Errorf("%s is there: %v, want %v", op, !want, want)
		}
	}
}
