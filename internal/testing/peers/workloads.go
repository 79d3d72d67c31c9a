package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// workload is a kind with extents, and what its speed is counted in.
type workload struct {
	Name, Kind string
	Dims       []int
	Tile       int                // the size of the engine's tiles; 0 leaves the choice to the kernel's package
	Unit       string             // of Work per second
	Work       float64            // of a run: operations, bytes or elements
	Goals      map[string]float64 // the least ratio of the engine's speed to that of each contender
	Slow       bool               // loops in Go would take many seconds
}

// units are the names of speeds, and what they count.
var units = map[string]float64{"GFLOP/s": 1e9, "GB/s": 1e9, "M/s": 1e6}

// flops counts operations of products, bytes what must at least be read and written, items elements or points.
func flops(work int) (string, float64) { return "GFLOP/s", float64(work) }
func traffic(n int) (string, float64)  { return "GB/s", float64(n) }
func items(n int) (string, float64)    { return "M/s", float64(n) }

// The goals by kind of workload. Every workload also has that of being no slower than loops in Go.
const (
	goalBLAS  = "numpy=1 torch=0.95"
	goalHalf  = "torch=0.85"
	goalByte  = "torch=0.9 onnxruntime=0.9"
	goalAxpy  = "torch=1"
	goalRows  = "torch=1.1"
	goalOther = "numpy=1 torch=1"
	goalLoops = ""
)

// add appends a workload. Its name is that of its kind, with a suffix.
func add(all *[]workload, kind, suffix, goals string, dims []int, count func(int) (string, float64), work int) *workload {
	w := workload{Name: kind + suffix, Kind: kind, Dims: dims, Goals: map[string]float64{loops: 1}}
	w.Unit, w.Work = count(work)
	for _, goal := range strings.Fields(goals) {
		name, ratio, _ := strings.Cut(goal, "=")
		least, err := strconv.ParseFloat(ratio, 64)
		if err != nil {
			panic(fmt.Sprintf("BUG: goal %q: %v", goal, err))
		}
		w.Goals[name] = least
	}
	*all = append(*all, w)
	return &(*all)[len(*all)-1]
}

// The first two workloads are the roofline.
const peakName, copyName = "fma", "copy"

// workloads are all, in the order of the table.
func workloads() (all []workload) {
	const billion, mi = 1 << 30, 1 << 20
	add(&all, peakName, "", goalLoops, []int{billion}, flops, 2*billion) // on each core: see [workload.speed]
	add(&all, copyName, "", goalLoops, []int{64 * mi}, traffic, 2*4*64*mi)
	products(&all)
	add(&all, "axpy", "-64M", goalAxpy, []int{64 * mi}, traffic, 3*4*64*mi)
	add(&all, "axpy", "-1M", goalAxpy, []int{mi}, traffic, 3*4*mi)
	const n = 4096
	for _, kind := range []string{"softmax", "layernorm", "rmsnorm", "transpose"} {
		add(&all, kind, "", goalRows, []int{n, n}, traffic, 2*4*n*n)
	}
	add(&all, "gelu", "", goalRows, []int{n * n}, traffic, 2*4*n*n)
	for _, kind := range []string{"sum-rows", "max-rows", "sum-cols"} {
		add(&all, kind, "", goalRows, []int{n, n}, traffic, 4*n*n)
	}
	add(&all, "cross-entropy", "", goalRows, []int{1024, 32000}, traffic, 4*1024*32000)
	attentionWorkloads(&all)
	irregular(&all)
	return all
}

// tiny are small workloads, one for each kind, whose speeds say nothing.
func tiny() (all []workload) {
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		add(&all, name, "", goalLoops, kinds[name].tiny, items, 1)
	}
	return all
}

func products(all *[]workload) {
	for _, n := range []int{256, 512, 1024, 2048, 4096} {
		add(all, "gemm-f32", fmt.Sprint("-", n), goalBLAS, []int{n, n, n}, flops, 2*n*n*n).Slow = n > 1024
	}
	for _, tile := range []int{32, 64, 128, 256} {
		const n = 1024
		w := add(all, "gemm-f32", fmt.Sprintf("-%d-tile%d", n, tile), goalBLAS, []int{n, n, n}, flops, 2*n*n*n)
		w.Tile, w.Slow = tile, true
	}
	for _, kind := range []struct{ name, goals string }{{"gemm-f64", goalBLAS}, {"gemm-bf16", goalHalf}, {"gemm-bf16-fast", goalHalf}, {"gemm-i8", goalByte}} {
		for _, n := range []int{1024, 2048} {
			add(all, kind.name, fmt.Sprint("-", n), kind.goals, []int{n, n, n}, flops, 2*n*n*n).Slow = n > 1024
		}
	}
}

func attentionWorkloads(all *[]workload) {
	for _, elem := range []string{"f32", "bf16"} {
		const heads, n, dim = 8, 2048, 64
		add(all, "attention-"+elem, "-prefill", goalRows, []int{1, heads, n, n, dim, 0}, flops, 4*heads*n*n*dim).Slow = true
		add(all, "attention-"+elem, "-causal", goalRows, []int{1, heads, n, n, dim, 1}, flops, 2*heads*n*(n+1)*dim).Slow = true
		const batch, groups, keys, wide = 4, 8, 4096, 128
		size := 4
		if elem == "bf16" {
			size = 2
		}
		add(all, "decode-"+elem, "", goalRows, []int{batch, 32, groups, keys, wide}, traffic, 2*size*batch*groups*keys*wide)
	}
}

// irregular lists workloads that access memory element by element, or have loops that depend on data.
func irregular(all *[]workload) {
	const mi = 1 << 20
	add(all, "histogram", "", goalOther, []int{16 * mi, 256}, traffic, 4*16*mi)
	add(all, "gather-rows", "", goalOther, []int{65536, 256, 65536}, traffic, 2*4*256*65536)
	add(all, "gather", "", goalOther, []int{16 * mi, 4 * mi}, traffic, 3*4*4*mi)
	add(all, "scan-rows", "", goalOther, []int{4096, 4096}, traffic, 2*4*4096*4096)
	add(all, "scan", "", goalOther, []int{16 * mi}, traffic, 2*4*16*mi)
	add(all, "sort-rows", "", goalOther, []int{2048, 1024}, items, 2048*1024)
	add(all, "csr", "", goalOther, []int{131072, 131072, 16}, flops, 2*131072*16)
	add(all, "levenshtein", "", goalLoops, []int{1500, 1500}, items, 1500*1500)
	add(all, "kmeans", "", goalOther, []int{262144, 16, 16}, items, 262144)
	add(all, "top-p", "", goalOther, []int{256, 4096}, items, 256*4096)
	add(all, "mandelbrot", "", goalLoops, []int{512, 512, 256}, items, 512*512)
}

// speed is the work of a second in w's unit. The peak is measured on every thread at once.
func (w *workload) speed(seconds float64, threads int) float64 {
	work := w.Work
	if w.Kind == peakName {
		work *= float64(threads)
	}
	return work / seconds / units[w.Unit]
}
