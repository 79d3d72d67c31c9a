package nativefuzz_test

import (
	"testing"

	"github.com/cutile-go/cutile/internal/testing/nativefuzz"
)

// BenchmarkModules makes and runs modules one after the other, on one processor: what TestLong does in a process.
func BenchmarkModules(b *testing.B) {
	r, err := nativefuzz.NewRunner(silence)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	seed := uint64(0)
	for b.Loop() {
		p := nativefuzz.Generate(seed)
		if rep, err := r.Run(p); err != nil || rep.Diff != "" {
			b.Fatal(seed, err, rep.Diff)
		}
		seed++
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "modules/s")
}
