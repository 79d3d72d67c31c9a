// Package tensorop multiplies matrices of float16 on tensor cores and adds in float32. It uses asynchronous copies to
// several stages of swizzled shared memory, ldmatrix to load registers, and mma.sync to multiply.
//
// B is (N,K), and the [Config] selects which of its modes is contiguous in memory. Extents are arbitrary, except that
// the rows in memory must be multiples of 16 bytes, which is 8 elements. [Matrix] and [Transposed] make arguments with
// this property.
package tensorop

import (
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/dtype"
)

//go:embed *.go
var source embed.FS
var _ = cutile.Module(source)

// Half is an operand of the product.
type Half = cute.Tensor[cute.Float16]

// Epilogue is applied to each element of the result.
type Epilogue = func(float32) float32

// Identity returns x.
func Identity(x float32) float32 { return x }

// ReLU returns max(x, 0).
func ReLU(x float32) float32 { return max(x, 0) }

// Config determines how the work is divided. As the receiver of the kernel, it is static.
type Config struct {
	BM, BN, BK int  // the tile of a block: multiples of 32
	Stages     int  // tiles in shared memory at the same time
	NMajor     bool // B's memory is (K,N): the mode N is contiguous
}

// Default is a configuration for large matrices.
var Default = Config{BM: 128, BN: 128, BK: 32, Stages: 3}

const (
	threads = 128 // 4 warps, 2 by 2
	vector  = 8   // elements of a copy: 16 bytes
)

// Matrix makes A (M,K) or B (N,K) of a contiguous row-major tensor of a device.
func Matrix(t *cutile.Tensor[dtype.Float16]) Half {
	return cute.Of[cute.Float16](t, cute.CompactDynamic(0, nil, 1), cute.CompactDynamic(1, nil, vector))
}

// Transposed makes B of a tensor (K,N) of a device, for a [Config] with NMajor.
func Transposed(t *cutile.Tensor[dtype.Float16]) Half {
	order := []int{1, 0}
	return cute.Of[cute.Float16](t.T(), cute.CompactDynamic(0, order, vector), cute.CompactDynamic(1, order, 1))
}

func (g Config) run(a, b Half, c *cute.Tensor[float32], d cute.Tensor[float32], epi cute.Constexpr[Epilogue]) error {
	op := cute.MmaSync[cute.Float16, cute.Float16, float32](16, 8, 16)
	mma := cute.MakeTiledMma(op, cute.MakeLayout(cute.S(2, 2, 1)), cute.I(32), cute.I(32), cute.I(16))
	addend := d // replaces a missing C
	if c != nil {
		addend = *c
	}
	g.kernel(a, b, addend, d, mma, cute.C(c != nil), epi).Launch(cute.Launch{
		Grid:  cute.D3(cute.CeilDiv(d.Size(0), g.BM), cute.CeilDiv(d.Size(1), g.BN), 1),
		Block: cute.D3(threads, 1, 1),
	})
	return nil
}

func (g Config) kernel(a, b Half, c, d cute.Tensor[float32], mma cute.TiledMma, add cute.Constexpr[bool],
	epi cute.Constexpr[Epilogue]) (_ cute.Kernel) {
	tid, bx, by := cute.ThreadIdx().X, cute.I(cute.BlockIdx().X), cute.I(cute.BlockIdx().Y)
	sA := cute.Alloc[cute.Float16](g.smem(g.BM, false), 128)
	sB := cute.Alloc[cute.Float16](g.smem(g.BN, g.NMajor), 128)
	loadA, loadB := g.loader(tid, a, bx, sA, false), g.loader(tid, b, by, sB, g.NMajor)

	me := mma.Slice(tid)
	rA, rB := cute.MakeFragmentA(mma, first(cute.PartitionA(me, sA))), cute.MakeFragmentB(mma, first(cute.PartitionB(me, sB)))
	acc := cute.MakeAccumulators[float32](mma, cute.S(g.BM, g.BN))
	toA := cute.MakeTiledCopyA(ldmatrix(false), mma).Slice(tid)
	toB := cute.MakeTiledCopyB(ldmatrix(g.NMajor), mma).Slice(tid)
	fromA, fromB := cute.PartitionS(toA, sA), cute.PartitionS(toB, sB) // (value, M or N, k, stage)

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

		cute.CopyWith(toA, fromA.Slice(cute.All, cute.All, cute.All, stage), cute.Retile(toA, rA))
		cute.CopyWith(toB, fromB.Slice(cute.All, cute.All, cute.All, stage), cute.Retile(toB, rB))
		cute.Gemm(mma, acc, rA, rB, acc)
	}
	cute.CpAsyncWaitAll()
	g.store(me, acc, c, d, cute.Nest(bx, by), add.V, epi.V)
	return
}

// first returns stage 0 of a part.
func first(part Half) Half { return part.Slice(cute.All, cute.All, cute.All, cute.I(0)) }

// ldmatrix returns the instruction that loads four matrices of 8 by 8, transposed if rows in memory are not rows of K.
func ldmatrix(transposed bool) cute.CopyAtom {
	if transposed {
		return cute.MakeCopyAtom[cute.Float16](cute.LdMatrixX4Trans)
	}
	return cute.MakeCopyAtom[cute.Float16](cute.LdMatrixX4)
}

// smem returns the layout of an operand's tiles in shared memory, (rows, BK, Stages). Vectors of 8 elements are
// swizzled, so that the vectors of 8 rows are in different banks.
func (g Config) smem(rows int, major bool) cute.ComposedLayout {
	swizzle, order := cute.Swizzle{Bits: 2, Base: 3, Shift: 3}, cute.S(0, 1, 2)
	block := cute.MakeLayout(cute.S(8, 32), cute.S(32, 1))
	if major {
		block = cute.MakeLayout(cute.S(32, 8), cute.S(1, 32))
	}
	return cute.TileToShape(swizzle.Of(block), cute.S(rows, g.BK, g.Stages), order)
}

// loader is a thread's part of the copies of an operand.
type loader struct {
	copy  cute.TiledCopy
	src   Half             // (value, rows, columns, tile)
	crd   cute.CoordTensor // the coordinates of these values in the matrix
	dst   Half             // (value, rows, columns, stage)
	shape cute.Shape       // shape of the matrix
}

func (g Config) loader(tid int, m Half, block cute.Coord, s Half, major bool) loader {
	tile, at := cute.S(s.Size(0), g.BK), cute.Nest(block, cute.All)
	across := g.BK / vector // threads with neighbouring vectors
	dealt, values := cute.MakeLayout(cute.S(threads/across, across), cute.S(across, 1)), cute.S(1, vector)
	if major {
		across = s.Size(0) / vector
		dealt, values = cute.MakeLayout(cute.S(across, threads/across)), cute.S(vector, 1)
	}
	by := cute.MakeTiledCopy(cute.MakeCopyAtom[cute.Float16](cute.CopyAsyncGlobal128), dealt, cute.MakeLayout(values))
	me := by.Slice(tid)
	return loader{
		copy:  by,
		src:   cute.PartitionS(me, cute.LocalTile(m, tile, at)),
		crd:   cute.PartitionS(me, cute.LocalTile(cute.Identity(m.Shape()), tile, at)),
		dst:   cute.PartitionD(me, s),
		shape: m.Shape(),
	}
}

// start starts the copy of a tile to a stage. Elements outside the matrix are zero, and so are tiles after the last
// one.
func (l loader) start(tile, stage int) {
	src, dst := l.src.Slice(cute.All, cute.All, cute.All, cute.I(tile)), l.dst.Slice(cute.All, cute.All, cute.All, cute.I(stage))
	crd := l.crd.Slice(cute.All, cute.All, cute.All, cute.I(tile))
	inside := cute.MakeRmem[bool](cute.S(src.Size() / vector)) // a vector is inside if its first element is
	for i := range cute.Unroll(inside.Size()) {
		inside.Set(cute.ElemLess(crd.At(i*vector), l.shape), i)
	}
	cute.CopyWith(l.copy, src, dst, inside)
}

// store writes a block's tile of the result.
func (g Config) store(me cute.ThrMma, acc, c, d cute.Tensor[float32], at cute.Coord, add bool, epi Epilogue) {
	tile := cute.S(g.BM, g.BN)
	in, out := cute.PartitionC(me, cute.LocalTile(c, tile, at)), cute.PartitionC(me, cute.LocalTile(d, tile, at))
	crd := cute.PartitionC(me, cute.LocalTile(cute.Identity(d.Shape()), tile, at))
	for i := range cute.Unroll(acc.Size()) {
		if cute.ElemLess(crd.At(i), d.Shape()) {
			v := acc.At(i)
			if add {
				v += in.At(i)
			}
			out.Set(epi(v), i)
		}
	}
}

// Run computes D = epi(A * B^T + C) for A (M,K), B (N,K), C and D (M,N). C may be nil.
var Run = cute.Jit(Config.run)
