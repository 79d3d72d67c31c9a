package graph_test

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

// TestRefused has arguments that make no sense, and the words that tell so.
func TestRefused(t *testing.T) {
	p := func(g *graph.Graph, shape ...int) *graph.Value { return g.Parameter("x", dtype.F32, shape...) }
	for want, build := range map[string]func(g *graph.Graph) *graph.Value{
		"pad: 4611686018427387904 elements before": func(g *graph.Graph) *graph.Value {
			return graph.Pad(p(g, 3), graph.Scalar(g, float32(0)), []int{1 << 62}, []int{1 << 62}, nil)
		},
		"pad: -5 before and 1 behind remove more elements than float32[3] has along axis 0": func(g *graph.Graph) *graph.Value {
			return graph.Pad(p(g, 3), graph.Scalar(g, float32(0)), []int{-5}, []int{1}, nil)
		},
		"pad_with: there is no mode 99": func(g *graph.Graph) *graph.Value {
			return graph.PadWith(p(g, 4), graph.PadMode(99), []int{1}, []int{1})
		},
		"Low [4611686018427387904] has a number beyond 2147483647": func(g *graph.Graph) *graph.Value {
			return graph.Conv(p(g, 1, 2, 9), p(g, 3, 2, 3), graph.ConvOptions{Low: []int{1 << 62}, High: []int{1 << 62}})
		},
		"Groups is -1, expected at least 1, or 0 for one group": func(g *graph.Graph) *graph.Value {
			return graph.Conv(p(g, 1, 2, 9), p(g, 3, 2, 3), graph.ConvOptions{Groups: -1})
		},
		"max_pool: the array is float32[4], expected axes of a batch, of channels, and spatial ones": func(g *graph.Graph) *graph.Value {
			return graph.MaxPool(p(g, 4), graph.PoolOptions{Size: []int{2}})
		},
		"average_pool: Size [2 2 2] has 3 numbers for 2 axes": func(g *graph.Graph) *graph.Value {
			return graph.AveragePool(p(g, 1, 1, 4, 4), graph.PoolOptions{Size: []int{2, 2, 2}}, false)
		},
		"max_pool: Size [] has 0 numbers for 2 axes": func(g *graph.Graph) *graph.Value { return graph.MaxPool(p(g, 1, 1, 4, 4), graph.PoolOptions{}) },
		"max_pool: Size [2 0] has a number that is not from 1": func(g *graph.Graph) *graph.Value {
			return graph.MaxPool(p(g, 1, 1, 4, 4), graph.PoolOptions{Size: []int{2, 0}})
		},
		"reduce_window: Size [2] has 1 numbers for 2 axes": func(g *graph.Graph) *graph.Value {
			return graph.ReduceWindow(p(g, 4, 4), graph.FoldSum, graph.PoolOptions{Size: []int{2}})
		},
		"split: sizes [1 2] along axis 0 of float32[4], expected numbers that add up to 4":  func(g *graph.Graph) *graph.Value { return graph.Split(p(g, 4), 0, 1, 2)[0] },
		"split: sizes [5 -1] along axis 0 of float32[4], expected numbers that add up to 4": func(g *graph.Graph) *graph.Value { return graph.Split(p(g, 4), 0, 5, -1)[0] },
		"cum_sum: axis -1 of float32[], which has no axes":                                  func(g *graph.Graph) *graph.Value { return graph.CumSum(p(g), -1, false) },
	} {
		g := graph.New()
		build(g)
		if err := g.Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, expected %s", err, want)
		} else {
			plain(t, err.Error())
		}
	}
	g := graph.New()
	if y := graph.Slice(p(g, 3), []int{0}, []int{3}, []int{math.MaxInt}); g.Err() != nil || y.Shape()[0] != 1 {
		t.Errorf("a slice with a large stride has shape %v (%v), expected [1]", y.Shape(), g.Err())
	}
}

// TestWholeNumbers: errors have all digits of numbers that are too large, not an exponent, nor the limit that they were brought to.
func TestWholeNumbers(t *testing.T) {
	p := func(g *graph.Graph, elem dtype.Type, shape ...int) *graph.Value {
		return g.Parameter("x", elem, shape...)
	}
	for want, build := range map[string]func(g *graph.Graph){
		"1099511627776 is no int32":        func(g *graph.Graph) { graph.Number(g, dtype.I32, 1<<40) },
		"4611686018427387904 is no uint32": func(g *graph.Graph) { graph.Number(g, dtype.U32, 1<<62) },
		"0.5 is no int8":                   func(g *graph.Graph) { graph.Number(g, dtype.I8, 0.5) },
		"windows of 9663676416000000000000 elements of int32[1 1 9 9 9]": func(g *graph.Graph) {
			graph.AveragePool(p(g, dtype.I32, 1, 1, 9, 9, 9), graph.PoolOptions{Size: []int{1 << 30, 9e6, 1e6}}, false)
		},
		"from 4 to 4611686018427387904 elements (at most 1048576)": func(g *graph.Graph) {
			graph.Resize(p(g, dtype.F32, 4), graph.ResizeOptions{Sizes: []int{1 << 62}, Axes: []int{0}})
		},
		"from 4 to 1099511627776 elements (at most 1048576)": func(g *graph.Graph) {
			graph.Resize(p(g, dtype.F32, 4), graph.ResizeOptions{Scales: []float64{1 << 38}, Axes: []int{0}})
		},
		"axis 4611686018427387904 of float32[4]":           func(g *graph.Graph) { graph.Softmax(p(g, dtype.F32, 4), 1<<62) },
		"an array of shape [4611686018427387904] has more": func(g *graph.Graph) { p(g, dtype.F32, 1<<62) },
	} {
		g := graph.New()
		build(g)
		if err := g.Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, expected %s", err, want)
		} else {
			plain(t, err.Error())
		}
	}
	number := strings.Repeat("7", 19)
	for pad := range 40 { // the middle of a long message moves through numbers
		g := graph.New()
		g.Parameter(strings.Repeat("x", pad), dtype.F32, slices.Repeat([]int{7777777777777777777}, 60)...)
		err := g.Err()
		if err == nil {
			t.Fatal("no error")
		}
		for _, digits := range regexp.MustCompile(`\b7+\b`).FindAllString(err.Error(), -1) {
			if digits != number {
				t.Fatalf("a number is cut to %s in %v", digits, err)
			}
		}
	}
}
