// Package persistent multiplies matrices of float16 on Hopper's tensor cores (sm_90a) with persistent blocks: each
// block computes one tile of the result after the other until the grid ends.
//
// A thread of the last warp group copies tiles of A and B to a ring of stages in shared memory, by their tensor maps.
// It continues with the next tile of the result while the other warp groups still write the last one. These groups
// multiply the tiles in shared memory and accumulate in registers. The blocks of a cluster share their tiles of B: each
// block copies a part for all of them.
//
// Extents are arbitrary, except that rows of A and B must be multiples of 16 bytes, which is 8 elements.
package persistent

import (
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/dtype"
)

//go:embed *.go
var source embed.FS
var _ = cutile.Module(source)

// Epilogue is applied to each element of the result.
type Epilogue = func(float32) float32

// Identity returns x.
func Identity(x float32) float32 { return x }

// ReLU returns max(x, 0).
func ReLU(x float32) float32 { return max(x, 0) }

// Config determines how the work is divided.
type Config struct {
	BM, BN, BK int // the tile of a block: BM is 64 for each warp group, BN is 128 bytes of D, or multiples of these; BK is 16, 32 or 64
	Stages     int // tiles of A and B in shared memory at the same time: 2 or more
	Groups     int // number of warp groups that multiply: 1 to 3
	Cluster    int // blocks that share tiles of B: 1, 2 or 4
}

// Default is a configuration for large matrices.
var Default = Config{BM: 128, BN: 256, BK: 64, Stages: 4, Groups: 2, Cluster: 2}

const (
	group = 128 // threads of a warp group
	band  = 8   // rows of tiles that are processed column by column, a multiple of Cluster
	row   = 128 // bytes of a row of the result in shared memory
)

// Operand is A (M,K) or B (N,K) with its tensor map.
type Operand struct {
	Tensor cute.Tensor[cute.Float16]
	Load   cute.TensorMap
}

// Result holds D and C (M,N).
type Result[E cute.Num] struct {
	D     cute.Tensor[E]
	Store *cute.TensorMap     // copies D; if nil, threads write it
	C     *cute.Tensor[E]     // optional
	Bits  cute.Constexpr[int] // width of an element
}

// A makes operand A of a row-major tensor of a device.
func (g Config) A(t *cutile.Tensor[dtype.Float16]) Operand { return g.operand(t, g.BM) }

// B makes operand B of a row-major tensor (N,K) of a device.
func (g Config) B(t *cutile.Tensor[dtype.Float16]) Operand { return g.operand(t, g.BN/g.Cluster) }

func (g Config) operand(t *cutile.Tensor[dtype.Float16], rows int) Operand {
	x := cute.Of[cute.Float16](t)
	return Operand{x, cute.TensorMapOf(x, g.BK*2, rows, g.BK)}
}

// To makes D and C of row-major tensors of a device; C may be nil. M is the device's type for E. Rows that are not
// multiples of 16 bytes cannot be copied by a tensor map.
func To[E cute.Num, M dtype.Elem](g Config, d, c *cutile.Tensor[M]) Result[E] {
	size := dtype.Of[M]().Size()
	r := Result[E]{D: cute.Of[E](d), Bits: cute.C(8 * size)}
	if d.Shape()[1]*size%16 == 0 {
		m := cute.TensorMapOf(r.D, row, g.BM, row/size)
		r.Store = &m
	}
	if c != nil {
		x := cute.Of[E](c)
		r.C = &x
	}
	return r
}

// run launches the kernel on at most the given number of blocks.
func run[E cute.Num](cfg cute.Constexpr[Config], a, b Operand, r Result[E], blocks int, epi cute.Constexpr[Epilogue]) error {
	g, c := cfg.V, r.D // D replaces a missing C
	if r.C != nil {
		c = *r.C
	}
	columns := 8 * row / r.Bits.V
	g.check(columns)
	mma, narrow := g.mma(g.BN), g.mma(columns)
	op := cute.CopyUniversal64
	if r.Bits.V == 16 {
		op = cute.StMatrixX4
	}
	put := cute.MakeTiledCopyC(cute.MakeCopyAtom[E](op), narrow)
	var store cute.TensorMap
	var smem *cute.ComposedLayout
	if r.Store != nil {
		two := cute.TileToShape(cute.KMajor(g.BM, columns, r.Bits.V), cute.S(g.BM, columns, 2), cute.S(0, 1, 2))
		store, smem = *r.Store, &two
	}
	clusters := min(g.tiles(r.D.Shape()).Size(), max(blocks, g.Cluster)) / g.Cluster
	kernel(cfg, mma, a.Load, a.Tensor, b.Load, b.Tensor, store, r.D, c, cute.C(r.C != nil), cute.MakeLayout(cute.S(g.Cluster, 1, 1)),
		g.ring(g.BM), g.ring(g.BN), smem, cute.Tile{cute.I(g.BM), cute.I(columns)}, narrow, put, epi).Launch(cute.Launch{
		Grid:           cute.D3(clusters*g.Cluster, 1, 1),
		Block:          cute.D3((g.Groups+1)*group, 1, 1),
		Cluster:        cute.D3(g.Cluster, 1, 1),
		MinBlocksPerSM: 1,
	})
	return nil
}

// check refuses invalid configurations when the kernel is compiled.
func (g Config) check(columns int) {
	switch {
	case g.Groups < 1 || g.Groups > 3:
		panic("persistent.Config: Groups must be 1, 2 or 3")
	case g.BM < 1 || g.BM%(64*g.Groups) != 0:
		panic("persistent.Config: BM must be a multiple of 64 rows for each of the Groups")
	case g.BN < 1 || g.BN%columns != 0:
		panic("persistent.Config: BN must be a multiple of 128 bytes of the result")
	case g.BK != 16 && g.BK != 32 && g.BK != 64:
		panic("persistent.Config: BK must be 16, 32 or 64")
	case g.Stages < 2:
		panic("persistent.Config: Stages must be at least 2, one to read and one to fill")
	case g.Cluster != 1 && g.Cluster != 2 && g.Cluster != 4:
		panic("persistent.Config: Cluster must be 1, 2 or 4")
	}
}

// mma multiplies tiles with the given number of columns; each warp group has 64 rows.
func (g Config) mma(columns int) cute.TiledMma {
	atom := cute.MmaWarpGroup[cute.Float16, cute.Float16, float32](cute.WarpGroup{N: columns})
	return cute.MakeTiledMma(atom, cute.MakeLayout(cute.S(g.Groups, 1, 1)))
}

// tiles returns the number of tiles of the result, (M,N). The number of rows is a multiple of the cluster's size.
func (g Config) tiles(d cute.Shape) cute.Shape {
	return cute.S(cute.CeilDiv(d.At(0), g.BM*g.Cluster)*g.Cluster, cute.CeilDiv(d.At(1), g.BN))
}

// ring returns the layout of an operand's tiles in shared memory, (rows, BK, Stages).
func (g Config) ring(rows int) cute.ComposedLayout {
	return cute.TileToShape(cute.KMajor(rows, g.BK, 16), cute.S(rows, g.BK, g.Stages), cute.S(0, 1, 2))
}

// RunFloat32 and RunFloat16 compute D = epi(A Bᵀ + C) for A (M,K), B (N,K), C and D (M,N), rounded to their type, on at
// most the given number of blocks; one block for each multiprocessor is best.
var (
	RunFloat32 = cute.Jit(run[float32])
	RunFloat16 = cute.Jit(run[cute.Float16])
)
