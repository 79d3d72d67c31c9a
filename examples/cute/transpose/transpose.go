// Package transpose transposes matrices through swizzled shared memory, which neither the rows that come in nor the
// columns that go out read twice from one bank.
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
	tile = 32
	rows = 8 // of threads
)

func kernel(src, dst cute.Tensor[float32], smem cute.ComposedLayout) (_ cute.Kernel) {
	tx, ty := cute.ThreadIdx().X, cute.ThreadIdx().Y
	bx, by := cute.I(cute.BlockIdx().X), cute.I(cute.BlockIdx().Y)
	shape := cute.S(tile, tile)
	in, out := cute.LocalTile(src, shape, cute.Nest(by, bx)), cute.LocalTile(dst, shape, cute.Nest(bx, by))
	inCrd := cute.LocalTile(cute.Identity(src.Shape()), shape, cute.Nest(by, bx))
	outCrd := cute.LocalTile(cute.Identity(dst.Shape()), shape, cute.Nest(bx, by))
	s := cute.Alloc[float32](smem, 128)

	for i := range cute.Unroll(tile / rows) {
		if r := ty + i*rows; cute.ElemLess(inCrd.At(r, tx), src.Shape()) {
			s.Set(in.At(r, tx), r, tx)
		}
	}
	cute.SyncThreads()
	for i := range cute.Unroll(tile / rows) {
		if r := ty + i*rows; cute.ElemLess(outCrd.At(r, tx), dst.Shape()) {
			out.Set(s.At(tx, r), r, tx)
		}
	}
	return
}

func transpose(src, dst cute.Tensor[float32]) error {
	// Row r of 32 words is stored with its columns exchanged by r.
	smem := cute.Swizzle{Bits: 5, Base: 0, Shift: 5}.Of(cute.MakeLayout(cute.S(tile, tile), cute.S(tile, 1)))
	kernel(src, dst, smem).Launch(cute.Launch{
		Grid:  cute.D3(cute.CeilDiv(src.Size(1), tile), cute.CeilDiv(src.Size(0), tile), 1),
		Block: cute.D3(tile, rows, 1),
	})
	return nil
}

// Transpose writes the transpose of a matrix (M,N) to one of (N,M).
var Transpose = cute.Jit(transpose)
