package zz

import (
	"embed"
	"fmt"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
)

//go:embed zz.go
var source embed.FS
var _ = cutile.Module(source)

func kernel(a, c cute.Tensor[float32], n int, tv cute.Layout) (_ cute.Kernel) {
	r := cute.MakeRmem[float32](cute.S(2))
	ta, tc := a.WithLayout(cute.MakeLayout(cute.S(2), cute.S(n))), c.WithLayout(cute.MakeLayout(cute.S(2), cute.S(n)))
	if n > 100 {
		return
	}
	p := cute.MakeRmem[bool](cute.S(2))
	for i := range cute.Unroll(2) {
		p.Set(n > 5+i, i)
	}
	cute.CopyIf(p, ta, r)
	cute.CopyIf(p, r, tc)
	return
}
func mine[V cute.View[V]](tiles V, tv cute.Layout) V {
	tile := tiles.Slice(cute.All, cute.I(cute.BlockIdx().X))
	return cute.Composition(tile, tv).Slice(cute.I(cute.ThreadIdx().X), cute.All)
}

func run(a, c cute.Tensor[float32], n int) error {
	threads := cute.MakeOrderedLayout(cute.S(4, 32), cute.S(1, 0)) // the second mode is fastest, as in memory
	values := cute.MakeOrderedLayout(cute.S(4, 4), cute.S(1, 0))
	tile, tv := cute.MakeLayoutTV(threads, values) // tv maps (thread, value) to a place in the tile
	fmt.Println(tile, tv)
	kernel(cute.ZippedDivide(a, tile), cute.ZippedDivide(c, tile), n, tv).Launch(cute.Launch{Grid: cute.D3(1, 1, 1), Block: cute.D3(128, 1, 1)})
	return nil
}

var Run = cute.Jit(run)
