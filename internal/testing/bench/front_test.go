package bench_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/internal/tilec/compile"
	"github.com/cutile-go/cutile/tile"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

// front are the kernels whose way from Go source to bytecode is timed: each as cuTile Python's kernel of that name, and
// with other dimensions.
var front = []struct {
	name   string
	kernel any
	others []any
}{
	{"gemm_f16", gemmHalf[tile.D128, tile.D128, tile.D64], []any{
		gemmHalf[tile.D64, tile.D64, tile.D32], gemmHalf[tile.D64, tile.D32, tile.D32], gemmHalf[tile.D128, tile.D64, tile.D32],
	}},
	{"flash_attention", attention[tile.D64, tile.D64, tile.D64], []any{
		attention[tile.D32, tile.D64, tile.D64], attention[tile.D128, tile.D64, tile.D64], attention[tile.D64, tile.D128, tile.D64],
	}},
}

// frontEnd goes from Go source to bytecode.
func frontEnd(tb testing.TB, fn any) {
	k, err := compile.Resolve(fn)
	if err != nil {
		tb.Fatal(err)
	}
	f := compile.Facts{Args: make([]compile.ArgFacts, len(k.Params()))}
	for i, p := range k.Params() {
		all := uint8(1<<len(p.Tile) - 1)
		f.Args[i] = compile.ArgFacts{Align16: true, Extent16: all, Stride16: all, Unit: 1 << len(p.Tile) >> 1}
	}
	c, err := k.Compile(context.Background(), f)
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := bytecode.Write(c.Module, tileir.Newest, bytecode.Options{}); err != nil {
		tb.Fatal(err)
	}
}

// coldEnv names the kernel that a process of [firstCalls] compiles.
const coldEnv = "CUTILE_BENCH_COLD"

// TestColdFrontEnd is the first kernel of a process; [firstCalls] starts processes that run only this.
func TestColdFrontEnd(t *testing.T) {
	for _, f := range front {
		if name := os.Getenv(coldEnv); name != "" && name != f.name {
			continue
		}
		start := time.Now()
		frontEnd(t, f.kernel)
		t.Logf("cold %d ns", time.Since(start).Nanoseconds())
	}
}

// firstCalls times the first call of n processes, in seconds.
func firstCalls(tb testing.TB, name string, n int) (all []float64) {
	for range n {
		cmd := exec.Command(os.Args[0], "-test.run=^TestColdFrontEnd$", "-test.v")
		cmd.Env = append(os.Environ(), coldEnv+"="+name)
		out, err := cmd.Output()
		if err != nil {
			tb.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(out), "cold ")
		text, _, _ := strings.Cut(rest, " ns")
		ns, err := strconv.ParseFloat(text, 64)
		if err != nil {
			tb.Fatalf("%v: %s", err, out)
		}
		all = append(all, ns/1e9)
	}
	return all
}

// laterCalls times calls for kernels that were checked before, in turn, in seconds.
func laterCalls(tb testing.TB, n int, kernels ...any) (all []float64) {
	for _, k := range kernels {
		frontEnd(tb, k)
	}
	for i := range n {
		start := time.Now()
		frontEnd(tb, kernels[i%len(kernels)])
		all = append(all, time.Since(start).Seconds())
	}
	return all
}

// report gives the least and the median of several times.
func report(b *testing.B, what string, seconds []float64) (least, median float64) {
	slices.Sort(seconds)
	least, median = seconds[0], seconds[len(seconds)/2]
	b.ReportMetric(1e3*least, what+"-least-ms")
	b.ReportMetric(1e3*median, what+"-median-ms")
	return least, median
}

// BenchmarkFrontEnd gives the least and the median of first calls, each in a process of its own, and of later ones: of
// the same kernel, and of others that differ in dimensions.
func BenchmarkFrontEnd(b *testing.B) {
	for _, f := range front {
		b.Run(f.name, func(b *testing.B) {
			var cold, same, dims []float64
			for b.Loop() {
				cold = append(cold, firstCalls(b, f.name, 1)...)
				same = append(same, laterCalls(b, 20, f.kernel)...)
				dims = append(dims, laterCalls(b, 21, f.others...)...)
			}
			report(b, "cold", cold)
			report(b, "warm", same)
			report(b, "warm-dims", dims)
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkFrontEndBesidePython is the same beside cuTile Python's export of the same kernels, in one run: its first
// export of a process, without the imports, and later ones.
func BenchmarkFrontEndBesidePython(b *testing.B) {
	python := testenv.Oracle(b)
	for _, f := range front {
		b.Run(f.name, func(b *testing.B) {
			var cold, warm, theirCold, theirWarm []float64
			for b.Loop() {
				var times struct{ Cold, Warm []float64 }
				out, err := exec.Command(python, filepath.Join("testdata", "export.py"), f.name).Output()
				if err != nil {
					b.Fatal(err)
				}
				if err := json.Unmarshal(out, &times); err != nil {
					b.Fatal(err)
				}
				theirCold, theirWarm = append(theirCold, times.Cold...), append(theirWarm, times.Warm...)
				cold = append(cold, firstCalls(b, f.name, 5)...)
				warm = append(warm, laterCalls(b, 50, f.kernel)...)
			}
			ourLeast, ourMedian := report(b, "cold", cold)
			least, median := report(b, "python-cold", theirCold)
			b.ReportMetric(least/ourLeast, "cold-x-python")
			b.ReportMetric(median/ourMedian, "cold-median-x-python")
			ourLeast, ourMedian = report(b, "warm", warm)
			least, median = report(b, "python-warm", theirWarm)
			b.ReportMetric(least/ourLeast, "warm-x-python")
			b.ReportMetric(median/ourMedian, "warm-median-x-python")
			b.ReportMetric(0, "ns/op")
		})
	}
}
