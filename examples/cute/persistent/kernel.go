package persistent

import "github.com/cutile-go/cutile/cute"

// kernel is the program of all threads. It has every kind of parameter that a kernel with asynchronous copies needs:
// instructions, tensor maps, tensors, layouts in shared memory, tiles, and a function.
func kernel[E cute.Num](
	cfg cute.Constexpr[Config],
	mma cute.TiledMma,
	loadA cute.TensorMap, a cute.Tensor[cute.Float16],
	loadB cute.TensorMap, b cute.Tensor[cute.Float16],
	storeD cute.TensorMap, d cute.Tensor[E], // storeD is used only with smemD
	c cute.Tensor[E], addC cute.Constexpr[bool],
	cluster cute.Layout,
	smemA, smemB cute.ComposedLayout, // layouts of the stages
	smemD *cute.ComposedLayout, // if nil, threads write D
	tile cute.Tile, // part of D that is written at once
	narrow cute.TiledMma, // holds the results of such a tile
	put cute.TiledCopy, // copies these to shared memory
	epi cute.Constexpr[Epilogue],
) (_ cute.Kernel) {
	g, tid := cfg.V, cute.ThreadIdx().X
	s := stages{
		a:     cute.Alloc[cute.Float16](smemA, 1024),
		b:     cute.Alloc[cute.Float16](smemB, 1024),
		ring:  cute.MakePipelineTmaAsync(g.Stages, 2*g.BK*(g.BM+g.BN), g.Groups*4),
		peers: makePeers(cluster.Size(), g.Stages, g.Groups*4),
	}
	turns := cute.CeilDiv(a.Size(1), g.BK)
	copies, multiplies := g.registers()
	if tid >= g.Groups*group {
		if g.Groups > 1 {
			cute.FewerRegisters(copies)
		}
		if tid == g.Groups*group {
			g.produce(s, loadA, loadB, g.tiles(d.Shape()), turns)
		}
	} else {
		if g.Groups > 1 {
			cute.MoreRegisters(multiplies)
		}
		out := output[E]{c: c, d: d, add: addC.V, epi: epi.V, tile: tile, mma: narrow, all: cute.NamedBarrier{ID: 1, Threads: mma.Size()}}
		if smemD != nil {
			out.store, out.smem = storeD, cute.Alloc[E](*smemD, 1024)
			out.put, out.staged = put.Slice(tid), true
		}
		consume(g, s, mma, out, tid, turns)
	}
	s.peers.leave()
	return
}

// stages is the ring of tiles.
type stages struct {
	a, b  cute.Tensor[cute.Float16] // (rows, BK, stage)
	ring  cute.PipelineAsync
	peers peers
}

// produce copies the tiles of A and B for all tiles of the block. One thread calls it.
func (g Config) produce(s stages, loadA, loadB cute.TensorMap, tiles cute.Shape, turns int) {
	cute.PrefetchTensorMap(loadA)
	cute.PrefetchTensorMap(loadB)
	var at cute.PipelineState
	for t := cute.MakeTileScheduler(tiles); t.Valid(); t = t.Next() {
		tile := cute.GroupedTile(t.Index(), tiles, band)
		m, n := tile.At(0)*g.BM, tile.At(1)*g.BN
		for k := range turns {
			s.peers.wait(at)
			s.ring.Acquire(at)
			stage := cute.I(at.Index)
			cute.TensorLoad(loadA, s.a.Slice(cute.All, cute.All, stage), s.ring.Barrier(), at.Index, k*g.BK, m)
			s.peers.load(loadB, s.b.Slice(cute.All, cute.All, stage), s.ring.Barrier(), at.Index, k*g.BK, n)
			at = at.Next(g.Stages)
		}
	}
}

// consume multiplies and writes the results. A multiplication runs while the threads wait for the next stage.
func consume[E cute.Num](g Config, s stages, mma cute.TiledMma, out output[E], tid, turns int) {
	me := mma.Slice(tid)
	a, b := cute.PartitionA(me, s.a), cute.PartitionB(me, s.b)
	acc := cute.MakeAccumulators[float32](mma, cute.S(g.BM, g.BN))
	var at cute.PipelineState
	tiles := g.tiles(out.d.Shape())
	for t := cute.MakeTileScheduler(tiles); t.Valid(); t = t.Next() {
		cute.Clear(acc)
		last := at
		for k := range turns {
			s.ring.Wait(at)
			stage := cute.I(at.Index)
			cute.WgmmaFence()
			cute.Gemm(mma, acc, a.Slice(cute.All, cute.All, cute.All, stage), b.Slice(cute.All, cute.All, cute.All, stage), acc)
			cute.WgmmaCommit()
			cute.WgmmaWait(1)
			if k > 0 {
				s.release(last)
			}
			last, at = at, at.Next(g.Stages)
		}
		cute.WgmmaWait(0)
		s.release(last)
		out = out.write(g, acc, cute.GroupedTile(t.Index(), tiles, band), tid)
	}
	if tid == 0 {
		cute.BulkWait(0)
	}
}

// release signals that the warp no longer reads a stage.
func (s stages) release(at cute.PipelineState) {
	if cute.LaneIdx() == 0 {
		s.ring.Release(at)
		s.peers.release(at)
	}
}

// registers returns the numbers of registers for a thread of the warp group that copies and for a thread of the others.
// Together they are the registers of the block. A single group that multiplies needs no more than its share.
func (g Config) registers() (copies, multiplies int) {
	if g.Groups == 2 {
		return 40, 232
	}
	return 32, 160
}
