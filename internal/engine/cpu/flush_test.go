package cpu_test

import (
	"math"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

// TestSubnormals: machine code computes with subnormal numbers exactly, in functions of tiles, in products and in loops that are
// products, unless the device may take them as zeros.
func TestSubnormals(t *testing.T) {
	const n, tiny = 16, 0x1p-130
	for _, l := range cpu.NativeLevels() {
		for _, flush := range []bool{false, true} {
			d := newDevice(t, cpu.Options{FlushToZero: flush})
			cpu.SetLevel(d, l)
			want := float32(3 * tiny)
			if flush {
				want = 0
			}
			for name, got := range map[string][]float32{
				"sum": subnormalSum(t, d, n, tiny), "product": subnormalProduct(t, d, n, tiny, false), "loop": subnormalProduct(t, d, n, tiny, true),
			} {
				for i, x := range got {
					if x != want {
						t.Errorf("%v, subnormal numbers are zeros: %v: element %d of the %s is %v, want %v", l, flush, i, name, x, want)
						break
					}
				}
			}
		}
	}
	if got := subnormalSum(t, newDevice(t, cpu.Options{FlushToZero: true, Interpret: true}), n, tiny); got[0] != 3*tiny {
		t.Errorf("interpreted the sum is %v", got[0])
	}
}

// subnormalSum adds tiny to twice tiny.
func subnormalSum(t *testing.T, d *cpu.Device, n int, tiny float32) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = tiny
	}
	data, err := runTiles(t, d, []input{{tileir.F32, bytesOf(x)}}, func(k *kernel, args vals) *tileir.Value {
		tt := args[0].Type
		return k.one("addf", vals{k.one("addf", vals{args[0], args[0]}, nearest, tt), args[0]}, nearest, tt)
	})
	if err != nil {
		t.Fatal(err)
	}
	return floatsOf(data)
}

// subnormalProduct multiplies a matrix whose rows have three ones with one whose elements are tiny, in a product or in a loop of
// products.
func subnormalProduct(t *testing.T, d *cpu.Device, n int, tiny float32, loop bool) []float32 {
	k := loopProduct{m: int64(n), n: int64(n), k: int64(n), tm: n, tn: n, tk: n / 2, elem: tileir.F32, acc: tileir.F32}.kernel(t)
	if !loop {
		k = squareProduct(t, n)
	}
	a, b := make([]float32, n*n), make([]float32, n*n)
	for i := range a {
		if i%n < 3 {
			a[i] = 1
		}
		b[i] = tiny
	}
	out := upload(t, d, make([]float32, n*n))
	if err := launch(t, d, k.compile(d), [3]uint32{1, 1, 1}, upload(t, d, a).Address(), upload(t, d, b).Address(), out.Address()); err != nil {
		t.Fatal(err)
	}
	return elems[float32](out)
}

// squareProduct is a kernel of one product.
func squareProduct(t *testing.T, n int) *kernel {
	p := tileir.PointerTile(tileir.F32)
	k, tt := newKernel(t, p, p, p), tileir.Tile(tileir.F32, n, n)
	view := func(i int) *tileir.Value { return k.view(k.entry.Params[i], []int{n, n}, int64(n), int64(n)) }
	zero := k.i32(0)
	k.store(k.one("mmaf", vals{k.load(view(0), zero, zero), k.load(view(1), zero, zero), constant(k, tt, float32(0))}, nil, tt), view(2), zero, zero)
	k.ret()
	return k
}

func floatsOf(data []byte) []float32 {
	out := make([]float32, len(data)/4)
	for i := range out {
		out[i] = math.Float32frombits(uint32(data[4*i]) | uint32(data[4*i+1])<<8 | uint32(data[4*i+2])<<16 | uint32(data[4*i+3])<<24)
	}
	return out
}
