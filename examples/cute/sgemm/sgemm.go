// Package sgemm multiplies matrices of float32. While a block computes with one tile in shared memory, asynchronous
// copies load the next tiles. They write zeros for elements outside the matrix. Each thread has a tile of the product
// in registers.
package sgemm

import (
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
)

//go:embed *.go
var source embed.FS
var _ = cutile.Module(source)

// Epilogue is applied to each element of the product.
type Epilogue = func(float32) float32

// Identity returns x.
func Identity(x float32) float32 { return x }

// Config determines how the work is divided. As the receiver of the kernel, it is static.
type Config struct {
	BM, BN, BK int // the tile of a block
	TM, TN     int // threads in M and N; each has groups of 4 by 4 elements
	Stages     int // tiles in shared memory at the same time
}

// Default is a configuration for large matrices: 256 threads with 8 by 8 elements each.
var Default = Config{BM: 128, BN: 128, BK: 8, TM: 16, TN: 16, Stages: 3}

func (g Config) threads() int { return g.TM * g.TN }

func (g Config) run(a, b, c cute.Tensor[float32], epi cute.Constexpr[Epilogue]) error {
	// Thread m of TM has rows 4m to 4m+3 of each 4 TM rows, so that neighbours read neighbouring vectors. Columns are
	// divided in the same way.
	four := func(threads int) cute.Layout { return cute.MakeLayout(cute.S(threads, 4), cute.S(4, 1)) }
	mma := cute.MakeTiledMma(cute.MmaFMA[float32](), cute.MakeLayout(cute.S(g.TM, g.TN, 1), cute.S(g.TN, 1, 0)), four(g.TM), four(g.TN), cute.All)
	g.kernel(a, b, c, mma, epi).Launch(cute.Launch{
		Grid:  cute.D3(cute.CeilDiv(c.Size(0), g.BM), cute.CeilDiv(c.Size(1), g.BN), 1),
		Block: cute.D3(g.threads(), 1, 1),
	})
	return nil
}

func (g Config) kernel(a, b, c cute.Tensor[float32], mma cute.TiledMma, epi cute.Constexpr[Epilogue]) (_ cute.Kernel) {
	tid, bx, by := cute.ThreadIdx().X, cute.I(cute.BlockIdx().X), cute.I(cute.BlockIdx().Y)
	sA, sB := g.alloc(g.BM), g.alloc(g.BN)
	loadA, loadB := g.loader(tid, a, bx, sA), g.loader(tid, b, by, sB)

	me := mma.Slice(tid)
	pA, pB := cute.PartitionA(me, sA), cute.PartitionB(me, sB) // (value, M or N, k, stage)
	rA, rB := cute.MakeFragmentA(mma, first(pA)), cute.MakeFragmentB(mma, first(pB))
	acc := cute.MakeAccumulators[float32](mma, cute.S(g.BM, g.BN))

	for k := range cute.Unroll(g.Stages - 1) {
		loadA.start(k, k)
		loadB.start(k, k)
		cute.CpAsyncCommit()
	}
	for k := range cute.CeilDiv(a.Size(1), g.BK) {
		cute.CpAsyncWait(g.Stages - 2) // the tile of this iteration has arrived,
		cute.SyncThreads()             // for all threads, and the stage of the last iteration is free
		next, stage := k+g.Stages-1, cute.I(k%g.Stages)
		loadA.start(next, next%g.Stages)
		loadB.start(next, next%g.Stages)
		cute.CpAsyncCommit()

		cute.Copy(pA.Slice(cute.All, cute.All, cute.All, stage), rA)
		cute.Copy(pB.Slice(cute.All, cute.All, cute.All, stage), rB)
		cute.Gemm(mma, acc, rA, rB, acc)
	}
	cute.CpAsyncWaitAll()
	g.store(me, acc, c, cute.Nest(bx, by), epi)
	return
}

// alloc allocates shared memory for column-major tiles. Columns are padded so that their elements are in different
// banks.
func (g Config) alloc(rows int) cute.Tensor[float32] {
	const pad = 4
	column := rows + pad
	return cute.Alloc[float32](cute.MakeLayout(cute.S(rows, g.BK, g.Stages), cute.S(1, column, column*g.BK)), 16)
}

// first returns stage 0 of a part.
func first(part cute.Tensor[float32]) cute.Tensor[float32] {
	return part.Slice(cute.All, cute.All, cute.All, cute.I(0))
}

// loader is a thread's part of the copies of an operand.
type loader struct {
	src   cute.Tensor[float32] // (rows, columns, tile)
	crd   cute.CoordTensor     // the coordinates of these values in the matrix
	dst   cute.Tensor[float32] // (rows, columns, stage)
	shape cute.Shape           // shape of the matrix
}

func (g Config) loader(tid int, m cute.Tensor[float32], block cute.Coord, s cute.Tensor[float32]) loader {
	tile, at := cute.S(s.Size(0), g.BK), cute.Nest(block, cute.All)
	threads := cute.MakeLayout(cute.S(g.threads()/g.BK, g.BK), cute.S(g.BK, 1)) // neighbours along rows, as in memory
	return loader{
		src:   cute.LocalPartition(cute.LocalTile(m, tile, at), threads, tid),
		crd:   cute.LocalPartition(cute.LocalTile(cute.Identity(m.Shape()), tile, at), threads, tid),
		dst:   cute.LocalPartition(s, threads, tid),
		shape: m.Shape(),
	}
}

// start starts the copy of a tile to a stage. Tiles after the last one are zero.
func (l loader) start(tile, stage int) {
	src, dst := l.src.Slice(cute.All, cute.All, cute.I(tile)), l.dst.Slice(cute.All, cute.All, cute.I(stage))
	crd := l.crd.Slice(cute.All, cute.All, cute.I(tile))
	inside := cute.MakeRmem[bool](src.Shape())
	for i := range cute.Unroll(src.Size()) {
		inside.Set(cute.ElemLess(crd.At(i), l.shape), i)
	}
	cute.CpAsync(src, dst, inside)
}

// store writes a block's tile of the product.
func (g Config) store(me cute.ThrMma, acc, c cute.Tensor[float32], at cute.Coord, epi cute.Constexpr[Epilogue]) {
	tile := cute.S(g.BM, g.BN)
	out := cute.PartitionC(me, cute.LocalTile(c, tile, at))
	crd := cute.PartitionC(me, cute.LocalTile(cute.Identity(c.Shape()), tile, at))
	for i := range cute.Unroll(acc.Size()) {
		if cute.ElemLess(crd.At(i), c.Shape()) {
			out.Set(epi.V(acc.At(i)), i)
		}
	}
}

// Run computes C = epi(A * B^T) for A (M,K), B (N,K) and C (M,N).
var Run = cute.Jit(Config.run)
