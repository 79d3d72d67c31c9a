package eval_test

import "github.com/cutile-go/cutile/cute"

// tensorCore is C(128,N) += A(128,K) B(N,K)^T in tensor memory, half of the columns of C at a time, and k in two halves.
func tensorCoreKernel[A, C cute.Num](a, b cute.Tensor[A], c cute.Tensor[C], mma cute.TiledMma, sa, sb cute.Layout, columns cute.Constexpr[int]) (_ cute.Kernel) {
	tid := cute.ThreadIdx().X
	sA, sB := cute.Alloc[A](sa, 1024), cute.Alloc[A](sb, 1024)
	for i := tid; i < sA.Size(); i += 128 {
		sA.Set(a.At(i), i)
	}
	for i := tid; i < sB.Size(); i += 128 {
		sB.Set(b.At(i), i)
	}
	done := cute.MakeMbarriers(1)
	if tid == 0 {
		done.Init(0, 1)
	}
	cute.FenceAsyncShared()
	d := cute.AllocTensorMem(columns.V).Column(2)
	row := cute.MakeRmem[C](cute.S(c.Size(1)))
	for j := range cute.Unroll(c.Size(1)) {
		row.Set(c.At(tid, j), j)
	}
	cute.StoreTensorMem(row, d)
	cute.TensorMemWaitStores()
	cute.TensorMemBefore()
	cute.SyncThreads()
	if tid == 0 {
		cute.TensorMemAfter()
		me := mma.Slice(0)
		cute.TensorGemm(mma, d, cute.PartitionA(me, sA), cute.PartitionB(me, sB), true)
		done.ArriveAfterProducts(0)
	}
	done.Wait(0, 0)
	cute.TensorMemAfter()
	cute.LoadTensorMem(d, row)
	cute.TensorMemWaitLoads()
	for j := range cute.Unroll(c.Size(1)) {
		c.Set(row.At(j), tid, j)
	}
	d.Column(-2).Free(columns.V)
	return
}

func tensorCore[A, C cute.Num](a, b cute.Tensor[A], c cute.Tensor[C], bits, n, columns cute.Constexpr[int], major cute.Constexpr[bool]) {
	k := a.Size(1)
	atom := cute.MmaTensorCore[A, A, C](cute.TensorCore{N: n.V, AMajorM: major.V, BMajorN: major.V})
	mma := cute.MakeTiledMma(atom, cute.MakeLayout(cute.S(1, 1, 1)))
	la, lb := cute.KMajor(128, k, bits.V), cute.KMajor(b.Size(0), k, bits.V)
	if major.V {
		la, lb = cute.MNMajor(128, k), cute.MNMajor(b.Size(0), k)
	}
	tensorCoreKernel(a, b, c, mma, la, lb, columns).Launch(one(128))
}

// wrongGemm gives an instruction of tensor memory to Gemm.
func wrongGemmKernel(a cute.Tensor[cute.Float16], mma cute.TiledMma) (_ cute.Kernel) {
	r := cute.MakeRmem[cute.Float16](cute.S(8))
	cute.Gemm(mma, r, r, r, r)
	return
}

func wrongGemm(a cute.Tensor[cute.Float16]) {
	atom := cute.MmaTensorCore[cute.Float16, cute.Float16, float32](cute.TensorCore{N: 16})
	wrongGemmKernel(a, cute.MakeTiledMma(atom, cute.MakeLayout(cute.S(1, 1, 1)))).Launch(one(128))
}

// C = A B^T as on Blackwell: a thread brings tiles by their tensor maps, another one multiplies them, and four warps take C out of
// tensor memory.
func blackwellGemmKernel(ta, tb cute.TensorMap, c cute.Tensor[float32], k int) (_ cute.Kernel) {
	const stages, rows, columns, depth = 2, 128, 64, 64
	tid, bx, by := cute.ThreadIdx().X, cute.BlockIdx().X, cute.BlockIdx().Y
	sA := cute.Alloc[cute.Float16](cute.TileToShape(cute.KMajor(rows, depth, 16), cute.S(rows, depth, stages), cute.S(0, 1, 2)), 1024)
	sB := cute.Alloc[cute.Float16](cute.TileToShape(cute.KMajor(columns, depth, 16), cute.S(columns, depth, stages), cute.S(0, 1, 2)), 1024)
	p := cute.MakePipelineTmaAsync(stages, (rows+columns)*depth*2, 1)
	done := cute.MakeMbarriers(1)
	if tid == 0 {
		done.Init(0, 1)
	}
	d := cute.AllocTensorMem(64)
	mma := cute.MakeTiledMma(cute.MmaTensorCore[cute.Float16, cute.Float16, float32](cute.TensorCore{N: columns}), cute.MakeLayout(cute.S(1, 1, 1)))
	var at cute.PipelineState
	if tid == 128 {
		for i := range k / depth {
			p.Acquire(at)
			stage := cute.I(at.Index)
			cute.TensorLoad(ta, sA.Slice(cute.All, cute.All, stage), p.Barrier(), at.Index, i*depth, bx*rows)
			cute.TensorLoad(tb, sB.Slice(cute.All, cute.All, stage), p.Barrier(), at.Index, i*depth, by*columns)
			at = at.Next(stages)
		}
	}
	if tid == 160 {
		me := mma.Slice(0)
		pA, pB := cute.PartitionA(me, sA), cute.PartitionB(me, sB)
		for i := range k / depth {
			p.Wait(at)
			stage := cute.I(at.Index)
			cute.TensorGemm(mma, d, pA.Slice(cute.All, cute.All, cute.All, stage), pB.Slice(cute.All, cute.All, cute.All, stage), i > 0)
			p.ReleaseAfterProducts(at)
			at = at.Next(stages)
		}
		done.ArriveAfterProducts(0)
	}
	if tid < 128 {
		done.Wait(0, 0)
		cute.TensorMemAfter()
		row := cute.MakeRmem[float32](cute.S(columns))
		cute.LoadTensorMem(d, row)
		cute.TensorMemWaitLoads()
		for j := range cute.Unroll(columns) {
			c.Set(row.At(j), bx*rows+tid, by*columns+j)
		}
	}
	d.Free(64)
	return
}

func blackwellGemm(ta, tb cute.TensorMap, a, b cute.Tensor[cute.Float16], c cute.Tensor[float32], k int) {
	blackwellGemmKernel(ta, tb, c, k).Launch(cute.Launch{Grid: cute.D3(c.Size(0)/128, c.Size(1)/64, 1), Block: cute.D3(192, 1, 1)})
}
