package bench_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/bench"
	heads "github.com/cutile-go/cutile/kernels/attention"
	products "github.com/cutile-go/cutile/kernels/gemm"
	rows "github.com/cutile-go/cutile/kernels/softmax"
)

// BenchmarkTuned tunes ready functions on the CPU, and reports how many times as fast they are as with the usual tiles, measured beside these:
//
//	go test ./internal/testing/bench -run '^$' -bench Tuned -benchtime 1x
func BenchmarkTuned(b *testing.B) {
	dev := open(b)
	const n = 768
	random := func(shape ...int) *cutile.Tensor[float32] {
		x, err := cutile.Uniform[float32](dev, uint64(len(shape)), -1, 1, shape...)
		if err != nil {
			b.Fatal(err)
		}
		return x
	}
	x, y, z := random(n, n), random(n, n), random(n, n)
	long, sums := random(n, 16*n), random(n, 16*n)
	q, k, v, o := random(1, 4, n, 64), random(1, 4, n, 64), random(1, 4, n, 64), random(1, 4, n, 64)
	b.Run("gemm", func(b *testing.B) {
		s, err := products.Tuning(dev, x, y, z)
		tuned(b, s, err)
	})
	b.Run("softmax", func(b *testing.B) {
		s, err := rows.Tuning(dev, long, sums)
		tuned(b, s, err)
	})
	b.Run("attention", func(b *testing.B) {
		s, err := heads.Tuning(dev, q, k, v, o, true, heads.Scale(64))
		tuned(b, s, err)
	})
}

// tuned makes a search, and measures what was found beside the default.
func tuned[C comparable](b *testing.B, s cutile.Search[C], err error) {
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if s.Records, err = cutile.OpenRecords(filepath.Join(b.TempDir(), "records.json")); err != nil {
			b.Fatal(err)
		}
		found, err := cutile.Tune(b.Context(), s)
		if err != nil {
			b.Fatal(err)
		}
		b.Logf("%d of %d tried", len(found.Trials), len(s.Space))
		if found.Best == s.Space[0] {
			b.Logf("the default %v is the best", found.Best)
			b.ReportMetric(1, "times-as-fast")
			continue
		}
		report, err := bench.Compare(b.Context(), []bench.Case{
			{Name: fmt.Sprint("usual ", s.Space[0]), Work: s.Launch(s.Space[0]), Outputs: s.Outputs}, {Name: fmt.Sprint("tuned ", found.Best), Work: s.Launch(found.Best), Outputs: s.Outputs},
		}, bench.Options{Check: true, Budget: 3 * time.Second})
		if err != nil {
			b.Fatal(err)
		}
		if x := report.Rows[0].Results[1]; x.Error != "" {
			b.Fatal(x.Error)
		} else if x.Speedup != nil {
			b.ReportMetric(x.Speedup.Median, "times-as-fast")
		}
		report.WriteTable(b.Output())
	}
	b.ReportMetric(0, "ns/op")
}
