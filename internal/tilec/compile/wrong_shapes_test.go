package compile_test

import "github.com/cutile-go/cutile/tile"

type (
	v16   = tile.F32T1[tile.D16]
	v32   = tile.F32T1[tile.D32]
	i16   = tile.I32T1[tile.D16]
	m1632 = tile.F32T2[tile.D16, tile.D32]
	m3216 = tile.F32T2[tile.D32, tile.D16]
)

// wrongShapes are the kernels below: shapes, masks, axes and indices that do not fit.
var wrongShapes = []any{
	maskOfOtherTensor, maskOfMatrix, negatedMask, maskAsNumber, whereOnMask, orOfMasks, maskInStruct, comparesMasks, maskStored, maskOfParameter,
	permuteOne, permuteElements, ifOnMaskAndNumber, returnsMask, sumInIf, rowIntoMatrix, columnIntoRow, broadcastUp, broadcastElem, reshapeUp, permuteTwice, permuteCount, permuteRange,
	loadNoIndex, storeTwoIndices, negativeAxis, blockAxis, tilesAxis, indexAxis, strideAxis, sliceAxis, foldAxis, sumOfBothAxes, catAxis, extractCount,
	extractRuntimePart, insertWhole, insertElem, iotaOfMatrix, windowRank, windowElem, sparseAxis, sparseIndices, sparseMatrixIndices, scanNegative,
	topTooMany, topElement, argSortPlaces, sortScalar, accumulateIndex, gatherShapes, gatherMask, scatterMask, assertOnShape, elementsMatrix,
	packMatrix, unpackFloats, packShape, unpackShape, tableTwice, extentAsMask, loadOnBranch, foldedShape,
}

func maskOfOtherTensor(x tile.In[v16], y tile.In[v32], z tile.Out[v16]) {
	inside := y.Load(0) > 0
	z.Store(tile.Where(x.Load(0) > 1 && inside, x.Load(0), 0)) // want 35 "the masks differ: bool [16] and bool [32]"
}

func maskOfMatrix(x tile.In[m1632], z tile.Out[m1632]) {
	v := x.Load(0, 0)
	z.Store(tile.Where(v.Sum1() > 0, v, 0)) // want 10 "Where: the shapes [16 1] and [16 32] differ"
}

func negatedMask(x tile.In[v16], n int, z tile.Out[v16]) {
	small := x.Load(0) < 1
	for !small { // want 6 "the condition is a mask of shape [16], not one truth value: use Where"
		z.Store(1)
	}
}

func maskAsNumber(x tile.In[v16], z tile.Out[v16]) {
	m := x.Load(0) > 1
	z.Store(x.Load(0) * v16(tile.I32T1[tile.D16](toInt(m))))
}

func toInt(b bool) int {
	if b { // want 5 "the condition is a mask of shape [16], not one truth value: use Where"
		return 1
	}
	return 0
}

func whereOnMask(x tile.In[v16], y tile.In[m1632], z tile.Out[v16]) {
	z.Store(tile.Where(y.Load(0, 0) > 1, x.Load(0), x.Load(1))) // want 10 "Where: the shapes [16 32] and [16] differ"
}

func orOfMasks(x tile.In[v16], y tile.In[m3216], z tile.Out[v16]) {
	z.Store(tile.Where(x.Load(0) > 1 || y.Load(0, 0) > 1, x.Load(0), 0)) // want 35 "the masks differ: bool [16] and bool [32 16]"
}

func maskInStruct(x tile.In[v16], z tile.Out[v16]) {
	s := struct{ ok bool }{x.Load(0) > 0}
	if s.ok { // want 5 "the condition is a mask of shape [16], not one truth value: use Where"
		z.Store(1)
	}
}

func comparesMasks(x tile.In[v16], y tile.In[v32], z tile.Out[v16]) {
	z.Store(tile.Where((x.Load(0) > 0) == (y.Load(0) > 0), x.Load(0), 0)) // want 37 "the masks differ: bool [16] and bool [32]"
}

func maskOfParameter(causal bool, x tile.In[m1632], z tile.Out[m1632]) {
	v := x.Load(0, 0)
	v = tile.Where(v > 0 || tile.BoolTile2[tile.D16, tile.D32](!causal), v, 0)
	z.Store(tile.Where(!causal || v > 0, v, 0)) // want 29 "the masks differ: bool and bool [16 32]: tile.BoolTile2[tile.D16, tile.D32](…) makes a mask of the single truth value"
}

func permuteOne(x tile.In[v16], z tile.Out[v16]) {
	z.Store(tile.Permute[v16](x.Load(0), 1)) // want 10 "Permute of a tile of shape [16] by the dimensions [1]: each of its 1 dimensions must be named once, counted from 0"
}

func permuteElements(x tile.In[m1632], z tile.Out[m1632]) {
	z.Store(tile.Permute[m1632](x.Load(0, 0), 1, 0)) // want 10 "Permute by the dimensions [1 0] does not turn [16 32] of float32 into [16 32] of float32"
}

func maskStored(x tile.In[v16], p tile.Ptr[int32]) {
	ok := x.Load(0) > 0
	tile.Scatter(p, tile.I32(0), tile.I32(0), ok) // want 2 "a mask of shape [16] does not fit elements of shape []"
}

func ifOnMaskAndNumber(x tile.In[v16], n int, z tile.Out[v16]) {
	if n > 3 && x.Load(0) > 0 { // want 11 "the masks differ: bool and bool [16]: tile.BoolTile1[tile.D16](…) makes a mask of the single truth value"
		z.Store(1)
	}
}

func returnsMask(x tile.In[v16], z tile.Out[v16]) {
	positive := func() bool { return x.Load(0) > 0 }
	if positive() { // want 5 "the condition is a mask of shape [16], not one truth value: use Where"
		z.Store(1)
	}
}

func sumInIf(x tile.In[v16], z tile.Out[v16]) {
	if x.Load(0).Sum0() > 3 { // want 5 "the condition is a mask of shape [1], not one truth value: make the compared tile a number, as in tile.Reshape[tile.F32](v.Sum0()) > 0"
		z.Store(1)
	}
}

func rowIntoMatrix(x tile.In[v16], z tile.Out[m1632]) {
	z.Store(m1632(x.Load(0))) // want 10 "a conversion cannot change shape [16] to [16 32]: it adds leading dimensions and stretches those of 1"
}

func columnIntoRow(x tile.In[m1632], z tile.Out[v16]) {
	z.Store(v16(x.Load(0, 0).Sum1())) // want 10 "a conversion cannot change shape [16 1] to [16]: use Reshape"
}

func broadcastUp(x tile.In[v32], z tile.Out[v16]) {
	z.Store(tile.Broadcast[v16](x.Load(0))) // want 10 "Broadcast cannot change shape [32] to [16]: it adds leading dimensions, and stretches dimensions of 1"
}

func broadcastElem(x tile.In[v16], z tile.Out[tile.I32T2[tile.D4, tile.D16]]) {
	z.Store(tile.Broadcast[tile.I32T2[tile.D4, tile.D16]](x.Load(0))) // want 10 "Broadcast keeps the element type: convert first"
}

func reshapeUp(x tile.In[m1632], z tile.Out[v16]) {
	z.Store(tile.Reshape[v16](x.Load(0, 0))) // want 10 "Reshape from [16 32] to [16] changes the number of elements"
}

func permuteTwice(x tile.In[m1632], z tile.Out[m1632]) {
	z.Store(tile.Permute[m1632](x.Load(0, 0), 0, 0)) // want 10 "Permute of a tile of shape [16 32] by the dimensions [0 0]: each of its 2 dimensions must be named once, counted from 0"
}

func permuteCount(x tile.In[m1632], z tile.Out[m3216]) {
	z.Store(tile.Permute[m3216](x.Load(0, 0), 1)) // want 10 "Permute of a tile of shape [16 32] by the dimensions [1]: each of its 2 dimensions must be named once, counted from 0"
}

func permuteRange(x tile.In[m1632], n int, z tile.Out[m3216]) {
	z.Store(tile.Permute[m3216](x.Load(0, 0), n, 0)) // want 10 "the order of dimensions must be known when the kernel is compiled, but only the device knows this: make it a constant, or the counter of a loop over constants, which is then unrolled"
}

func loadNoIndex(x tile.In[v16], z tile.Out[v16]) {
	z.Store(x.Load()) // want 10 "a tile of shape [16] needs one index for each axis, but there are 0"
}

func storeTwoIndices(x tile.In[v16], z tile.InOut[v16]) {
	z.Store(x.Load(0), 0, 1) // want 2 "a tile of shape [16] needs one index for each axis, but there are 2"
}

func negativeAxis(x tile.In[v16], z tile.Out[v16]) {
	z.Store(v16(x.Len(-1))) // want 14 "there is no axis -1 in a tile of shape [16]"
}

func blockAxis(z tile.Out[v16]) {
	z.Store(v16(tile.BlockID(3))) // want 14 "there is no axis 3 of a grid: its axes are 0, 1 and 2"
}

func tilesAxis(x tile.In[m1632], z tile.Out[v16]) {
	z.Store(v16(x.Tiles(2))) // want 14 "there is no axis 2 in a tile of shape [16 32]"
}

func indexAxis(x tile.In[m1632], z tile.Out[v16]) {
	z.Store(tile.Reshape[v16](x.Load(z.Index(0), z.Index(1)).Sum1())) // want 47 "there is no axis 1 in a tile of shape [16]"
}

func strideAxis(x tile.In[v16], n int, z tile.Out[v16]) {
	z.Store(v16(x.Stride(n))) // want 14 "the axis must be known when the kernel is compiled"
}

func sliceAxis(x tile.In[v16], z tile.Out[v16]) {
	z.Store(x.Slice(1, 0, 4).Load(0)) // want 10 "there is no axis 1 in a tile of shape [16]"
}

func foldAxis(x tile.In[m1632], z tile.Out[v16]) {
	z.Store(tile.Reduce[v16](x.Load(0, 0), 2, 0, func(a, b tile.F32) tile.F32 { return a + b })) // want 10 "there is no axis 2 in a tile of shape [16 32]"
}

func sumOfBothAxes(x tile.In[m1632], z tile.Out[v16]) {
	total := x.Load(0, 0).Sum1().Sum0()
	z.Store(tile.Reshape[v16](total)) // want 10 "Reshape from [1 1] to [16] changes the number of elements"
}

func catAxis(x tile.In[v16], z tile.Out[v32]) {
	z.Store(tile.Cat[v32](x.Load(0), x.Load(1), 1)) // want 10 "there is no axis 1 in a tile of shape [16]"
}

func extractCount(x tile.In[m1632], z tile.Out[v16]) {
	z.Store(tile.Extract[v16](x.Load(0, 0), 0)) // want 10 "Extract: [16] of float32 is not a part of [16 32] of float32"
}

func extractRuntimePart(x tile.In[v32], n int, z tile.Out[v16]) {
	z.Store(tile.Extract[v16](x.Load(0), n, n)) // want 10 "Extract: a tile of shape [32] needs one index for each axis, but there are 2"
}

func insertWhole(x tile.In[v16], y tile.In[v32], z tile.Out[v16]) {
	z.Store(tile.Insert(x.Load(0), y.Load(0), 0)) // want 10 "Insert: [32] of float32 is not a part of [16] of float32"
}

func insertElem(x tile.In[v32], z tile.Out[v32]) {
	z.Store(tile.Insert(x.Load(0), i16(1), 0)) // want 10 "Insert: [16] of int32 is not a part of [32] of float32"
}

func iotaOfMatrix(z tile.Out[tile.I32T2[tile.D4, tile.D4]]) {
	z.Store(tile.IotaOf[tile.I32T2[tile.D4, tile.D4]]()) // want 10 "IotaOf needs a tile of rank 1, not of shape [4 4]"
}

func windowRank(x tile.In[m1632], z tile.Out[v16]) {
	z.Store(tile.WindowsOf[v16](x, 1).Load(0)) // want 10 "tiles of shape [16] do not view a tensor of rank 2"
}

func windowElem(x tile.In[v16], z tile.Out[i16]) {
	z.Store(tile.WindowsOf[i16](x, 1).Load(0)) // want 10 "a view of the same tensor keeps the element type: convert what is loaded"
}

func sparseAxis(x tile.In[m1632], at tile.In[i16], z tile.Out[m1632]) {
	z.Store(tile.GatherTile(tile.SparseOf[m1632](x, 2), at.Load(0), 0)) // want 26 "there is no axis 2 in a tile of shape [16 32]"
}

func sparseIndices(x tile.In[m1632], at tile.In[i16], z tile.Out[m1632]) {
	z.Store(tile.GatherTile(tile.SparseOf[m1632](x, 0), at.Load(0), 0, 0)) // want 10 "a tile of shape [16 32] needs one index for each axis except the sparse one"
}

func sparseMatrixIndices(x tile.In[m1632], at tile.In[tile.I32T2[tile.D16, tile.D1]], z tile.Out[m1632]) {
	z.Store(tile.GatherTile(tile.SparseOf[m1632](x, 0), at.Load(0, 0), 0)) // want 10 "indices of shape [16 1] do not choose the elements along axis 0 of [16 32]"
}

func scanNegative(x tile.In[v16], z tile.Out[v16]) {
	z.Store(tile.CumSum(x.Load(0), -1, tile.Forward)) // want 10 "there is no axis -1 in a tile of shape [16]"
}

func topTooMany(x tile.In[v16], z tile.Out[v32]) {
	z.Store(tile.TopK[v32](x.Load(0))) // want 10 "TopK: [32] of float32 is not a part of [16] of float32"
}

func topElement(x tile.In[v32], z tile.Out[i16]) {
	z.Store(tile.TopK[i16](x.Load(0))) // want 10 "TopK: [16] of int32 is not a part of [32] of float32"
}

func argSortPlaces(x tile.In[v32], z tile.Out[v32]) {
	v, at := tile.ArgSort[i16](x.Load(0), tile.Forward) // want 11 "ArgSort returns indices as int32 of shape [32]"
	z.Store(v + v32(at.Sum0()))
}

func sortScalar(x float32, z tile.Out[v16]) {
	z.Store(v16(tile.Sort(tile.F32(x), tile.Forward))) // want 14 "Sort needs an axis to sort along"
}

func accumulateIndex(x tile.In[v16], z tile.InOut[v16]) {
	z.Accumulate(tile.RMWAdd, x.Load(0)) // want 2 "a tile of shape [16] needs one index for each axis, but there are 0"
}

func gatherShapes(p tile.Ptr[float32], z tile.Out[v16]) {
	z.Store(tile.Gather[v16](p, tile.Iota[tile.D32](), true, 0)) // want 10 "offsets of shape [32] do not fit elements of shape [16]"
}

func gatherMask(p tile.Ptr[float32], x tile.In[v32], z tile.Out[v16]) {
	z.Store(tile.Gather[v16](p, tile.Iota[tile.D16](), x.Load(0) > 0, 0)) // want 10 "a mask of shape [32] does not fit elements of shape [16]"
}

func scatterMask(p tile.Ptr[float32], x tile.In[v16], y tile.In[v32]) {
	tile.Scatter(p, tile.Iota[tile.D16](), x.Load(0), y.Load(0) > 0) // want 2 "a mask of shape [32] does not fit elements of shape [16]"
}

func assertOnShape(x tile.In[v16], y tile.In[v32]) {
	tile.Assert(x.Load(0) > 0 && y.Load(0) > 0, "positive") // want 28 "the masks differ: bool [16] and bool [32]"
}

func elementsMatrix(z tile.Out[tile.F32T2[tile.D2, tile.D2]]) {
	z.Store(tile.Elements[tile.F32T2[tile.D2, tile.D2]](1, 2)) // want 10 "2 elements are given for a tile of shape [2 2]"
}

func packMatrix(x tile.In[m1632], p tile.Out[tile.U8T2[tile.D16, tile.D128]]) {
	p.Store(tile.Pack[tile.U8T2[tile.D16, tile.D128]](x.Load(0, 0))) // want 10 "Pack takes and returns tiles of rank 1: reshape first"
}

func unpackFloats(x tile.In[v16], z tile.Out[v16]) {
	z.Store(tile.Unpack[v16](tile.I32T1[tile.D16](x.Load(0)))) // want 10 "Unpack takes bytes: int8 or uint8"
}

func packShape(x tile.In[v16], z tile.Out[tile.U8T1[tile.D16]]) {
	z.Store(tile.Pack[tile.U8T1[tile.D16]](x.Load(0))) // want 10 "Pack: [16] of uint8 does not have as many bits as [16] of float32"
}

func unpackShape(x tile.In[tile.U8T1[tile.D16]], z tile.Out[v16]) {
	z.Store(tile.Unpack[v16](x.Load(0))) // want 10 "Unpack: [16] of float32 does not have as many bits as [16] of uint8"
}

func tableTwice(n float32, z tile.Out[v16]) {
	p := tile.Table[float32](1, 2, n) // want 7 "each element must be known when the kernel is compiled"
	z.Store(tile.Gather[v16](p, tile.Iota[tile.D16](), true, 0))
}

func extentAsMask(x tile.In[v16], z tile.Out[v16]) {
	z.Store(tile.Where(tile.Extent[tile.D16]() > x.Len(0), x.Load(0), 0)) // want 10 "Where: the shapes [] and [16] differ"
}

func loadOnBranch(x tile.In[v16], y tile.In[m1632], n int, z tile.Out[v16]) {
	ok := n > 1
	for i := range n {
		ok = x.Load(i) > 0
		if n > 5 { // want 3 "ok is a tile of bool [16 32] on one path and of bool [16] on the other"
			ok = y.Load(0, 0) > 1
		}
	}
	z.Store(tile.Where(ok, x.Load(0), 0))
}

func foldedShape(x tile.In[m1632], z tile.Out[v16]) {
	v := x.Load(0, 0).Fold1(0, func(a, b tile.F32) tile.F32 {
		if a > b && x.Load(0, 0) > 0 { // want 12 "the masks differ: bool and bool [16 32]"
			return a
		}
		return b
	})
	z.Store(tile.Reshape[v16](v))
}
