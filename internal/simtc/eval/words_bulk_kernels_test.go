package eval_test

import "github.com/cutile-go/cutile/cute"

// Half of the threads write numbers for the other half, which waits at a barrier in memory; twice.
func mbarrierKernel(x, out cute.Tensor[int32]) (_ cute.Kernel) {
	i := index()
	s := cute.Alloc[int32](cute.MakeLayout(cute.I(64)), 16)
	bars := cute.MakeMbarriers(2)
	if i == 0 {
		bars.Init(0, 64)
		bars.Init(1, 64)
	}
	cute.SyncThreads()
	for round := range 3 {
		if i < 64 {
			if round > 0 {
				for !bars.Done(1, (round-1)%2) {
					cute.Nanosleep(20)
				}
			}
			s.Set(x.At(i)+int32(round), i)
			bars.Arrive(0)
		} else {
			for !bars.Done(0, round%2) {
				cute.Nanosleep(20)
			}
			out.Set(s.At(127-i), i-64, round)
			bars.Arrive(1)
		}
	}
	return
}

func mbarriers(x, out cute.Tensor[int32]) { mbarrierKernel(x, out).Launch(one(128)) }

// A thread starts copies of whole stages; all others use them, and write the result out in one piece.
func bulkKernel(x, out cute.Tensor[float32]) (_ cute.Kernel) {
	i := index()
	const stages = 2
	s := cute.Alloc[float32](cute.MakeLayout(cute.S(128, stages)), 128)
	o := cute.Alloc[float32](cute.MakeLayout(cute.I(128)), 128)
	p := cute.MakePipelineTmaAsync(stages, 512, 128)
	sum := float32(0)
	if i < 32 {
		var put cute.PipelineState
		var get cute.PipelineState
		for k := range x.Size(1) + 1 {
			if k < x.Size(1) && i == 0 {
				p.Acquire(put)
				cute.BulkLoad(x.Slice(cute.All, cute.I(k)), s.Slice(cute.All, cute.I(put.Index)), p.Barrier(), put.Index)
			}
			put = put.Next(stages)
			if k > 0 {
				p.Wait(get)
				sum += s.At(i, get.Index)
				p.Release(get)
				get = get.Next(stages)
			}
		}
	} else {
		var get cute.PipelineState
		for range x.Size(1) {
			p.Wait(get)
			sum += s.At(i, get.Index)
			p.Release(get)
			get = get.Next(stages)
		}
	}
	o.Set(sum, i)
	cute.FenceAsyncShared()
	cute.SyncThreads()
	if i == 0 {
		cute.BulkStore(o, out)
		cute.BulkCommit()
		cute.BulkWaitRead(0)
		cute.BulkWait(0)
	}
	return
}

func bulk(x, out cute.Tensor[float32]) { bulkKernel(x, out).Launch(one(128)) }

// Warps that produce and warps that consume.
func pipelineKernel(x, out cute.Tensor[int32]) (_ cute.Kernel) {
	i := index()
	const stages = 3
	s := cute.Alloc[int32](cute.MakeLayout(cute.S(32, stages)), 16)
	p := cute.MakePipelineAsync(stages, 32, 32)
	var at cute.PipelineState
	if i < 32 {
		for k := range x.Size(1) {
			p.Acquire(at)
			s.Set(x.At(i, k), i, at.Index)
			p.Commit(at)
			at = at.Next(stages)
		}
	} else {
		for k := range x.Size(1) {
			p.Wait(at)
			out.Set(s.At(63-i, at.Index), i-32, k)
			p.Release(at)
			at = at.Next(stages)
		}
	}
	return
}

func pipelines(x, out cute.Tensor[int32]) { pipelineKernel(x, out).Launch(one(64)) }

// Boxes of a tensor come and go through its description.
func boxKernel(from, to cute.TensorMap, x cute.Tensor[float32]) (_ cute.Kernel) {
	s := cute.Alloc[float32](cute.MakeLayout(cute.S(16, 8)), 128)
	bars := cute.MakeMbarriers(1)
	m, n := cute.BlockIdx().X*16, cute.BlockIdx().Y*8
	if index := cute.ThreadIdx().X; index == 0 {
		cute.PrefetchTensorMap(from)
		bars.Init(0, 1)
		cute.FenceBarrierInit()
		bars.ArriveExpect(0, 512)
		cute.TensorLoad(from, s, bars, 0, m, n)
	}
	cute.SyncThreads()
	bars.Wait(0, 0)
	for i := range cute.Unroll(4) {
		k := cute.ThreadIdx().X + 32*i
		s.Set(-s.At(k), k)
	}
	cute.FenceAsyncShared()
	cute.SyncThreads()
	if cute.ThreadIdx().X == 0 {
		cute.TensorPrefetch(to, m, n)
		cute.TensorStore(to, s, m, n)
		cute.BulkCommit()
		cute.BulkWait(0)
		cute.TensorReduce(cute.OpAdd, to, s, m, n)
		cute.BulkCommit()
		cute.BulkWait(0)
	}
	return
}

func boxes(from, to cute.TensorMap, x cute.Tensor[float32]) {
	boxKernel(from, to, x).Launch(cute.Launch{Grid: cute.D3(3, 3, 1), Block: cute.D3(32, 1, 1)})
}

// Each block gives its numbers to the next one of its cluster, by reads, writes and asynchronous writes.
func clusterKernel(x, out cute.Tensor[int32]) (_ cute.Kernel) {
	i, rank := cute.ThreadIdx().X, cute.ClusterRank()
	next := (rank + 1) % cute.ClusterBlocks()
	all := cute.BlockIdx().X*32 + i
	s, w, a := cute.Alloc[int32](cute.MakeLayout(cute.I(32)), 16), cute.Alloc[int32](cute.MakeLayout(cute.I(32)), 16), cute.Alloc[int32](cute.MakeLayout(cute.I(32)), 16)
	bars := cute.MakeMbarriers(2)
	if i == 0 {
		bars.Init(0, 1)
		bars.Init(1, 32)
		cute.FenceBarrierInit()
		bars.ArriveExpect(0, 128)
	}
	s.Set(x.At(all), i)
	cute.ClusterSync()
	out.Set(cute.Remote(s, next).At(31-i), all, 0)
	cute.Remote(w, next).Set(x.At(all)+1, i)
	cute.StoreAsync(cute.Remote(a, next), x.At(all)+2, i, bars, 0, next)
	bars.ArriveRemote(1, next)
	bars.WaitCluster(1, 0)
	out.Set(w.At(i), all, 1)
	bars.Wait(0, 0)
	out.Set(a.At(i), all, 2)
	out.Set(int32(cute.ClusterIdx().X*100+cute.BlockInCluster().X), all, 3)
	out.Set(cute.ClusterReduce(x.At(all), 0, add2[int32]), all, 4)
	cute.ClusterArriveRelaxed()
	cute.ClusterWait()
	cute.ClusterArrive()
	cute.ClusterWait()
	return
}

func clusters(x, out cute.Tensor[int32]) {
	clusterKernel(x, out).Launch(cute.Launch{Grid: cute.D3(8, 1, 1), Block: cute.D3(32, 1, 1), Cluster: cute.D3(4, 1, 1)})
}

// wgmma is C(64,N) = A(64,K) B(N,K)^T by a warp group, A from shared memory or registers.
func wgmmaKernel[A, C cute.Num](a, b cute.Tensor[A], c cute.Tensor[C], mma cute.TiledMma, sa, sb cute.Layout, regs cute.Constexpr[bool]) (_ cute.Kernel) {
	tid := cute.ThreadIdx().X
	sA, sB := cute.Alloc[A](sa, 1024), cute.Alloc[A](sb, 1024)
	for i := tid; i < sA.Size(); i += 128 {
		sA.Set(a.At(i), i)
	}
	for i := tid; i < sB.Size(); i += 128 {
		sB.Set(b.At(i), i)
	}
	cute.FenceAsyncShared()
	cute.SyncThreads()
	me := mma.Slice(tid)
	gC := cute.PartitionC(me, c)
	acc := cute.MakeFragmentC(mma, gC)
	cute.Copy(gC, acc)
	if regs.V {
		gA := cute.PartitionA(me, a)
		rA := cute.MakeFragmentA(mma, gA)
		cute.Copy(gA, rA)
		cute.WgmmaFence()
		cute.Gemm(mma, acc, rA, cute.PartitionB(me, sB), acc)
	} else {
		cute.WgmmaFence()
		cute.Gemm(mma, acc, cute.PartitionA(me, sA), cute.PartitionB(me, sB), acc)
	}
	cute.WgmmaCommit()
	cute.WgmmaWait(0)
	cute.Copy(acc, gC)
	return
}

func wgmma[A, C cute.Num](a, b cute.Tensor[A], c cute.Tensor[C], bits cute.Constexpr[int], regs, major cute.Constexpr[bool]) {
	n, k := b.Size(0), a.Size(1)
	atom := cute.MmaWarpGroup[A, A, C](cute.WarpGroup{N: n, ARegs: regs.V, AMajorM: major.V && !regs.V, BMajorN: major.V})
	mma := cute.MakeTiledMma(atom, cute.MakeLayout(cute.S(1, 1, 1)))
	la, lb := cute.KMajor(64, k, bits.V), cute.KMajor(n, k, bits.V)
	if major.V {
		la, lb = cute.MNMajor(64, k), cute.MNMajor(n, k)
	}
	wgmmaKernel(a, b, c, mma, la, lb, regs).Launch(one(128))
}

// Two blocks deal six tiles out among themselves.
func schedulerKernel(out, order cute.Tensor[int32]) (_ cute.Kernel) {
	for s := cute.MakeTileScheduler(cute.S(3, 2)); s.Valid(); s = s.Next() {
		out.SetCoord(int32(cute.BlockIdx().X+1), s.Tile())
	}
	for s := cute.MakeTileScheduler(cute.S(5, 3)); s.Valid(); s = s.Next() {
		order.SetCoord(int32(s.Index()), cute.GroupedTile(s.Index(), cute.S(5, 3), 2))
	}
	return
}

func scheduler(out, order cute.Tensor[int32]) {
	schedulerKernel(out, order).Launch(cute.Launch{Grid: cute.D3(2, 1, 1), Block: cute.D3(1, 1, 1)})
}

func registersKernel(out cute.Tensor[int32]) (_ cute.Kernel) {
	if cute.ThreadIdx().X < 128 {
		cute.FewerRegisters(40)
	} else {
		cute.MoreRegisters(160)
	}
	out.Set(1, index())
	return
}

func registers(out cute.Tensor[int32]) { registersKernel(out).Launch(one(256)) }

// Threads' own copies arrive at a barrier when they end; then the barrier's memory has another use.
func arriveKernel(x, out cute.Tensor[float32]) (_ cute.Kernel) {
	i := index()
	s := cute.Alloc[float32](cute.MakeLayout(cute.S(4, 32)), 16)
	bars := cute.MakeMbarriers(1)
	if i == 0 {
		bars.Init(0, 32)
	}
	cute.SyncThreads()
	cute.CpAsync(x.Slice(cute.All, cute.I(i)), s.Slice(cute.All, cute.I(i)))
	bars.ArriveAfterCopies(0)
	for !bars.Done(0, 0) {
	}
	out.Set(s.At(3-i%4, 31-i), i)
	cute.SyncThreads()
	if i == 0 {
		bars.Invalidate(0)
	}
	return
}

func arrives(x, out cute.Tensor[float32]) { arriveKernel(x, out).Launch(one(32)) }

// The first block of a cluster copies a box to both.
func multicastKernel(m cute.TensorMap, x, out cute.Tensor[float32]) (_ cute.Kernel) {
	i := cute.ThreadIdx().X
	s := cute.Alloc[float32](cute.MakeLayout(cute.S(16, 8)), 128)
	bars := cute.MakeMbarriers(1)
	if i == 0 {
		bars.Init(0, 1)
		cute.FenceBarrierInit()
		bars.Expect(0, 512)
		bars.Arrive(0)
	}
	cute.ClusterSync()
	if i == 0 && cute.ClusterRank() == 0 {
		cute.TensorLoadMulticast(m, s, bars, 0, 3, 16, 8)
	}
	bars.Wait(0, 0)
	for k := range cute.Unroll(4) {
		out.Set(s.At(i+32*k), i+32*k, cute.ClusterRank())
	}
	cute.ClusterSync()
	return
}

func multicasts(m cute.TensorMap, x, out cute.Tensor[float32]) {
	multicastKernel(m, x, out).Launch(cute.Launch{Grid: cute.D3(2, 1, 1), Block: cute.D3(32, 1, 1), Cluster: cute.D3(2, 1, 1)})
}

// C = A B^T as on Hopper: a warp brings tiles by their tensor maps, a warp group multiplies them.
func hopperGemmKernel(ta, tb cute.TensorMap, c cute.Tensor[float32], k int) (_ cute.Kernel) {
	const stages, tile = 3, 64
	tid, bx, by := cute.ThreadIdx().X, cute.BlockIdx().X, cute.BlockIdx().Y
	ring := cute.TileToShape(cute.KMajor(tile, tile, 16), cute.S(tile, tile, stages), cute.S(0, 1, 2))
	sA, sB := cute.Alloc[cute.Float16](ring, 1024), cute.Alloc[cute.Float16](ring, 1024)
	p := cute.MakePipelineTmaAsync(stages, 2*tile*tile*2, 128)
	mma := cute.MakeTiledMma(cute.MmaWarpGroup[cute.Float16, cute.Float16, float32](cute.WarpGroup{N: tile}), cute.MakeLayout(cute.S(1, 1, 1)))
	var at cute.PipelineState
	if tid >= 128 {
		if tid == 128 {
			for i := range k / tile {
				p.Acquire(at)
				stage := cute.I(at.Index)
				cute.TensorLoad(ta, sA.Slice(cute.All, cute.All, stage), p.Barrier(), at.Index, i*tile, bx*tile)
				cute.TensorLoad(tb, sB.Slice(cute.All, cute.All, stage), p.Barrier(), at.Index, i*tile, by*tile)
				at = at.Next(stages)
			}
		}
	} else {
		me := mma.Slice(tid)
		gC := cute.PartitionC(me, cute.LocalTile(c, cute.S(tile, tile), cute.S(bx, by)))
		acc := cute.MakeFragmentC(mma, gC)
		pA, pB := cute.PartitionA(me, sA), cute.PartitionB(me, sB)
		for range k / tile {
			p.Wait(at)
			stage := cute.I(at.Index)
			cute.WgmmaFence()
			cute.Gemm(mma, acc, pA.Slice(cute.All, cute.All, cute.All, stage), pB.Slice(cute.All, cute.All, cute.All, stage), acc)
			cute.WgmmaCommit()
			cute.WgmmaWait(0)
			p.Release(at)
			at = at.Next(stages)
		}
		cute.Copy(acc, gC)
	}
	return
}

func hopperGemm(ta, tb cute.TensorMap, a, b cute.Tensor[cute.Float16], c cute.Tensor[float32], k int) {
	hopperGemmKernel(ta, tb, c, k).Launch(cute.Launch{Grid: cute.D3(c.Size(0)/64, c.Size(1)/64, 1), Block: cute.D3(160, 1, 1)})
}
