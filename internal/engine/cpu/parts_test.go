package cpu_test

import (
	"fmt"
	"testing"

	"github.com/cutile-go/cutile/tileir"
)

// TestParts takes parts of tiles and joins tiles, along each dimension, of many and of few adjacent elements, and computes with them.
func TestParts(t *testing.T) {
	const n = 256
	for _, e := range []tileir.Elem{tileir.I8, tileir.I16, tileir.I32, tileir.I64} {
		for _, shape := range [][]int{{256}, {2, 128}, {16, 2, 8}, {128, 2, 1}, {4, 4, 4, 4}} {
			for dim := range shape {
				t.Run(fmt.Sprint(e, shape, dim), func(t *testing.T) {
					in := randomInput(e, n, uint64(dim))
					whole, half := tileir.Tile(e, shape...), append([]int(nil), shape...)
					if half[dim]/2 == 0 {
						return
					}
					half[dim] /= 2
					part := func(k *kernel, v *tileir.Value, second int32) *tileir.Value {
						at := make(vals, len(shape))
						for i := range at {
							at[i] = k.i32(0)
						}
						at[dim] = k.i32(second)
						return k.opGroups("extract", []vals{{v}, at}, nil, nil, tileir.Tile(e, half...))[0]
					}
					eachLevel(t, []input{in}, func(k *kernel, args vals) *tileir.Value {
						v := k.one("reshape", args, nil, whole)
						x, y := part(k, v, 0), part(k, v, 1)
						sum := k.one("addi", vals{x, y}, attrs{"overflow": tileir.OverflowNone}, x.Type)
						less := k.one("mini", vals{x, y}, attrs{"signedness": tileir.Signed}, x.Type)
						joined := k.one("cat", vals{sum, less}, attrs{"dim": tileir.Int(dim)}, whole)
						return k.one("xori", vals{joined, v}, nil, whole)
					}, "extract", "cat")
				})
			}
		}
	}
}
