package graph_test

import (
	"testing"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

// TestSharedConstants compiles a layer for several numbers of rows: the programs have its weights, and what is made of them, once, until
// the last one is closed. Other weights of the same size are others.
func TestSharedConstants(t *testing.T) {
	dev, err := device.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	const n = 300
	compile := func(rows int, most int) *graph.Program {
		g := graph.New()
		w := graph.Constant(g, small(n*n, most), n, n)
		made := graph.Exp(graph.Neg(w)) // a kernel computes it once
		h := graph.MatMul(g.Parameter("x", dtype.F32, rows, n), w)
		p, err := g.Compile(t.Context(), dev, graph.MatMul(h, graph.Concat(0, made)))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	run := func(p *graph.Program, rows int) float32 {
		in, err := device.Full[float32](dev, 1, rows, n)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		out, err := p.Run(t.Context(), dev, in)
		if err != nil {
			t.Fatal(err)
		}
		defer out[0].Close()
		return floats(t, out[0])[0]
	}
	before := dev.Stats().MemoryBytes
	first := compile(8, 3)
	one := dev.Stats().MemoryBytes - before
	if one < 2*n*n*4 {
		t.Fatalf("the first program has %d bytes, expected both arrays", one)
	}
	want := run(first, 8)
	second, other := compile(40, 3), compile(40, 2)
	if got := run(second, 40); got != want {
		t.Errorf("the result with shared weights is %v, expected %v", got, want)
	}
	if got := run(other, 40); got == want {
		t.Errorf("the result with other weights is %v, too", got)
	}
	first.Close()
	if got := run(second, 40); got != want {
		t.Errorf("the result when the first program is closed is %v, expected %v", got, want)
	}
	other.Close()
	third := compile(8, 3)
	if err := dev.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := dev.Stats().MemoryBytes - before; got > one+one/2 {
		t.Errorf("two programs have %d bytes, and one had %d", got, one)
	}
	second.Close()
	third.Close()
	if err := dev.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := dev.Stats().MemoryBytes - before; got != 0 {
		t.Errorf("%d bytes are left when all programs are closed", got)
	}
}
