package compile_test

import (
	"context"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/compile"
	"github.com/cutile-go/cutile/tile"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

// facts promises everything about every tensor of a kernel.
func facts(k *compile.Kernel) compile.Facts {
	var f compile.Facts
	for _, p := range k.Params() {
		all := uint8(1<<len(p.Tile) - 1)
		f.Args = append(f.Args, compile.ArgFacts{Align16: true, Extent16: all, Stride16: all, Unit: 1 << len(p.Tile) >> 1})
	}
	return f
}

func frontEnd(tb testing.TB, fn any) {
	k, err := compile.Resolve(fn)
	if err != nil {
		tb.Fatal(err)
	}
	c, err := k.Compile(context.Background(), facts(k))
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := bytecode.Write(c.Module, tileir.V13_3, bytecode.Options{}); err != nil {
		tb.Fatal(err)
	}
}

// BenchmarkFrontEnd measures source to bytecode. Cold is the first kernel of the process, so it is one measurement: run
// it by itself.
func BenchmarkFrontEnd(b *testing.B) {
	start := time.Now()
	frontEnd(b, gemm[tile.D64, tile.D64, tile.D64])
	cold := time.Since(start)
	b.Run("gemm-same", func(b *testing.B) {
		for b.Loop() {
			frontEnd(b, gemm[tile.D64, tile.D64, tile.D64])
		}
	})
	b.Run("gemm-other-dims", func(b *testing.B) {
		fns := []any{gemm[tile.D64, tile.D64, tile.D32], gemm[tile.D64, tile.D32, tile.D32], gemm[tile.D128, tile.D64, tile.D32], gemm[tile.D128, tile.D128, tile.D32]}
		i := 0
		for b.Loop() {
			frontEnd(b, fns[i%len(fns)])
			i++
		}
		b.ReportMetric(float64(cold.Microseconds())/1000, "cold-ms")
	})
	start = time.Now()
	frontEnd(b, flash[tile.D64, tile.D64, tile.D64])
	b.Logf("cold GEMM %v, then new flash attention %v", cold, time.Since(start))
}
