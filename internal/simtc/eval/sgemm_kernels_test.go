// Package sgemm multiplies matrices of float32 through shared memory, each thread a small tile in registers.
package eval_test

import (
	"github.com/cutile-go/cutile/cute"
)

// Identity is x.
func Identity(x float32) float32 { return x }

// Config is the tiles. A receiver is known when the kernel is compiled.
type Config struct {
	BM, BN, BK int // of a block
	TM, TN     int // of a thread
}

// Default is a configuration of 256 threads.
var Default = Config{BM: 64, BN: 64, BK: 16, TM: 4, TN: 4}

func (g Config) threads() int { return (g.BM / g.TM) * (g.BN / g.TN) }

// load copies a tile of (rows,BK) to shared memory; what lies outside of the matrix is zero.
func (g Config) load(tid, rows int, src, dst cute.Tensor[float32], crd cute.CoordTensor, shape cute.Shape) {
	for i := range cute.Unroll(rows * g.BK / g.threads()) {
		at := tid + i*g.threads()
		m, k := at/g.BK, at%g.BK
		v := float32(0)
		if cute.ElemLess(crd.At(m, k), shape) {
			v = src.At(m, k)
		}
		dst.Set(v, m, k)
	}
}

func (g Config) kernel(mA, mB, mC cute.Tensor[float32], lA, lB cute.Layout, epi cute.Constexpr[epilogue]) (_ cute.Kernel) {
	tid := cute.ThreadIdx().X
	bx, by := cute.I(cute.BlockIdx().X), cute.I(cute.BlockIdx().Y)
	tileA, tileB, tileC := cute.S(g.BM, g.BK), cute.S(g.BN, g.BK), cute.S(g.BM, g.BN)

	gA := cute.LocalTile(mA, tileA, cute.Nest(bx, cute.All)) // (BM,BK,k)
	gB := cute.LocalTile(mB, tileB, cute.Nest(by, cute.All)) // (BN,BK,k)
	gC := cute.LocalTile(mC, tileC, cute.Nest(bx, by))
	cA := cute.LocalTile(cute.Identity(mA.Shape()), tileA, cute.Nest(bx, cute.All))
	cB := cute.LocalTile(cute.Identity(mB.Shape()), tileB, cute.Nest(by, cute.All))
	cC := cute.LocalTile(cute.Identity(mC.Shape()), tileC, cute.Nest(bx, by))

	sA := cute.Alloc[float32](lA, 16)
	sB := cute.Alloc[float32](lB, 16)
	perRow := g.BN / g.TN
	m0, n0 := tid/perRow*g.TM, tid%perRow*g.TN
	acc := cute.MakeRmem[float32](cute.S(g.TM, g.TN))

	for k := range gA.Size(2) {
		at := cute.I(k)
		g.load(tid, g.BM, gA.Slice(cute.All, cute.All, at), sA, cA.Slice(cute.All, cute.All, at), mA.Shape())
		g.load(tid, g.BN, gB.Slice(cute.All, cute.All, at), sB, cB.Slice(cute.All, cute.All, at), mB.Shape())
		cute.SyncThreads()
		for kk := range cute.Unroll(g.BK) {
			for i := range cute.Unroll(g.TM) {
				for j := range cute.Unroll(g.TN) {
					acc.Set(acc.At(i, j)+sA.At(m0+i, kk)*sB.At(n0+j, kk), i, j)
				}
			}
		}
		cute.SyncThreads()
	}

	for i := range cute.Unroll(g.TM) {
		for j := range cute.Unroll(g.TN) {
			if cute.ElemLess(cC.At(m0+i, n0+j), mC.Shape()) {
				gC.Set(epi.V(acc.At(i, j)), m0+i, n0+j)
			}
		}
	}
	return
}

func (g Config) run(mA, mB, mC cute.Tensor[float32], epi cute.Constexpr[epilogue]) error {
	const pad = 4 // rows in shared memory are longer: columns fall into different banks
	lA := cute.MakeLayout(cute.S(g.BM, g.BK), cute.S(1, g.BM+pad))
	lB := cute.MakeLayout(cute.S(g.BN, g.BK), cute.S(1, g.BN+pad))
	g.kernel(mA, mB, mC, lA, lB, epi).Launch(cute.Launch{
		Grid:  cute.D3(cute.CeilDiv(mC.Size(0), g.BM), cute.CeilDiv(mC.Size(1), g.BN), 1),
		Block: cute.D3(g.threads(), 1, 1),
	})
	return nil
}

// Run computes C = epi(A * B^T) of A (M,K), B (N,K) and C (M,N).
var Run = Config.run
