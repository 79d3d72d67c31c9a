package tileir_test

import (
	"fmt"
	"testing"

	"github.com/cutile-go/cutile/tileir"
)

// TestViewAxes: how the tiles of each kind of view lie. No dimension map, as a builder may leave it out, is the dimensions in order.
func TestViewAxes(t *testing.T) {
	tensor := &tileir.TensorViewType{Elem: tileir.F32, Shape: []int64{tileir.Dynamic, 8}, Strides: []int64{tileir.Dynamic, 1}}
	for _, c := range []struct {
		view tileir.ViewType
		want string // extent, step, dimension, sparse
	}{
		{&tileir.PartitionViewType{Tile: []int{4, 2}, Tensor: tensor, Padding: tileir.PadZero}, "[{4 4 0 false} {2 2 1 false}] 0"},
		{&tileir.PartitionViewType{Tile: []int{4, 2}, Tensor: tensor, DimMap: []int{1, 0}, Padding: tileir.NoPadding}, "[{4 4 1 false} {2 2 0 false}] -1"},
		{&tileir.StridedViewType{Tile: []int{4, 2}, Traversal: []int{3, 5}, Tensor: tensor, DimMap: []int{1, 0}}, "[{4 3 1 false} {2 5 0 false}] 0"},
		{&tileir.GatherScatterViewType{Tile: []int{4, 2}, Tensor: tensor, SparseDim: 1, Padding: tileir.PadNegZero}, "[{4 1 0 false} {2 1 1 true}] 1"},
	} {
		if got := fmt.Sprint(c.view.Axes(), " ", int8(c.view.PaddingValue())); got != c.want {
			t.Errorf("%v: %s, want %s", c.view, got, c.want)
		}
	}
}
