package cute_test

import (
	"fmt"

	"github.com/cutile-go/cutile/cute"
)

// product is C = op(A * B^T) for one tile: its kernel has the kinds of parameter of the seed's second listing.
type product struct {
	m, n    int
	through bool // an atom for C is given
}

func (p product) kernel(mma cute.TiledMma, atomA cute.CopyAtom, mA, mB, mC cute.Tensor[float32], atomC *cute.CopyAtom, cluster cute.Layout,
	smemA cute.ComposedLayout, smemC cute.Tiler, epiTile cute.Tile, op cute.Constexpr[epilogue]) (_ cute.Kernel) {
	fmt.Println(cluster, smemA, epiTile, atomC != nil)
	thr := mma.Slice(cute.ThreadIdx().X)
	sA := cute.Alloc[float32](smemA, 16)
	for i := range cute.Unroll(2) {
		k := cute.ThreadIdx().X + 32*i
		sA.Set(mA.At(k%8, k/8), k%8, k/8)
	}
	cute.SyncThreads()
	gA, gB, gC := cute.PartitionA(thr, sA), cute.PartitionB(thr, mB), cute.PartitionC(thr, mC)
	rA, rB := cute.MakeFragmentA(mma, gA), cute.MakeFragmentB(mma, gB)
	cute.CopyWith(atomA, gA, rA)
	cute.Copy(gB, rB)
	acc := cute.MakeAccumulators[float32](mma, cute.S(p.m, p.n))
	cute.Gemm(mma, acc, rA, rB, acc)
	for i := range cute.Unroll(acc.Size()) {
		acc.Set(op.V(acc.At(i)), i)
	}
	if l, ok := smemC.(cute.Layout); ok {
		fmt.Println(l)
	}
	if atomC != nil {
		cute.CopyWith(*atomC, acc, gC)
	} else {
		cute.Copy(acc, gC)
	}
	return
}

func (p product) run(a, b, c cute.Tensor[float32], op cute.Constexpr[epilogue]) error {
	mma := cute.MakeTiledMma(cute.MmaFMA[float32](), cute.MakeLayout(cute.S(p.m, p.n, 1)))
	atom := cute.MakeCopyAtom[float32](cute.CopyUniversal32)
	smem := cute.Swizzle{Bits: 1, Base: 2, Shift: 3}.Of(cute.MakeLayout(cute.S(8, 8), cute.S(8, 1)))
	var atomC *cute.CopyAtom
	var smemC cute.Tiler
	if p.through {
		atomC, smemC = &atom, cute.MakeLayout(cute.S(p.m, p.n))
	}
	tile := cute.Tile{cute.MakeLayout(cute.I(p.m)), cute.MakeLayout(cute.I(p.n))}
	p.kernel(mma, atom, a, b, c, atomC, cute.MakeLayout(cute.S(1, 1)), smem, smemC, tile, op).
		Launch(cute.Launch{Grid: cute.D3(1, 1, 1), Block: cute.D3(mma.Size(), 1, 1)})
	return nil
}

func takesAtom(a cute.CopyAtom) error { return nil }

// shift copies boxes of 16 columns and 8 rows from one tensor to another, one row further down.
func shiftKernel(from, to cute.TensorMap) (_ cute.Kernel) {
	s := cute.Alloc[float32](cute.MakeLayout(cute.S(16, 8)), 128)
	bars := cute.MakeMbarriers(1)
	col, row := cute.BlockIdx().X*16, cute.BlockIdx().Y*8
	if i := cute.ThreadIdx().X; i == 0 {
		bars.Init(0, 1)
		cute.FenceBarrierInit()
		bars.ArriveExpect(0, 512)
		cute.TensorLoad(from, s, bars, 0, col, row)
	}
	cute.SyncThreads()
	bars.Wait(0, 0)
	if i := cute.ThreadIdx().X; i == 0 {
		cute.TensorStore(to, s, col, row+1)
		cute.BulkCommit()
		cute.BulkWait(0)
	}
	return
}

func shiftRows(from, to cute.TensorMap, rows, cols int) error {
	shiftKernel(from, to).Launch(cute.Launch{Grid: cute.D3(cute.CeilDiv(cols, 16), cute.CeilDiv(rows, 8), 1), Block: cute.D3(32, 1, 1)})
	return nil
}
