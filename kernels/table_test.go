package kernels_test

import (
	"flag"
	"slices"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/argmax"
	"github.com/cutile-go/cutile/kernels/attention"
	"github.com/cutile-go/cutile/kernels/conv"
	"github.com/cutile-go/cutile/kernels/delta"
	"github.com/cutile-go/cutile/kernels/dropout"
	"github.com/cutile-go/cutile/kernels/embedding"
	"github.com/cutile-go/cutile/kernels/fft"
	"github.com/cutile-go/cutile/kernels/gemm"
	"github.com/cutile-go/cutile/kernels/hyper"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
	"github.com/cutile-go/cutile/kernels/kvcache"
	"github.com/cutile-go/cutile/kernels/loss"
	"github.com/cutile-go/cutile/kernels/moe"
	"github.com/cutile-go/cutile/kernels/norm"
	"github.com/cutile-go/cutile/kernels/optim"
	"github.com/cutile-go/cutile/kernels/pointwise"
	"github.com/cutile-go/cutile/kernels/pool"
	"github.com/cutile-go/cutile/kernels/qkv"
	"github.com/cutile-go/cutile/kernels/quant"
	"github.com/cutile-go/cutile/kernels/rope"
	"github.com/cutile-go/cutile/kernels/sample"
	"github.com/cutile-go/cutile/kernels/softmax"
	"github.com/cutile-go/cutile/kernels/transpose"
	"github.com/cutile-go/cutile/tile"
	"github.com/cutile-go/cutile/tileir"
)

type (
	half = dtype.Float16
	bf16 = dtype.BFloat16
	e4m3 = dtype.Float8E4M3FN
	e8m0 = dtype.Float8E8M0FNU
	one  = tile.D1
)

// versions and archs are what every kernel is exported for, unless its row says otherwise. The flag archs adds the other
// architectures.
var (
	versions = []string{"13.1", "13.2", "13.3", "13.4"}
	archs    = []string{"sm_80", "sm_90", "sm_100", "sm_120"}
)

// row is a kernel with arguments that it is compiled for.
type row struct {
	name    string // of folder and kernel
	kernel  any
	extents []int
	args    []any
	limits  *limits // where all is too much
}

// limits are what a kernel is exported for whose elements or operations not everything has.
type limits struct{ versions, archs []string }

var (
	eights  = &limits{versions, []string{"sm_90", "sm_100", "sm_103", "sm_107", "sm_110", "sm_120", "sm_121"}}
	scaled  = &limits{[]string{"13.3", "13.4"}, []string{"sm_100", "sm_103", "sm_107", "sm_110", "sm_120", "sm_121"}}
	rounded = &limits{[]string{"13.2", "13.3", "13.4"}, scaled.archs}
)

var everyArch = flag.Bool("archs", false, "assemble for every architecture that Tile IR knows")

// targets are the versions and architectures of a row: one architecture a generation unless all are wanted.
func (r row) targets() (v, a []string) {
	all := limits{versions, tileir.Archs()}
	if r.limits != nil {
		all = *r.limits
	}
	if *everyArch {
		return all.versions, all.archs
	}
	return all.versions, slices.DeleteFunc(slices.Clone(all.archs), func(a string) bool { return !slices.Contains(archs, a) })
}

// shaped stands for a tensor of a shape.
type shaped[E dtype.Elem] struct {
	cutile.Spec[E]
	shape []int
}

func spec[E dtype.Elem](shape ...int) any { return shaped[E]{cutile.SpecOf[E](shape...), shape} }

// turned stands for a tensor of a shape whose last two axes are swapped.
type turned[E dtype.Elem] struct {
	*cutile.Tensor[E]
	shape []int
}

// turnedOf is one; a Spec is no view.
func turnedOf[E dtype.Elem](t testing.TB, shape ...int) any {
	t.Helper()
	x, err := cutile.NewTensor[E](kerneltest.CPU(t), shape...)
	kerneltest.Must(t, err)
	return turned[E]{x.T(), shape}
}

func table(t testing.TB) []row {
	t.Helper()
	identity := gemm.Identity[tile.F32T2[one, one]]
	m16 := spec[half](1024, 1024)
	m32 := spec[float32](1024, 1024)
	v16, v32 := spec[half](1024), spec[float32](1024)
	ids := spec[int32](1024)
	line16, line32 := spec[half](1<<16), spec[float32](1<<16)
	relu := pointwise.ReLU[tile.F32T1[one]]
	add := pointwise.Add[tile.F32T1[one]]
	heads := spec[half](2, 8, 1024, 128)
	sums := spec[float32](2, 8, 1024)
	keys := turnedOf[half](t, 2, 2, 1024, 128)
	values := spec[half](2, 2, 1024, 128)
	pairs := spec[half](1024, 8, 2, 64)
	image, image32, table := spec[half](2, 64, 56, 56), spec[float32](2, 64, 56, 56), spec[int32](576)
	const plane = 56 * 56
	window := conv.Source{Batch: 64 * plane, Group: 64 * plane, Y: 56, X: 1, Rows: 56, Cols: 56, StepY: 1, StepX: 1, LowY: 1, LowX: 1}
	outputs := conv.Target{Batch: 64 * plane, Group: 64 * plane, Channel: plane, Y: 56, X: 1, Channels: 64, Rows: 56, Cols: 56}
	deep, deepOutputs := window, outputs
	deep.Group, deepOutputs.Group, deepOutputs.Channels = plane, plane, 1
	planes, parts, v64 := spec[half](2, 64, plane), spec[half](64, 2, plane), spec[float32](64)
	layout := pool.Layout{Batch: 64 * plane, Channel: plane, Y: 56, X: 1, Cols: 56}
	walk := pool.Walk{Down: 3, Right: 3, StepY: 1, StepX: 1, Planes: 128, Channels: 64}
	places, counts, scales := spec[int32](54), spec[int32](54), spec[float32](54)
	scores, seen := spec[half](2, 8, 1024, 1024), spec[bool](2, 8, 1024, 1024)
	turnedKeys, cache := spec[half](1024, 2, 2, 64), spec[half](4, 2, 512, 2, 64)
	return []row{
		{"gemm.Tiled", gemm.Tiled[half, float32, half, one, one, one], []int{128, 128, 64}, []any{m16, m16, m16, identity}, nil},
		{"gemm.Grouped", gemm.Grouped[half, float32, half, one, one, one], []int{128, 128, 64}, []any{m16, m16, m16, identity}, nil},
		{"gemm.Grouped", gemm.Grouped[bf16, float32, float32, one, one, one], []int{64, 64, 64}, []any{spec[bf16](130, 70), spec[bf16](70, 33), spec[float32](130, 33), identity}, nil},
		{"gemm.Grouped", gemm.Grouped[e4m3, float32, float32, one, one, one], []int{128, 128, 128},
			[]any{spec[e4m3](1024, 1024), spec[e4m3](1024, 1024), m32, identity}, eights},
		{"gemm.Persistent", gemm.Persistent[half, float32, half, one, one, one], []int{128, 128, 64}, []any{m16, m16, m16, identity}, nil},
		{"gemm.Batched", gemm.Batched[half, float32, half, one, one, one], []int{64, 64, 64}, []any{spec[half](8, 128, 128), spec[half](8, 128, 128), spec[half](8, 128, 128), identity}, nil},
		{"gemm.Linear", gemm.Linear[half, float32, half, one, one, one], []int{128, 64, 64}, []any{m16, m16, v32, m16, gemm.GELU[tile.F32T2[one, one]]}, nil},
		{"gemm.TF32", gemm.TF32[one, one, one], []int{64, 64, 32}, []any{m32, m32, m32, identity}, nil},
		{"gemm.Int8", gemm.Int8[one, one, one], []int{128, 128, 128}, []any{spec[int8](1024, 1024), spec[int8](1024, 1024), spec[int32](1024, 1024)}, nil},
		{"gemm.SplitK", gemm.SplitK[half, one, one, one], []int{64, 64, 64}, []any{m16, m16, spec[float32](4, 1024, 1024)}, nil},
		{"gemm.SplitKAtomic", gemm.SplitKAtomic[half, one, one, one], []int{64, 64, 32}, []any{m16, m16, m32}, nil},
		{"gemm.Sum", gemm.Sum[half, one, one], []int{64, 64}, []any{spec[float32](4, 1024, 1024), m16, identity}, nil},
		{"gemm.Scaled", gemm.Scaled[half, half, one, one, one], []int{128, 128, 64}, []any{m16, m16, m16, float32(1), float32(1)}, nil},
		{"gemm.Several", gemm.Several[half, half, one, one, one], []int{64, 64, 64}, []any{[8]any{m16, m16, m16, m16, m16, m16, m16, m16},
			[8]any{m16, m16, m16, m16, m16, m16, m16, m16}, [8]any{m16, m16, m16, m16, m16, m16, m16, m16}}, nil},
		{"gemm.Ragged", gemm.Ragged[half, half, one, one, one], []int{64, 128, 64}, []any{m16, spec[half](8, 1024, 1024), spec[int32](9), m16, 0}, nil},
		{"gemm.Ragged", gemm.Ragged[bf16, float32, one, one, one], []int{64, 64, 64}, []any{spec[bf16](512, 70), spec[bf16](8, 70, 33), spec[int32](8), spec[float32](512, 33), 64}, nil},
		{"gemm.RaggedGradient", gemm.RaggedGradient[half, half, one, one, one], []int{64, 64, 64}, []any{m16, m16, spec[int32](9), spec[half](8, 1024, 1024), 0}, nil},
		{"softmax.Rows", softmax.Rows[half, one, one], []int{1, 1024}, []any{m16, m16}, nil},
		{"softmax.LongRows", softmax.LongRows[float32, one, one], []int{1, 2048}, []any{spec[float32](64, 16384), spec[float32](64, 16384)}, nil},
		{"softmax.BackwardRows", softmax.BackwardRows[half, one, one], []int{1, 1024}, []any{m16, m16, m16}, nil},
		{"softmax.SparseRows", softmax.SparseRows[half, one, one], []int{1, 1024}, []any{m16, m16}, nil},
		{"softmax.SparseBackwardRows", softmax.SparseBackwardRows[half, one, one], []int{1, 1024}, []any{m16, m16, m16}, nil},
		{"loss.CrossRows", loss.CrossRows[half, one, one], []int{1, 1024}, []any{m16, ids, v32, float32(0.1), -100}, nil},
		{"loss.CrossBackward", loss.CrossBackward[half, half, one, one], []int{1, 1024}, []any{m16, ids, v32, m16, float32(0.1), -100}, nil},
		{"loss.CrossBackward", loss.CrossBackward[float32, bf16, one, one], []int{1, 2048}, []any{spec[float32](128, 32000), spec[int32](128), spec[float32](128), spec[bf16](128, 32000), float32(0), -100}, nil},
		{"loss.GRPORows", loss.GRPORows[half, one, one], []int{1, 2048}, []any{spec[half](8, 128, 32000), spec[int32](8, 128), spec[float32](8), spec[float32](8, 128),
			spec[float32](8, 128), spec[float32](8, 128), float32(0.2), float32(0.2), float32(0.04), float32(1), -100, true}, nil},
		{"loss.GRPOBackwardRows", loss.GRPOBackwardRows[half, one, one], []int{1, 2048}, []any{spec[half](8, 128, 32000), spec[int32](8, 128), spec[float32](8), spec[float32](8, 128),
			spec[float32](8, 128), spec[float32](8, 128), spec[half](8, 128, 32000), float32(0.2), float32(0.2), float32(0.04), float32(1), -100, true}, nil},
		{"loss.Each", loss.Each[half, one], []int{1024}, []any{line16, line16, line32, loss.Squared[tile.F32T1[one]], float32(0)}, nil},
		{"loss.Parts", loss.Parts[half, one], []int{1024}, []any{line16, line16, spec[float32](64), loss.Squared[tile.F32T1[one]], float32(0)}, nil},
		{"loss.Total", loss.Total[one], []int{128}, []any{spec[float32](128), spec[float32](1), float32(1)}, nil},
		{"loss.Slopes", loss.Slopes[half, one], []int{1024}, []any{line16, line16, line32, line16, loss.Squared[tile.F32T1[one]], float32(0), float32(1)}, nil},
		{"loss.Share", loss.Share[one], []int{1024}, []any{ids, spec[float32](1), spec[float32](1), -100}, nil},
		{"norm.RMSRows", norm.RMSRows[half, one, one], []int{1, 1024}, []any{m16, v16, m16, float32(0)}, nil},
		{"norm.RMSLongRows", norm.RMSLongRows[half, one, one], []int{1, 1024}, []any{m16, v16, m16, float32(0)}, nil},
		{"norm.AddRMSRows", norm.AddRMSRows[half, one, one], []int{1, 1024}, []any{m16, m16, v16, m16, float32(0)}, nil},
		{"norm.RMSBackwardRows", norm.RMSBackwardRows[half, one, one], []int{1, 1024}, []any{m16, m16, v16, m16, spec[float32](128, 1024), float32(0), float32(0)}, nil},
		{"norm.RMSOffsetRows", norm.RMSOffsetRows[half, one, one], []int{1, 1024}, []any{m16, v16, m16, float32(1), float32(0)}, nil},
		{"norm.RMSAddRows", norm.RMSAddRows[half, one, one], []int{1, 1024}, []any{m16, v16, m16, float32(1), float32(0)}, nil},
		{"norm.GatedRMSRows", norm.GatedRMSRows[half, one, one], []int{16, 128}, []any{spec[half](1024, 128), spec[half](1024, 128), spec[half](128), spec[half](1024, 128), float32(0)}, nil},
		{"norm.GatedRMSBackwardRows", norm.GatedRMSBackwardRows[half, one, one], []int{1, 1024}, []any{m16, m16, m16, v16, m16, m16, spec[float32](128, 1024), float32(0)}, nil},
		{"norm.DynamicTanhRows", norm.DynamicTanhRows[half, one, one], []int{2, 1024}, []any{m16, spec[half](1), v16, v16, m16}, nil},
		{"norm.DynamicTanhBackwardRows", norm.DynamicTanhBackwardRows[half, one, one], []int{2, 1024},
			[]any{m16, m16, spec[half](1), v16, m16, spec[float32](128, 1), spec[float32](128, 1024), spec[float32](128, 1024)}, nil},
		{"norm.PolyRows", norm.PolyRows[half, one, one], []int{1, 1024}, []any{m16, spec[half](3), spec[half](1), m16, float32(0)}, nil},
		{"norm.PolyBackwardRows", norm.PolyBackwardRows[half, one, one], []int{1, 1024}, []any{m16, m16, spec[half](3), m16, spec[float32](128, 4), float32(0)}, nil},
		{"norm.LayerRows", norm.LayerRows[half, one, one], []int{1, 1024}, []any{m16, v16, v16, m16, v32, v32, float32(0)}, nil},
		{"norm.AddLayerRows", norm.AddLayerRows[half, one, one], []int{1, 1024}, []any{m16, m16, v16, v16, m16, v32, v32, float32(0)}, nil},
		{"norm.LayerLongRows", norm.LayerLongRows[half, one, one], []int{1, 1024}, []any{m16, v16, v16, m16, v32, v32, float32(0)}, nil},
		{"norm.LayerBackwardRows", norm.LayerBackwardRows[half, one, one], []int{1, 1024}, []any{m16, m16, v16, v32, v32, m16, spec[float32](128, 1024), spec[float32](128, 1024)}, nil},
		{"norm.LayerBackwardAtomic", norm.LayerBackwardAtomic[half, one, one], []int{1, 1024}, []any{m16, m16, v16, v32, v32, m16, v32, v32}, nil},
		{"norm.LayerBackwardX", norm.LayerBackwardX[half, one, one], []int{1, 1024}, []any{m16, m16, v16, v32, v32, m16}, nil},
		{"norm.LayerBackwardW", norm.LayerBackwardW[half, one, one], []int{8, 256}, []any{m16, m16, v32, v32, spec[float32](128, 1024), spec[float32](128, 1024)}, nil},
		{"norm.SumRows", norm.SumRows[half, one, one], []int{16, 128}, []any{m32, v16}, nil},
		{"norm.Moments", norm.Moments[half, one, one, one], []int{1, 1, 1024}, []any{planes, v64, v64, v64, float32(0)}, nil},
		{"norm.Blend", norm.Blend[one], []int{64}, []any{v64, v64, float32(1), float32(1)}, nil},
		{"norm.BatchRows", norm.BatchRows[half, one, one, one], []int{1, 1, 1024}, []any{planes, v64, v64, spec[half](64), spec[half](64), planes, float32(0)}, nil},
		{"norm.BatchBackwardRows", norm.BatchBackwardRows[half, one, one, one], []int{1, 1, 1024}, []any{planes, planes, spec[half](64), v64, v64, planes, spec[half](64), spec[half](64)}, nil},
		{"norm.GroupRows", norm.GroupRows[half, one, one], []int{1, 1024}, []any{parts, v64, v64, spec[half](32, 2), spec[half](32, 2), parts}, nil},
		{"norm.GroupBackwardRows", norm.GroupBackwardRows[half, one, one], []int{1, 1024}, []any{parts, parts, spec[half](32, 2), v64, v64, parts}, nil},
		{"norm.GroupBackwardW", norm.GroupBackwardW[half, one, one], []int{1, 1024}, []any{parts, parts, v64, v64, spec[half](32, 2), spec[half](32, 2)}, nil},
		{"attention.Full", attention.Full[half, one, one, one], []int{128, 64, 128}, []any{heads, keys, values, heads, float32(1)}, nil},
		{"attention.Causal", attention.Causal[half, one, one, one], []int{128, 64, 128}, []any{heads, keys, values, heads, float32(1)}, nil},
		{"attention.Decode", attention.Decode[half, one, one, one], []int{16, 64, 128},
			[]any{spec[half](2, 2, 4, 128), values, values, spec[int32](2), spec[float32](4, 8, 4, 128), spec[float32](4, 8, 4), float32(1)}, nil},
		{"attention.Masked", attention.Masked[half, one, one, one, one], []int{64, 64, 128, 128}, []any{heads, keys, values, spec[int32](2), heads, 256, 0, 4, float32(1), float32(50)}, nil},
		{"attention.Biased", attention.Biased[half, one, one, one, one], []int{64, 64, 128, 128},
			[]any{heads, keys, values, spec[half](2, 8, 1024, 1024), spec[int32](2), heads, 256, 0, 4, float32(1), float32(50)}, nil},
		{"attention.DecodeMasked", attention.DecodeMasked[half, one, one, one], []int{16, 64, 128},
			[]any{spec[half](2, 2, 4, 128), values, values, spec[int32](2), spec[float32](4, 8, 4, 128), spec[float32](4, 8, 4), 256, 4, float32(1), float32(50)}, nil},
		{"attention.DecodeBiased", attention.DecodeBiased[half, one, one, one], []int{16, 64, 128},
			[]any{spec[half](2, 2, 4, 128), values, values, spec[half](2, 2, 4, 1024), spec[int32](2), spec[float32](4, 8, 4, 128), spec[float32](4, 8, 4), 256, 4, float32(1), float32(50)}, nil},
		{"attention.Merge", attention.Merge[half, one, one], []int{8, 128}, []any{spec[float32](4, 8, 4, 128), spec[float32](4, 8, 4), spec[half](4, 4, 128)}, nil},
		{"attention.Saving", attention.Saving[half, one, one, one], []int{64, 64, 128}, []any{heads, keys, values, heads, sums, true, float32(1)}, nil},
		{"attention.Deltas", attention.Deltas[half, one, one], []int{64, 128}, []any{heads, heads, sums}, nil},
		{"attention.QueryGradients", attention.QueryGradients[half, one, one, one], []int{64, 64, 128},
			[]any{heads, heads, values, values, sums, sums, heads, true, float32(1)}, nil},
		{"attention.KeyGradients", attention.KeyGradients[half, one, one, one], []int{64, 64, 128},
			[]any{heads, heads, values, values, sums, sums, values, values, true, float32(1)}, nil},
		{"attention.DecodeSeen", attention.DecodeSeen[half, one, one, one], []int{16, 64, 128},
			[]any{spec[half](2, 2, 4, 128), values, values, spec[half](2, 2, 4, 1024), spec[bool](2, 2, 4, 1024), spec[int32](2), spec[float32](4, 8, 4, 128), spec[float32](4, 8, 4), 256, 4, true, float32(1), float32(50)}, nil},
		{"attention.DecodePaged", attention.DecodePaged[half, one, one, one], []int{16, 64, 128},
			[]any{spec[half](2, 2, 4, 128), spec[half](64, 2, 16, 128), spec[half](64, 2, 16, 128), spec[int32](2, 64), spec[half](2, 2, 4, 1024), spec[bool](2, 2, 4, 1024),
				spec[int32](2), spec[float32](4, 8, 4, 128), spec[float32](4, 8, 4), 256, 4, true, true, float32(1), float32(50)}, nil},
		{"attention.Ragged", attention.Ragged[half, one, one, one, one], []int{64, 64, 256, 128},
			[]any{spec[half](1024, 8, 192), spec[half](1024, 2, 192), spec[half](1024, 2, 128), spec[half](1024, 8, 128), spec[int32](5), spec[int32](5),
				256, 0, 4, float32(1), float32(50)}, nil},
		{"attention.Paged", attention.Paged[half, one, one, one, one], []int{64, 64, 128, 128},
			[]any{spec[half](1024, 8, 128), spec[half](64, 2, 16, 128), spec[half](64, 2, 16, 128), spec[int32](4, 64), spec[half](1024, 8, 128), spec[int32](5), spec[int32](4),
				256, 0, 4, float32(1), float32(50)}, nil},
		{"attention.DecodeLatent", attention.DecodeLatent[half, one, one, one, one], []int{16, 32, 512, 64},
			[]any{spec[half](2, 128, 512), spec[half](2, 128, 64), spec[half](2, 1, 1024, 512), spec[half](2, 1, 1024, 64), spec[int32](2),
				spec[float32](2, 8, 128, 512), spec[float32](2, 8, 128), 256, 4, float32(1), float32(50)}, nil},
		{"attention.DecodeLatentPaged", attention.DecodeLatentPaged[half, one, one, one, one], []int{16, 32, 512, 64},
			[]any{spec[half](2, 128, 512), spec[half](2, 128, 64), spec[half](64, 1, 16, 512), spec[half](64, 1, 16, 64), spec[int32](2, 64), spec[int32](2),
				spec[float32](2, 8, 128, 512), spec[float32](2, 8, 128), 256, 4, float32(1), float32(50)}, nil},
		{"attention.Neighbours", attention.Neighbours[half, one, one, one, one], []int{64, 64, 128, 128}, []any{heads, keys, values, heads, 32, 7, 7, float32(1)}, nil},
		{"attention.Selected", attention.Selected[half, one, one, one, one], []int{16, 64, 128, 128},
			[]any{spec[half](2, 2, 4, 256, 128), values, values, spec[int32](2, 2, 256, 512), spec[half](2, 2, 4, 256, 128), float32(1)}, nil},
		{"attention.SavingMasked", attention.SavingMasked[half, one, one, one, one], []int{64, 64, 128, 128},
			[]any{heads, keys, values, scores, seen, spec[int32](2), heads, sums, 256, 0, 4, true, true, float32(1), float32(50)}, nil},
		{"attention.QueryGradientsMasked", attention.QueryGradientsMasked[half, one, one, one], []int{64, 64, 128},
			[]any{heads, heads, values, values, scores, seen, spec[int32](2), sums, sums, heads, 256, 0, 4, true, true, float32(1), float32(50)}, nil},
		{"attention.KeyGradientsMasked", attention.KeyGradientsMasked[half, one, one, one], []int{64, 64, 128},
			[]any{heads, heads, values, values, scores, seen, spec[int32](2), sums, sums, values, values, 256, 0, 4, true, true, float32(1), float32(50)}, nil},
		{"attention.BiasGradients", attention.BiasGradients[half, one, one, one], []int{64, 64, 128},
			[]any{heads, heads, values, values, scores, seen, spec[int32](2), sums, sums, scores, 256, 0, 4, true, float32(1), float32(50)}, nil},
		{"delta.Steps", delta.Steps[half, one, one], []int{128, 64},
			[]any{values, values, heads, sums, sums, spec[float32](2, 8, 128, 128), heads, float32(1)}, nil},
		{"delta.Chunks", delta.Chunks[half, one, one, one], []int{16, 64, 32}, // larger ones take the assembler minutes
			[]any{spec[half](2, 2, 1024, 64), spec[half](2, 2, 1024, 64), spec[half](2, 8, 1024, 32), sums, sums, spec[float32](2, 8, 64, 32), spec[half](2, 8, 1024, 32), float32(1)}, nil},
		{"rope.Rotate", rope.Rotate[half, one, one], []int{8, 64}, []any{pairs, spec[float32](2048, 64), spec[float32](2048, 64), ids}, nil},
		{"rope.RotateRows", rope.RotateRows[half, one, one], []int{8, 64}, []any{pairs, spec[float32](1024, 64), spec[float32](1024, 64)}, nil},
		{"rope.RotateBoth", rope.RotateBoth[half, one, one, one], []int{8, 8, 64}, []any{pairs, pairs, spec[float32](2048, 64), spec[float32](2048, 64), ids}, nil},
		{"rope.RotateSections", rope.RotateSections[half, one, one], []int{8, 64}, []any{pairs, spec[float32](2048, 64), spec[float32](2048, 64), spec[int32](3, 1024), [4]int{0, 16, 40}}, nil},
		{"rope.RotateRounded", rope.RotateRounded[half, one, one], []int{8, 64}, []any{pairs, spec[float32](2048, 64), spec[float32](2048, 64), ids, spec[e4m3](1024, 8, 2, 64),
			spec[float32](1024, 8)}, eights},
		{"qkv.Append", qkv.Append[half, one, one, one], []int{8, 2, 64},
			[]any{pairs, turnedKeys, turnedKeys, spec[float32](2048, 64), spec[float32](2048, 64), ids, cache, cache, ids}, nil},
		{"qkv.NormAppend", qkv.NormAppend[half, one, one, one], []int{8, 2, 64},
			[]any{pairs, turnedKeys, turnedKeys, spec[half](2, 64), spec[half](2, 64), spec[float32](2048, 64), spec[float32](2048, 64), ids, cache, cache, ids, float32(0)}, nil},
		{"qkv.NormAppend", qkv.NormAppend[bf16, one, one, one], []int{4, 1, 8}, []any{spec[bf16](5, 3, 2, 5), spec[bf16](5, 1, 2, 5), spec[bf16](5, 1, 2, 5),
			spec[bf16](2, 5), spec[bf16](2, 5), spec[float32](9, 5), spec[float32](9, 5), spec[int32](5), spec[bf16](2, 1, 7, 2, 5), spec[bf16](2, 1, 7, 2, 5), spec[int32](5), float32(0)}, nil},
		{"kvcache.Append", kvcache.Append[half, one, one], []int{8, 128}, []any{heads, heads, heads, heads, spec[int32](2)}, nil},
		{"moe.Grouped", moe.Grouped[bf16, one, one, one], []int{64, 64, 64},
			[]any{spec[bf16](512, 1024), spec[bf16](8, 1024, 1024), spec[int32](1024), spec[int32](16), spec[bf16](1024, 1024), 1024, 2}, nil},
		{"moe.Combine", moe.Combine[bf16, one, one], []int{2, 512}, []any{spec[bf16](512, 2, 1024), spec[float32](512, 2), spec[bf16](512, 1024)}, nil},
		{"moe.Choose", moe.Choose[bf16, one, one, one], []int{8, 8, 256}, []any{spec[bf16](512, 256), spec[float32](256), spec[int32](512, 8), spec[float32](512, 8), true, moe.Factors{}}, nil},
		{"moe.ChooseBackward", moe.ChooseBackward[float32, bf16, one, one], []int{8, 256}, []any{spec[float32](512, 256), spec[int32](512, 8), spec[float32](512, 8), spec[bf16](512, 256), moe.Factors{}}, nil},
		{"moe.Counts", moe.Counts[one, one], []int{64, 128}, []any{spec[int32](4096), spec[int32](64, 257)}, nil},
		{"moe.Starts", moe.Starts[one, one], []int{16, 128}, []any{spec[int32](64, 257), spec[int32](64, 257), spec[int32](257), spec[int32](257)}, nil},
		{"moe.Places", moe.Places[one, one], []int{64, 128}, []any{spec[int32](4096), spec[int32](64, 257), spec[int32](257), spec[int32](4096), spec[int32](4096)}, nil},
		{"moe.Spread", moe.Spread[bf16, one], []int{1024}, []any{spec[bf16](512, 1024), spec[int32](1024), spec[float32](1024), spec[bf16](1024, 1024), 2, true}, nil},
		{"moe.Collect", moe.Collect[bf16, one], []int{1024}, []any{spec[bf16](1024, 1024), spec[int32](512, 2), spec[float32](1024), spec[bf16](512, 1024), true}, nil},
		{"moe.WeightSlopes", moe.WeightSlopes[bf16, one], []int{1024}, []any{spec[bf16](1024, 1024), spec[bf16](512, 1024), spec[int32](1024), spec[float32](1024), 2}, nil},
		{"hyper.Width", hyper.Width[bf16, one, one], []int{4, 1024}, []any{spec[bf16](512, 4, 1024), spec[float32](512, 4, 5), spec[bf16](512, 1024), spec[bf16](512, 4, 1024)}, nil},
		{"hyper.Depth", hyper.Depth[bf16, one, one], []int{4, 1024}, []any{spec[bf16](512, 1024), spec[float32](512, 4), spec[bf16](512, 4, 1024), spec[bf16](512, 4, 1024)}, nil},
		{"hyper.Factors", hyper.Factors[bf16, one, one], []int{4, 1024}, []any{spec[bf16](512, 4, 1024), spec[bf16](1024, 6), spec[float32](4, 6), spec[float32](6), spec[float32](512, 4, 6), float32(0)}, nil},
		{"hyper.WidthBackward", hyper.WidthBackward[bf16, one, one], []int{4, 1024}, []any{spec[bf16](512, 4, 1024), spec[float32](512, 4, 5), spec[bf16](512, 1024), spec[bf16](512, 4, 1024),
			spec[bf16](512, 4, 1024), spec[float32](512, 4, 5)}, nil},
		{"hyper.DepthBackward", hyper.DepthBackward[bf16, one, one], []int{4, 1024}, []any{spec[bf16](512, 1024), spec[float32](512, 4), spec[bf16](512, 4, 1024), spec[bf16](512, 1024), spec[float32](512, 4)}, nil},
		{"embedding.Rows", embedding.Rows[half, one], []int{1024}, []any{ids, m16, m16}, nil},
		{"embedding.Gather", embedding.Gather[half, one, one], []int{32, 64}, []any{ids, spec[half](1024, 64), 1024, spec[half](1024, 64)}, nil},
		{"embedding.Backward", embedding.Backward[half, one], []int{1024}, []any{ids, m16, m32, 1024}, nil},
		{"embedding.Bags", embedding.Bags[half, one], []int{1024}, []any{ids, spec[int32](128), m16, spec[half](128, 1024), true}, nil},
		{"embedding.WeightedBags", embedding.WeightedBags[half, one], []int{1024}, []any{ids, spec[int32](128), v16, m16, spec[half](128, 1024)}, nil},
		{"embedding.GreatestBags", embedding.GreatestBags[half, one], []int{1024}, []any{ids, spec[int32](128), m16, spec[half](128, 1024), spec[int32](128, 1024)}, nil},
		{"embedding.BagsBackward", embedding.BagsBackward[half, one], []int{1024}, []any{ids, spec[int32](128), spec[half](128, 1024), m32, 1024, true}, nil},
		{"embedding.WeightedBagsBackward", embedding.WeightedBagsBackward[half, one], []int{1024}, []any{ids, spec[int32](128), v16, spec[half](128, 1024), m32, 1024}, nil},
		{"embedding.GreatestBagsBackward", embedding.GreatestBagsBackward[half, one], []int{1024}, []any{ids, spec[int32](128, 1024), spec[half](128, 1024), m32, 1024, 1024}, nil},
		{"embedding.BagWeights", embedding.BagWeights[half, one], []int{1024}, []any{ids, spec[int32](128), m16, spec[half](128, 1024), v16}, nil},
		{"argmax.Rows", argmax.Rows[half, one, one], []int{1, 1024}, []any{m16, ids}, nil},
		{"argmax.Parts", argmax.Parts[half, one, one], []int{1, 1024}, []any{spec[half](16, 65536), spec[float32](16, 32), spec[int32](16, 32)}, nil},
		{"argmax.Head", argmax.Head[half, one, one, one], []int{16, 128, 64}, []any{spec[half](16, 1024), m16, spec[float32](16, 8), spec[int32](16, 8)}, nil},
		{"argmax.Merge", argmax.Merge[one, one], []int{1, 32}, []any{spec[float32](16, 32), spec[int32](16, 32), spec[int32](16)}, nil},
		{"fft.Rows", fft.Rows[one, one, one], []int{2, 16, 4},
			[]any{spec[float32](100, 16, 128), spec[float32](2, 16, 16), spec[float32](2, 4, 4), spec[float32](2, 16, 64), spec[float32](2, 4, 16), spec[float32](100, 16, 128), float32(1), float32(1)}, nil},
		{"quant.Scaled", quant.Scaled[e4m3, e8m0, half, one, one, one, one], []int{128, 128, 128, 4},
			[]any{spec[e4m3](1024, 1024), spec[e8m0](1024, 32), turnedOf[e4m3](t, 1024, 1024), turnedOf[e8m0](t, 1024, 32), m16}, scaled},
		{"quant.Scaled", quant.Scaled[e4m3, e8m0, float32, one, one, one, one], []int{16, 32, 128, 4},
			[]any{spec[e4m3](3, 96), spec[e8m0](3, 3), turnedOf[e4m3](t, 17, 96), turnedOf[e8m0](t, 17, 3), spec[float32](3, 17)}, scaled},
		{"quant.ScaledFours", quant.ScaledFours[e4m3, half, one, one, one, one], []int{128, 128, 256, 16},
			[]any{spec[uint8](1024, 512), spec[e4m3](1024, 64), spec[uint8](1024, 512), turnedOf[e4m3](t, 1024, 64), m16, float32(1), float32(1)}, scaled},
		{"quant.ScaledFours", quant.ScaledFours[e4m3, float32, one, one, one, one], []int{16, 32, 256, 16},
			[]any{spec[uint8](3, 24), spec[e4m3](3, 3), spec[uint8](17, 24), turnedOf[e4m3](t, 17, 3), spec[float32](3, 17), float32(1), float32(1)}, scaled},
		{"quant.RoundMXFP8", quant.RoundMXFP8[half, one, one], []int{16, 128}, []any{m16, spec[e4m3](1024, 1024), spec[e8m0](1024, 32)}, rounded},
		{"quant.RoundNVFP4", quant.RoundNVFP4[half, one, one], []int{16, 128},
			[]any{m16, spec[uint8](1024, 512), spec[e4m3](1024, 64), float32(1)}, scaled},
		{"quant.RoundFP8Rows", quant.RoundFP8Rows[half, one], []int{16}, []any{m16, spec[e4m3](1024, 1024), spec[float32](1024, 8)}, eights},
		{"quant.RoundFP8Blocks", quant.RoundFP8Blocks[half], nil, []any{m16, spec[e4m3](1024, 1024), spec[float32](8, 8)}, eights},
		{"quant.ScaledFP8", quant.ScaledFP8[half, one, one], []int{128, 128}, []any{spec[e4m3](1024, 1024), spec[float32](1024, 8), spec[e4m3](1024, 1024), spec[float32](8, 8), m16}, eights},
		{"quant.ScaledFP8", quant.ScaledFP8[float32, one, one], []int{16, 32}, []any{spec[e4m3](3, 300), spec[float32](3, 3), spec[e4m3](17, 300), spec[float32](1, 3), spec[float32](3, 17)}, eights},
		{"quant.WeightInt8", quant.WeightInt8[half, half, one, one, one], []int{64, 64, 128},
			[]any{m16, spec[int8](1024, 1024), turnedOf[float32](t, 1024, 8), m16}, nil},
		{"quant.WeightInt4", quant.WeightInt4[half, half, one, one, one], []int{64, 64, 128},
			[]any{m16, spec[uint8](1024, 512), turnedOf[float32](t, 1024, 8), m16}, nil},
		{"sample.Rows", sample.Rows[half, one], []int{2048}, []any{spec[half](16, 32000), spec[int32](16), sample.Rules{Scale: 1, TopK: 50, TopP: 0.9}}, nil},
		{"transpose.Matrix", transpose.Matrix[half, one, one], []int{64, 64}, []any{m16, m16}, nil},
		{"transpose.Copy", transpose.Copy[half, one, one, one, one], []int{1, 1, 64, 64}, []any{heads, heads}, nil},
		{"optim.Plain", optim.Plain[half, one], []int{1024}, []any{line32, line16, optim.SGDFactors{}}, nil},
		{"optim.PlainMixed", optim.PlainMixed[half, one], []int{1024}, []any{line32, line16, line16, optim.SGDFactors{}}, nil},
		{"optim.Momentum", optim.Momentum[half, one], []int{1024}, []any{line32, line32, line16, optim.SGDFactors{}}, nil},
		{"optim.MomentumMixed", optim.MomentumMixed[half, one], []int{1024}, []any{line32, line32, line16, line16, optim.SGDFactors{}}, nil},
		{"optim.AdamStep", optim.AdamStep[half, one], []int{1024}, []any{line32, line32, line32, line16, optim.AdamFactors{}}, nil},
		{"optim.AdamMixed", optim.AdamMixed[half, one], []int{1024}, []any{line32, line32, line32, line16, line16, optim.AdamFactors{}}, nil},
		{"optim.LionStep", optim.LionStep[half, one], []int{1024}, []any{line32, line32, line16, optim.LionFactors{}}, nil},
		{"optim.LionMixed", optim.LionMixed[half, one], []int{1024}, []any{line32, line32, line16, line16, optim.LionFactors{}}, nil},
		{"pointwise.Map", pointwise.Map[half, half, one], []int{1024}, []any{line16, line16, relu}, nil},
		{"pointwise.Zip", pointwise.Zip[half, half, one], []int{1024}, []any{line16, line16, line16, add}, nil},
		{"pointwise.AXPY", pointwise.AXPY[float32, one], []int{1024}, []any{float32(1), line32, line32}, nil},
		{"pointwise.SiLUMul", pointwise.SiLUMul[half, one, one], []int{1, 1024}, []any{m16, m16, m16}, nil},
		{"pointwise.Gated", pointwise.Gated[half, one, one], []int{1, 1024}, []any{m16, m16, m16, pointwise.SwiGLU.Value}, nil},
		{"pointwise.GatedBackward", pointwise.GatedBackward[half, one, one], []int{1, 1024}, []any{m16, m16, m16, m16, m16, pointwise.SwiGLU.Value, pointwise.SwiGLU.Slope}, nil},
		{"pointwise.Ramp", pointwise.Ramp[float32, one], []int{1024}, []any{line32, float32(1), float32(1)}, nil},
		{"pointwise.Eye", pointwise.Eye[float32, one, one], []int{16, 128}, []any{m32, 0}, nil},
		{"conv.Product", conv.Product[half, one, one, one, one], []int{64, 8, 8, 64}, []any{image, window, table, table, table, spec[half](1, 64, 576), spec[half](1, 64),
			image, outputs, identity}, nil},
		{"conv.Product", conv.Product[float32, one, one, one, one], []int{32, 4, 16, 32}, []any{image32, window, table, table, table, spec[float32](1, 64, 576), spec[float32](1, 64),
			image32, outputs, identity}, nil},
		{"conv.Narrow", conv.Narrow[half, one, one], []int{8, 32}, []any{image, deep, spec[int32](9), spec[int32](9), spec[int32](9), spec[half](64, 1, 9), spec[half](64, 1),
			image, deepOutputs, identity}, nil},
		{"conv.Pointwise", conv.Pointwise[half, one, one, one], []int{64, 64, 64}, []any{spec[half](2, 1, 64, 3136), spec[half](1, 64, 64), spec[half](1, 64), spec[half](2, 1, 64, 3136),
			identity}, nil},
		{"conv.Arrange", conv.Arrange[half, one, one], []int{16, 64}, []any{m16, int32(0), int32(1024), table, spec[half](1, 1024, 576)}, nil},
		{"conv.WeightParts", conv.WeightParts[half, one, one, one, one], []int{64, 8, 8, 64}, []any{image, window, table, table, table, spec[half](2, 1, 64, 56, 56),
			spec[float32](7, 1, 64, 576)}, nil},
		{"conv.BiasSums", conv.BiasSums[half, one, one], []int{16, 64}, []any{image, spec[half](64)}, nil},
		{"pool.Greatest", pool.Greatest[half, one, one, one], []int{4, 4, 32}, []any{image, layout, places, counts, places, counts, image, layout, walk}, nil},
		{"pool.GreatestAt", pool.GreatestAt[half, one, one, one], []int{4, 4, 32}, []any{image, layout, places, counts, places, counts, image, layout,
			spec[int32](2, 64, 56, 56), layout, walk}, nil},
		{"pool.GreatestBackward", pool.GreatestBackward[half, one, one, one], []int{4, 4, 32}, []any{image, layout, spec[int32](2, 64, 56, 56), layout,
			places, counts, places, counts, image, layout, walk}, nil},
		{"pool.Average", pool.Average[half, one, one, one], []int{4, 4, 32}, []any{image, layout, places, counts, scales, places, counts, scales, image, layout, walk}, nil},
		{"pool.AverageBackward", pool.AverageBackward[half, one, one, one], []int{4, 4, 32}, []any{image, layout, places, counts, scales, places, counts, scales,
			image, layout, walk}, nil},
		{"dropout.Random", dropout.Random[half, one], []int{1024}, []any{line16, line16, float32(0.5), 7}, nil},
		{"dropout.Masked", dropout.Masked[half, one], []int{1024}, []any{line16, line32, line16, float32(0.5)}, nil},
	}
}
