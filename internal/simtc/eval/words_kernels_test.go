package eval_test

import "github.com/cutile-go/cutile/cute"

// index is the thread's number in the grid.
func index() int { return cute.BlockIdx().X*cute.BlockDim().X + cute.ThreadIdx().X }

// one launches a kernel with one block.
func one(threads int) cute.Launch {
	return cute.Launch{Grid: cute.D3(1, 1, 1), Block: cute.D3(threads, 1, 1)}
}

func exactKernel[T cute.Float](x, y, z, out cute.Tensor[T]) (_ cute.Kernel) {
	i := index()
	a, b, c := x.At(i), y.At(i), z.At(i)
	for k, v := range [...]T{
		cute.Sqrt(cute.Abs(a)), cute.Rcp(b), cute.Floor(4 * a), cute.Ceil(4 * a), cute.Trunc(4 * a), cute.RoundToEven(4 * a), cute.Round(4 * a),
		cute.Copysign(a, b), cute.Abs(a), cute.MinNum(a, b), cute.MaxNum(a, b), cute.Select(cute.IsNaN(a-a), a, b), cute.Select(cute.IsFinite(a), a, b),
	} {
		out.Set(v, i, k)
	}
	_ = c
	return
}

func exact[T cute.Float](x, y, z, out cute.Tensor[T]) { exactKernel(x, y, z, out).Launch(one(128)) }

func fmaKernel[T cute.Float](x, y, z, out cute.Tensor[T]) (_ cute.Kernel) {
	i := index()
	out.Set(cute.FMA(x.At(i), y.At(i), z.At(i)), i, 0)
	out.Set(x.At(i)*y.At(i)+z.At(i), i, 1)
	return
}

func fma[T cute.Float](x, y, z, out cute.Tensor[T]) { fmaKernel(x, y, z, out).Launch(one(128)) }

func approxKernel[T cute.Float](x, y, out cute.Tensor[T]) (_ cute.Kernel) {
	i := index()
	a, b := x.At(i), y.At(i)
	p := cute.Abs(a) + T(0.125)
	for k, v := range [...]T{
		cute.Exp2(a), cute.Exp(a), cute.Log2(p), cute.Log(p), cute.Log10(p), cute.Pow(p, b), cute.Sin(a), cute.Cos(a), cute.Tanh(a), cute.Rsqrt(p),
		cute.SqrtApprox(p), cute.RcpApprox(p), cute.DivApprox(a, p),
	} {
		out.Set(v, i, k)
	}
	return
}

func approx[T cute.Float](x, y, out cute.Tensor[T]) { approxKernel(x, y, out).Launch(one(128)) }

func vectorKernel(x, out cute.Tensor[float32]) (_ cute.Kernel) {
	v := x.Load()
	out.Store(cute.FMA(cute.Exp2(v), 2, v) - cute.Abs(v))
	return
}

func vectors(x, out cute.Tensor[float32]) { vectorKernel(x, out).Launch(one(1)) }

func knownKernel(out cute.Tensor[float32]) (_ cute.Kernel) {
	out.Set(cute.Sqrt(float32(2)), 0)
	out.Set(cute.FMA(float32(1.0000001), 1.0000001, -1), 1)
	out.Set(cute.Round(float32(-2.5)), 2)
	out.Set(float32(cute.Sqrt(cute.Float16(2))), 3)
	return
}

func known(out cute.Tensor[float32]) { knownKernel(out).Launch(one(1)) }

func bitsKernel[T cute.Word](x, y, out cute.Tensor[T]) (_ cute.Kernel) {
	i := index()
	a, b := x.At(i), y.At(i)
	for k, v := range [...]T{
		T(cute.PopCount(a)), T(cute.LeadingZeros(a)), T(cute.TrailingZeros(a)), cute.ReverseBits(a), T(cute.HighestBit(a)), cute.ExtractBits(a, 3, 7),
		cute.InsertBits(a, b, 5, 9), cute.MulHi(a, b), cute.Abs(a), cute.ExtractBits(a, i, 4),
	} {
		out.Set(v, i, k)
	}
	return
}

func bitsOps[T cute.Word](x, y, out cute.Tensor[T]) { bitsKernel(x, y, out).Launch(one(128)) }

func wordsKernel(x, y, out cute.Tensor[uint32]) (_ cute.Kernel) {
	i := index()
	a, b := x.At(i), y.At(i)
	for k, v := range [...]uint32{
		cute.FunnelShiftLeft(a, b, 5), cute.FunnelShiftRight(a, b, i), cute.RotateLeft(a, 7), cute.BytePermute(a, b, 0x7531), cute.Logic3(a, b, 0x0f0f0f0f, 0x6a),
		uint32(cute.Dot4(int32(a), int32(b), 5)), cute.Dot4Unsigned(a, b, 5), cute.Bitcast[uint32](cute.Bitcast[float32](a) * 2),
		uint32(cute.Bitcast[uint16](cute.Float16(1.5))) + uint32(cute.Bitcast[int16](cute.Cast[cute.Float16](float32(i)))),
	} {
		out.Set(v, i, k)
	}
	return
}

func words32(x, y, out cute.Tensor[uint32]) { wordsKernel(x, y, out).Launch(one(128)) }

func add2[T cute.Num](a, b T) T { return a + b }

func most[T cute.Num](a, b T) T { return max(a, b) }

func shuffleKernel[T cute.Elem](x, out cute.Tensor[T]) (_ cute.Kernel) {
	i := index()
	v := x.At(i)
	out.Set(cute.ShuffleBfly(v, 5), i, 0)
	out.Set(cute.ShuffleUp(v, 3), i, 1)
	out.Set(cute.ShuffleDown(v, 2, cute.Lanes{Width: 8}), i, 2)
	out.Set(cute.ShuffleIdx(v, i%7), i, 3)
	return
}

func shuffles[T cute.Elem](x, out cute.Tensor[T]) { shuffleKernel(x, out).Launch(one(64)) }

func voteKernel(x cute.Tensor[int32], out cute.Tensor[uint32]) (_ cute.Kernel) {
	i := index()
	v := x.At(i)
	bit := func(b bool) uint32 { return cute.Select[uint32](b, 1, 0) }
	for k, r := range [...]uint32{
		cute.Ballot(v > 0), bit(cute.AnyLane(v > 90)), bit(cute.AllLanes(v > -90)), bit(cute.SameCond(v > 90)),
		uint32(cute.ReduxAdd(v)), uint32(cute.ReduxMin(v)), uint32(cute.ReduxMax(v)), uint32(cute.ReduxAnd(v)), uint32(cute.ReduxOr(v)), uint32(cute.ReduxXor(v)),
		cute.MatchAny(v % 4), bit(cute.MatchAll(v)), cute.ActiveMask(), cute.LaneMaskEQ(), cute.LaneMaskLT(), cute.LaneMaskLE(), cute.LaneMaskGT(), cute.LaneMaskGE(),
	} {
		out.Set(r, i, k)
	}
	return
}

func votes(x cute.Tensor[int32], out cute.Tensor[uint32]) { voteKernel(x, out).Launch(one(64)) }

func electKernel(out cute.Tensor[int32]) (_ cute.Kernel) {
	if cute.ElectOne() {
		cute.AtomicAdd(out, 1, 0)
	}
	return
}

func elects(out cute.Tensor[int32]) { electKernel(out).Launch(one(64)) }

func reduceKernel[T int | float32](x, out cute.Tensor[T]) (_ cute.Kernel) {
	i := cute.ThreadIndex()
	v := x.At(i)
	out.Set(cute.WarpReduce(v, add2[T]), i, 0)
	out.Set(cute.WarpReduce(v, most[T], cute.Lanes{Width: 8}), i, 1)
	out.Set(cute.WarpScan(v, add2[T]), i, 2)
	out.Set(cute.BlockReduce(v, 0, add2[T]), i, 3)
	out.Set(cute.BlockReduce(v, -100, func(a, b T) T { return max(a, b) }), i, 4)
	out.Set(T(cute.ThreadIndex()+1000*cute.BlockThreads()), i, 5)
	return
}

func reduces[T int | float32](x, out cute.Tensor[T]) {
	reduceKernel(x, out).Launch(cute.Launch{Grid: cute.D3(1, 1, 1), Block: cute.D3(32, 5, 1)})
}

// Sums over a warp of vectors.
func warpVectorKernel(x, out cute.Tensor[float32]) (_ cute.Kernel) {
	v := x.Load() * cute.Vec[float32](cute.LaneIdx())
	s := cute.WarpReduce(v, add2[cute.Vec[float32]])
	if cute.LaneIdx() == 7 {
		out.Store(s)
	}
	return
}

func warpVectors(x, out cute.Tensor[float32]) { warpVectorKernel(x, out).Launch(one(32)) }

func foldKernel(x cute.Tensor[float32], out cute.Tensor[float32]) (_ cute.Kernel) {
	v := x.Load()
	out.Set(cute.Sum(v), 0)
	out.Set(cute.Product(v), 1)
	out.Set(cute.MaxOf(v), 2)
	out.Set(cute.MinOf(v)+v.Reduce(100, func(a, b float32) float32 { return a - b }), 3)
	r := cute.MakeFragmentLike(x)
	cute.Map(r, x, func(a float32) float32 { return a * a })
	out.Set(cute.Fold(r, 0, add2[float32]), 4)
	cute.Map2(r, r, x, func(a, b float32) float32 { return a - b })
	out.Set(r.At(3), 5)
	m := x.WithLayout(cute.MakeLayout(cute.S(2, 2)))
	out.Set(cute.FoldMode(m, 1, 0, add2[float32]).At(1), 8)
	out.Set(cute.FoldMode(m, 0, 1, func(a, b float32) float32 { return a * b }).At(0), 9)
	cute.Clear(r)
	out.Set(r.At(3), 6)
	cute.Fill(r, 7)
	out.Set(r.At(2), 7)
	return
}

func folds(x, out cute.Tensor[float32]) { foldKernel(x, out).Launch(one(1)) }

// Copies of 4 x 32 elements by each of 32 threads: through registers, and shared memory in another layout.
func copyKernel[T cute.Elem](x, out cute.Tensor[T], l cute.Layout) (_ cute.Kernel) {
	row := cute.I(index())
	r := cute.MakeFragmentLike(x.Slice(row, cute.All))
	s := cute.Alloc[T](l, 128)
	cute.Copy(x.Slice(row, cute.All), r)
	cute.Copy(r, s.Slice(row, cute.All))
	cute.SyncThreads()
	cute.Copy(s.Slice(row, cute.All), out.Slice(row, cute.All))
	return
}

func copies[T cute.Elem](x, out cute.Tensor[T], pad cute.Constexpr[func() cute.Layout]) {
	copyKernel(x, out, pad.V()).Launch(one(32))
}

func plainRows() cute.Layout { return cute.MakeLayout(cute.S(32, 16), cute.S(16, 1)) }

func paddedRows() cute.Layout { return cute.MakeLayout(cute.S(32, 16), cute.S(18, 1)) }

func columns() cute.Layout { return cute.MakeLayout(cute.S(32, 16)) }

func swizzledRows() cute.Layout { return cute.Swizzle{Bits: 1, Base: 3, Shift: 3}.Of(plainRows()) }

func copyIfKernel[T cute.Elem](x, out cute.Tensor[T], n int) (_ cute.Kernel) {
	row := cute.I(index())
	v := cute.MakeFragmentLike(x.Slice(row, cute.All))
	var p = cute.MakeRmem[bool](cute.S(16))
	var q = cute.MakeRmemLayout[bool](cute.MakeLayout(cute.Nest(cute.S(8, 2)), cute.Nest(cute.S(0, 1)))) // one for each eight
	for i := range cute.Unroll(16) {
		p.Set(i < n, i)
	}
	q.Set(n > 0, 0)
	q.Set(n > 8, 8)
	cute.CopyIf(p, x.Slice(row, cute.All), v)
	cute.CopyIf(q, v, out.Slice(row, cute.All))
	cute.CopyIf(p, x.Slice(row, cute.All), out.Slice(row, cute.All))
	return
}

func copiesIf[T cute.Elem](x, out cute.Tensor[T], n int) { copyIfKernel(x, out, n).Launch(one(32)) }

func asyncKernel[T cute.Elem](x, out cute.Tensor[T], n int) (_ cute.Kernel) {
	row := cute.I(index())
	s := cute.Alloc[T](swizzledRows(), 128)
	q := cute.MakeRmemLayout[bool](cute.MakeLayout(cute.Nest(cute.S(8, 2)), cute.Nest(cute.S(0, 1))))
	q.Set(n > 0, 0)
	q.Set(n > 8, 8)
	cute.CpAsync(x.Slice(row, cute.All), s.Slice(row, cute.All), q)
	cute.CpAsyncCommit()
	cute.CpAsyncWait(0)
	cute.CpAsyncWaitAll()
	cute.SyncThreads()
	other := cute.I(31 - index())
	cute.AutovecCopy(s.Slice(other, cute.All), out.Slice(row, cute.All))
	return
}

func asyncCopies[T cute.Elem](x, out cute.Tensor[T], n int) { asyncKernel(x, out, n).Launch(one(32)) }

func overlayKernel(out cute.Tensor[uint32]) (_ cute.Kernel) {
	raw := cute.Alloc[uint8](cute.MakeLayout(cute.I(256)), 16)
	a := cute.Overlay[uint32](raw, 128, cute.MakeLayout(cute.I(32)))
	b := cute.Overlay[uint8](a, 0, cute.MakeLayout(cute.I(128)))
	a.Set(uint32(index())*0x01010101, index())
	cute.SyncThreads()
	out.Set(uint32(b.At(4*(31-index()))), index())
	return
}

func overlayBeyondKernel(out cute.Tensor[uint32]) (_ cute.Kernel) {
	raw := cute.Alloc[uint8](cute.MakeLayout(cute.I(128)), 16)
	cute.Overlay[uint32](raw, 4, cute.MakeLayout(cute.I(32))).Set(out.At(0), 0)
	return
}

func overlayBeyond(out cute.Tensor[uint32]) { overlayBeyondKernel(out).Launch(one(32)) }

func overlays(out cute.Tensor[uint32]) { overlayKernel(out).Launch(one(32)) }

func printKernel(x cute.Tensor[float32]) (_ cute.Kernel) {
	cute.PrintTensor(x)
	cute.PrintTensor(x.Slice(cute.I(1), cute.All, cute.I(0)))
	cute.PrintTensorVerbose(x.Slice(cute.I(0), cute.All, cute.I(1)))
	r := cute.MakeRmem[int32](cute.S(2, 2))
	r.Fill(7)
	r.Set(5, 1, 0)
	cute.PrintTensor(r)
	cute.PrintTensorVerbose(r.Slice(cute.I(1), cute.All))
	return
}

func prints(x cute.Tensor[float32]) { printKernel(x).Launch(one(1)) }

func atomicKernel[T cute.Num](x, out cute.Tensor[T]) (_ cute.Kernel) {
	i := index()
	s := cute.Alloc[T](cute.MakeLayout(cute.I(2)), 8)
	if i < 2 {
		s.Set(0, i)
	}
	cute.SyncThreads()
	cute.AtomicAdd(out, x.At(i), 0)
	cute.AtomicAdd(s, x.At(i), 0)
	cute.AtomicDo(cute.OpAdd, cute.Atomic{Order: cute.AcqRel, Scope: cute.ScopeGPU}, out, 1, 1)
	cute.SyncThreads()
	if i == 0 {
		out.Set(s.At(0), 2)
	}
	return
}

func atomics[T cute.Num](x, out cute.Tensor[T]) { atomicKernel(x, out).Launch(one(64)) }

func atomicIntKernel[T cute.Int](x, out cute.Tensor[T]) (_ cute.Kernel) {
	i := index()
	v := x.At(i)
	cute.AtomicMin(out, v, 0)
	cute.AtomicMax(out, v, 1)
	cute.AtomicAnd(out, v, 2)
	cute.AtomicOr(out, v, 3)
	cute.AtomicXor(out, v, 4)
	for done := false; !done; { // adds by compare and swap
		old := cute.AtomicOr(out, T(0), 5)
		done = cute.AtomicCAS(out, old, old+v, 5) == old
	}
	for done := false; !done; {
		old := cute.AtomicOr(out, T(0), 8)
		done = cute.AtomicCASWith(cute.Atomic{Order: cute.Acquire, Scope: cute.ScopeBlock}, out, old, old-v, 8) == old
	}
	if i == 63 {
		out.Set(cute.AtomicExch(out, v, 6), 7)
	}
	return
}

func atomicInts[T cute.Int](x, out cute.Tensor[T]) { atomicIntKernel(x, out).Launch(one(64)) }

// The first two warps give numbers to the last two, through a barrier that they only arrive at.
func barrierKernel(x, out cute.Tensor[int32]) (_ cute.Kernel) {
	i := index()
	s := cute.Alloc[int32](cute.MakeLayout(cute.I(64)), 16)
	full := cute.NamedBarrier{ID: 3, Threads: 128}
	if i < 64 {
		s.Set(x.At(i), i)
		full.Arrive()
	} else {
		full.Sync()
		out.Set(s.At(127-i), i-64)
		cute.NamedBarrier{ID: 4, Threads: 64}.Sync()
	}
	cute.FenceBlock()
	cute.FenceGPU()
	cute.FenceSystem()
	cute.Nanosleep(100)
	if n := cute.SyncThreadsCount(i%3 == 0); i == 0 {
		out.Set(int32(n), 64)
	}
	if cute.SyncThreadsAnd(i >= 0) && !cute.SyncThreadsAnd(i > 5) && cute.SyncThreadsOr(i == 5) && !cute.SyncThreadsOr(i > 500) && cute.Clock() >= 0 {
		if i == 0 {
			out.Set(1, 65)
		}
	}
	return
}

func barriers(x, out cute.Tensor[int32]) { barrierKernel(x, out).Launch(one(128)) }

func hopperFenceKernel(out cute.Tensor[int32]) (_ cute.Kernel) {
	cute.GridWait()
	cute.FenceCluster()
	cute.FenceAsync()
	cute.FenceAsyncShared()
	cute.FenceBarrierInit()
	out.Set(1, index())
	cute.GridLaunchDependents()
	return
}

func hopperFences(out cute.Tensor[int32]) { hopperFenceKernel(out).Launch(one(32)) }

func atomicFloatMinKernel(x, out cute.Tensor[float32]) (_ cute.Kernel) {
	cute.AtomicMin(out, x.At(0), 0)
	return
}

func atomicFloatMin(x, out cute.Tensor[float32]) { atomicFloatMinKernel(x, out).Launch(one(64)) }

// Every operator on vectors; in branches and loops, and as conditions.
func vectorOpsKernel(x, y cute.Tensor[float32], n int, out cute.Tensor[float32]) (_ cute.Kernel) {
	type vec = cute.Vec[float32]
	a, b := x.Load(), y.Load()
	less, positive := a < b, a > 0
	both := less && positive
	either := less || !positive
	row := 0
	put := func(v vec) {
		out.Slice(cute.I(row), cute.All).Store(v)
		row++
	}
	put(cute.Where(both, a, -b))
	put(cute.Where(either, 1, b))
	put(cute.Where(n > 3, a, 2*b))
	put(min(a, b) + max(a, 0.5, b))
	put(min(1, a) - b/4)
	c := a
	for i := range n {
		c = c*2 + vec(i)
		if i&1 == 1 {
			c, b = b, c
		}
	}
	put(c)
	put(b)
	d := b*0 + 7
	if n > 3 {
		d += a
	} else {
		d = b
	}
	put(d)
	k := cute.Vec[int](a)
	k = k/2*4 + 1 - -k
	put(vec(k))
	put(vec(cute.Vec[uint8](cute.Abs(a))) + cute.Select(n > 100, vec(1), 3))
	put(cute.Where(n > 2 && less, a, b) + cute.Where(positive || n > 2, a, 0))
	put(cute.Where(less != positive, a, 0) + cute.Where(a == b, 1, vec(0)))
	put(vec(a.At(1)) * vec(a.Size()))
	return
}

func vectorOps(x, y cute.Tensor[float32], n int, out cute.Tensor[float32]) {
	vectorOpsKernel(x, y, n, out).Launch(one(1))
}
