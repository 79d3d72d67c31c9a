package compile_test

import (
	"github.com/cutile-go/cutile/tile"
	"github.com/cutile-go/cutile/tile/op"
)

// Each kernel of this file misuses an operation or an element type. A comment "want" gives, on the line of the mistake, a
// part of its message.

// wrongOps are the kernels below.
var wrongOps = []any{
	addsSmall, expSmall, comparesSmall, addsInt4, tooLarge, wrongAcc, wrongBlocks, wrongFactors, wrongFold, wrongScan, wrongPart,
	partOutside, wrongCat, wrongStep, wrongChoice, atomicFloatMax, narrowSwap, sortsSmall, randomPlaces, wrongCount, fourInMemory, hintOdd,
	paddedWindow, fewIndices, otherElements, checkedElements, indicesOfOtherShape, dividesInBranch, loadsInBranch, loopsToCombine,
}

type small8[A tile.Dim] = tile.F8E4M3T1[A]

func addsSmall(x tile.In[small8[d16]], z tile.Out[small8[d16]]) {
	z.Store(x.Load(0) + x.Load(1)) // want 20 "addf does not take f8e4m3fn: convert first"
}

func expSmall(x tile.In[tile.TF32T1[d16]], z tile.Out[tile.TF32T1[d16]]) {
	z.Store(tile.Exp(x.Load(0))) // want 10 "exp does not take tf32: convert first"
}

func comparesSmall(x tile.In[tile.F8E5M2T1[d16]], z tile.Out[tile.F8E5M2T1[d16]]) {
	z.Store(tile.Where(x.Load(0) > x.Load(1), x.Load(0), x.Load(1))) // want 31 "cmpf does not take f8e5m2: convert first"
}

func addsInt4(x tile.In[tile.U8T1[d16]], z tile.Out[tile.I32T1[d32]]) {
	v := tile.Unpack[tile.I4T1[d32]](x.Load(0))
	z.Store(tile.I32T1[d32](v + v)) // want 28 "addi does not take i4: convert first"
}

func tooLarge(z tile.Out[small8[d16]]) {
	z.Store(500) // want 2 "the constant 500 does not fit in float8_e4m3fn"
}

func wrongAcc(a tile.In[tile.BF16T2[d16, d16]], c tile.Out[tile.F16T2[d16, d16]]) {
	c.Store(tile.Dot(a.Load(0, 0), a.Load(0, 0), tile.F16T2[d16, d16](0))) // want 10 "products of bfloat16 are accumulated in float32, not in float16"
}

func wrongBlocks(a tile.In[tile.F8E4M3T2[d16, d32]], s tile.In[tile.F8E8M0T2[d16, tile.D2]], c tile.Out[tile.F32T2[d16, d16]]) {
	c.Store(tile.DotScaled(a.Load(0, 0), s.Load(0, 0), a.Load(0, 0).T(), s.Load(0, 0).T(), 0)) // want 10 "a factor of float8_e8m0fnu applies to 32 elements of float8_e4m3fn along K, but there are 2 for 32"
}

func wrongFactors(a tile.In[tile.F8E4M3T2[d16, d32]], s tile.In[tile.F8E4M3T2[d16, tile.D1]], c tile.Out[tile.F32T2[d16, d16]]) {
	c.Store(tile.DotScaled(a.Load(0, 0), s.Load(0, 0), a.Load(0, 0).T(), s.Load(0, 0).T(), 0)) // want 10 "factors of float8_e4m3fn do not scale float8_e4m3fn"
}

func wrongFold(x tile.In[tile.F32T2[d16, d32]], z tile.Out[tile.F32T1[d16]]) {
	z.Store(tile.Reduce[tile.F32T1[d16]](x.Load(0, 0), 0, 0, func(a, b tile.F32) tile.F32 { return a + b })) // want 10 "a fold of axis 0 does not turn [16 32] into [16] of the same element"
}

func wrongScan(x tile.In[vec[d16]], z tile.Out[vec[d16]]) {
	z.Store(tile.CumProd(x.Load(0), 1, tile.Forward)) // want 10 "there is no axis 1 in a tile of shape [16]"
}

func wrongPart(x tile.In[vec[d16]], z tile.Out[vec[d32]]) {
	z.Store(tile.Extract[vec[d32]](x.Load(0), 0)) // want 10 "Extract: [32] of float32 is not a part of [16] of float32"
}

func partOutside(x tile.In[vec[d32]], z tile.Out[vec[d16]]) {
	z.Store(tile.Extract[vec[d16]](x.Load(0), 2)) // want 10 "part 2 along axis 0 is outside [0, 2)"
}

func wrongCat(x tile.In[vec[d16]], z tile.Out[vec[d32]]) {
	z.Store(tile.Cat[vec[d32]](x.Load(0), tile.F32T1[tile.D8](1), 0)) // want 10 "Cat along axis 0 does not join [16] and [8] to [32]"
}

func wrongStep(x tile.In[vec[d16]], z tile.Out[vec[d16]]) {
	z.Store(tile.WindowsOf[vec[d16]](x, 0).Load(0)) // want 10 "the step along axis 0 is 0: it must be positive"
}

func wrongChoice(x tile.In[mat[d16, d32]], at tile.In[tile.I32T1[d32]], z tile.Out[mat[d16, d32]]) {
	z.Store(tile.GatherTile(tile.SparseOf[mat[d16, d32]](x, 0), at.Load(0), 0)) // want 10 "indices of shape [32] do not choose the elements along axis 0 of [16 32]"
}

func atomicFloatMax(p tile.Ptr[float32], z tile.Out[vec[d16]]) {
	z.Store(tile.Atomic(p, tile.Iota[d16](), vec[d16](1), true, tile.RMWMax, tile.Relaxed, tile.DeviceScope)) // want 10 "Atomic needs integers of 32 or 64 bits"
}

func narrowSwap(p tile.Ptr[int8], z tile.Out[tile.I8T1[d16]]) {
	z.Store(tile.CompareAndSwap(p, tile.Iota[d16](), tile.I8T1[d16](1), 2, true)) // want 10 "CompareAndSwap needs elements of 32 or 64 bits"
}

func sortsSmall(x tile.In[small8[d16]], z tile.Out[small8[d16]]) {
	z.Store(tile.Sort(x.Load(0), tile.Forward)) // want 10 "Sort does not compare float8_e4m3fn: convert first"
}

func randomPlaces(z tile.Out[vec[d16]]) {
	z.Store(tile.Uniform[vec[d16]](1, tile.IotaOf[tile.U32T1[d32]]())) // want 10 "positions of shape [32] do not fit numbers of shape [16]"
}

func wrongCount(z tile.Out[vec[d16]]) {
	z.Store(op.Elements[vec[d16]](1, 2, 3)) // want 10 "3 elements are given for a tile of shape [16]"
}

func fourInMemory(x tile.In[tile.F4E2M1T1[d16]], z tile.Out[vec[d16]]) { // want 19 "parameter x: a tensor cannot have elements of float4_e2m1fn: take bytes, and unpack them in the kernel"
	z.Store(vec[d16](x.Load(0)))
}

// hintOdd has a hint that there is not.
//
//cutile:entry warps=3 // want 16 "no hint warps"
func hintOdd(x tile.In[vec[d16]], z tile.Out[vec[d16]]) { z.Store(x.Load(0)) }

func paddedWindow(x tile.In[vec[d16]], z tile.Out[vec[d16]]) {
	z.Store(tile.WindowsOf[vec[d16]](x, 1).LoadPad(3, 0)) // want 10 "a load pads with 0, an infinity or NaN: use Where for another value"
}

func fewIndices(x tile.In[mat[d16, d32]], at tile.In[tile.I32T1[d16]], z tile.Out[vec[d16]]) {
	z.Store(tile.GatherAt[vec[d16]](x, 0, at.Load(0))) // want 10 "an element of a tensor of rank 2 needs one tile of indices for each axis, but there are 1"
}

func otherElements(x tile.In[vec[d16]], at tile.In[tile.I32T1[d16]], z tile.Out[tile.F16T1[d16]]) {
	z.Store(tile.GatherAt[tile.F16T1[d16]](x, 0, at.Load(0))) // want 10 "elements must have the tensor's element type: convert them"
}

// checkedElements wants no checks, but elements by coordinates are checked.
//
//cutile:nochecks
func checkedElements(x tile.InOut[vec[d16]], at tile.In[tile.I32T1[d16]]) {
	tile.ScatterAt(x, x.Load(0), at.Load(0))                   // want 2 "coordinates are checked against the extents while the kernel runs, but the kernel has the directive //cutile:nochecks: load tiles, or use a tile.Ptr"
	x.Store(tile.GatherAtInOut[vec[d16]](x, 0, at.Load(0)), 1) // want 10 "but the kernel has the directive //cutile:nochecks"
}

func indicesOfOtherShape(x tile.InOut[vec[d16]], at tile.In[tile.I32T1[d32]], z tile.Out[vec[d16]]) {
	tile.ScatterAt(x, z.Load(), at.Load(0)) // want 2 "indices of shape [32] do not fit elements of shape [16]"
}

func dividesInBranch(x tile.In[tile.I32T1[d16]], z tile.Out[tile.I32T1[tile.D1]]) {
	z.Store(x.Load(0).Fold0(1, func(a, b tile.I32) tile.I32 { // want 10 "a branch of the function has divi, which may end the kernel: both branches are computed"
		if b != 0 {
			return a / b
		}
		return a
	}))
}

func loadsInBranch(x tile.In[vec[d16]], p tile.Ptr[float32], z tile.Out[vec[tile.D1]]) {
	z.Store(x.Load(0).Fold0(0, func(a, b tile.F32) tile.F32 { // want 10 "the function touches memory or loops: it must only combine its arguments"
		if a > b {
			return tile.Gather[tile.F32](p, tile.I32(0), true, 0)
		}
		return b
	}))
}

func loopsToCombine(x tile.In[vec[d16]], z tile.Out[vec[tile.D1]]) {
	z.Store(x.Load(0).Fold0(0, func(a, b tile.F32) tile.F32 { // want 10 "the function touches memory or loops: it must only combine its arguments"
		for a < b {
			a = 2*a + 1
		}
		return a
	}))
}
