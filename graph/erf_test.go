package graph_test

import (
	"embed"
	"math"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
	"github.com/cutile-go/cutile/tile"
)

//go:embed erf_test.go
var source embed.FS
var _ = cutile.Module(source)

// erf is the error function of the tile language.
func erf[E tile.FloatElem, B tile.Dim](x tile.In[tile.FloatTile1[E, B]], y tile.Out[tile.FloatTile1[E, B]]) {
	y.Store(tile.Erf(x.Load(y.Index(0))))
}

// TestErf compares the error function of graphs with that of kernels, bit by bit.
func TestErf(t *testing.T) {
	t.Run("float32", func(t *testing.T) {
		testErf(t, erf[float32, tile.D256], func(x float64) float32 { return float32(x) })
	})
	t.Run("float64", func(t *testing.T) { testErf(t, erf[float64, tile.D256], func(x float64) float64 { return x }) })
	t.Run("float16", func(t *testing.T) { testErf(t, erf[dtype.Float16, tile.D256], dtype.Float16FromFloat64) })
	t.Run("bfloat16", func(t *testing.T) { testErf(t, erf[dtype.BFloat16, tile.D256], dtype.BFloat16FromFloat64) })
}

func testErf[E dtype.Elem](t *testing.T, kernel any, number func(float64) E) {
	dev, err := cutile.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	in := []E{number(math.Inf(1)), number(math.Inf(-1)), number(math.Copysign(0, -1)), number(1), number(-1), number(1e-30)}
	for x := -7.0; x < 7; x += 1.0 / 512 {
		in = append(in, number(x))
	}
	x, err := cutile.FromSlice(dev, in)
	if err != nil {
		t.Fatal(err)
	}
	y, err := cutile.NewTensor[E](dev, len(in))
	if err != nil {
		t.Fatal(err)
	}
	if err := cutile.Launch(t.Context(), dev, kernel, x, y); err != nil {
		t.Fatal(err)
	}
	g := graph.New()
	p, err := g.Compile(t.Context(), dev, graph.Erf(g.Parameter("x", dtype.Of[E](), len(in))))
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.Run(t.Context(), dev, x)
	if err != nil {
		t.Fatal(err)
	}
	want, err := y.Slice()
	if err != nil {
		t.Fatal(err)
	}
	got, err := out[0].(*cutile.Tensor[E]).Slice()
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("erf(%v) is %v, expected %v as in a kernel", in[i], got[i], want[i])
		}
	}
}
