package compile_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/tilec/compile"
	"github.com/cutile-go/cutile/tile"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
	irtext "github.com/cutile-go/cutile/tileir/text"
)

func TestSmoke(t *testing.T) {
	for _, fn := range []any{
		vecAdd[tile.D1024], gemm[tile.D128, tile.D128, tile.D64], flash[tile.D64, tile.D64, tile.D64], softmax[tile.D16, tile.D64],
		histogram[tile.D128], arg[tile.D16, tile.D64], persistent[tile.D128, tile.D64, tile.D32], inPlace[tile.D64, tile.D64, tile.D64], deep[tile.D16],
	} {
		k, err := compile.Resolve(fn)
		if err != nil {
			t.Error(err)
			continue
		}
		c, err := k.Compile(context.Background(), facts(k))
		if err != nil {
			t.Errorf("%s: %v", k.Name(), err)
			continue
		}
		if os.Getenv("CUTILE_SHOW") != "" {
			t.Logf("%s\n%s", k.Name(), irtext.Sprint(c.Module))
		}
		if _, err := bytecode.Write(c.Module, tileir.V13_3, bytecode.Options{}); err != nil {
			t.Errorf("%s: %v", k.Name(), err)
		}
	}
}

// countsOften asks for what a prologue computes once, in a loop and in a branch.
func countsOften[N tile.Dim](x tile.In[tile.F32T1[N]], y tile.In[tile.F32T1[N]], z tile.Out[tile.F32T1[N]]) {
	n := 0
	for i := range x.Tiles(0) {
		for range x.Tiles(0) {
			n += i * y.Tiles(0)
		}
		if n > y.Tiles(0) {
			n -= x.Tiles(0)
		}
	}
	z.Store(tile.F32T1[N](n))
}

// TestOnce: what does not change while a kernel runs is computed once, before anything else.
func TestOnce(t *testing.T) {
	k, err := compile.Resolve(countsOften[tile.D16])
	if err != nil {
		t.Fatal(err)
	}
	c, err := k.Compile(context.Background(), facts(k))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(irtext.Sprint(c.Module), "get_index_space_shape"); n != 2 {
		t.Errorf("the counts of two tensors' tiles are computed %d times:\n%s", n, irtext.Sprint(c.Module))
	}
}

// facts promises everything about every tensor of a kernel.
func facts(k *compile.Kernel) compile.Facts {
	var f compile.Facts
	for _, p := range k.Params() {
		all := uint8(1<<len(p.Tile) - 1)
		f.Args = append(f.Args, compile.ArgFacts{Align16: true, Extent16: all, Stride16: all, Unit: 1 << len(p.Tile) >> 1})
	}
	return f
}

// TestHints: a hint of 0 is none, and NoTMA is that TMA is not allowed, for all architectures and for each.
func TestHints(t *testing.T) {
	ir := irText(t, hinted, nil)
	for _, want := range []string{
		"<default = {allow_tma = false}>",
		"<default = {allow_tma = false, latency = 4}, sm_100 = {allow_tma = false, latency = 3}, sm_90 = {allow_tma = false}>",
		"<sm_120 = {latency = 10}>",
	} {
		has(t, ir, "optimization_hints = "+want, 1)
	}
	has(t, ir, "load_view_tko", 4)
	has(t, ir, "optimization_hints", 3)
}
