package sasstest_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/testing/assemble"
	"github.com/cutile-go/cutile/internal/testing/sasstest"
	"github.com/cutile-go/cutile/internal/tilec/compile"
	"github.com/cutile-go/cutile/kernels/argmax"
	readyattention "github.com/cutile-go/cutile/kernels/attention"
	"github.com/cutile-go/cutile/kernels/embedding"
	readygemm "github.com/cutile-go/cutile/kernels/gemm"
	"github.com/cutile-go/cutile/kernels/moe"
	"github.com/cutile-go/cutile/kernels/norm"
	"github.com/cutile-go/cutile/kernels/pointwise"
	"github.com/cutile-go/cutile/kernels/rope"
	"github.com/cutile-go/cutile/kernels/softmax"
	"github.com/cutile-go/cutile/kernels/transpose"
	. "github.com/cutile-go/cutile/tile"
)

type (
	half = dtype.Float16
	bf16 = dtype.BFloat16
	e4m3 = dtype.Float8E4M3FN
)

// ready are kernels of package kernels with the same kernels of cuTile Python. Kernels of another structure are not here:
// causal attention has a loop without masks before that with masks, layer normalisation sums squares of differences, dropout
// draws better random numbers.
var ready = []readyCase{
	{"gemm_f16", true, assemble.Case{Kernel: readygemm.Tiled[half, float32, half, D1, D1, D1], Extents: []int{128, 128, 64}, Funcs: []any{readygemm.Identity[F32T2[D128, D128]]}}},
	{"gemm_bf16_small", true, assemble.Case{Kernel: readygemm.Tiled[bf16, float32, bf16, D1, D1, D1], Extents: []int{32, 64, 32}, Funcs: []any{readygemm.Identity[F32T2[D32, D64]]}}},
	{"gemm_e4m3", true, assemble.Case{Kernel: readygemm.Tiled[e4m3, float32, float32, D1, D1, D1], Extents: []int{128, 128, 128}, Funcs: []any{readygemm.Identity[F32T2[D128, D128]]}}},
	{"gemm_s8", true, assemble.Case{Kernel: readygemm.Int8[D1, D1, D1], Extents: []int{128, 128, 128}}},
	{"gemm_f16_ragged", false, assemble.Case{Kernel: readygemm.Tiled[half, float32, float32, D1, D1, D1], Extents: []int{64, 64, 32}, Funcs: []any{readygemm.Identity[F32T2[D64, D64]]}}},
	{"gemm_persistent", true, assemble.Case{Kernel: readygemm.Persistent[half, float32, half, D1, D1, D1], Extents: []int{128, 128, 64}, Funcs: []any{readygemm.Identity[F32T2[D128, D128]]}}},
	{"gemm_splitk", true, assemble.Case{Kernel: readygemm.SplitKAtomic[half, D1, D1, D1], Extents: []int{64, 64, 32}}},
	{"gemm_batched", true, assemble.Case{Kernel: readygemm.Batched[half, float32, half, D1, D1, D1], Extents: []int{64, 64, 32}, Funcs: []any{readygemm.Identity[F32T2[D64, D64]]}}},
	{"gemm_nt_bias_relu", true, assemble.Case{Kernel: readygemm.Linear[bf16, float32, bf16, D1, D1, D1], Extents: []int{128, 64, 64}, Funcs: []any{readygemm.ReLU[F32T2[D128, D64]]}, Transposed: []string{"b"}}},
	{"transpose", true, assemble.Case{Kernel: transpose.Matrix[float32, D1, D1], Extents: []int{64, 64}}},
	{"softmax", true, assemble.Case{Kernel: softmax.Rows[float32, D1, D1], Extents: []int{1, 1024}}},
	{"softmax_online", true, assemble.Case{Kernel: softmax.LongRows[half, D1, D1], Extents: []int{1, 512}}},
	{"rmsnorm", true, assemble.Case{Kernel: norm.RMSRows[bf16, D1, D1], Extents: []int{1, 1024}}},
	{"layernorm_bwd", true, assemble.Case{Kernel: norm.LayerBackwardAtomic[float32, D1, D1], Extents: []int{1, 512}}},
	{"rope", true, assemble.Case{Kernel: rope.RotateRows[half, D1, D1], Extents: []int{8, 64}}},
	{"silu_mul", true, assemble.Case{Kernel: pointwise.SiLUMul[bf16, D1, D1], Extents: []int{1, 1024}}},
	{"embedding", true, assemble.Case{Kernel: embedding.Gather[half, D1, D1], Extents: []int{16, 128}}},
	{"argmax_rows", true, assemble.Case{Kernel: argmax.Rows[float32, D1, D1], Extents: []int{1, 512}}},
	{"decode_split", true, assemble.Case{Kernel: readyattention.Decode[half, D1, D1, D1], Extents: []int{16, 64, 64}}},
	{"decode_merge", true, assemble.Case{Kernel: readyattention.Merge[half, D1, D1], Extents: []int{8, 64}}},
	{"moe_grouped_gemm", true, assemble.Case{Kernel: moe.Grouped[bf16, D1, D1, D1], Extents: []int{64, 64, 64}, Whole: true}},
	{"vadd", true, assemble.Case{Kernel: pointwise.Zip[float32, float32, D1], Extents: []int{1024}, Funcs: []any{pointwise.Add[F32T1[D1024]]}}},
	{"saxpy", false, assemble.Case{Kernel: pointwise.AXPY[float32, D1], Extents: []int{1024}}},
}

// readyCase is a kernel with the file of the other one.
type readyCase struct {
	file     string
	promises bool // about the arguments, as those that the other was compiled with
	ours     assemble.Case
}

// targets are the architectures of the comparison.
var targets = []string{"sm_90", "sm_100"}

// pair are the instructions of a kernel and of cuTile Python's.
type pair struct{ ours, python int }

func (p pair) ratio() float64 { return float64(p.ours) / float64(p.python) }

// TestReadyKernels: the kernels of package kernels use the units that cuTile Python's use, are not longer by more than 5 %,
// spill no more, and most are no longer at all. With -v it prints the table of docs/benchmarks.md.
func TestReadyKernels(t *testing.T) {
	var mu sync.Mutex
	measured := make([]map[string]pair, len(ready))
	t.Run("kernels", func(t *testing.T) {
		for i, c := range ready {
			measured[i] = map[string]pair{}
			for _, target := range targets {
				t.Run(c.file+" "+target, func(t *testing.T) {
					t.Parallel()
					ours := sasstest.Measure(t, assemble.Bytecode(t, c.ours.Code(t, c.promises).Module), target)
					python := twin(t, c.file, target)
					t.Logf("Go     %v", ours)
					t.Logf("Python %v", python)
					for _, w := range sasstest.WorseBy(5, ours, python) {
						t.Error(w)
					}
					mu.Lock()
					defer mu.Unlock()
					measured[i][target] = pair{ours.Instructions, python.Instructions}
				})
			}
		}
	})
	summary(t, measured)
}

// summary prints the instructions side by side and holds the median of all ratios, where every kernel was measured.
func summary(t *testing.T, measured []map[string]pair) {
	t.Helper()
	table := "| kernel, tile | its twin |"
	for _, target := range targets {
		table += " " + target + ", Go / Python | ratio |"
	}
	table += "\n|---|---|" + strings.Repeat("---|---|", len(targets)) + "\n"
	var ratios []float64
	for i, c := range ready {
		table += fmt.Sprintf("| %s | %s |", title(t, c.ours), c.file)
		for _, target := range targets {
			p, ok := measured[i][target]
			if !ok {
				return // without the assembler, or not asked for
			}
			ratios = append(ratios, p.ratio())
			table += fmt.Sprintf(" %d / %d | %.3f |", p.ours, p.python, p.ratio())
		}
		table += "\n"
	}
	slices.Sort(ratios)
	median := (ratios[(len(ratios)-1)/2] + ratios[len(ratios)/2]) / 2
	t.Logf("%d kernels, median ratio %.3f\n%s", len(ready), median, table)
	if median > 1 {
		t.Errorf("the median ratio is %.3f: most kernels are longer than cuTile Python's", median)
	}
}

// title is a kernel's name with its element types, and the extents of its tile.
func title(t *testing.T, c assemble.Case) string {
	t.Helper()
	k, err := compile.Resolve(c.Kernel)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.ReplaceAll(strings.ReplaceAll(k.Name(), ", D1", ""), "[D1]", "")
	return name + " " + strings.ReplaceAll(strings.Trim(fmt.Sprint(c.Extents), "[]"), " ", "x")
}
