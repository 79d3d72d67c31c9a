package neon_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/internal/native/neon"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/native/vec/vectest"
)

// BenchmarkAdd compiles random functions. It reports the time for an instruction of the IR.
func BenchmarkAdd(b *testing.B) {
	for _, size := range []int{100, 1000} {
		var list []*vec.Func
		n := 0
		for seed := range uint64(10) {
			f := vectest.Random(rand.New(rand.NewPCG(seed, 3)), size)
			list = append(list, f)
			n += len(f.Body)
		}
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c, err := neon.New(host.LevelNEON)
				if err != nil {
					b.Fatal(err)
				}
				for _, f := range list {
					if _, err := c.Add(f); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/instr")
		})
	}
}
