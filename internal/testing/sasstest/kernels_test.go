package sasstest_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/testing/assemble"
	"github.com/cutile-go/cutile/internal/testing/sasstest"
	"github.com/cutile-go/cutile/kernels/argmax"
	readyattention "github.com/cutile-go/cutile/kernels/attention"
	"github.com/cutile-go/cutile/kernels/embedding"
	readygemm "github.com/cutile-go/cutile/kernels/gemm"
	"github.com/cutile-go/cutile/kernels/moe"
	"github.com/cutile-go/cutile/kernels/norm"
	"github.com/cutile-go/cutile/kernels/pointwise"
	"github.com/cutile-go/cutile/kernels/softmax"
	. "github.com/cutile-go/cutile/tile"
)

type (
	half = dtype.Float16
	bf16 = dtype.BFloat16
	e4m3 = dtype.Float8E4M3FN
)

// ready are kernels of package kernels with the same kernels of cuTile Python. Kernels of another structure are not here:
// causal attention has a loop without masks before that with masks, layer normalisation sums squares of differences, its
// gradients meet without atomics, rotary embedding looks positions up.
var ready = []struct {
	file     string
	promises bool // about the arguments, as those that the other was compiled with
	ours     assemble.Case
}{
	{"gemm_f16", true, assemble.Case{Kernel: readygemm.Tiled[half, float32, half, D1, D1, D1], Extents: []int{128, 128, 64}, Funcs: []any{readygemm.Identity[F32T2[D128, D128]]}}},
	{"gemm_bf16_small", true, assemble.Case{Kernel: readygemm.Tiled[bf16, float32, bf16, D1, D1, D1], Extents: []int{32, 64, 32}, Funcs: []any{readygemm.Identity[F32T2[D32, D64]]}}},
	{"gemm_e4m3", true, assemble.Case{Kernel: readygemm.Tiled[e4m3, float32, float32, D1, D1, D1], Extents: []int{128, 128, 128}, Funcs: []any{readygemm.Identity[F32T2[D128, D128]]}}},
	{"gemm_s8", true, assemble.Case{Kernel: readygemm.Int8[D1, D1, D1], Extents: []int{128, 128, 128}}},
	{"gemm_persistent", true, assemble.Case{Kernel: readygemm.Persistent[half, float32, half, D1, D1, D1], Extents: []int{128, 128, 64}, Funcs: []any{readygemm.Identity[F32T2[D128, D128]]}}},
	{"gemm_splitk", true, assemble.Case{Kernel: readygemm.SplitKAtomic[half, D1, D1, D1], Extents: []int{64, 64, 32}}},
	{"gemm_batched", true, assemble.Case{Kernel: readygemm.Batched[half, float32, half, D1, D1, D1], Extents: []int{64, 64, 32}, Funcs: []any{readygemm.Identity[F32T2[D64, D64]]}}},
	{"gemm_nt_bias_relu", true, assemble.Case{Kernel: readygemm.Linear[bf16, float32, bf16, D1, D1, D1], Extents: []int{128, 64, 64}, Funcs: []any{readygemm.ReLU[F32T2[D128, D64]]}, Transposed: []string{"b"}}},
	{"softmax", true, assemble.Case{Kernel: softmax.Rows[float32, D1, D1], Extents: []int{1, 1024}}},
	{"softmax_online", true, assemble.Case{Kernel: softmax.LongRows[half, D1, D1], Extents: []int{1, 512}}},
	{"rmsnorm", true, assemble.Case{Kernel: norm.RMSRows[bf16, D1, D1], Extents: []int{1, 1024}}},
	{"silu_mul", true, assemble.Case{Kernel: pointwise.SiLUMul[bf16, D1, D1], Extents: []int{1, 1024}}},
	{"embedding", true, assemble.Case{Kernel: embedding.Gather[half, D1, D1], Extents: []int{16, 128}}},
	{"argmax_rows", true, assemble.Case{Kernel: argmax.Rows[float32, D1, D1], Extents: []int{1, 512}}},
	{"decode_split", true, assemble.Case{Kernel: readyattention.Decode[half, D1, D1, D1], Extents: []int{16, 64, 64}}},
	{"decode_merge", true, assemble.Case{Kernel: readyattention.Merge[half, D1, D1], Extents: []int{8, 64}}},
	{"moe_grouped_gemm", true, assemble.Case{Kernel: moe.Grouped[bf16, D1, D1, D1], Extents: []int{64, 64, 64}, Whole: true}},
	{"saxpy", false, assemble.Case{Kernel: pointwise.AXPY[float32, D1], Extents: []int{1024}}},
}

// TestReadyKernels: the kernels of package kernels use the units that cuTile Python's use, are not longer by more than 5 %,
// and spill no more.
func TestReadyKernels(t *testing.T) {
	for _, c := range ready {
		reference, err := os.ReadFile(filepath.Join("testdata", c.file+".13.3.tileirbc"))
		if err != nil {
			t.Fatal(err)
		}
		for _, target := range []string{"sm_90", "sm_100"} {
			t.Run(c.file+" "+target, func(t *testing.T) {
				t.Parallel()
				ours := sasstest.Measure(t, assemble.Bytecode(t, c.ours.Code(t, c.promises).Module), target)
				python := sasstest.Measure(t, reference, target)
				t.Logf("Go     %v", ours)
				t.Logf("Python %v", python)
				for _, w := range sasstest.WorseBy(5, ours, python) {
					t.Error(w)
				}
			})
		}
	}
}
