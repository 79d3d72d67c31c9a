package access_test

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/access"
	"github.com/cutile-go/cutile/internal/toolbox/dump"
)

// dumped gives a stage of a ready kernel.
func dumped(t testing.TB, stage, folder, kernel string, set ...func(o *dump.Options) error) string {
	t.Helper()
	o := &dump.Options{Stages: stage, Facts: "all"}
	for _, f := range set {
		if err := f(o); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	if err := dump.Kernel(t.Context(), &out, filepath.Join("../..", folder), kernel, o); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func function(name string) func(o *dump.Options) error {
	return func(o *dump.Options) error { return o.AddFunc("f=" + name) }
}

func shape(text string) func(o *dump.Options) error {
	return func(o *dump.Options) error { return o.AddShape(text) }
}

// kernelCases are kernels whose facts are in testdata/kernels.
var kernelCases = []struct {
	file, folder, kernel string
	set                  []func(o *dump.Options) error
}{
	{"gemm", "kernels/gemm", "Tiled[dtype.Float16, float32, dtype.Float16, D64, D64, D32]", []func(o *dump.Options) error{function("Identity")}},
	{"gemm-launch", "kernels/gemm", "Tiled[dtype.Float16, float32, dtype.Float16, D64, D64, D32]",
		[]func(o *dump.Options) error{function("Identity"), shape("a=256x100"), shape("b=100x192"), shape("c=256x192")}},
	{"splitk-atomic", "kernels/gemm", "SplitKAtomic[float32, D64, D64, D32]", nil},
	{"softmax", "kernels/softmax", "Rows[float32, D1, D1024]", nil},
	{"attention", "kernels/attention", "Causal[float32, D64, D64, D64]", nil},
	{"gather", "kernels/embedding", "Gather[float32, D16, D64]", nil},
	{"backward", "kernels/embedding", "Backward[float32, D64]", nil},
	{"moe", "kernels/moe", "Grouped[float32, D32, D32, D32]", nil},
	{"transpose", "kernels/transpose", "Matrix[float32, D64, D64]", nil},
	{"norm", "kernels/norm", "LayerRows[float32, D1, D1024]", nil},
	{"histogram", "examples/histogram", "histogram[D1024]", nil},
}

// TestKernels compares the facts about ready kernels with those that were looked through before.
func TestKernels(t *testing.T) {
	for _, c := range kernelCases {
		t.Run(c.file, func(t *testing.T) {
			t.Parallel()
			golden(t, filepath.Join("testdata", "kernels", c.file+".txt"), dumped(t, "access", c.folder, c.kernel, c.set...))
		})
	}
}

// BenchmarkAnalyse finds and uses all facts about one of the largest ready kernels.
func BenchmarkAnalyse(b *testing.B) {
	e := parse(b, dumped(b, "ir", "kernels/attention", "Causal[float32, D64, D64, D64]")).Entries[0]
	n := 0
	for range e.All() {
		n++
	}
	facts := access.Facts{Apart: func(int, int) bool { return true }}
	b.Run("analyse", func(b *testing.B) {
		for b.Loop() {
			access.Analyse(e, facts).Products()
		}
		b.ReportMetric(float64(n), "operations")
	})
	b.Run("print", func(b *testing.B) {
		for b.Loop() {
			if err := access.Analyse(e, facts).Print(io.Discard); err != nil {
				b.Fatal(err)
			}
		}
	})
}
