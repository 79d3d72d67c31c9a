package eval_test

import (
	"fmt"
	"testing"

	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/dtype"
)

func TestTensorCore(t *testing.T) {
	both := []string{"sm_100a", "sm_103a"}
	for _, c := range []struct {
		in, acc          string
		bits, inst, n, k int
		fn               any
		major            bool
		targets          []string
	}{
		{"f16", "f32", 16, 64, 64, 128, tensorCore[cute.Float16, float32], false, both},
		{"f16", "f32", 16, 32, 96, 32, tensorCore[cute.Float16, float32], true, both},
		{"f16", "f16", 16, 16, 32, 64, tensorCore[cute.Float16, cute.Float16], false, both},
		{"f32", "f32", 32, 16, 48, 16, tensorCore[cute.TFloat32, float32], false, both},
		{"s8", "s32", 8, 32, 32, 64, tensorCore[int8, int32], false, both[:1]},
		{"e4m3", "f32", 8, 80, 80, 64, tensorCore[cute.Float8E4M3FN, float32], false, both},
	} {
		t.Run(fmt.Sprintf("%s.%s.%dx%d.%v", c.acc, c.in, c.n, c.k, c.major), func(t *testing.T) {
			testMma(t, c.targets, 128, c.n, c.k, c.in, c.acc, c.fn, constexpr(c.bits), constexpr(c.inst), constexpr(128), c.major)
		})
	}
	fails(t, "SM100_128x16x16_F32F16F16_SS accumulates in tensor memory: call TensorGemm", wrongGemm, line(make([]uint16, 8)))
}

func TestBlackwellGemm(t *testing.T) {
	const m, n, k = 256, 128, 320
	a, b, out := small(m*k, 1), small(n*k, 2), make([]float32, m*n)
	describe := func(arg, rows, box int) tensorMap {
		return tensorMap{Type: "f16", Rank: 2, Addr: uint64(arg+1) << 32, Dims: [5]uint64{k, uint64(rows)}, Strides: [5]uint64{0, 2 * k}, Box: [5]uint32{64, uint32(box)}, Swizzle: 128}
	}
	run(t, []string{"sm_100a", "sm_103a"}, blackwellGemm, describe(2, m, 128), describe(3, n, 64), line(bitsOf(dtype.F16, a)), line(bitsOf(dtype.F16, b)),
		view{out, "(256,128):(128,1)"}, k)
	for i, w := range product(m, n, k, a, b, make([]float64, m*n)) {
		if float64(out[i]) != w {
			t.Fatalf("C[%d,%d] = %v, want %v", i/n, i%n, out[i], w)
		}
	}
}
