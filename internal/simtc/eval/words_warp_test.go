package eval_test

import (
	"math/bits"
	"testing"

	"github.com/cutile-go/cutile/cute"
)

func TestShuffle(t *testing.T) {
	t.Run("f32", func(t *testing.T) { testShuffle(t, shuffles[float32], func(i int) float32 { return float32(i) }) })
	t.Run("f64", func(t *testing.T) { testShuffle(t, shuffles[float64], func(i int) float64 { return float64(i) / 3 }) })
	t.Run("f16", func(t *testing.T) {
		testShuffle(t, shuffles[cute.Float16], func(i int) uint16 { return uint16(0x3c00 + i) })
	})
	t.Run("bool", func(t *testing.T) { testShuffle(t, shuffles[bool], func(i int) bool { return i*i%7 == 2 }) })
	t.Run("int8", func(t *testing.T) { testShuffle(t, shuffles[int8], func(i int) int8 { return int8(i * 5) }) })
	t.Run("int", func(t *testing.T) { testShuffle(t, shuffles[int], func(i int) int64 { return int64(i) << 40 }) })
}

func testShuffle[T comparable](t *testing.T, fn any, f func(i int) T) {
	x, out := fill(64, f), make([]T, 256)
	run(t, turing, fn, line(x), view{out, "(64,4):(1,64)"})
	for i := range 64 {
		warp, lane := i/32*32, i%32
		up, down := lane-3, lane+2
		if up < 0 {
			up = lane
		}
		if down/8 != lane/8 {
			down = lane
		}
		for k, from := range []int{lane ^ 5, up, down, i % 7} {
			if got := out[k*64+i]; got != x[warp+from] {
				t.Fatalf("shuffle %d of lane %d = %v, want %v", k, i, got, x[warp+from])
			}
		}
	}
}

func TestVotes(t *testing.T) {
	x := fill(64, func(i int) int32 { return int32(i*37%101 - 40) })
	out := make([]uint32, 64*18)
	run(t, everywhere, votes, line(x), view{out, "(64,18):(1,64)"})
	bit := func(b bool) uint32 {
		if b {
			return 1
		}
		return 0
	}
	for i, v := range x {
		warp := x[i/32*32 : i/32*32+32]
		var ballot, above, same uint32
		sum, least, top, and, or, xor := int32(0), warp[0], warp[0], int32(-1), int32(0), int32(0)
		for k, w := range warp {
			ballot |= bit(w > 0) << k
			above |= bit(w > 90) << k
			same |= bit(w%4 == v%4) << k
			sum, least, top, and, or, xor = sum+w, min(least, w), max(top, w), and&w, or|w, xor^w
		}
		lane := i % 32
		eq := uint32(1) << lane
		want := []uint32{
			ballot, bit(above != 0), 1, bit(above == 0 || bits.OnesCount32(above) == 32), uint32(sum), uint32(least), uint32(top), uint32(and), uint32(or),
			uint32(xor), same, 0, cute.FullMask, eq, eq - 1, 2*eq - 1, ^(2*eq - 1), ^(eq - 1),
		}
		for k, w := range want {
			if got := out[k*64+i]; got != w {
				t.Fatalf("function %d in lane %d = %x, want %x", k, i, got, w)
			}
		}
	}
	n := make([]int32, 1)
	run(t, hopper, elects, line(n))
	equal(t, "elected", n, []int32{2})
}

func TestReduce(t *testing.T) {
	x, out := fill(160, func(i int) int64 { return int64(i*37%101 - 50) }), make([]int64, 160*6)
	run(t, everywhere, reduces[int], line(x), view{out, "(160,6):(1,160)"})
	checkReduce(t, x, out)
	y, outF := fill(160, func(i int) float32 { return float32(i*37%101 - 50) }), make([]float32, 160*6)
	run(t, everywhere, reduces[float32], line(y), view{outF, "(160,6):(1,160)"})
	checkReduce(t, y, outF)
}

func checkReduce[T int64 | float32](t *testing.T, x, out []T) {
	t.Helper()
	var all, top T = 0, -100
	for _, v := range x {
		all, top = all+v, max(top, v)
	}
	for i := range x {
		var warp, scan T
		eight := x[i/8*8]
		for k := i / 32 * 32; k < i/32*32+32; k++ {
			warp += x[k]
			if k <= i {
				scan += x[k]
			}
			if k/8 == i/8 {
				eight = max(eight, x[k])
			}
		}
		for k, w := range []T{warp, eight, scan, all, top, T(i + 160000)} {
			if got := out[k*160+i]; got != w {
				t.Fatalf("function %d of thread %d = %v, want %v", k, i, got, w)
			}
		}
	}
}

func TestWarpOfVectors(t *testing.T) {
	x, out := []float32{3, -1, 2, 5}, make([]float32, 4)
	run(t, everywhere[:1], warpVectors, line(x), line(out))
	equal(t, "sums", out, []float32{3 * 496, -496, 2 * 496, 5 * 496})
}

func TestFolds(t *testing.T) {
	x, out := []float32{3, -1, 2, 5}, make([]float32, 10)
	run(t, everywhere, folds, line(x), line(out))
	equal(t, "folds", out, []float32{9, -30, 5, 90, 39, 20, 0, 7, 4, -3})
}

func TestAtomics(t *testing.T) {
	x := fill(64, func(i int) int32 { return int32(i*i%31 - 9) })
	sum := int32(0)
	for _, v := range x {
		sum += v
	}
	out := make([]int32, 3)
	run(t, turing, atomics[int32], line(x), line(out))
	equal(t, "int32", out, []int32{sum, 64, sum})
	f, outF := fill(64, func(i int) float64 { return float64(x[i]) }), make([]float64, 3)
	run(t, everywhere, atomics[float64], line(f), line(outF))
	equal(t, "float64", outF, []float64{float64(sum), 64, float64(sum)})
	wide, outI := fill(64, func(i int) int64 { return int64(x[i]) }), make([]int64, 3)
	run(t, everywhere, atomics[int], line(wide), line(outI))
	equal(t, "int", outI, []int64{int64(sum), 64, int64(sum)})
	half, outH := fill(64, func(int) uint16 { return 0x3c00 }), make([]uint16, 3)
	run(t, everywhere, atomics[cute.Float16], line(half), line(outH))
	equal(t, "Float16", outH, []uint16{0x5400, 0x5400, 0x5400})
	fails(t, "the GPU has no atomic add of i8", atomics[int8], line(x), line(out))
}

func TestAtomicInts(t *testing.T) {
	x := fill(64, func(i int) int32 { return int32(i*i*7919%1001 - 300) })
	start := []int32{1 << 30, -1 << 30, -1, 0, 0, 0, 9, 9, 0}
	out, want := append([]int32(nil), start...), append([]int32(nil), start...)
	for _, v := range x {
		for k, r := range []int32{min(want[0], v), max(want[1], v), want[2] & v, want[3] | v, want[4] ^ v, want[5] + v, x[63], 9, want[8] - v} {
			want[k] = r
		}
	}
	run(t, turing, atomicInts[int32], line(x), line(out))
	equal(t, "int32", out, want)
	fails(t, "atomic min of f32", atomicFloatMin, line(x), line(out))
}

func TestBarriers(t *testing.T) {
	x, out := fill(64, func(i int) int32 { return int32(i * i) }), make([]int32, 66)
	run(t, turing, barriers, line(x), line(out))
	equal(t, "out", out, append(fill(64, func(i int) int32 { return x[63-i] }), 43, 1))
	n := make([]int32, 32)
	run(t, hopper, hopperFences, line(n))
	equal(t, "out", n, fill(32, func(int) int32 { return 1 }))
}

func TestPrintTensor(t *testing.T) {
	x := fill(12, func(i int) float32 { return float32(i) / 2 })
	got := run(t, turing, prints, view{x, "(2,3,2):(1,2,6)"})
	want := "tensor (2,3,2):(1,2,6):\nat (_,_,0):\n 0 1 2\n 0.5 1.5 2.5\nat (_,_,1):\n 3 4 5\n 3.5 4.5 5.5\n" +
		"tensor (3):(2):\n 0.5 1.5 2.5\ntensor (3):(2):\n(0) = 3\n(1) = 4\n(2) = 5\n" +
		"tensor (2,2):(1,2):\n 7 7\n 5 7\ntensor (2):(2):\n(0) = 5\n(1) = 7\n"
	if got != want {
		t.Errorf("printed\n%s\nwant\n%s", got, want)
	}
}
