package graph_test

import (
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

var leafMisuses = []misuse{
	{"Parameter", "invalid", func(g *graph.Graph) { g.Parameter("x", dtype.Invalid, 3) }, nil},
	{"Parameter", "[3 -1] has a negative extent", func(g *graph.Graph) { g.Parameter("x", dtype.F32, 3, -1) }, nil},
	{"Parameter", "[65536 65536]", func(g *graph.Graph) { g.Parameter("x", dtype.F32, large, large) }, nil},
	{"Constant", "[2 2] has 4 elements, but the slice has 3", func(g *graph.Graph) { graph.Constant(g, []float32{1, 2, 3}, 2, 2) }, nil},
	{"Constant", "[-1 -3]", func(g *graph.Graph) { graph.Constant(g, []float32{1, 2, 3}, -1, -3) }, nil},
	{"Full", "[2 -1] has a negative extent", func(g *graph.Graph) { graph.Full(g, float32(1), 2, -1) }, nil},
	{"Full", "[65536 65536]", func(g *graph.Graph) { graph.Full(g, float32(1), large, large) }, nil},
	{"Raw", "3 bytes of elements, expected 8 for float32[2]", func(g *graph.Graph) { graph.Raw(g, dtype.F32, []byte{1, 2, 3}, 2) }, nil},
	{"Raw", "invalid", func(g *graph.Graph) { graph.Raw(g, dtype.Invalid, nil, 2) }, nil},
	{"Number", "0.5 is no int32", func(g *graph.Graph) { graph.Number(g, dtype.I32, 0.5) }, nil},
	{"Number", "-1 is no uint8", func(g *graph.Graph) { graph.Number(g, dtype.U8, -1) }, nil},
	{"Number", "invalid", func(g *graph.Graph) { graph.Number(g, dtype.Invalid, 0) }, nil},
	{"Iota", "axis 2 of int32[3 4], expected -2 to 1", func(g *graph.Graph) { graph.Iota(g, dtype.I32, 2, 3, 4) }, nil},
	{"Iota", "elements of bool", func(g *graph.Graph) { graph.Iota(g, dtype.Bool, 0, 3) }, nil},
	{"Iota", "[65536 65536]", func(g *graph.Graph) { graph.Iota(g, dtype.I32, 0, large, large) }, nil},
}

var pointMisuses = []misuse{
	{"Where", "the condition is int32[3]", func(g *graph.Graph) { graph.Where(i32(g, 3), f32(g, 3), f32(g, 3)) }, nil},
	{"Where", "operand 2 is float32[3] and operand 3 int32[3]", func(g *graph.Graph) { graph.Where(truths(g, 3), f32(g, 3), i32(g, 3)) }, nil},
	{"Where", "[bool[2] float32[3] float32[3]]", func(g *graph.Graph) { graph.Where(truths(g, 2), f32(g, 3), f32(g, 3)) }, nil},
	{"Clamp", "[float32[2] float32[3] float32[]]", func(g *graph.Graph) { graph.Clamp(f32(g, 2), f32(g, 3), f32(g)) }, nil},
	{"Clamp", "operand 1 is int32[] and operand 3 float32[]", func(g *graph.Graph) { graph.Clamp(i32(g), f32(g, 3), f32(g)) }, nil},
	{"Clamp", "operand 3 is bool[3]", func(g *graph.Graph) { graph.Clamp(truths(g), truths(g, 3), truths(g, 3)) }, nil},
	{"Clamp", "operand 3 is nil", func(g *graph.Graph) { graph.Clamp(f32(g), f32(g, 3), nil) }, nil},
	{"Convert", "invalid", func(g *graph.Graph) { graph.Convert(f32(g, 3), dtype.Invalid) }, nil},
	{"Bitcast", "float32[3]", func(g *graph.Graph) { graph.Bitcast(f32(g, 3), dtype.I64) }, nil},
	{"Bitcast", "bool[3]", func(g *graph.Graph) { graph.Bitcast(truths(g, 3), dtype.U8) }, nil},
	{"Bitcast", "invalid", func(g *graph.Graph) { graph.Bitcast(f32(g, 3), dtype.Invalid) }, nil},
	{"JoinBits", "uint8[3]", func(g *graph.Graph) { graph.JoinBits(g.Parameter("x", dtype.U8, 3), dtype.F32) }, nil},
	{"JoinBits", "bool[4]", func(g *graph.Graph) { graph.JoinBits(truths(g, 4), dtype.F32) }, nil},
	{"JoinBits", "float32[]", func(g *graph.Graph) { graph.JoinBits(f32(g), dtype.F64) }, nil},
	{"SplitBits", "float32[3] to uint64: expected smaller", func(g *graph.Graph) { graph.SplitBits(f32(g, 3), dtype.U64) }, nil},
	{"SplitBits", "float32[3] to bool", func(g *graph.Graph) { graph.SplitBits(f32(g, 3), dtype.Bool) }, nil},
}

var shapeMisuses = []misuse{
	{"Broadcast", "axis 0 of float32[2] has extent 2", func(g *graph.Graph) { graph.Broadcast(f32(g, 2), 4, 3) }, nil},
	{"Broadcast", "float32[2 3] has more axes", func(g *graph.Graph) { graph.Broadcast(f32(g, 2, 3), 3) }, nil},
	{"Broadcast", "[-1 2]", func(g *graph.Graph) { graph.Broadcast(f32(g, 2), -1, 2) }, nil},
	{"Broadcast", "[65536 65536]", func(g *graph.Graph) { graph.Broadcast(f32(g), large, large) }, nil},
	{"BroadcastInDim", "axis 2 of float32[3 4], expected", func(g *graph.Graph) { graph.BroadcastInDim(f32(g, 3), []int{3, 4}, []int{2}) }, nil},
	{"BroadcastInDim", "2 axes [0 1] for float32[3]", func(g *graph.Graph) { graph.BroadcastInDim(f32(g, 3), []int{3, 4}, []int{0, 1}) }, nil},
	{"Reshape", "float32[2 3] has 6 elements, the shape [4] does not", func(g *graph.Graph) { graph.Reshape(f32(g, 2, 3), 4) }, nil},
	{"Reshape", "float32[2 3] has 6 elements, from which no extent for -1 in [4 -1] follows", func(g *graph.Graph) { graph.Reshape(f32(g, 2, 3), 4, -1) }, nil},
	{"Reshape", "[-2 -3]", func(g *graph.Graph) { graph.Reshape(f32(g, 2, 3), -2, -3) }, nil},
	{"Transpose", "1 axes [0] for float32[2 3]", func(g *graph.Graph) { graph.Transpose(f32(g, 2, 3), 0) }, nil},
	{"Transpose", "axis 2 of float32[2 3], expected -2 to 1", func(g *graph.Graph) { graph.Transpose(f32(g, 2, 3), 0, 2) }, nil},
	{"Slice", "0 to 4 by 1 along axis 0 of float32[3]", func(g *graph.Graph) { graph.Slice(f32(g, 3), []int{0}, []int{4}, nil) }, nil},
	{"Slice", "0 to 3 by 0 along axis 0 of float32[3]", func(g *graph.Graph) { graph.Slice(f32(g, 3), []int{0}, []int{3}, []int{0}) }, nil},
	{"Slice", "starts [], limits [3]", func(g *graph.Graph) { graph.Slice(f32(g, 3), nil, []int{3}, nil) }, nil},
	{"Narrow", "axis 1 of float32[3], expected -1 to 0", func(g *graph.Graph) { graph.Narrow(f32(g, 3), 1, 0, 1) }, nil},
	{"Narrow", "2 to 1 by 1 along axis 0 of float32[3]", func(g *graph.Graph) { graph.Narrow(f32(g, 3), 0, 2, 1) }, nil},
	{"Reverse", "axis 3 of float32[3], expected -1 to 0", func(g *graph.Graph) { graph.Reverse(f32(g, 3), 3) }, nil},
	{"Pad", "the fill value of float32[3] is int32[]", func(g *graph.Graph) { graph.Pad(f32(g, 3), i32(g), []int{1}, []int{1}, nil) }, nil},
	{"Pad", "[1 1] before", func(g *graph.Graph) { graph.Pad(f32(g, 3), f32(g), []int{1, 1}, []int{1}, nil) }, nil},
	{"PadWith", "constant", func(g *graph.Graph) { graph.PadWith(f32(g, 3), graph.PadMode(0), []int{1}, []int{1}) }, nil},
	{"PadWith", "there is no mode 99", func(g *graph.Graph) { graph.PadWith(f32(g, 3), graph.PadMode(99), []int{1}, []int{1}) }, nil},
	{"PadWith", "edge along axis 0", func(g *graph.Graph) { graph.PadWith(f32(g, 3), graph.PadEdge, []int{-1}, []int{1}) }, nil},
	{"Concat", "array 1 is float32[2 3] and array 2 float32[2 4]", func(g *graph.Graph) { graph.Concat(0, f32(g, 2, 3), f32(g, 2, 4)) }, nil},
	{"Concat", "array 2 int32[2 3]", func(g *graph.Graph) { graph.Concat(0, f32(g, 2, 3), i32(g, 2, 3)) }, nil},
	{"Concat", "axis 2 of float32[2 3], expected", func(g *graph.Graph) { graph.Concat(2, f32(g, 2, 3)) }, nil},
	{"Concat", "[60000 60000]", func(g *graph.Graph) { graph.Concat(0, f32(g, 30000, 60000), f32(g, 30000, 60000)) }, nil},
	{"Stack", "array 1 is float32[2 3] and array 2 float32[3]", func(g *graph.Graph) { graph.Stack(0, f32(g, 2, 3), f32(g, 3)) }, nil},
	{"Stack", "axis 3 of float32[2 3] with 1 further axes, expected -3 to 2", func(g *graph.Graph) { graph.Stack(3, f32(g, 2, 3)) }, nil},
	{"Stack", "operand 2 is nil", func(g *graph.Graph) { graph.Stack(0, f32(g, 2), nil) }, nil},
	{"Split", "sizes [1 2] along axis 0 of float32[4], expected numbers that add up to 4", func(g *graph.Graph) { graph.Split(f32(g, 4), 0, 1, 2) }, nil},
	{"Split", "axis 1 of float32[4], expected", func(g *graph.Graph) { graph.Split(f32(g, 4), 1, 4) }, nil},
	{"ExpandDims", "axis 4 of float32[3] with 1 further axes, expected -2 to 1", func(g *graph.Graph) { graph.ExpandDims(f32(g, 3), 4) }, nil},
	{"ExpandDims", "is named twice in [0 0]", func(g *graph.Graph) { graph.ExpandDims(f32(g, 3), 0, 0) }, nil},
	{"Squeeze", "axis 0 of float32[3] has extent 3, expected 1", func(g *graph.Graph) { graph.Squeeze(f32(g, 3), 0) }, nil},
	{"Squeeze", "axis 2 of float32[3], expected", func(g *graph.Graph) { graph.Squeeze(f32(g, 3), 2) }, nil},
	{"Windows", "sizes [2 2]", func(g *graph.Graph) { graph.Windows(f32(g, 3), []int{2, 2}, []int{1}, []int{1}) }, nil},
	{"Windows", "size 0, stride 1", func(g *graph.Graph) { graph.Windows(f32(g, 3), []int{0}, []int{1}, []int{1}) }, nil},
}

var gatherMisuses = []misuse{
	{"GatherSlices", "indices are float32[1]", func(g *graph.Graph) { graph.GatherSlices(f32(g, 3), f32(g, 1), graph.GatherAxes{}, []int{1}) }, nil},
	{"GatherSlices", "axis 7 of float32[3]", func(g *graph.Graph) {
		graph.GatherSlices(f32(g, 3), i32(g, 1), graph.GatherAxes{StartMap: []int{7}}, []int{1})
	}, nil},
	{"GatherSlices", "slices are of size []", func(g *graph.Graph) {
		graph.GatherSlices(f32(g, 3), i32(g, 1), graph.GatherAxes{StartMap: []int{0}}, nil)
	}, nil},
	{"GatherSlices", "index axis 5 of indices int32[1]", func(g *graph.Graph) { graph.GatherSlices(f32(g, 3), i32(g, 1), graph.GatherAxes{IndexAxis: 5}, nil) }, nil},
	{"Gather", "axis 1 of float32[3], expected", func(g *graph.Graph) { graph.Gather(f32(g, 3), i32(g, 1), 1) }, nil},
	{"Gather", "indices are float32[1], expected integers", func(g *graph.Graph) { graph.Gather(f32(g, 3), f32(g, 1), 0) }, nil},
	{"Gather", "axis 0 of float32[0 3] has no elements", func(g *graph.Graph) { graph.Gather(f32(g, 0, 3), i32(g, 1), 0) }, nil},
	{"TakeAlong", "indices are int32[2], expected integers of rank 2", func(g *graph.Graph) { graph.TakeAlong(f32(g, 3, 3), i32(g, 2), 0) }, nil},
	{"TakeAlong", "indices int32[4 4] and the array float32[3 3]", func(g *graph.Graph) { graph.TakeAlong(f32(g, 3, 3), i32(g, 4, 4), 0) }, nil},
	{"DynamicSlice", "1 starts and sizes [1] for float32[3 3]", func(g *graph.Graph) { graph.DynamicSlice(f32(g, 3, 3), []*graph.Value{i32(g)}, 1) }, nil},
	{"DynamicSlice", "start 1 is float32[]", func(g *graph.Graph) { graph.DynamicSlice(f32(g, 3), []*graph.Value{f32(g)}, 1) }, nil},
	{"DynamicSlice", "4 elements along axis 0 of float32[3]", func(g *graph.Graph) { graph.DynamicSlice(f32(g, 3), []*graph.Value{i32(g)}, 4) }, nil},
	{"DynamicUpdate", "the update is int32[2], the array float32[3]", func(g *graph.Graph) { graph.DynamicUpdate(f32(g, 3), i32(g, 2), i32(g)) }, nil},
	{"DynamicUpdate", "start 1 is int32[1]", func(g *graph.Graph) { graph.DynamicUpdate(f32(g, 3), f32(g, 2), i32(g, 1)) }, nil},
	{"ScatterSlices", "indices are float32[1]", func(g *graph.Graph) {
		graph.ScatterSlices(f32(g, 3), f32(g, 1), f32(g, 1), graph.GatherAxes{}, graph.FoldSum)
	}, nil},
	{"ScatterSlices", `unknown fold "mean"`, func(g *graph.Graph) { graph.ScatterSlices(f32(g, 3), i32(g, 1), f32(g, 1), graph.GatherAxes{}, "mean") }, nil},
	{"ScatterSlices", "the array is bool[3]", func(g *graph.Graph) {
		graph.ScatterSlices(truths(g, 3), i32(g, 1), truths(g, 1), graph.GatherAxes{}, graph.FoldSum)
	}, nil},
	{"ScatterSlices", "updates are int32[1]", func(g *graph.Graph) {
		graph.ScatterSlices(f32(g, 3), i32(g, 1), i32(g, 1), graph.GatherAxes{}, graph.FoldSum)
	}, nil},
	{"ArgSort", "axis 1 of float32[3], expected", func(g *graph.Graph) { graph.ArgSort(f32(g, 3), 1, false) }, nil},
	{"ArgSort", "the array is bool[3]", func(g *graph.Graph) { graph.ArgSort(truths(g, 3), 0, false) }, nil},
	{"Sort", "axis 1 of float32[3], expected", func(g *graph.Graph) { graph.Sort(f32(g, 3), 1, false) }, nil},
	{"Sort", "has 100000 elements, expected at most 65536", func(g *graph.Graph) { graph.Sort(f32(g, 100000), 0, false) }, nil},
	{"Sort", "the array is bool[3]", func(g *graph.Graph) { graph.Sort(truths(g, 3), 0, false) }, nil},
	{"TopK", "k is 4, expected 0 to 3, the extent of axis 0 of float32[3]", func(g *graph.Graph) { graph.TopK(f32(g, 3), 4, 0, false) }, nil},
	{"TopK", "k is -1, expected 0 to 3", func(g *graph.Graph) { graph.TopK(f32(g, 3), -1, -1, true) }, nil},
	{"TopK", "k is 40000, expected at most 32768, as axis 0 of float32[100000] has more than 65536 elements", func(g *graph.Graph) { graph.TopK(f32(g, 100000), 40000, 0, false) }, nil},
	{"TopK", "axis 1 of float32[3], expected", func(g *graph.Graph) { graph.TopK(f32(g, 3), 1, 1, false) }, nil},
	{"TopK", "the array is bool[3]", func(g *graph.Graph) { graph.TopK(truths(g, 3), 1, 0, false) }, nil},
	{"OneHot", "the array is bool[3]", func(g *graph.Graph) { graph.OneHot(truths(g, 3), 4, dtype.F32) }, nil},
	{"OneHot", "-1 elements for each of int32[3]", func(g *graph.Graph) { graph.OneHot(i32(g, 3), -1, dtype.F32) }, nil},
	{"OneHot", "[65536 65536]", func(g *graph.Graph) { graph.OneHot(i32(g, large), large, dtype.F32) }, nil},
	{"OneHot", "invalid", func(g *graph.Graph) { graph.OneHot(i32(g, 3), 4, dtype.Invalid) }, nil},
}
