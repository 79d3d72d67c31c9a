package cpu_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/tileir"
)

// spreadShapes are shapes that tiles are broadcast to, with rows and without, and with few columns and many.
var spreadShapes = [][]int{
	{2, 16, 64}, {2, 4, 16}, {4, 2, 8}, {2, 8, 2, 16}, {4, 4, 4, 4}, {16, 2, 1}, {2, 16, 1, 1}, {64, 4}, {8, 1, 128, 2}, {2, 4, 4096}, {2, 2, 2, 2, 2, 16},
}

// TestNativeSpread repeats tiles along each choice of dimensions, alone and beside what is computed with rows.
func TestNativeSpread(t *testing.T) {
	for i, shape := range spreadShapes {
		for _, e := range []tileir.Elem{tileir.F32, tileir.BF16, tileir.I8, tileir.I64} {
			for choice := range 1 << len(shape) {
				if (testing.Short() || e != tileir.F32) && (choice+i)%3 > 0 {
					continue
				}
				from := slices.Clone(shape)
				for d := range from {
					if choice>>d&1 != 0 {
						from[d] = 1
					}
				}
				t.Run(fmt.Sprint(from, shape, e), func(t *testing.T) { spreadBeside(t, e, from, shape, uint64(i)) })
			}
		}
	}
}

// spreadBeside broadcasts a tile and adds what it gives to another one, whose rows it sums.
func spreadBeside(t *testing.T, e tileir.Elem, from, shape []int, seed uint64) {
	n, full := product(shape), tileir.Tile(e, shape...)
	add, more := "addi", attrs(nil)
	if e.IsFloat() {
		add, more = "addf", nearest
	}
	wanted := []string{"broadcast", add}
	if product(from) == 1 { // it needs no work
		wanted = wanted[1:]
	}
	eachLevel(t, []input{randomInput(e, n, seed), randomInput(e, n, seed+1)}, func(k *kernel, args vals) *tileir.Value {
		x := k.one("reshape", args[:1], nil, full)
		part := k.opGroups("extract", []vals{{x}, k.zeros(len(shape))}, nil, nil, tileir.Tile(e, from...))[0]
		y := k.one("broadcast", vals{part}, nil, full)
		sum := k.one(add, vals{y, k.one("reshape", args[1:], nil, full)}, more, full)
		rows := k.fold("reduce", sum, len(shape)-1, nil, tileir.Tile(e, shape[:len(shape)-1]...), func(e, a *tileir.Value) *tileir.Value {
			return k.one(add, vals{a, e}, more, e.Type)
		})
		of := append(slices.Clone(shape[:len(shape)-1]), 1)
		back := k.one("broadcast", vals{k.one("reshape", vals{rows}, nil, tileir.Tile(e, of...))}, nil, full)
		return k.one("reshape", vals{k.one(add, vals{sum, back}, more, full)}, nil, tileir.Tile(e, n))
	}, wanted...)
}

// zeros makes indices.
func (k *kernel) zeros(n int) (out vals) {
	for range n {
		out = append(out, k.i32(0))
	}
	return out
}
