package cpu_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/tileir"
)

// A reaching kernel has parameters for two tensors of i32, x and y, and one for results. Each block stores a tile of 64 elements.
const (
	reachElems = 64
	reachSize  = 200 // elements of x and y
)

// reacher makes the value that a block of such a kernel stores.
type reacher func(k *kernel, block, x, y *tileir.Value) *tileir.Value

// everywhere is a tile of one address.
func (k *kernel) everywhere(from *tileir.Value) *tileir.Value {
	one := k.one("reshape", vals{from}, nil, tileir.PointerTile(tileir.I32, 1))
	return k.one("broadcast", vals{one}, nil, tileir.PointerTile(tileir.I32, reachElems))
}

// through loads by offsets from an address.
func (k *kernel) through(from, offsets *tileir.Value) *tileir.Value {
	return k.loadAt(k.everywhere(from), offsets)
}

// loadAt loads by offsets from the addresses of a tile.
func (k *kernel) loadAt(all, offsets *tileir.Value) *tileir.Value {
	n := offsets.Type.(*tileir.TileType).Size()
	at := k.one("offset", vals{all, offsets}, nil, all.Type)
	as := attrs{"memory_ordering_semantics": tileir.MemoryWeak}
	return k.opGroups("load_ptr_tko", []vals{{at}, nil, nil, nil}, as, nil, tileir.Tile(tileir.I32, n), tileir.Token)[0]
}

// counted are numbers from so many on.
func (k *kernel) counted(first int32) *tileir.Value {
	t := tileir.Tile(tileir.I32, reachElems)
	return k.whole("addi", k.one("iota", nil, nil, t), constant(k, t, slices.Repeat([]int32{first}, reachElems)...))
}

// reachers are kernels whose loads follow each other, fail, count from other addresses in each block, or are of no use.
var reachers = map[string]reacher{
	"the second by what the first loads": func(k *kernel, _, x, y *tileir.Value) *tileir.Value {
		return k.through(y, k.through(x, k.counted(3)))
	},
	"the first fails, with a later element": func(k *kernel, _, x, y *tileir.Value) *tileir.Value {
		a := k.through(x, k.counted(reachSize-60))
		b := k.through(y, k.counted(-7))
		return k.whole("addi", a, b)
	},
	"the second fails, as the first does not": func(k *kernel, _, x, y *tileir.Value) *tileir.Value {
		a := k.through(x, k.counted(reachSize-64))
		return k.whole("addi", a, k.through(y, k.counted(reachSize-20)))
	},
	"an address of each block": func(k *kernel, block, x, _ *tileir.Value) *tileir.Value {
		from := k.one("offset", vals{x, k.whole("muli", block, k.i32(17))}, nil, x.Type)
		return k.whole("addi", k.through(from, k.counted(0)), k.counted(5))
	},
	"an address behind the tensor": func(k *kernel, _, x, _ *tileir.Value) *tileir.Value {
		from := k.one("offset", vals{x, k.i32(reachSize + 9)}, nil, x.Type)
		return k.through(from, k.whole("subi", k.counted(0), k.counted(0)))
	},
	"from behind the tensor backwards": func(k *kernel, _, x, _ *tileir.Value) *tileir.Value {
		from := k.one("offset", vals{x, k.i32(reachSize + 9)}, nil, x.Type)
		return k.through(from, k.counted(-100))
	},
	"one tensor or the other": func(k *kernel, block, x, y *tileir.Value) *tileir.Value {
		odd := k.one("cmpi", vals{block, k.i32(1)}, attrs{"comparison_predicate": tileir.CompareEqual, "signedness": tileir.Signed}, tileir.Tile(tileir.I1))
		return k.whole("addi", k.through(k.one("select", vals{odd, x, y}, nil, x.Type), k.counted(0)), k.counted(1))
	},
	"the null pointer": func(k *kernel, _, _, _ *tileir.Value) *tileir.Value {
		null := k.one("int_to_ptr", vals{constant(k, tileir.Tile(tileir.I64), int64(0))}, nil, tileir.PointerTile(tileir.I32))
		return k.through(null, k.counted(0))
	},
	"a load that nobody takes": func(k *kernel, _, x, _ *tileir.Value) *tileir.Value {
		k.through(x, k.counted(-1))
		return k.counted(0)
	},
	"a division by zero behind it": func(k *kernel, block, x, _ *tileir.Value) *tileir.Value {
		a := k.through(x, k.counted(-1))
		q := k.one("divi", vals{k.i32(1), k.whole("subi", block, block)}, attrs{"signedness": tileir.Signed, "rounding": tileir.RoundingZero}, block.Type)
		one := k.one("reshape", vals{q}, nil, tileir.Tile(tileir.I32, 1))
		return k.whole("addi", a, k.one("broadcast", vals{one}, nil, a.Type))
	},
	"beside a tile that begins before its tensor": func(k *kernel, block, x, y *tileir.Value) *tileir.Value {
		from := k.one("offset", vals{x, k.whole("muli", block, k.i32(17))}, nil, x.Type)
		all, view := k.everywhere(from), k.view(y, []int{reachElems}, reachSize)
		before := k.load(view, k.whole("subi", block, k.i32(1)))
		return k.whole("addi", before, k.loadAt(all, k.counted(2)))
	},
	"offsets that wrap around": func(k *kernel, _, x, _ *tileir.Value) *tileir.Value {
		return k.through(x, k.whole("addi", k.counted(1<<30), k.counted(1<<30)))
	},
}

// kernel makes a kernel of it.
func (r reacher) kernel(t *testing.T, wide bool) *kernel {
	p := tileir.PointerTile(tileir.I32)
	k := newKernel(t, p, p, p)
	block := k.ids()[0]
	v := r(k, block, k.entry.Params[0], k.entry.Params[1])
	k.store(v, k.view(k.entry.Params[2], []int{reachElems}, 2*reachElems), block)
	k.ret()
	if wide {
		k.widen()
	}
	return k
}

// reach runs a kernel of two blocks on a device, and gives the results. x has numbers that are offsets of y.
func reach(t *testing.T, d *cpu.Device, r reacher, wide bool) ([]byte, error) {
	return reachOf(t, d, r.kernel(t, wide).compile(d), reachSize)
}

// reachOf is reach where x has so many elements.
func reachOf(t *testing.T, d *cpu.Device, k engine.Kernel, n int) ([]byte, error) {
	x, y := make([]int32, n), make([]int32, reachSize)
	for i := range x {
		x[i] = int32(i * 37 % reachSize)
	}
	for i := range y {
		y[i] = int32(1000 + i)
	}
	out := upload(t, d, make([]int32, 2*reachElems))
	err := launch(t, d, k, [3]uint32{2, 1, 1}, upload(t, d, x).Address(), upload(t, d, y).Address(), out.Address())
	return out.Host(), err
}

// widen makes the offsets of pointers integers of 64 bits.
func (k *kernel) widen() {
	var ops []*tileir.Op
	for _, op := range k.block.Ops {
		if op.Info.Mnemonic == "offset" {
			t := op.Operands[1].Type.(*tileir.TileType)
			k.block.Ops = nil
			op.Operands[1] = k.one("exti", vals{op.Operands[1]}, attrs{"signedness": tileir.Signed}, tileir.Tile(tileir.I64, t.Shape...))
			ops = append(ops, k.block.Ops...)
		}
		ops = append(ops, op)
	}
	k.block.Ops = ops
}

// TestReach: loads through pointers that are part of longer computations give what they give one by one, and their faults are those of the
// first operation in the program, whatever is found first.
func TestReach(t *testing.T) {
	faults := 0
	for name, r := range reachers {
		for _, wide := range []bool{false, true} {
			want, wantErr := reach(t, newDevice(t, cpu.Options{Interpret: true, Workers: 1}), r, wide)
			if wantErr != nil {
				faults++
			}
			for _, l := range cpu.NativeLevels() {
				d := newDevice(t, cpu.Options{Workers: 1})
				cpu.SetLevel(d, l)
				got, err := reach(t, d, r, wide)
				if fmt.Sprint(err) != fmt.Sprint(wantErr) {
					t.Errorf("%s, 64 bits: %v, %s: %v, want %v", name, wide, l, err, wantErr)
				}
				if wantErr == nil && !bytes.Equal(got, want) {
					t.Errorf("%s, 64 bits: %v, %s: %v, want %v", name, wide, l, got, want)
				}
			}
		}
	}
	if faults == 0 || faults == 2*len(reachers) {
		t.Errorf("%d of %d kernels have faults", faults, 2*len(reachers))
	}
}

// TestReachFar: offsets that are differences of addresses in two tensors lead to no memory: machine code looks for elements in one allocation.
func TestReachFar(t *testing.T) {
	far := func(k *kernel, _, x, y *tileir.Value) *tileir.Value {
		address := func(p *tileir.Value) *tileir.Value { return k.one("ptr_to_int", vals{p}, nil, tileir.Tile(tileir.I64)) }
		bytes := k.whole("subi", address(y), address(x))
		elems := k.one("shri", vals{bytes, constant(k, tileir.Tile(tileir.I64), int64(2))}, attrs{"signedness": tileir.Signed}, bytes.Type)
		one := k.one("reshape", vals{elems}, nil, tileir.Tile(tileir.I64, 1))
		all := k.one("broadcast", vals{one}, nil, tileir.Tile(tileir.I64, reachElems))
		return k.through(x, k.whole("addi", all, k.one("iota", nil, nil, all.Type)))
	}
	for _, l := range append(cpu.NativeLevels(), host.LevelNone) {
		d := newDevice(t, cpu.Options{Workers: 1, Interpret: l == host.LevelNone})
		cpu.SetLevel(d, l)
		if _, err := reach(t, d, far, false); err == nil || !strings.Contains(err.Error(), "an offset of more than 274877906944 bytes") {
			t.Errorf("%s: %v", l, err)
		}
	}
}

// TestReachAgain: a kernel whose launch ended with a fault can be launched again.
func TestReachAgain(t *testing.T) {
	for name, r := range reachers {
		want, err := reach(t, newDevice(t, cpu.Options{Interpret: true, Workers: 1}), r, false)
		if err != nil {
			continue
		}
		for _, l := range cpu.NativeLevels() {
			d := newDevice(t, cpu.Options{Workers: 1})
			cpu.SetLevel(d, l)
			k := r.kernel(t, false).compile(d)
			if _, err := reachOf(t, d, k, 3); err == nil {
				t.Errorf("%s, %s: there is no fault", name, l)
			}
			if got, err := reachOf(t, d, k, reachSize); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s, %s: %v, %v, want %v", name, l, got, err, want)
			}
		}
	}
}

// TestOffsetsAroundMemory: offsets of 64 bits whose bytes do not fit in an address lead to no memory, and not around it: of single pointers, of
// loads that are parts of longer computations, and of stores.
func TestOffsetsAroundMemory(t *testing.T) {
	long := tileir.Tile(tileir.I64)
	all := func(k *kernel, n int64) *tileir.Value {
		lots := tileir.Tile(tileir.I64, reachElems)
		count := k.one("iota", nil, nil, lots)
		return k.whole("addi", count, constant(k, lots, slices.Repeat([]int64{n}, reachElems)...))
	}
	for _, n := range []int64{1<<37 + 1, 1 << 40, 1 << 61, 1 << 62, 1<<62 + 3, -1 << 62, -1<<62 + 5, -1 << 63} {
		for name, r := range map[string]reacher{
			"a pointer": func(k *kernel, _, x, _ *tileir.Value) *tileir.Value {
				return k.through(k.one("offset", vals{x, constant(k, long, n)}, nil, x.Type), k.counted(0))
			},
			"a load": func(k *kernel, _, x, _ *tileir.Value) *tileir.Value { return k.through(x, all(k, n)) },
			"a store": func(k *kernel, _, x, _ *tileir.Value) *tileir.Value {
				v, at := k.counted(0), k.everywhere(x)
				at = k.one("offset", vals{at, all(k, n)}, nil, at.Type)
				k.opGroups("store_ptr_tko", []vals{{at}, {v}, nil, nil}, attrs{"memory_ordering_semantics": tileir.MemoryWeak}, nil, tileir.Token)
				return v
			},
		} {
			_, want := reach(t, newDevice(t, cpu.Options{Interpret: true, Workers: 1}), r, false)
			if want == nil || !strings.Contains(want.Error(), "an offset of more than 274877906944 bytes") {
				t.Errorf("%s by %d: %v", name, n, want)
			}
			for _, l := range cpu.NativeLevels() {
				d := newDevice(t, cpu.Options{Workers: 1})
				cpu.SetLevel(d, l)
				if _, err := reach(t, d, r, false); fmt.Sprint(err) != fmt.Sprint(want) {
					t.Errorf("%s by %d, %s: %v, want %v", name, n, l, err, want)
				}
			}
		}
	}
}
