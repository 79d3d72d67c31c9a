package gomlx

import (
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
	"github.com/gomlx/gomlx/backends"
)

var folds = map[backends.ReduceOpType]struct {
	fold  graph.Fold
	takes class
}{
	backends.ReduceOpSum: {graph.FoldSum, numbers}, backends.ReduceOpProduct: {graph.FoldProd, reals},
	backends.ReduceOpMax: {graph.FoldMax, bools | reals}, backends.ReduceOpMin: {graph.FoldMin, bools | reals},
}

// ReduceWindow folds the elements of windows. Without strides, windows lie side by side.
func (b *Builder) ReduceWindow(x backends.Op, kind backends.ReduceOpType, window, strides, baseDilations, windowDilations []int, paddings [][2]int) (backends.Op, error) {
	list, err := b.operands(backends.OpTypeReduceWindow, x)
	if err != nil {
		return nil, err
	}
	f, ok := folds[kind]
	if !ok {
		return nil, fmt.Errorf("cutile: ReduceWindow: no fold %s", kind)
	}
	if err := check(backends.OpTypeReduceWindow, f.takes, list...); err != nil {
		return nil, err
	}
	w, err := windowsOf(backends.OpTypeReduceWindow, list[0], window, strides, paddings)
	if err != nil {
		return nil, err
	}
	w.Dilation, w.BaseDilation = orNil(windowDilations), orNil(baseDilations)
	return b.move(backends.OpTypeReduceWindow, x, func(v *graph.Value) *graph.Value { return graph.ReduceWindow(v, f.fold, w) })
}

// windowsOf fills in what is not given: windows of one element, that lie side by side, without padding.
func windowsOf(t backends.OpType, x *op, window, strides []int, paddings [][2]int) (graph.PoolOptions, error) {
	rank := x.shape.Rank()
	if len(window) == 0 {
		window = slices.Repeat([]int{1}, rank)
	}
	if len(strides) == 0 {
		strides = window
	}
	if len(paddings) == 0 {
		paddings = make([][2]int, rank)
	}
	if len(window) != rank || len(strides) != rank || len(paddings) != rank {
		return graph.PoolOptions{}, fmt.Errorf("cutile: %s: windows %v, strides %v and paddings %v for %s, expected one of each for each axis", t, window, strides, paddings, x.shape)
	}
	w := graph.PoolOptions{Size: window, Stride: strides, Low: []int{}, High: []int{}}
	for _, p := range paddings {
		w.Low, w.High = append(w.Low, p[0]), append(w.High, p[1])
	}
	return w, nil
}

// SelectAndScatterMax adds each element of source to that element of an array of zeros where the greatest element of a window of x
// lies: of equal ones the first, and a NaN if there is one.
func (b *Builder) SelectAndScatterMax(x, source backends.Op, window, strides []int, paddings [][2]int) (backends.Op, error) {
	return b.selectAndScatter(backends.OpTypeSelectAndScatterMax, graph.ReduceMax, x, source, window, strides, paddings)
}

// SelectAndScatterMin does as SelectAndScatterMax for the least elements.
func (b *Builder) SelectAndScatterMin(x, source backends.Op, window, strides []int, paddings [][2]int) (backends.Op, error) {
	return b.selectAndScatter(backends.OpTypeSelectAndScatterMin, graph.ReduceMin, x, source, window, strides, paddings)
}

func (b *Builder) selectAndScatter(t backends.OpType, reduce func(*graph.Value, ...int) *graph.Value, x, source backends.Op, window, strides []int, paddings [][2]int) (backends.Op, error) {
	list, err := b.operands(t, x, source)
	if err != nil {
		return nil, err
	}
	if err := check(t, reals, list...); err != nil {
		return nil, err
	}
	if _, _, err := parts(t, list); err != nil {
		return nil, err
	}
	w, err := windowsOf(t, list[0], window, strides, paddings)
	if err != nil {
		return nil, err
	}
	positions := selected(list[0].re, reduce, w)
	if err := positions.Err(); err != nil {
		return nil, fmt.Errorf("cutile: %s: %w", t, err)
	}
	v, src := list[0].re, list[1].re
	if !slices.Equal(positions.Shape(), src.Shape()) {
		return nil, fmt.Errorf("cutile: %s: the source is %s, expected the shape %v, of an element for each window of %s", t, list[1].shape, positions.Shape(), list[0].shape)
	}
	// Positions are those in the array as a row; those of windows without elements lie behind its end.
	n := product(v.Shape())
	flat := graph.Broadcast(number(v, 0), n)
	axes := graph.GatherAxes{Collapsed: []int{0}, StartMap: []int{0}, IndexAxis: 1}
	count := product(src.Shape())
	sum := graph.ScatterSlices(flat, graph.Reshape(positions, count), graph.Reshape(src, count), axes, graph.FoldSum)
	return b.result(t, pair{re: graph.Reshape(sum, v.Shape()...)})
}

// selected gives, for each window, the position of the selected element in x as a row.
func selected(x *graph.Value, reduce func(*graph.Value, ...int) *graph.Value, w graph.PoolOptions) *graph.Value {
	shape, rank := x.Shape(), x.Rank()
	n := product(shape)
	if n == 0 || rank == 0 {
		positions := graph.Number(x.Graph(), dtype.I64, 0)
		if rank > 0 {
			positions = windows(graph.Broadcast(positions, shape...), graph.Number(x.Graph(), dtype.I64, 0), w)
			positions = graph.ReduceSum(positions, -1)
		}
		return positions
	}
	elements := windows(x, number(x, 0), w)
	index := graph.Reshape(graph.Iota(x.Graph(), dtype.I64, 0, n), shape...)
	outside := number(index, float64(n))
	at := windows(index, outside, w)
	inside := graph.Less(at, outside)
	// What lies outside is no better than the first element inside, and a NaN is better than any number.
	neutral := reduce(graph.Broadcast(number(x, 0), 0), 0)
	best := graph.ExpandDims(reduce(graph.Where(inside, elements, neutral), -1), -1)
	good := graph.And(inside, graph.Or(graph.Equal(elements, best), graph.And(isNaN(elements), isNaN(best))))
	return graph.ReduceMin(graph.Where(good, at, outside), -1)
}

// windows pads x and gives its windows along an axis behind those that count them.
func windows(x, fill *graph.Value, w graph.PoolOptions) *graph.Value {
	rank := x.Rank()
	v := graph.Windows(graph.Pad(x, fill, w.Low, w.High, nil), w.Size, w.Stride, slices.Repeat([]int{1}, rank))
	if v.Err() != nil {
		return v
	}
	return graph.Reshape(v, append(v.Shape()[:rank:rank], product(w.Size))...)
}
