package cpu_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

// TestIndexInside loads and stores tiles at indices that the kernel loads or computes just before, from tiles of the same size: an
// operation that needs its index whole, before it begins, is no part of what works element by element or strip by strip.
func TestIndexInside(t *testing.T) {
	const n = 128
	turned := make([]int32, n) // indices and data
	for i := range turned {
		turned[i] = int32(n - 1 - i)
	}
	one := func(k *kernel, v *tileir.Value) *tileir.Value {
		return k.one("addi", vals{v, constant(k, v.Type.(*tileir.TileType), slices.Repeat([]int32{1}, n)...)}, attrs{"overflow": tileir.OverflowNone}, v.Type)
	}
	column := func(k *kernel, param int) *tileir.Value { return k.view(k.entry.Params[param], []int{n, 1}, n, 1) }
	sparse := func(k *kernel, param int) *tileir.Value {
		v := k.one("make_tensor_view", vals{k.entry.Params[param]}, nil, &tileir.TensorViewType{Elem: tileir.I32, Shape: []int64{n, 1}, Strides: []int64{1, 1}})
		return k.one("make_gather_scatter_view", vals{v}, nil, &tileir.GatherScatterViewType{Tile: []int{n, 1}, Tensor: v.Type.(*tileir.TensorViewType), SparseDim: 0, Padding: tileir.PadZero})
	}
	cases := map[string]struct {
		body func(k *kernel, at *tileir.Value)
		want func(i int) int32
	}{
		"gather": {func(k *kernel, at *tileir.Value) {
			k.store(k.load(sparse(k, 1), at, k.i32(0)), column(k, 2), k.i32(0), k.i32(0))
		}, func(i int) int32 { return int32(i) }},
		"gather computed": {func(k *kernel, at *tileir.Value) {
			k.store(k.load(sparse(k, 1), one(k, at), k.i32(0)), column(k, 2), k.i32(0), k.i32(0))
		}, func(i int) int32 { return max(0, int32(i)-1) }},
		"scatter": {func(k *kernel, at *tileir.Value) {
			k.store(k.load(column(k, 1), k.i32(0), k.i32(0)), sparse(k, 2), at, k.i32(0))
		}, func(i int) int32 { return int32(i) }},
		"scatter computed": {func(k *kernel, at *tileir.Value) {
			k.store(one(k, k.load(column(k, 1), k.i32(0), k.i32(0))), sparse(k, 2), one(k, at), k.i32(0))
		}, func(i int) int32 { return int32(i) * min(1, int32(i)) }},
		"folded": {func(k *kernel, at *tileir.Value) { // the least of them, 0
			least := k.fold("reduce", at, 0, nil, tileir.Tile(tileir.I32), func(e, a *tileir.Value) *tileir.Value {
				return k.one("mini", vals{e, a}, attrs{"signedness": tileir.Signed}, a.Type)
			})
			k.store(k.load(k.view(k.entry.Params[1], []int{n}, 2*n), least), k.view(k.entry.Params[2], []int{n}, n), k.i32(0))
		}, func(i int) int32 { return int32(n - 1 - i) }},
	}
	for name, c := range cases {
		for _, l := range append(cpu.NativeLevels(), 0) {
			t.Run(fmt.Sprint(name, l), func(t *testing.T) {
				d := newDevice(t, cpu.Options{Workers: 1, Interpret: l == 0})
				if l != 0 {
					cpu.SetLevel(d, l)
				}
				p := tileir.PointerTile(tileir.I32)
				k := newKernel(t, p, p, p)
				c.body(k, k.load(k.view(k.entry.Params[0], []int{n}, n), k.i32(0)))
				k.ret()
				y := upload(t, d, make([]int32, n))
				if err := launch(t, d, k.compile(d), [3]uint32{1, 1, 1}, upload(t, d, turned).Address(), upload(t, d, append(turned, turned...)).Address(), y.Address()); err != nil {
					t.Fatal(err)
				}
				for i := range n {
					got := int32(y.Host()[4*i]) | int32(y.Host()[4*i+1])<<8
					if got != c.want(i) {
						t.Fatalf("element %d is %d, want %d", i, got, c.want(i))
					}
				}
			})
		}
	}
}
