package cpu_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

// atomicOrders are the elements of memory that elements of a tile change.
var atomicOrders = map[string]func(i, n int) int{
	"adjacent": func(i, n int) int { return i }, "odd": func(i, n int) int { return i + 1 }, "third": func(i, n int) int { return i + 3 },
	"backward": func(i, n int) int { return n - i }, "same": func(i, n int) int { return i / 4 }, "beyond": func(i, n int) int { return i + 10 },
}

// atomicModes are the updates by the kind of elements. Nil is a comparison.
var atomicModes = map[bool][]tileir.Attr{
	true: {tileir.AtomicAddF, tileir.AtomicXchg, nil},
	false: {tileir.AtomicAdd, tileir.AtomicAnd, tileir.AtomicOr, tileir.AtomicXor, tileir.AtomicMax, tileir.AtomicMin, tileir.AtomicUMax, tileir.AtomicUMin,
		tileir.AtomicXchg, nil},
}

// atomicCase is a kernel that changes memory atomically.
type atomicCase struct {
	elem        tileir.Elem
	n           int
	order       func(i, n int) int
	mode        tileir.Attr
	masked, old bool
}

// kernel makes the kernel. It stores the old values to another tensor, those of each block apart, if they are wanted.
func (c *atomicCase) kernel(t *testing.T, blocks int64) *kernel {
	k := newKernel(t, tileir.PointerTile(c.elem), tileir.PointerTile(c.elem))
	var at []int32
	var mask []bool
	for i := range c.n {
		x := c.order(i, c.n)
		at, mask = append(at, int32(x)), append(mask, i%5 != 3 && x < c.n+4)
	}
	full := tileir.Tile(c.elem, c.n)
	number := func(seed int) *tileir.Value {
		data := make([]int64, c.n)
		for i := range data {
			data[i] = int64(i*seed%7) - 2
		}
		return constant(k, full, c.encode(data)...)
	}
	groups, name := []vals{{k.pointersTo(k.entry.Params[0], at...)}, {number(3)}, nil, nil}, "atomic_rmw_tko"
	as := attrs{"memory_ordering_semantics": tileir.MemoryRelaxed, "memory_scope": tileir.ScopeDevice}
	if c.mode != nil {
		as["mode"] = c.mode
	} else {
		groups, name = slices.Insert(groups, 1, vals{number(5)}), "atomic_cas_tko"
	}
	if c.masked {
		groups[len(groups)-2] = vals{k.bools(mask...)}
	}
	old := k.opGroups(name, groups, as, nil, full, tileir.Token)[0]
	if c.old {
		k.store(old, k.view(k.entry.Params[1], []int{c.n}, blocks*int64(c.n)), k.ids()[0])
	}
	k.ret()
	return k
}

// encode gives the bytes of numbers.
func (c *atomicCase) encode(data []int64) (out []byte) {
	for _, x := range data {
		bits := uint64(x)
		if c.elem.IsFloat() {
			bits = tileir.FloatBits(c.elem, float64(x))
		}
		for i := range c.elem.Bytes() {
			out = append(out, byte(bits>>(8*i)))
		}
	}
	return out
}

// run gives what memory holds after a launch, and the old values.
func (c *atomicCase) run(t *testing.T, d *cpu.Device, blocks int) (memory, olds []byte, left int, err error) {
	data := make([]int64, c.n+4)
	for i := range data {
		data[i] = int64(i%7) - 2
	}
	x, y := upload(t, d, c.encode(data)), upload(t, d, make([]byte, blocks*c.n*c.elem.Bytes()))
	compiled := c.kernel(t, int64(blocks)).compile(d)
	err = launch(t, d, compiled, [3]uint32{uint32(blocks), 1, 1}, x.Address(), y.Address())
	return x.Host(), y.Host(), cpu.Left(compiled), err
}

// TestAtomic changes memory in all modes: elements that are adjacent, from any one on, and others, with and without masks. One worker
// gives the results and the old values of the interpreter, and the faults.
func TestAtomic(t *testing.T) {
	for _, e := range []tileir.Elem{tileir.F32, tileir.F64, tileir.F16, tileir.BF16, tileir.I32, tileir.I64} {
		for _, mode := range atomicModes[e.IsFloat()] {
			if e.Bytes() == 2 && mode != tileir.AtomicAddF {
				continue
			}
			for name, order := range atomicOrders {
				t.Run(fmt.Sprint(e, mode, name), func(t *testing.T) {
					for choice := range 4 {
						for _, n := range []int{4, 16, 128} {
							compareAtomic(t, &atomicCase{e, n, order, mode, choice&1 != 0, choice&2 != 0})
						}
					}
				})
			}
		}
	}
}

func compareAtomic(t *testing.T, c *atomicCase) {
	t.Helper()
	want, wantOlds, _, wantErr := c.run(t, newDevice(t, cpu.Options{Interpret: true, Workers: 1}), 2)
	for _, l := range cpu.NativeLevels() {
		d := newDevice(t, cpu.Options{Workers: 1})
		cpu.SetLevel(d, l)
		got, olds, left, err := c.run(t, d, 2)
		if fmt.Sprint(err) != fmt.Sprint(wantErr) || err == nil && (!bytes.Equal(got, want) || !bytes.Equal(olds, wantOlds)) {
			t.Errorf("%s, %d elements, masked %v, old %v: %v, want %v, or memory differs", l, c.n, c.masked, c.old, err, wantErr)
		}
		most := 1 // to find the memory
		if c.old {
			most += 3 // that of the tensor for old values, and each store
		}
		added, none := c.mode == tileir.AtomicAdd && !c.old, c.order(0, c.n) >= c.n+4 // no element shows where the memory is
		if err == nil && !added && !none && left > most {
			t.Errorf("%s, %d elements, masked %v, old %v: the engine was asked %d times", l, c.n, c.masked, c.old, left)
		}
	}
}

// TestAtomicWorkers adds from several workers to the same memory: whole numbers, so that the order does not count.
func TestAtomicWorkers(t *testing.T) {
	for _, e := range []tileir.Elem{tileir.F32, tileir.F64, tileir.F16, tileir.I32, tileir.I64} {
		for name, order := range atomicOrders {
			t.Run(fmt.Sprint(e, name), func(t *testing.T) {
				c := &atomicCase{e, 64, order, tileir.AtomicAddF, true, true}
				if e.IsInt() {
					c.mode = tileir.AtomicAdd
				}
				want, _, _, err := c.run(t, newDevice(t, cpu.Options{Interpret: true, Workers: 1}), 200)
				if err != nil {
					t.Fatal(err)
				}
				for _, l := range cpu.NativeLevels() {
					d := newDevice(t, cpu.Options{Workers: 4})
					cpu.SetLevel(d, l)
					if got, _, _, err := c.run(t, d, 200); err != nil || !bytes.Equal(got, want) {
						t.Errorf("%s: %v, or memory differs", l, err)
					}
				}
			})
		}
	}
}

// TestAtomicView changes the elements of tiles of tensors: adjacent ones and others, and tiles at the edge.
func TestAtomicView(t *testing.T) {
	for _, e := range []tileir.Elem{tileir.I32, tileir.I64} {
		for _, mode := range atomicModes[false][:8] {
			for _, strides := range [][]int64{{1000, 1}, {1001, 1}, {1, 8}, {2000, 2}} {
				t.Run(fmt.Sprint(e, mode, strides), func(t *testing.T) {
					run := func(d *cpu.Device) []byte {
						k := newKernel(t, tileir.PointerTile(e))
						const rows, cols = 4, 1024
						v := k.partition(k.entry.Params[0], []int{rows, cols}, []int{0, 1}, tileir.NoPadding, []int64{6, 1000}, strides)
						arg := constant(k, tileir.Tile(e, rows, cols), randomInput(e, rows*cols, 3).data...)
						as := attrs{"memory_ordering_semantics": tileir.MemoryRelaxed, "memory_scope": tileir.ScopeDevice, "mode": mode}
						for i := range int32(2) {
							k.opGroups("atomic_red_view_tko", []vals{{v}, {k.i32(i), k.i32(0)}, {arg}}, as, nil, tileir.Token)
						}
						k.ret()
						x := upload(t, d, randomInput(e, 20000, 4).data)
						if err := launch(t, d, k.compile(d), [3]uint32{1, 1, 1}, x.Address()); err != nil {
							t.Fatal(err)
						}
						return x.Host()
					}
					want := run(newDevice(t, cpu.Options{Interpret: true, Workers: 1}))
					for _, l := range cpu.NativeLevels() {
						d := newDevice(t, cpu.Options{Workers: 1})
						cpu.SetLevel(d, l)
						if !bytes.Equal(run(d), want) {
							t.Errorf("%s: memory differs", l)
						}
					}
				})
			}
		}
	}
}
