package eval_test

import "github.com/cutile-go/cutile/cute"

// tensorOp is C(64,64) = A(64,32) B(64,32)^T by 2 x 2 warps: asynchronous copies to swizzled shared memory, ldmatrix,
// tensor cores.
func tensorOpKernel[T cute.Num](a, b cute.Tensor[T], c cute.Tensor[float32]) (_ cute.Kernel) {
	tid := cute.ThreadIdx().X
	mma := cute.MakeTiledMma(cute.MmaSync[T, T, float32](16, 8, 16), cute.MakeLayout(cute.S(2, 2, 1)), cute.I(32), cute.I(32), cute.I(16))
	sl := cute.TileToShape(cute.Swizzle{Bits: 2, Base: 3, Shift: 3}.Of(cute.MakeLayout(cute.S(8, 32), cute.S(32, 1))), cute.S(64, 32), cute.S(0, 1))
	sA, sB := cute.Alloc[T](sl, 128), cute.Alloc[T](sl, 128)

	g2s := cute.MakeTiledCopy(cute.MakeCopyAtom[T](cute.CopyAsyncGlobal128), cute.MakeLayout(cute.S(32, 4), cute.S(4, 1)), cute.MakeLayout(cute.S(1, 8)))
	thr := g2s.Slice(tid)
	cute.CopyWith(g2s, cute.PartitionS(thr, a), cute.PartitionD(thr, sA))
	cute.CopyWith(g2s, cute.PartitionS(thr, b), cute.PartitionD(thr, sB))
	cute.CpAsyncCommit()
	cute.CpAsyncWait(0)
	cute.SyncThreads()

	me := mma.Slice(tid)
	rA, rB := cute.MakeFragmentA(mma, cute.PartitionA(me, sA)), cute.MakeFragmentB(mma, cute.PartitionB(me, sB))
	acc := cute.MakeAccumulators[float32](mma, cute.S(64, 64))
	ld := cute.MakeCopyAtom[T](cute.LdMatrixX4)
	toA, toB := cute.MakeTiledCopyA(ld, mma), cute.MakeTiledCopyB(ld, mma)
	thrA, thrB := toA.Slice(tid), toB.Slice(tid)
	cute.CopyWith(toA, cute.PartitionS(thrA, sA), cute.Retile(thrA, rA))
	cute.CopyWith(toB, cute.PartitionS(thrB, sB), cute.Retile(thrB, rB))
	cute.Gemm(mma, acc, rA, rB, acc)
	cute.Copy(acc, cute.PartitionC(me, c))
	return
}

func tensorOp[T cute.Num](a, b cute.Tensor[T], c cute.Tensor[float32]) {
	tensorOpKernel(a, b, c).Launch(one(128))
}

// ringGemm is C(64,64) = A(64,K) B(64,K)^T with a ring of three stages in shared memory, of which two are under way.
func ringGemmKernel[T cute.Num](a, b cute.Tensor[T], c cute.Tensor[float32]) (_ cute.Kernel) {
	const stages, bk = 3, 32
	tid := cute.ThreadIdx().X
	mma := cute.MakeTiledMma(cute.MmaSync[T, T, float32](16, 8, 16), cute.MakeLayout(cute.S(2, 2, 1)), cute.I(32), cute.I(32), cute.I(16))
	ring := cute.TileToShape(cute.Swizzle{Bits: 2, Base: 3, Shift: 3}.Of(cute.MakeLayout(cute.S(8, bk), cute.S(bk, 1))), cute.S(64, bk, stages), cute.S(0, 1, 2))
	sA, sB := cute.Alloc[T](ring, 128), cute.Alloc[T](ring, 128)
	gA, gB := cute.LocalTile(a, cute.S(64, bk), cute.Nest(cute.I(0), cute.All)), cute.LocalTile(b, cute.S(64, bk), cute.Nest(cute.I(0), cute.All))

	g2s := cute.MakeTiledCopy(cute.MakeCopyAtom[T](cute.CopyAsyncGlobal128), cute.MakeLayout(cute.S(32, 4), cute.S(4, 1)), cute.MakeLayout(cute.S(1, 8)))
	thr := g2s.Slice(tid)
	fromA, toA := cute.PartitionS(thr, gA), cute.PartitionD(thr, sA)
	fromB, toB := cute.PartitionS(thr, gB), cute.PartitionD(thr, sB)
	tiles := fromA.Size(3)
	fetch := func(k int) {
		if k < tiles {
			from, to := cute.I(k), cute.I(k%stages)
			cute.CopyWith(g2s, fromA.Slice(cute.All, cute.All, cute.All, from), toA.Slice(cute.All, cute.All, cute.All, to))
			cute.CopyWith(g2s, fromB.Slice(cute.All, cute.All, cute.All, from), toB.Slice(cute.All, cute.All, cute.All, to))
		}
		cute.CpAsyncCommit()
	}
	fetch(0)
	fetch(1)

	me := mma.Slice(tid)
	first := cute.I(0)
	rA := cute.MakeFragmentA(mma, cute.PartitionA(me, sA.Slice(cute.All, cute.All, first)))
	rB := cute.MakeFragmentB(mma, cute.PartitionB(me, sB.Slice(cute.All, cute.All, first)))
	acc := cute.MakeAccumulators[float32](mma, cute.S(64, 64))
	ld := cute.MakeCopyAtom[T](cute.LdMatrixX4)
	ldA, ldB := cute.MakeTiledCopyA(ld, mma), cute.MakeTiledCopyB(ld, mma)
	inA, inB := cute.PartitionS(ldA.Slice(tid), sA), cute.PartitionS(ldB.Slice(tid), sB)
	outA, outB := cute.Retile(ldA.Slice(tid), rA), cute.Retile(ldB.Slice(tid), rB)
	for k := range cute.Range(cute.RangeOf{To: tiles}) {
		cute.CpAsyncWait(1)
		cute.SyncThreads()
		fetch(k + 2)
		stage := cute.I(k % stages)
		for i := range cute.Unroll(rA.Size(2)) {
			step := cute.I(i)
			cute.CopyWith(ldA, inA.Slice(cute.All, cute.All, step, stage), outA.Slice(cute.All, cute.All, step))
			cute.CopyWith(ldB, inB.Slice(cute.All, cute.All, step, stage), outB.Slice(cute.All, cute.All, step))
			cute.Gemm(mma, acc, rA.Slice(cute.All, cute.All, step), rB.Slice(cute.All, cute.All, step), acc)
		}
	}
	cute.Copy(acc, cute.PartitionC(me, c))
	return
}

func ringGemm[T cute.Num](a, b cute.Tensor[T], c cute.Tensor[float32]) {
	ringGemmKernel(a, b, c).Launch(one(128))
}

// Fragments straight from global memory, for any instruction.
func plainMmaKernel[A, B, C cute.Num](a cute.Tensor[A], b cute.Tensor[B], c cute.Tensor[C], mma cute.TiledMma) (_ cute.Kernel) {
	me := mma.Slice(cute.ThreadIdx().X)
	gA, gB, gC := cute.PartitionA(me, a), cute.PartitionB(me, b), cute.PartitionC(me, c)
	if cute.PartitionShapeA(mma, a.Shape()).Size() != gA.Size() || cute.PartitionShapeB(mma, b.Shape()).Size() != gB.Size() ||
		cute.PartitionShapeC(mma, c.Shape()).Size() != gC.Size() || mma.Tile().Rank() != 3 {
		panic("the shapes of partitions")
	}
	rA, rB, rC := cute.MakeFragmentA(mma, gA), cute.MakeFragmentB(mma, gB), cute.MakeFragmentC(mma, gC)
	cute.Copy(gA, rA)
	cute.Copy(gB, rB)
	cute.Copy(gC, rC)
	cute.Gemm(mma, rC, rA, rB, rC)
	cute.Copy(rC, gC)
	return
}

func plainMma[A, B, C cute.Num](a cute.Tensor[A], b cute.Tensor[B], c cute.Tensor[C], m, n, k cute.Constexpr[int]) {
	mma := cute.MakeTiledMma(cute.MmaSync[A, B, C](m.V, n.V, k.V), cute.MakeLayout(cute.S(2, 1, 1)))
	plainMmaKernel(a, b, c, mma).Launch(one(mma.Size()))
}

func plainFMA[T cute.Float](a, b, c cute.Tensor[T]) {
	mma := cute.MakeTiledMma(cute.MmaFMA[T](), cute.MakeLayout(cute.S(8, 4, 1)))
	plainMmaKernel(a, b, c, mma).Launch(one(mma.Size()))
}

// A warp stores 16-bit accumulators with stmatrix, and reads them transposed with ldmatrix; a coordinate tensor goes with it.
func stMatrixKernel(x, out cute.Tensor[cute.Float16]) (_ cute.Kernel) {
	tid := cute.ThreadIdx().X
	mma := cute.MakeTiledMma(cute.MmaSync[cute.Float16, cute.Float16, cute.Float16](16, 8, 16), cute.MakeLayout(cute.S(1, 1, 1)), cute.I(16), cute.I(16), cute.I(16))
	s := cute.Alloc[cute.Float16](cute.MakeLayout(cute.S(16, 16), cute.S(16, 1)), 128)
	frag := cute.MakeFragmentC(mma, cute.PartitionC(mma.Slice(tid), x))
	cute.Copy(cute.PartitionC(mma.Slice(tid), x), frag)
	st := cute.MakeTiledCopyC(cute.MakeCopyAtom[cute.Float16](cute.StMatrixX4), mma)
	cute.CopyWith(st, cute.Retile(st.Slice(tid), frag), cute.PartitionD(st.Slice(tid), s))
	cute.SyncThreads()
	step := cute.MakeTiledCopyAtomC(cute.MakeCopyAtom[cute.Float16](cute.StMatrixX2), mma).Slice(tid)
	if cute.PartitionS(step, s).Size() != frag.Size() {
		panic("the tile of a step does not fit")
	}
	crd := cute.PartitionC(mma.Slice(tid), cute.Identity(cute.S(16, 16)))
	for i := range cute.Unroll(crd.Size()) {
		at := crd.At(i)
		out.SetCoord(s.AtCoord(at), at)
	}
	return
}

func stMatrix(x, out cute.Tensor[cute.Float16]) { stMatrixKernel(x, out).Launch(one(32)) }

// A tiled copy with a predicate for each access, and one too wide for its tensors.
func tiledKernel(x, out cute.Tensor[float32], n int) (_ cute.Kernel) {
	atom := cute.MakeCopyAtom[float32](cute.CopyUniversal128)
	threads, values := cute.MakeLayout(cute.S(8, 4), cute.S(4, 1)), cute.MakeLayout(cute.S(1, 4))
	t := cute.MakeTiledCopy(atom, threads, values)
	tiler, tv := cute.MakeLayoutTV(threads, values)
	thr := t.Slice(cute.ThreadIdx().X)
	from, to := cute.PartitionS(thr, x), cute.PartitionD(thr, out)
	crd := cute.PartitionS(thr, cute.Identity(x.Shape()))
	p := cute.MakeRmem[bool](cute.S(from.Size() / 4))
	for i := range cute.Unroll(p.Size()) {
		p.Set(cute.ElemLess(crd.At(4*i), cute.S(n, 16)), i)
	}
	r := cute.MakeFragmentLike(from)
	cute.CopyWith(t, from, r, p)
	cute.CopyWith(cute.MakeTiledCopyTV(atom, tv, tiler), r, to)
	return
}

type scatteredElem interface {
	float32 | uint16 | uint8 | int64
}

// Tiled copies, the first with a predicate, into and out of registers that do not lie in the order of the copy.
func scatteredKernel[T scatteredElem](x, out cute.Tensor[T], n, wide int, order cute.IntTuple) (_ cute.Kernel) {
	atom := cute.MakeCopyAtom[T](cute.CopyUniversal128)
	t := cute.MakeTiledCopy(atom, cute.MakeLayout(cute.S(8, 4), cute.S(4, 1)), cute.MakeLayout(cute.S(1, wide)))
	thr := t.Slice(cute.ThreadIdx().X)
	from, to := cute.PartitionS(thr, x), cute.PartitionD(thr, out)
	crd := cute.PartitionS(thr, cute.Identity(x.Shape()))
	p := cute.MakeRmem[bool](cute.S(from.Size() / wide))
	for i := range cute.Unroll(p.Size()) {
		p.Set(cute.ElemLess(crd.At(wide*i), cute.S(n, 16)), i)
	}
	r := cute.MakeRmemLayout[T](cute.MakeOrderedLayout(from.Shape(), order))
	for i := range cute.Unroll(r.Size()) {
		r.Set(T(150+i%100), i)
	}
	cute.CopyWith(t, from, r, p)
	cute.CopyWith(t, r, to)
	return
}

func scatteredCopies[T scatteredElem](x, out cute.Tensor[T], n int, wide cute.Constexpr[int], order cute.Constexpr[func() cute.IntTuple]) {
	scatteredKernel(x, out, n, wide.V, order.V()).Launch(one(32))
}

func columnsFirst() cute.IntTuple { return cute.S(0, 1, 2) }

func rowsFirst() cute.IntTuple { return cute.S(1, 0, 2) }

func columnsLast() cute.IntTuple { return cute.S(2, 1, 0) }

func tiledCopies(x, out cute.Tensor[float32], n int) { tiledKernel(x, out, n).Launch(one(32)) }
