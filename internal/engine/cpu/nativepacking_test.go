package cpu_test

import (
	"fmt"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

// TestNativePacking takes bytes apart and joins them: to elements of a few bits, in which machine code and the interpreter must
// agree, and to larger ones.
func TestNativePacking(t *testing.T) {
	near := attrs{"rounding_mode": tileir.RoundingNearestEven}
	for _, e := range []tileir.Elem{tileir.I1, tileir.I4, tileir.F4E2M1FN, tileir.I16, tileir.F32, tileir.F64} {
		for _, n := range []int{8, 16, 64, 4096, 1 << 17} {
			t.Run(fmt.Sprint(e, n), func(t *testing.T) {
				size := n * 8 / e.Bits()
				eachLevel(t, []input{randomInput(tileir.I8, n, uint64(e))}, func(k *kernel, args vals) *tileir.Value {
					x := k.one("unpack", args, nil, tileir.Tile(e, size))
					switch e {
					case tileir.F4E2M1FN:
						y := k.one("ftof", vals{x}, near, tileir.Tile(tileir.F32, size))
						y = k.one("addf", vals{y, y}, near, y.Type)
						x = k.one("ftof", vals{y}, near, x.Type)
					case tileir.I4:
						y := k.one("exti", vals{x}, attrs{"signedness": tileir.Signed}, tileir.Tile(tileir.I32, size))
						y = k.one("muli", vals{y, y}, nil, y.Type)
						x = k.one("trunci", vals{y}, nil, x.Type)
					case tileir.I1:
						x = k.one("xori", vals{x, k.one("broadcast", vals{k.shaped(k.bools(true), 1)}, nil, x.Type)}, nil, x.Type)
					}
					return k.one("pack", vals{x}, nil, tileir.Tile(tileir.I8, n))
				})
			})
		}
	}
}

// TestPackingInFunction: the function of an entry packs by itself.
func TestPackingInFunction(t *testing.T) {
	const n = 1 << 17
	for _, l := range cpu.NativeLevels() {
		d := newDevice(t, cpu.Options{Workers: 1})
		cpu.SetLevel(d, l)
		k := newKernel(t, tileir.PointerTile(tileir.I8), tileir.PointerTile(tileir.I8))
		x := k.load(k.view(k.entry.Params[0], []int{n}, n), k.i32(0))
		x = k.one("addi", vals{x, x}, nil, x.Type)
		y := k.one("unpack", vals{x}, nil, tileir.Tile(tileir.I4, 2*n))
		y = k.one("trunci", vals{k.one("exti", vals{y}, attrs{"signedness": tileir.Signed}, tileir.Tile(tileir.I8, 2*n))}, nil, y.Type)
		z := k.one("pack", vals{y}, nil, x.Type)
		k.store(k.one("addi", vals{z, x}, nil, x.Type), k.view(k.entry.Params[1], []int{n}, n), k.i32(0))
		k.ret()
		in := randomInput(tileir.I8, n, 1).data
		compiled := k.compile(d)
		from, to := upload(t, d, in), upload(t, d, make([]byte, n))
		if err := launch(t, d, compiled, [3]uint32{1, 1, 1}, from.Address(), to.Address()); err != nil {
			t.Fatal(err)
		}
		for i, v := range to.Host() {
			if v != 4*in[i] {
				t.Fatalf("%v: byte %d is %d, want %d", l, i, v, 4*in[i])
			}
		}
		if left := cpu.Left(compiled); left != 2 {
			t.Errorf("%v: the engine was asked %d times, want twice for memory", l, left)
		}
	}
}
