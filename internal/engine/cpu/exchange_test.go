package cpu_test

import (
	"fmt"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

// exchange combines each element of a row with the one whose number differs in the bit run: the lower ones of the pairs are the
// first results, or the last ones where the numbers of the pairs have a bit. It gives the lower halves, too.
func (k *kernel) exchange(x *tileir.Value, run, bit int) (all, lower *tileir.Value) {
	e, n := x.Type.(*tileir.TileType).Elem, x.Type.(*tileir.TileType).Size()
	p, half := n/(2*run), tileir.Tile(e, n/(2*run), 1, run)
	y := k.one("reshape", vals{x}, nil, tileir.Tile(e, p, 2, run))
	a := k.opGroups("extract", []vals{{y}, {k.i32(0), k.i32(0), k.i32(0)}}, nil, nil, half)[0]
	b := k.opGroups("extract", []vals{{y}, {k.i32(0), k.i32(1), k.i32(0)}}, nil, nil, half)[0]
	low, high := k.meet(a, b, "mini", "minf"), k.meet(a, b, "maxi", "maxf")
	if bit < p {
		line := tileir.Tile(tileir.I32, p)
		of := k.one("andi", vals{k.one("iota", nil, nil, line), constant(k, line, int32(bit))}, nil, line)
		m := k.one("cmpi", vals{of, constant(k, line, int32(0))}, attrs{"comparison_predicate": tileir.CompareEqual, "signedness": tileir.Signed}, tileir.Tile(tileir.I1, p))
		m = k.one("reshape", vals{m}, nil, tileir.Tile(tileir.I1, p, 1, 1))
		m = k.one("broadcast", vals{m}, nil, tileir.Tile(tileir.I1, p, 1, run))
		low, high = k.one("select", vals{m, low, high}, nil, half), k.one("select", vals{m, high, low}, nil, half)
	}
	c := k.one("cat", vals{low, high}, attrs{"dim": tileir.Int(1)}, tileir.Tile(e, p, 2, run))
	return k.one("reshape", vals{c}, nil, tileir.Tile(e, n)), low
}

func (k *kernel) meet(a, b *tileir.Value, ints, floats string) *tileir.Value {
	if a.Type.(*tileir.TileType).Elem.IsFloat() {
		return k.one(floats, vals{a, b}, nil, a.Type)
	}
	return k.one(ints, vals{a, b}, attrs{"signedness": tileir.Signed}, a.Type)
}

// TestNativeExchange exchanges elements at each distance, in groups of sixteen and beyond.
func TestNativeExchange(t *testing.T) {
	for i, n := range []int{16, 64, 1024, 8192} {
		for _, e := range []tileir.Elem{tileir.I8, tileir.I16, tileir.I32, tileir.I64, tileir.F16, tileir.F32, tileir.F64} {
			t.Run(fmt.Sprint(n, e), func(t *testing.T) {
				eachLevel(t, []input{randomInput(e, n, uint64(i))}, func(k *kernel, args vals) *tileir.Value {
					x := args[0]
					for _, run := range []int{1, 2, 4, 8, 1, 16, 2, 64, 256, 4, 512, 8, 4096, 1, 2} {
						if 2*run <= n {
							x, _ = k.exchange(x, run, 2*run%24)
						}
					}
					return x
				}, "extract", "cat")
			})
		}
	}
}

// TestNativeExchangeUsedLater: a half that something behind the segment uses is no part of it.
func TestNativeExchangeUsedLater(t *testing.T) {
	eachLevel(t, []input{randomInput(tileir.I32, 64, 1)}, func(k *kernel, args vals) *tileir.Value {
		x, half := k.exchange(args[0], 4, 2)
		x, _ = k.exchange(x, 16, 64)
		twice := k.one("cat", vals{half, half}, attrs{"dim": tileir.Int(1)}, tileir.Tile(tileir.I32, 8, 2, 4))
		return k.one("addi", vals{x, k.one("reshape", vals{twice}, nil, x.Type)}, nil, x.Type)
	}, "cat")
}

// TestExchangeFuses: exchanges inside of groups of sixteen are one segment with each other and with what is around them.
func TestExchangeFuses(t *testing.T) {
	if len(cpu.NativeLevels()) == 0 {
		t.Skip("there is no machine code")
	}
	d := newDevice(t, cpu.Options{})
	_, err := runTiles(t, d, []input{randomInput(tileir.F32, 256, 1)}, func(k *kernel, args vals) *tileir.Value {
		x := args[0]
		for _, run := range []int{1, 2, 1, 4, 2, 1, 8, 4, 2, 1} {
			x, _ = k.exchange(k.one("absf", vals{x}, nil, x.Type), run, 16)
		}
		if n := cpu.Segments(d, k.entry); n != 1 {
			t.Errorf("there are %d segments", n)
		}
		return x
	})
	if err != nil {
		t.Fatal(err)
	}
}
