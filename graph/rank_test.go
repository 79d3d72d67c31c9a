package graph_test

import (
	"slices"
	"testing"

	"github.com/cutile-go/cutile/graph"
)

// TestRanks: arrays may have many more axes than tiles and views have.
func TestRanks(t *testing.T) {
	shape := append(slices.Repeat([]int{1}, 70), 3, 5)
	g := graph.New()
	x := graph.Constant(g, counting(15, 15), shape...)
	rows := graph.ReduceSum(x, -1) // -25, 0, 25
	low := graph.Sub(x, graph.ExpandDims(graph.ReduceMax(x, -1), -1))
	bits := slices.Repeat([]int{2}, 13)
	many := graph.Reshape(graph.Constant(g, counting(1<<13, 1<<13)), bits...)
	out := run(t, g, rows, low, graph.Transpose(many), graph.ReduceSum(many, 0, 2, 4, 6, 8, 10, 12),
		graph.ScatterSlices(x, graph.Constant(g, []int32{1}), graph.Constant(g, []float32{9}, slices.Repeat([]int{1}, 72)...),
			graph.GatherAxes{OffsetAxes: upTo(72), StartMap: []int{71}, IndexAxis: 0}, graph.FoldReplace))
	if got := floats(t, out[0]); !slices.Equal(got, []float32{-25, 0, 25}) {
		t.Errorf("the sums of rows are %v, expected [-25 0 25]", got)
	}
	for i, got := range floats(t, out[1]) {
		if want := float32(i%5 - 4); got != want {
			t.Errorf("element %d less the greatest is %v, expected %v", i, got, want)
		}
	}
	for i, got := range floats(t, out[2]) {
		if want := reversed(i) - 1<<12; int(got) != want {
			t.Fatalf("element %d of the transposed array is %v, expected %d", i, got, want)
		}
	}
	if got := floats(t, out[3]); len(got) != 64 {
		t.Errorf("%d sums, expected 64", len(got))
	} else {
		for i, sum := range got {
			// Elements have the bits of i at the odd axes, and all others at the even ones.
			want, odd := 0, 0
			for bit := range 6 {
				odd |= i >> bit & 1 << (2*bit + 1)
			}
			for even := range 128 {
				at := odd
				for bit := range 7 {
					at |= even >> bit & 1 << (2 * bit)
				}
				want += at - 1<<12
			}
			if int(sum) != want {
				t.Fatalf("sum %d is %v, expected %d", i, sum, want)
			}
		}
	}
	if got := floats(t, out[4]); got[1] != 9 || got[0] != -7 || got[2] != -5 {
		t.Errorf("after the scatter: %v", got)
	}
}

// reversed reverses 13 bits.
func reversed(i int) int {
	out := 0
	for bit := range 13 {
		out |= i >> bit & 1 << (12 - bit)
	}
	return out
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
