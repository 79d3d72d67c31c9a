// Package transpose transposes matrices through shared memory, so that both the rows that are read and the columns that
// are written are contiguous in global memory. The tile in shared memory is swizzled, so that neither a row nor a
// column has two elements in the same bank.
package transpose

import (
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
)

//go:embed *.go
var source embed.FS
var _ = cutile.Module(source)

const (
	tile = 32 // rows and columns
	rows = 8  // number of rows that the threads of a block copy at once
)

// transpose launches a block for each tile.
func transpose(src, dst cute.Tensor[float32]) error {
	// Element (r,c) is at 32 r + (c xor r).
	smem := cute.Swizzle{Bits: 5, Base: 0, Shift: 5}.Of(cute.MakeLayout(cute.S(tile, tile), cute.S(tile, 1)))
	transposeTile(src, dst, smem).Launch(cute.Launch{
		Grid:  cute.D3(cute.CeilDiv(src.Size(1), tile), cute.CeilDiv(src.Size(0), tile), 1),
		Block: cute.D3(tile, rows, 1),
	})
	return nil
}

func transposeTile(src, dst cute.Tensor[float32], smem cute.ComposedLayout) (_ cute.Kernel) {
	tx, ty := cute.ThreadIdx().X, cute.ThreadIdx().Y
	bx, by := cute.I(cute.BlockIdx().X), cute.I(cute.BlockIdx().Y)
	s := cute.Alloc[float32](smem, 128)

	in, crd := tileOf(src, cute.Nest(by, bx))
	for r := range cute.Unroll(tile / rows) {
		if r := ty + r*rows; cute.ElemLess(crd.At(r, tx), src.Shape()) {
			s.Set(in.At(r, tx), r, tx)
		}
	}
	cute.SyncThreads()

	out, crd := tileOf(dst, cute.Nest(bx, by))
	for r := range cute.Unroll(tile / rows) {
		if r := ty + r*rows; cute.ElemLess(crd.At(r, tx), dst.Shape()) {
			out.Set(s.At(tx, r), r, tx)
		}
	}
	return
}

// tileOf returns a tile of a matrix and the coordinates of its elements in the matrix.
func tileOf(t cute.Tensor[float32], at cute.Coord) (cute.Tensor[float32], cute.CoordTensor) {
	shape := cute.S(tile, tile)
	return cute.LocalTile(t, shape, at), cute.LocalTile(cute.Identity(t.Shape()), shape, at)
}

// Transpose writes the transpose of a matrix (M,N) to a matrix (N,M).
var Transpose = cute.Jit(transpose)
