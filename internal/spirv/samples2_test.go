package spirv_test

import (
	"math"

	"github.com/cutile-go/cutile/internal/spirv"
)

// numbersKernel computes with numbers of every width.
func numbersKernel(b *spirv.Builder) {
	u64 := b.Uint(64)
	b.PushConstants(u64)
	b.FloatMode(spirv.ExecutionModeSignedZeroInfNanPreserve, 16)
	b.FloatMode(spirv.ExecutionModeRoundingModeRTE, 64)
	b.Kernel("numbers", 1, 1, 1)
	p := b.PushConstant(0)
	for _, width := range []int{8, 16, 32, 64} {
		u, s := b.Uint(width), b.Int(width)
		x, y := b.LoadAt(u, p, width/8), b.LoadAt(s, p, width/8)
		x = b.Binary(spirv.OpIAdd, x, b.Const(u, math.MaxUint64-4))
		y = b.Binary(spirv.OpISub, y, b.Const(s, math.MaxUint64-4))
		for _, op := range []spirv.Op{spirv.OpIMul, spirv.OpSDiv, spirv.OpSRem, spirv.OpBitwiseXor, spirv.OpShiftLeftLogical, spirv.OpShiftRightArithmetic} {
			y = b.Binary(op, y, b.Const(s, 3))
		}
		x = b.Unary(spirv.OpNot, b.Binary(spirv.OpUDiv, x, b.Binary(spirv.OpBitwiseOr, x, b.Const(u, 1))))
		y = b.GLSL(spirv.GLSLSMin, s, b.Unary(spirv.OpSNegate, y), b.GLSL(spirv.GLSLSAbs, s, y))
		b.StoreAt(p, b.Select(b.Compare(spirv.OpSLessThan, y, b.Null(s)), b.Op(spirv.OpBitcast, u, y), x), width/8)
		if width > 8 {
			floatNumbers(b, p, b.Float(width), x, y, width)
		}
		if width != 32 {
			b.StoreAt(p, b.Convert(spirv.OpSConvert, b.Int(32), y), 4)
			b.StoreAt(p, b.Convert(spirv.OpUConvert, b.Uint(32), x), 4)
			wide := b.Op(spirv.OpUMulExtended, b.Struct(u, u), x, x)
			b.StoreAt(p, b.Extract(wide, 1), width/8)
		}
	}
	i := b.Convert(spirv.OpUConvert, b.Uint(32), p)
	bits := b.GLSL(spirv.GLSLFindUMsb, b.Uint(32), b.Unary(spirv.OpBitCount, b.Unary(spirv.OpBitReverse, i)))
	carry := b.Op(spirv.OpIAddCarry, b.Struct(b.Uint(32), b.Uint(32)), bits, i)
	b.StoreAt(p, b.Extract(carry, 1), 4)
	b.End()
}

// floatNumbers computes with floats of a width, and converts between them and integers.
func floatNumbers(b *spirv.Builder, p, f, x, y ID, width int) {
	z := b.Binary(spirv.OpFDiv, b.Op(spirv.OpConvertUToF, f, x), b.Op(spirv.OpConvertSToF, f, y))
	for _, g := range []spirv.GLSL{spirv.GLSLSqrt, spirv.GLSLInverseSqrt, spirv.GLSLFloor, spirv.GLSLRoundEven, spirv.GLSLFAbs, spirv.GLSLTrunc} {
		z = b.GLSL(g, f, z)
	}
	if width < 64 {
		z = b.GLSL(spirv.GLSLPow, f, b.GLSL(spirv.GLSLExp, f, z), b.GLSL(spirv.GLSLLog2, f, z))
	}
	z = b.GLSL(spirv.GLSLNMax, f, b.GLSL(spirv.GLSLFClamp, f, z, z, b.Null(f)), b.Binary(spirv.OpFRem, b.Unary(spirv.OpFNegate, z), z))
	nan := b.Compare(spirv.OpLogicalOr, b.Compare(spirv.OpIsNan, z), b.Compare(spirv.OpFUnordLessThan, z, b.Null(f)))
	z = b.Select(b.Unary(spirv.OpLogicalNot, nan), z, b.Const(f, 0x3c00))
	b.StoreAt(p, b.Op(spirv.OpConvertFToU, b.Uint(width), z), width/8)
	b.StoreAt(p, b.Op(spirv.OpConvertFToS, b.Int(32), z), 4)
	b.StoreAt(p, b.Convert(spirv.OpFConvert, b.Float(32), z), 4)
	b.StoreAt(p, z, width/8)
}

// subgroupKernel has operations of subgroups.
func subgroupKernel(b *spirv.Builder) {
	u32, u64, f32 := b.Uint(32), b.Uint(64), b.Float(32)
	b.PushConstants(u64)
	b.Kernel("subgroup", 32, 1, 1)
	p := b.PushConstant(0)
	x, f := b.LoadAt(u32, p, 4), b.LoadAt(f32, p, 4)
	for _, op := range []spirv.Op{spirv.OpGroupNonUniformShuffle, spirv.OpGroupNonUniformShuffleXor, spirv.OpGroupNonUniformShuffleUp, spirv.OpGroupNonUniformShuffleDown} {
		x = b.Shuffle(op, x, b.ConstUint(1))
		f = b.Shuffle(op, f, x)
	}
	all := b.Ballot(b.Compare(spirv.OpUGreaterThan, x, b.ConstUint(4)))
	x = b.Binary(spirv.OpIAdd, x, b.Extract(all, 0))
	x = b.Broadcast(b.BroadcastFirst(b.Reduce(spirv.OpGroupNonUniformIAdd, spirv.GroupOperationReduce, x)), 3)
	f = b.Reduce(spirv.OpGroupNonUniformFMax, spirv.GroupOperationInclusiveScan, b.Reduce(spirv.OpGroupNonUniformFAdd, spirv.GroupOperationExclusiveScan, f))
	yes := b.Vote(spirv.OpGroupNonUniformAll, b.Vote(spirv.OpGroupNonUniformAllEqual, f))
	b.SubgroupBarrier(spirv.MemorySemanticsWorkgroupMemory)
	b.If(b.Compare(spirv.OpLogicalAnd, yes, b.Elect()), one(func() {
		b.StoreAt(p, b.Binary(spirv.OpIAdd, x, b.BuiltIn(spirv.BuiltInSubgroupSize)), 4)
	}), one(func() { b.StoreAt(p, f, 4) }))
	b.End()
}

// functionsKernel has two kernels that share a function and a variable, and constants that the maker of a pipeline sets.
func functionsKernel(b *spirv.Builder) {
	u32, u64 := b.Uint(32), b.Uint(64)
	b.PushConstants(u64)
	table := b.Shared(u32, 8)
	limit := b.SpecConst(u32, 3, 100)
	b.SpecConst(u64, 4, 1<<40)
	square, args := b.Function("square", u32, u32)
	b.If(b.Compare(spirv.OpULessThan, limit, args[0]), one(func() { b.Return(limit) }), nil)
	b.Return(b.Binary(spirv.OpIMul, args[0], b.Load(b.Index(table, b.ConstUint(0)))))
	b.End()
	put, args := b.Function("put", b.Void(), u64, u32)
	b.StoreAt(args[0], b.Call(square, args[1]), 4)
	b.End()
	for _, name := range []string{"one", "two"} {
		b.Kernel(name, 4, 2, 1)
		b.Call(put, b.PushConstant(0), b.Extract(b.BuiltIn(spirv.BuiltInNumWorkgroups), 1))
		b.End()
	}
}

// partsKernel has vectors, structures and arrays as values.
func partsKernel(b *spirv.Builder) {
	u32, u64, f32 := b.Uint(32), b.Uint(64), b.Float(32)
	b.PushConstants(u64)
	b.Kernel("parts", 1, 1, 1)
	p := b.PushConstant(0)
	v4, v2 := b.Vector(f32, 4), b.Vector(f32, 2)
	x := b.LoadAt(v4, p, 16)
	y := b.With(spirv.OpVectorShuffle, v2, []ID{x, x}, 3, 6)
	z := b.Composite(v4, y, b.Extract(x, 2), b.Undef(f32))
	z = b.With(spirv.OpCompositeInsert, v4, []ID{b.ConstFloat(32, 2), z}, 3)
	z = b.Op(spirv.OpVectorInsertDynamic, v4, z, b.Extract(y, 1), b.Convert(spirv.OpUConvert, u32, p))
	z = b.Binary(spirv.OpFAdd, z, b.ConstComposite(v4, b.ConstFloat(32, 1), b.ConstFloat(32, 2), b.ConstFloat(32, -3), b.ConstFloat(32, 4)))
	s := b.Struct(v4, b.Array(u32, 2), b.Bool())
	whole := b.Composite(s, z, b.Null(b.Array(u32, 2)), b.ConstBool(true))
	pair := b.Local(s)
	b.Store(pair, whole)
	less := b.Compare(spirv.OpFOrdLessThan, z, x)
	z = b.Select(less, z, x)
	dot := b.Op(spirv.OpDot, f32, z, b.Op(spirv.OpVectorTimesScalar, v4, x, b.Extract(b.Load(pair), 0, 1)))
	any := b.Op(spirv.OpAny, b.Bool(), less)
	b.StoreAt(b.Address(p, b.Select(any, b.ConstUint(1), b.Extract(whole, 1, 0)), 1), dot, 4, spirv.MemoryAccessNontemporal)
	b.StoreAt(b.Op(spirv.OpConvertPtrToU, u64, b.At(f32, p)), z, 16)
	b.End()
}

// matrixKernel multiplies cooperative matrices.
func matrixKernel(b *spirv.Builder, elem, sum ID, flags spirv.CooperativeMatrixOperands) {
	u32, u64 := b.Uint(32), b.Uint(64)
	b.PushConstants(u64)
	tile := b.Shared(sum, 256)
	b.Kernel("matrix", 32, 1, 1)
	p, stride := b.PushConstant(0), b.ConstUint(16)
	row, column := spirv.CooperativeMatrixLayoutRowMajorKHR, spirv.CooperativeMatrixLayoutColumnMajorKHR
	at, bt := b.Matrix(elem, 16, 16, spirv.CooperativeMatrixUseMatrixAKHR), b.Matrix(elem, 16, 16, spirv.CooperativeMatrixUseMatrixBKHR)
	ct := b.Matrix(sum, 16, 16, spirv.CooperativeMatrixUseMatrixAccumulatorKHR)
	x, y := b.MatrixLoad(at, b.At(elem, p), row, stride, 16), b.MatrixLoad(bt, b.At(elem, p), column, stride, 16)
	zero := b.Composite(ct, b.Null(sum))
	z := b.While([]ID{b.ConstUint(0), zero}, func(v []ID) ID { return b.Compare(spirv.OpULessThan, v[0], b.ConstUint(8)) }, func(v []ID) []ID {
		return []ID{b.Binary(spirv.OpIAdd, v[0], b.ConstUint(1)), b.MulAdd(x, y, v[1], flags)}
	})[1]
	first := b.Index(tile, b.ConstUint(0))
	b.MatrixStore(first, z, row, stride, 0)
	b.Barrier(spirv.MemorySemanticsWorkgroupMemory)
	z = b.MatrixLoad(ct, first, row, stride, 0)
	b.MatrixStore(b.At(sum, p), z, row, stride, 16)
	b.StoreAt(p, b.MatrixLength(ct), 4)
	b.StoreAt(p, b.Convert(spirv.OpUConvert, u32, p), 4)
	b.End()
}

// smallFloatsKernel loads, converts and stores floats that are not IEEE 754's.
func smallFloatsKernel(b *spirv.Builder) {
	f32 := b.Float(32)
	b.PushConstants(b.Uint(64))
	b.Kernel("small", 1, 1, 1)
	p := b.PushConstant(0)
	for encoding, size := range map[spirv.FPEncoding]int{spirv.FPEncodingBFloat16KHR: 2} {
		t := b.FloatOf(encoding)
		x := b.Op(spirv.OpFConvert, f32, b.LoadAt(t, p, size))
		b.StoreAt(p, b.Op(spirv.OpFConvert, t, b.Binary(spirv.OpFAdd, x, x)), size)
	}
	for _, encoding := range []spirv.FPEncoding{spirv.FPEncodingFloat8E4M3EXT, spirv.FPEncodingFloat8E5M2EXT} {
		t := b.FloatOf(encoding)
		x := b.Op(spirv.OpFConvert, f32, b.LoadAt(t, p, 1))
		b.StoreAt(p, b.Op(spirv.OpFConvert, t, b.Binary(spirv.OpFAdd, x, b.ConstFloat(32, 0.1))), 1)
		b.StoreAt(p, b.Const(t, 0x3b), 1)
	}
	b.End()
}

// pointersKernel has no integers of 64 bits: its push constants are pointers.
func pointersKernel(b *spirv.Builder) {
	u32, v4 := b.Uint(32), b.Vector(b.Float(32), 4)
	offsets := b.PushConstants(u32, b.Pointer(spirv.StorageClassPhysicalStorageBuffer, v4), b.Pointer(spirv.StorageClassPhysicalStorageBuffer, u32))
	if offsets[2] != 16 {
		panic("the offsets are wrong")
	}
	b.Kernel("pointers", 64, 1, 1)
	i := b.BuiltIn(spirv.BuiltInLocalInvocationIndex)
	b.If(b.Compare(spirv.OpULessThan, i, b.PushConstant(0)), one(func() {
		at := b.Element(b.PushConstant(1), b.Load(b.Element(b.PushConstant(2), i)))
		x := b.Load(at)
		b.Store(at, b.Binary(spirv.OpFAdd, x, x))
		b.Atomic(spirv.OpAtomicIAdd, b.Element(b.PushConstant(2), i), spirv.ScopeDevice, spirv.MemorySemanticsRelaxed, i)
	}), nil)
	b.End()
}

// wordsKernel has no integers of 64 bits either: its address has two words.
func wordsKernel(b *spirv.Builder) {
	u32 := b.Uint(32)
	pair := b.Vector(u32, 2)
	if offsets := b.PushConstants(u32, u32, pair); offsets[2] != 8 {
		panic("the offsets are wrong")
	}
	b.Kernel("words", 64, 1, 1)
	p := b.PushConstant(2)
	x := b.LoadAt(pair, p, 8)
	b.Atomic(spirv.OpAtomicIAdd, b.At(u32, p), spirv.ScopeDevice, spirv.MemorySemanticsRelaxed, b.Extract(x, 1))
	b.StoreAt(b.Select(b.Compare(spirv.OpIEqual, b.PushConstant(0), b.PushConstant(1)), p, x), x, 8)
	b.End()
}

// fusedKernel has what newer devices promise: fused multiplication and addition, and invocations that come together again.
func fusedKernel(b *spirv.Builder) {
	f32 := b.Float(32)
	b.PushConstants(b.Uint(64))
	b.Mode(spirv.ExecutionModeMaximallyReconvergesKHR)
	b.Kernel("fused", 32, 1, 1)
	p := b.PushConstant(0)
	x := b.LoadAt(f32, p, 4)
	x = b.Op(spirv.OpFmaKHR, f32, x, x, b.ConstFloat(32, 3))
	b.StoreAt(p, b.Reduce(spirv.OpGroupNonUniformFAdd, spirv.GroupOperationReduce, x), 4)
	b.End()
}
