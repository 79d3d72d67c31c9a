package eval_test

import (
	"fmt"
	"testing"

	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/simt/emu"
)

func TestMbarriers(t *testing.T) {
	x, out := fill(64, func(i int) int32 { return int32(i * i) }), make([]int32, 64*3)
	run(t, everywhere, mbarriers, line(x), view{out, "(64,3):(1,64)"})
	equal(t, "out", out, fill(192, func(i int) int32 { return x[63-i%64] + int32(i/64) }))
}

func TestBulk(t *testing.T) {
	x, out := fill(128*5, func(i int) float32 { return float32(i % 77) }), make([]float32, 128)
	run(t, hopper, bulk, view{x, "(128,5):(1,128)"}, line(out))
	equal(t, "out", out, fill(128, func(i int) float32 { return x[i] + x[i+128] + x[i+256] + x[i+384] + x[i+512] }))
	fails(t, "BulkLoad copies contiguous memory, a multiple of 16 bytes at a multiple of 16 bytes", bulk, view{x, "(128,5):(5,1)"}, line(out))
}

func TestPipelines(t *testing.T) {
	x, out := fill(32*10, func(i int) int32 { return int32(i * 3) }), make([]int32, 320)
	run(t, hopper, pipelines, view{x, "(32,10):(1,32)"}, view{out, "(32,10):(1,32)"})
	equal(t, "out", out, fill(320, func(i int) int32 { return x[i/32*32+31-i%32] }))
}

func TestTensorMaps(t *testing.T) {
	// Tensors of 40 x 20 elements in rows of 48, by boxes of 16 x 8.
	describe := func(arg int) tensorMap {
		return tensorMap{Type: "f32", Rank: 2, Addr: uint64(arg+1) << 32, Dims: [5]uint64{40, 20}, Strides: [5]uint64{0, 192}, Box: [5]uint32{16, 8}}
	}
	x := fill(48*20, func(i int) float32 { return float32(i + 1) })
	run(t, hopper, boxes, describe(2), describe(2), line(x))
	equal(t, "x", x, fill(48*20, func(i int) float32 {
		if i%48 < 40 {
			return -2 * float32(i+1)
		}
		return float32(i + 1)
	}))
}

// tensorMap is an argument that describes another one.
type tensorMap emu.TensorMap

func TestClusters(t *testing.T) {
	x, out := fill(256, func(i int) int32 { return int32(i * 7) }), make([]int32, 1280)
	run(t, hopper, clusters, line(x), view{out, "(256,5):(1,256)"})
	for i := range x {
		block, lane := i/32, i%32
		next, before := block/4*4+(block+1)%4, block/4*4+(block+3)%4
		sum := int32(0)
		for _, v := range x[block/4*128:][:128] {
			sum += v
		}
		for k, w := range []int32{x[next*32+31-lane], x[before*32+lane] + 1, x[before*32+lane] + 2, int32(block/4*100 + block%4), sum} {
			if got := out[k*256+i]; got != w {
				t.Fatalf("out[%d,%d] = %d, want %d", i, k, got, w)
			}
		}
	}
}

func TestWgmma(t *testing.T) {
	for _, c := range []struct {
		in, acc    string
		bits, n, k int
		fn         any
		major      bool
	}{
		{"f16", "f32", 16, 128, 32, wgmma[cute.Float16, float32], true},
		{"f16", "f32", 16, 96, 16, wgmma[cute.Float16, float32], true},
		{"f16", "f16", 16, 16, 64, wgmma[cute.Float16, cute.Float16], true},
		{"f16", "f32", 16, 64, 64, wgmma[cute.Float16, float32], false},
		{"f16", "f16", 16, 16, 32, wgmma[cute.Float16, cute.Float16], false},
		{"f16", "f32", 16, 8, 16, wgmma[cute.Float16, float32], false},
		{"f32", "f32", 32, 32, 32, wgmma[cute.TFloat32, float32], false},
		{"s8", "s32", 8, 24, 64, wgmma[int8, int32], false},
		{"e4m3", "f32", 8, 40, 128, wgmma[cute.Float8E4M3FN, float32], false},
	} {
		for _, regs := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s.%s.%dx%d.%v.%v", c.acc, c.in, c.n, c.k, regs, c.major), func(t *testing.T) {
				testMma(t, []string{"sm_90a"}, 64, c.n, c.k, c.in, c.acc, c.fn, constexpr(c.bits), regs, c.major)
			})
		}
	}
}

func TestTileScheduler(t *testing.T) {
	out, order := make([]int32, 6), make([]int32, 15)
	run(t, everywhere[:1], scheduler, view{out, "(3,2):(1,3)"}, view{order, "(5,3):(3,1)"})
	equal(t, "tiles", out, []int32{1, 2, 1, 2, 1, 2})
	equal(t, "order", order, []int32{0, 2, 4, 1, 3, 5, 6, 8, 10, 7, 9, 11, 12, 13, 14})
	n := make([]int32, 256)
	run(t, hopper[:1], registers, line(n))
	equal(t, "n", n, fill(256, func(int) int32 { return 1 }))
}

func TestArrivals(t *testing.T) {
	x, out := fill(128, func(i int) float32 { return float32(i) }), make([]float32, 32)
	run(t, everywhere, arrives, view{x, "(4,32):(1,4)"}, line(out))
	equal(t, "out", out, fill(32, func(i int) float32 { return x[3-i%4+4*(31-i)] }))
}

func TestMulticast(t *testing.T) {
	x, out := fill(48*20, func(i int) float32 { return float32(i + 1) }), make([]float32, 256)
	m := tensorMap{Type: "f32", Rank: 2, Addr: 2 << 32, Dims: [5]uint64{40, 20}, Strides: [5]uint64{0, 192}, Box: [5]uint32{16, 8}}
	run(t, hopper, multicasts, m, line(x), view{out, "(128,2):(1,128)"})
	equal(t, "out", out, fill(256, func(i int) float32 { return x[16+i%16+48*(8+i%128/16)] }))
}

func TestHopperGemm(t *testing.T) {
	const m, n, k = 128, 64, 320
	a, b, out := small(m*k, 1), small(n*k, 2), make([]float32, m*n)
	describe := func(arg, rows int) tensorMap {
		return tensorMap{Type: "f16", Rank: 2, Addr: uint64(arg+1) << 32, Dims: [5]uint64{k, uint64(rows)}, Strides: [5]uint64{0, 2 * k}, Box: [5]uint32{64, 64}, Swizzle: 128}
	}
	run(t, hopper[:1], hopperGemm, describe(2, m), describe(3, n), line(bitsOf(dtype.F16, a)), line(bitsOf(dtype.F16, b)), view{out, "(128,64):(64,1)"}, k)
	for i, w := range product(m, n, k, a, b, make([]float64, m*n)) {
		if float64(out[i]) != w {
			t.Fatalf("C[%d,%d] = %v, want %v", i/n, i%n, out[i], w)
		}
	}
}
