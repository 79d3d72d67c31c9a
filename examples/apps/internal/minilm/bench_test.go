package minilm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/examples/apps/internal/minilm"
	"os"
	"time"
)

func BenchmarkEncode(b *testing.B) {
	dev, err := device.Open("cpu")
	if err != nil {
		b.Fatal(err)
	}
	defer dev.Close()
	e, err := minilm.Open(dev, os.Getenv("CUTILE_MINILM"))
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct{ rows, words int }{{1, 10}, {8, 10}, {64, 10}, {1, 25}, {32, 25}, {1, 60}, {16, 60}, {1, 120}, {8, 120}} {
		b.Run(fmt.Sprintf("%dx%d", c.rows, c.words), func(b *testing.B) {
			texts := make([]string, c.rows)
			for i := range texts {
				texts[i] = strings.Repeat("light ", c.words)
			}
			t := time.Now()
			if _, err := e.Encode(b.Context(), texts); err != nil {
				b.Fatal(err)
			}
			first := time.Since(t)
			for b.Loop() {
				if _, err := e.Encode(b.Context(), texts); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(first.Milliseconds()), "ms-first")
			b.ReportMetric(float64(c.rows*b.N)/b.Elapsed().Seconds(), "texts/s")
		})
	}
}
