package graph_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

// TestBits: the lowest bits come first, of integers and of floats.
func TestBits(t *testing.T) {
	g := graph.New()
	words := graph.Constant(g, []uint32{0x04030201, 0x80000000})
	bytes := graph.Constant(g, []int8{1, 2, 3, 4, 0, 0, 0, -128}, 2, 4)
	f := graph.Constant(g, []float64{1, -0.5})
	out := run(t, g, graph.SplitBits(words, dtype.U8), graph.SplitBits(words, dtype.I16), graph.JoinBits(bytes, dtype.F32), graph.JoinBits(graph.SplitBits(f, dtype.F16), dtype.F64),
		graph.JoinBits(graph.SplitBits(f, dtype.U8), dtype.U64), graph.JoinBits(words, dtype.I64))
	if got := sliceOf[uint8](t, out[0]); !slices.Equal(got, []uint8{1, 2, 3, 4, 0, 0, 0, 128}) || !slices.Equal(out[0].Shape(), []int{2, 4}) {
		t.Errorf("bytes %v of shape %v", got, out[0].Shape())
	}
	if got := sliceOf[int16](t, out[1]); !slices.Equal(got, []int16{0x0201, 0x0403, 0, math.MinInt16}) {
		t.Errorf("halves %v", got)
	}
	if got := floats(t, out[2]); got[0] != math.Float32frombits(0x04030201) || math.Float32bits(got[1]) != 1<<31 {
		t.Errorf("floats %v", got)
	}
	if got := doubles(t, out[3]); !slices.Equal(got, []float64{1, -0.5}) {
		t.Errorf("there and back: %v", got)
	}
	if got := sliceOf[uint64](t, out[4]); !slices.Equal(got, []uint64{math.Float64bits(1), math.Float64bits(-0.5)}) {
		t.Errorf("bits %x", got)
	}
	if got := sliceOf[int64](t, out[5]); !slices.Equal(got, []int64{math.MinInt64 + 0x04030201}) || out[5].Rank() != 0 {
		t.Errorf("joined %x", got)
	}
	for _, c := range []struct {
		want string
		make func(g *graph.Graph) *graph.Value
	}{
		{"join_bits: uint32[3] to uint64: expected a last axis of elements that have 8 bytes together", func(g *graph.Graph) *graph.Value {
			return graph.JoinBits(graph.Constant(g, make([]uint32, 3)), dtype.U64)
		}},
		{"join_bits: uint8[] to uint64", func(g *graph.Graph) *graph.Value { return graph.JoinBits(graph.Scalar(g, uint8(1)), dtype.U64) }},
		{"split_bits: uint32[3] to float32: expected smaller", func(g *graph.Graph) *graph.Value {
			return graph.SplitBits(graph.Constant(g, make([]uint32, 3)), dtype.F32)
		}},
		{"split_bits: bool[1] to uint8, expected numbers", func(g *graph.Graph) *graph.Value {
			return graph.SplitBits(graph.Constant(g, make([]bool, 1)), dtype.U8)
		}},
	} {
		if err := c.make(graph.New()).Err(); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "bits_test.go:") {
			t.Errorf("the error is %v, expected one with %q and the line", err, c.want)
		} else {
			plain(t, err.Error())
		}
	}
}
