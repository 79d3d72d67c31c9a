package cpu_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

// TestStoresOfDifferentLengths: tensors that end at different places of one tile each get what belongs to them, and no more.
func TestStoresOfDifferentLengths(t *testing.T) {
	for _, l := range cpu.NativeLevels() {
		for _, ends := range [][3]int{{249, 100, 200}, {100, 249, 17}, {256, 1, 255}, {3, 256, 256}} {
			t.Run(fmt.Sprint(l, ends), func(t *testing.T) {
				d := newDevice(t, cpu.Options{Workers: 1})
				cpu.SetLevel(d, l)
				kernel := doubleAndCopy(t, ends).compile(d)
				in, old := make([]float32, 256), slices.Repeat([]float32{-1}, 256)
				want := [2][]float32{slices.Clone(old), slices.Clone(old)}
				for i := range in {
					in[i] = float32(i + 1)
					loaded := in[i]
					if i >= ends[0] {
						loaded = 0
					}
					if i < ends[1] {
						want[0][i] = 2 * loaded
					}
					if i < ends[2] {
						want[1][i] = loaded
					}
				}
				x, y, z := upload(t, d, bytesOf(in)), upload(t, d, bytesOf(old)), upload(t, d, bytesOf(old))
				if err := launch(t, d, kernel, [3]uint32{1, 1, 1}, x.Address(), y.Address(), z.Address()); err != nil {
					t.Fatal(err)
				}
				for i, got := range [2][]float32{as[float32](y.Host()), as[float32](z.Host())} {
					if !slices.Equal(got, want[i]) {
						t.Errorf("result %d is %v, want %v", i, got, want[i])
					}
				}
				if got := cpu.Left(kernel); got != 3 {
					t.Errorf("the engine was asked %d times, want 3: for the memory of each tensor", got)
				}
			})
		}
	}
}

// doubleAndCopy stores 2x and x of a tile of 256 elements, for tensors of other lengths.
func doubleAndCopy(t *testing.T, lengths [3]int) *kernel {
	k := newKernel(t, tileir.PointerTile(tileir.F32), tileir.PointerTile(tileir.F32), tileir.PointerTile(tileir.F32))
	view := func(i int) *tileir.Value { return k.view(k.entry.Params[i], []int{256}, int64(lengths[i])) }
	zero := k.i32(0)
	x := k.load(view(0), zero)
	y := k.one("addf", vals{x, x}, attrs{"rounding_mode": tileir.RoundingNearestEven}, x.Type)
	k.store(y, view(1), zero)
	k.store(x, view(2), zero)
	k.ret()
	return k
}
