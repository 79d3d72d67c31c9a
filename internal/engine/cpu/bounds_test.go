package cpu_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

// TestPartOutside: parts of a tile are taken and put by block coordinates; each one outside is a fault that names it.
func TestPartOutside(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	data := counting(tileir.I32, 64)
	for _, c := range []struct {
		row, col int32
		bad      string // "" where the part is inside
	}{
		{0, 0, ""}, {3, 1, ""}, {3, 0, ""}, {0, 1, ""}, {4, 0, "index 4 of dimension 0 is not in [0, 4)"}, {0, 2, "index 2 of dimension 1 is not in [0, 2)"},
		{-1, 0, "index -1 of dimension 0 is not in [0, 4)"}, {0, -1, "index -1 of dimension 1 is not in [0, 2)"}, {math.MaxInt32, 0, "index 2147483647 of dimension 0"},
	} {
		for _, op := range []string{"extract", "insert"} {
			in := []input{{tileir.I32, data}, {tileir.I32, bytesOf([]int32{c.row})}, {tileir.I32, bytesOf([]int32{c.col})}}
			got, err := runTiles(t, d, in, func(k *kernel, args vals) *tileir.Value {
				big, small, s := tileir.Tile(tileir.I32, 8, 8), tileir.Tile(tileir.I32, 2, 4), tileir.Tile(tileir.I32)
				v := k.one("reshape", args[:1], nil, big)
				at := vals{k.one("reshape", args[1:2], nil, s), k.one("reshape", args[2:], nil, s)}
				if op == "extract" {
					return k.opGroups(op, []vals{{v}, at}, nil, nil, small)[0]
				}
				return k.opGroups(op, []vals{{constant(k, small, int32(-1))}, {v}, at}, nil, nil, big)[0]
			})
			if c.bad != "" {
				if want := op + ": " + c.bad; err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%v, want %q", err, want)
				}
				continue
			}
			var want []int32
			for i := range int32(64) {
				inside := i/8/2 == c.row && i%8/4 == c.col
				switch {
				case op == "extract" && inside:
					want = append(want, i)
				case op == "insert" && inside:
					want = append(want, -1)
				case op == "insert":
					want = append(want, i)
				}
			}
			if err != nil || !slices.Equal(as[int32](got), want) {
				t.Errorf("%s at %d, %d: %v, %v, want %v", op, c.row, c.col, as[int32](got), err, want)
			}
		}
	}
}

// TestMaskedLoads: what a mask holds back is zero without a padding value; truth values are 0 or 1 whatever lies in memory.
func TestMaskedLoads(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	for _, e := range append([]tileir.Elem{tileir.I1}, sizes...) {
		for _, ordering := range []tileir.Int{tileir.MemoryWeak, tileir.MemoryRelaxed, tileir.MemoryAcquire} {
			as := attrs{"memory_ordering_semantics": ordering}
			if ordering != tileir.MemoryWeak {
				as["memory_scope"] = tileir.ScopeDevice
			}
			memory, want := encodeInts(e, []int64{3, 4, 5, 6}), encodeInts(e, []int64{3, 0, 5, 0})
			if e == tileir.I1 {
				memory, want = []byte{3, 4, 0, 255}, []byte{1, 0, 0, 0}
			}
			k := newKernel(t, tileir.PointerTile(e), tileir.PointerTile(e))
			v := k.opGroups("load_ptr_tko", []vals{{k.pointersTo(k.entry.Params[0], 0, 1, 2, 3)}, {k.bools(true, false, true, false)}}, as, nil, tileir.Tile(e, 4), tileir.Token)[0]
			k.store(v, k.view(k.entry.Params[1], []int{4}, 4), k.i32(0))
			k.ret()
			src, out := upload(t, d, memory), upload(t, d, make([]byte, len(memory)))
			if err := launch(t, d, k.compile(d), [3]uint32{1, 1, 1}, src.Address(), out.Address()); err != nil || !slices.Equal(out.Host(), want) {
				t.Errorf("%s, ordering %d: %v, %v, want %v", e, ordering, out.Host(), err, want)
			}
		}
	}
}

// TestAtomicsOutside: an atomic operation outside its buffer, or at an address between elements, is a fault; elements that the
// mask holds back may lie anywhere.
func TestAtomicsOutside(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	tt := tileir.Tile(tileir.I32, 4)
	for _, op := range []string{"atomic_rmw_tko", "atomic_cas_tko", "load_ptr_tko", "store_ptr_tko"} {
		for _, c := range []struct {
			at   int32 // where the third element is, in elements of 4 bytes
			skew uint64
			mask bool
			want string
		}{
			{2, 0, true, ""}, {3, 0, true, ""}, {4, 0, true, "element 2: " + op + " of i32 outside memory: offset 4 of 4 elements"}, {4, 0, false, ""},
			{-1, 0, true, "element 2: " + op + " of i32 outside memory: offset -1 of 4 elements"}, {-1, 0, false, ""},
			{2, 2, true, "element 0: " + op + " of i32 at address "}, {2, 2, false, "which is not aligned to 4 bytes"},
		} {
			k := newKernel(t, tileir.PointerTile(tileir.I32))
			at, v, mask := k.pointersTo(k.entry.Params[0], 0, 1, c.at, 100), constant(k, tt, int32(5)), k.bools(true, true, c.mask, false)
			as := attrs{"memory_ordering_semantics": tileir.MemoryRelaxed, "memory_scope": tileir.ScopeDevice}
			switch op {
			case "atomic_rmw_tko":
				as["mode"] = tileir.AtomicAdd
				k.opGroups(op, []vals{{at}, {v}, {mask}}, as, nil, tt, tileir.Token)
			case "atomic_cas_tko":
				k.opGroups(op, []vals{{at}, {v}, {v}, {mask}}, as, nil, tt, tileir.Token)
			case "load_ptr_tko":
				k.opGroups(op, []vals{{at}, {mask}}, as, nil, tt, tileir.Token)
			default:
				k.opGroups(op, []vals{{at}, {v}, {mask}}, as, nil, tileir.Token)
			}
			k.ret()
			err := launch(t, d, k.compile(d), [3]uint32{1, 1, 1}, upload(t, d, make([]int32, 4)).Address()+c.skew)
			if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s at %d, skew %d, %t: %v, want %q", op, c.at, c.skew, c.mask, err, c.want)
			}
		}
	}
}

// TestApproximateRounding: what may be approximate is the nearest number here.
func TestApproximateRounding(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	x, y := randomFloats(64, 8, 100), randomFloats(64, 9, 100)
	for i := range x {
		x[i] = float32(math.Abs(float64(x[i])))
	}
	in := []input{{tileir.F32, bytesOf(x)}, {tileir.F32, bytesOf(y)}}
	for _, mode := range []tileir.Int{tileir.RoundingApprox, tileir.RoundingFull} {
		for op, of := range map[string]func(x, y float32) float32{
			"divf": func(x, y float32) float32 { return x / y }, "sqrt": func(x, _ float32) float32 { return float32(math.Sqrt(float64(x))) },
		} {
			if op == "sqrt" && mode == tileir.RoundingFull {
				continue // not a mode of sqrt
			}
			got, err := runTiles(t, d, in, func(k *kernel, args vals) *tileir.Value {
				if op == "sqrt" {
					args = args[:1]
				}
				return k.one(op, args, attrs{"rounding_mode": mode}, args[0].Type)
			})
			for i, g := range as[float32](got) {
				if want := of(x[i], y[i]); err != nil || g != want {
					t.Fatalf("%s with mode %d of %g, %g: %g, %v, want %g", op, mode, x[i], y[i], g, err, want)
				}
			}
		}
	}
}

// TestScaledProducts: elements by their scales, where those products fit float32 and where only the product of four does.
func TestScaledProducts(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	const m, n, k, blocks = 4, 8, 64, 2
	e4m3 := []float64{0, 1, -1, 448, -448, 0.5, 2, 1.5} // of these codes:
	codes := []byte{0x00, 0x38, 0xb8, 0x7e, 0xfe, 0x30, 0x40, 0x3c}
	for _, c := range []struct{ scaleA, scaleB [blocks]byte }{
		{[blocks]byte{127, 128}, [blocks]byte{126, 127}}, {[blocks]byte{254, 250}, [blocks]byte{0, 4}}, {[blocks]byte{0, 10}, [blocks]byte{254, 240}},
		{[blocks]byte{254, 254}, [blocks]byte{127, 127}},
	} {
		rng := generator(11)
		a, b, acc := make([]byte, m*k), make([]byte, k*n), make([]float32, m*n)
		pickA, pickB := make([]float64, m*k), make([]float64, k*n)
		for i := range a {
			j := rng() % uint64(len(codes))
			a[i], pickA[i] = codes[j], e4m3[j]
		}
		for i := range b {
			j := rng() % uint64(len(codes))
			b[i], pickB[i] = codes[j], e4m3[j]
		}
		for i := range acc {
			acc[i] = float32(i)
		}
		sa, sb := make([]byte, m*blocks), make([]byte, blocks*n)
		for i := range sa {
			sa[i] = c.scaleA[i%blocks] - byte(i/blocks%2)&c.scaleA[i%blocks]&1
		}
		for i := range sb {
			sb[i] = c.scaleB[i/n]
		}
		in := []input{{tileir.F8E4M3FN, a}, {tileir.F8E4M3FN, b}, {tileir.F32, bytesOf(acc)}, {tileir.F8E8M0FNU, sa}, {tileir.F8E8M0FNU, sb}}
		got, err := runTiles(t, d, in, func(kk *kernel, args vals) *tileir.Value {
			shapes := [][]int{{m, k}, {k, n}, {m, n}, {m, blocks}, {blocks, n}}
			for i, s := range shapes {
				args[i] = kk.one("reshape", args[i:i+1], nil, tileir.Tile(in[i].elem, s...))
			}
			return kk.one("mmaf_scaled", args, nil, tileir.Tile(tileir.F32, m, n))
		})
		if err != nil {
			t.Fatal(err)
		}
		scale := func(b byte) float64 { return math.Ldexp(1, int(b)-127) }
		for i, g := range as[float32](got) {
			want := acc[i]
			for p := range k {
				x := pickA[i/n*k+p] * scale(sa[i/n*blocks+p*blocks/k])
				y := pickB[p*n+i%n] * scale(sb[p*blocks/k*n+i%n])
				want = float32(fused32(x, y, float64(want)))
			}
			if !same(float64(g), float64(want)) {
				t.Fatalf("scales %v: element %d is %g, want %g", fmt.Sprint(c), i, g, want)
			}
		}
	}
}
