package main

import (
	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/native/gemm"
	"github.com/cutile-go/cutile/internal/native/host"
)

// kind is a family of workloads that differ in their extents.
type kind struct {
	prepare func(s *session, dims []int, tile int)
	axes    string  // the names of the extents
	tiny    []int   // the extents with which the tests run it
	tol     float64 // how much results may differ, relative to the greatest element
}

// kinds are all families. Tolerances are for sums in any order; results in bfloat16 have 8 bits. The digest of integers is exact.
var kinds = map[string]kind{
	"fma":            {fmaPeak, "operations", []int{1 << 20}, 0},
	"copy":           {copies, "n", []int{5000}, 0},
	"axpy":           {axpys, "n", []int{5000}, 1e-6},
	"gemm-f32":       {gemms, "m n k", []int{65, 70, 33}, 1e-5},
	"gemm-f64":       {doubleGemms, "m n k", []int{65, 70, 33}, 1e-13},
	"gemm-bf16":      {halfGemms, "m n k", []int{65, 70, 33}, 1e-2},
	"gemm-bf16-fast": {halfGemms, "m n k", []int{65, 70, 33}, 1e-2},
	"gemm-i8":        {byteGemms, "m n k", []int{65, 70, 33}, 0},
	"softmax":        {softmaxes, "rows cols", []int{9, 300}, 1e-5},
	"layernorm":      {layerNorms, "rows cols", []int{9, 300}, 1e-5},
	"rmsnorm":        {rmsNorms, "rows cols", []int{9, 300}, 1e-5},
	"gelu":           {gelus, "n", []int{5000}, 1e-5},
	"transpose":      {transposes, "rows cols", []int{70, 130}, 0},
	"sum-rows":       {rowSums, "rows cols", []int{9, 300}, 1e-5},
	"max-rows":       {rowPeaks, "rows cols", []int{9, 300}, 0},
	"sum-cols":       {columnSums, "rows cols", []int{300, 70}, 1e-5},
	"cross-entropy":  {crossEntropies, "rows cols", []int{9, 300}, 1e-5},
	"scan-rows":      {rowScans, "rows cols", []int{9, 300}, 1e-4},
	"scan":           {scans, "n", []int{5000}, 1e-4},
	"sort-rows":      {rowSorts, "rows cols", []int{9, 256}, 0},
	"attention-f32":  {attentions, "batch heads queries keys dim causal", []int{1, 2, 70, 70, 64, 1}, 1e-4},
	"attention-bf16": {halfAttentions, "batch heads queries keys dim causal", []int{1, 2, 70, 90, 64, 0}, 3e-2},
	"decode-f32":     {decodes, "batch heads groups keys dim", []int{2, 4, 2, 90, 64}, 1e-4},
	"decode-bf16":    {halfDecodes, "batch heads groups keys dim", []int{2, 4, 2, 90, 64}, 3e-2},
	"histogram":      {histograms, "n bins", []int{5000, 256}, 0},
	"gather-rows":    {rowGathers, "rows cols ids", []int{50, 128, 70}, 0},
	"gather":         {gathers, "n ids", []int{5000, 3000}, 0},
	"csr":            {sparseProducts, "rows cols each", []int{70, 90, 12}, 1e-5},
	"levenshtein":    {distances, "n m", []int{70, 90}, 0},
	"kmeans":         {clusters, "points centres dim", []int{700, 16, 16}, 2e-3},
	"top-p":          {nuclei, "rows cols", []int{5, 256}, 1e-5},
	"mandelbrot":     {escapes, "rows cols limit", []int{40, 60, 50}, 0},
}

// deviceOptions are what the engine's device is opened with, beside the number of workers.
var deviceOptions = map[string][]cutile.Option{"gemm-bf16-fast": {cutile.WithFastBF16()}}

// fmaLoop performs at least n fused multiply-adds of float32 as fast as one core can. It is nil where the engine interprets, and
// at levels for which package gemm makes no code.
var fmaLoop = newFMALoop()

func newFMALoop() func(n int) {
	target, err := host.Choose()
	if err != nil || target.Level == host.LevelNone {
		return nil
	}
	m, err := gemm.NewMultiplier(target.Level)
	if err != nil {
		return nil
	}
	return m.Run
}

// fmaPeak is the greatest possible speed of float32 arithmetic. It has a result only so that it looks like any other workload.
func fmaPeak(s *session, dims []int, _ int) {
	done := output(s, make([]int32, 1))
	if fmaLoop == nil {
		return
	}
	s.contenders = append(s.contenders, contender{engine, func() error {
		each(func() { fmaLoop(dims[0]) })
		done[0] = 1
		return nil
	}})
}
