package cpu_test

import (
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

func TestVectorAdd(t *testing.T) {
	const n, tile = 1000, 64
	d := newDevice(t, cpu.Options{})
	k := newKernel(t, tileir.PointerTile(tileir.F32), tileir.PointerTile(tileir.F32), tileir.PointerTile(tileir.F32))
	x := k.view(k.entry.Params[0], []int{tile}, n)
	y := k.view(k.entry.Params[1], []int{tile}, n)
	z := k.view(k.entry.Params[2], []int{tile}, n)
	id := k.ids()[0]
	sum := k.one("addf", vals{k.load(x, id), k.load(y, id)}, attrs{"rounding_mode": tileir.RoundingNearestEven}, tileir.Tile(tileir.F32, tile))
	k.store(sum, z, id)
	k.ret()
	a, b := make([]float32, n), make([]float32, n)
	for i := range a {
		a[i], b[i] = float32(i), float32(3*i)
	}
	ba, bb, bc := upload(t, d, a), upload(t, d, b), upload(t, d, make([]float32, n))
	if err := launch(t, d, k.compile(d), [3]uint32{(n + tile - 1) / tile, 1, 1}, ba.Address(), bb.Address(), bc.Address()); err != nil {
		t.Fatal(err)
	}
	for i, v := range elems[float32](bc) {
		if v != float32(4*i) {
			t.Fatalf("element %d is %g", i, v)
		}
	}
}

func TestGEMM(t *testing.T) {
	const m, n, kk = 48, 40, 56
	const tm, tn, tk = 16, 32, 8
	d := newDevice(t, cpu.Options{})
	k := gemmKernel(t, m, n, kk, tm, tn, tk)
	a, b := make([]float32, m*kk), make([]float32, kk*n)
	for i := range a {
		a[i] = float32(i%13) - 6
	}
	for i := range b {
		b[i] = float32(i%7) - 3
	}
	ba, bb, bc := upload(t, d, a), upload(t, d, b), upload(t, d, make([]float32, m*n))
	if err := launch(t, d, k.compile(d), [3]uint32{(m + tm - 1) / tm, (n + tn - 1) / tn, 1}, ba.Address(), bb.Address(), bc.Address()); err != nil {
		t.Fatal(err)
	}
	c := elems[float32](bc)
	for i := range m {
		for j := range n {
			var want float32
			for p := range kk {
				want += a[i*kk+p] * b[p*n+j]
			}
			if c[i*n+j] != want {
				t.Fatalf("element (%d, %d) is %g, want %g", i, j, c[i*n+j], want)
			}
		}
	}
}

func gemmKernel(t testing.TB, m, n, kk int64, tm, tn, tk int) *kernel {
	p := tileir.PointerTile(tileir.F32)
	k := newKernel(t, p, p, p)
	x := k.view(k.entry.Params[0], []int{tm, tk}, m, kk)
	y := k.view(k.entry.Params[1], []int{tk, tn}, kk, n)
	z := k.view(k.entry.Params[2], []int{tm, tn}, m, n)
	id := k.ids()
	acc := tileir.Tile(tileir.F32, tm, tn)
	s := tileir.Tile(tileir.I32)
	zero := constant(k, acc, float32(0))
	lo, hi, step := k.i32(0), k.i32(int32((kk+int64(tk)-1)/int64(tk))), k.i32(1)
	body := k.region([]tileir.Type{s, acc}, func(args vals) {
		a, b := k.load(x, id[0], args[0]), k.load(y, args[0], id[1])
		sum := k.one("mmaf", vals{a, b, args[1]}, nil, acc)
		k.opGroups("continue", []vals{{sum}}, nil, nil)
	})
	r := k.opGroups("for", []vals{{lo}, {hi}, {step}, {zero}}, nil, []*tileir.Block{body}, acc)
	k.store(r[0], z, id[0], id[1])
	k.ret()
	return k
}
