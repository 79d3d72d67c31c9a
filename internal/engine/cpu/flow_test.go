package cpu_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

// double makes a kernel that doubles the numbers of a tensor of n, 64 in each block, and stores them to another one of m.
func double(t *testing.T, n, m int) *kernel {
	k := newKernel(t, tileir.PointerTile(tileir.F32), tileir.PointerTile(tileir.F32))
	id := k.op("get_tile_block_id", nil, nil, tileir.Tile(tileir.I32), tileir.Tile(tileir.I32), tileir.Tile(tileir.I32))
	x := k.load(k.view(k.entry.Params[0], []int{64}, int64(n)), id[0])
	y := k.one("addf", vals{x, x}, attrs{"rounding_mode": tileir.RoundingNearestEven}, x.Type)
	k.store(y, k.view(k.entry.Params[1], []int{64}, int64(m)), id[0])
	k.ret()
	return k
}

// TestBlocksInOneCall: blocks whose tiles begin in their tensors leave nothing to the engine but to find the buffers.
func TestBlocksInOneCall(t *testing.T) {
	for _, l := range cpu.NativeLevels() {
		t.Run(fmt.Sprint(l), func(t *testing.T) {
			d := newDevice(t, cpu.Options{Workers: 1})
			cpu.SetLevel(d, l)
			const blocks, n = 1000, 1000*64 - 7 // the last block is at the edge
			in := make([]float32, n)
			for i := range in {
				in[i] = float32(i)
			}
			k := double(t, n, n).compile(d)
			x, y := upload(t, d, bytesOf(in)), upload(t, d, make([]byte, 4*n))
			if err := launch(t, d, k, [3]uint32{10, 50, 2}, x.Address(), y.Address()); err != nil {
				t.Fatal(err)
			}
			for i, v := range as[float32](y.Host()) {
				if want := in[i] * 2; i < 10*64 && v != want {
					t.Fatalf("element %d is %v, want %v", i, v, want)
				}
			}
			if err := launch(t, d, k, [3]uint32{blocks, 1, 1}, x.Address(), y.Address()); err != nil {
				t.Fatal(err)
			}
			for i, v := range as[float32](y.Host()) {
				if v != in[i]*2 {
					t.Fatalf("element %d is %v, want %v", i, v, in[i]*2)
				}
			}
			if got := cpu.Left(k); got != 2*2 {
				t.Errorf("the engine was asked %d times, want 2 for each of two launches", got)
			}
		})
	}
}

// TestFaultOfABlock: a fault in the middle of a call names its block, and the blocks before it are done.
func TestFaultOfABlock(t *testing.T) {
	for _, l := range cpu.NativeLevels() {
		t.Run(fmt.Sprint(l), func(t *testing.T) {
			d := newDevice(t, cpu.Options{Workers: 1})
			cpu.SetLevel(d, l)
			k := double(t, 640, 640).compile(d)
			x, y := upload(t, d, bytesOf(slices.Repeat([]float32{3}, 640))), upload(t, d, make([]byte, 4*300))
			err := launch(t, d, k, [3]uint32{10, 1, 1}, x.Address(), y.Address())
			var fault *engine.Fault
			if !errors.As(err, &fault) || fault.Block != [3]uint32{4, 0, 0} || !fault.Known {
				t.Fatalf("%v: block %v, want 4", err, fault)
			}
			for i, v := range as[float32](y.Host()[:4*256]) {
				if v != 6 {
					t.Fatalf("element %d is %v, want 6", i, v)
				}
			}
		})
	}
}

// TestCallsEnd: a call for many blocks ends after some thousand vectors, so that neither the garbage collector nor the end of the
// launch waits for all of them.
func TestCallsEnd(t *testing.T) {
	for _, l := range cpu.NativeLevels() {
		t.Run(fmt.Sprint(l), func(t *testing.T) {
			d := newDevice(t, cpu.Options{Workers: 1})
			cpu.SetLevel(d, l)
			const blocks, n, vectors = 20000, 20000 * 64, 20000 * 3 * 64 / 16 // a load, a sum and a store
			k := double(t, n, n).compile(d)
			x, y := upload(t, d, make([]byte, 4*n)), upload(t, d, make([]byte, 4*n))
			if err := launch(t, d, k, [3]uint32{blocks, 1, 1}, x.Address(), y.Address()); err != nil {
				t.Fatal(err)
			}
			if looks := cpu.Looks(k); looks < vectors/10000 {
				t.Errorf("%d looks in %d vectors", looks, vectors)
			}
		})
	}
}

// TestCopiesInOneCall: a load that only a branch has, and a store of what the branch gives, leave nothing to the engine either.
func TestCopiesInOneCall(t *testing.T) {
	for _, l := range cpu.NativeLevels() {
		t.Run(fmt.Sprint(l), func(t *testing.T) {
			d := newDevice(t, cpu.Options{Workers: 1})
			cpu.SetLevel(d, l)
			const blocks = 10
			k := newKernel(t, tileir.PointerTile(tileir.F32), tileir.PointerTile(tileir.F32))
			x, y := k.view(k.entry.Params[0], []int{64}, blocks*64), k.view(k.entry.Params[1], []int{64}, blocks*64)
			id, tile := k.ids()[0], tileir.Tile(tileir.F32, 64)
			later := k.one("cmpi", vals{id, k.i32(4)}, attrs{"comparison_predicate": tileir.CompareGreaterThan, "signedness": tileir.Signed}, tileir.Tile(tileir.I1))
			then := k.region(nil, func(vals) { k.op("yield", vals{k.load(x, id)}, nil) })
			otherwise := k.region(nil, func(vals) { k.op("yield", vals{constant(k, tile, make([]float32, 64)...)}, nil) })
			k.store(k.opGroups("if", []vals{{later}}, nil, []*tileir.Block{then, otherwise}, tile)[0], y, id)
			k.ret()
			in := make([]float32, blocks*64)
			for i := range in {
				in[i] = float32(i)
			}
			kern := k.compile(d)
			from, to := upload(t, d, in), upload(t, d, slices.Repeat([]float32{-1}, blocks*64))
			if err := launch(t, d, kern, [3]uint32{blocks, 1, 1}, from.Address(), to.Address()); err != nil {
				t.Fatal(err)
			}
			for i, v := range as[float32](to.Host()) {
				if want := in[i]; i < 5*64 && v != 0 || i >= 5*64 && v != want {
					t.Fatalf("element %d is %v", i, v)
				}
			}
			if got := cpu.Left(kern); got != 2 {
				t.Errorf("the engine was asked %d times, want 2 for the tensors", got)
			}
		})
	}
}

// TestCopiesInFunction: the function of an entry loads and stores tiles that nothing computes with, also where they are permuted.
func TestCopiesInFunction(t *testing.T) {
	for _, e := range []tileir.Elem{tileir.F16, tileir.BF16, tileir.I1, tileir.F8E8M0FNU, tileir.F64} {
		for _, turned := range []bool{false, true} {
			t.Run(fmt.Sprint(e, turned), func(t *testing.T) {
				const rows, cols = 32, 64
				run := func(d *cpu.Device) ([]byte, int) {
					k := newKernel(t, tileir.PointerTile(e), tileir.PointerTile(e))
					x := k.load(k.partition(k.entry.Params[0], []int{rows, cols}, []int{0, 1}, tileir.NoPadding, []int64{rows, cols}, []int64{70, 1}), k.i32(0), k.i32(0))
					order, strides := []int{0, 1}, []int64{80, 1}
					if turned { // into rows that are columns of memory
						order, strides = []int{1, 0}, []int64{1, 80}
						x = k.permuted(x, order)
					}
					shape := []int{[]int{rows, cols}[order[0]], []int{rows, cols}[order[1]]}
					v := k.partition(k.entry.Params[1], shape, []int{0, 1}, tileir.NoPadding, []int64{int64(shape[0]), int64(shape[1])}, strides)
					k.store(x, v, k.i32(0), k.i32(0))
					k.ret()
					compiled := k.compile(d)
					from, to := upload(t, d, randomInput(e, rows*80, 2).data), upload(t, d, make([]byte, rows*80*e.Bytes()))
					if err := launch(t, d, compiled, [3]uint32{9, 1, 1}, from.Address(), to.Address()); err != nil {
						t.Fatal(err)
					}
					return to.Host(), cpu.Left(compiled)
				}
				want, _ := run(newDevice(t, cpu.Options{Interpret: true, Workers: 1}))
				for _, l := range cpu.NativeLevels() {
					d := newDevice(t, cpu.Options{Workers: 1})
					cpu.SetLevel(d, l)
					got, left := run(d)
					if most := 2; !slices.Equal(got, want) || !turned && left != most {
						t.Errorf("%s: memory differs, or the engine was asked %d times, want %d", l, left, most)
					}
				}
			})
		}
	}
}
