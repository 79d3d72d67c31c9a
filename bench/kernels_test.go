package bench_test

import (
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/tile"
)

//go:embed kernels_test.go
var source embed.FS

var _ = cutile.Module(source)

func add(x, y tile.In[tile.F32T1[tile.D256]], z tile.Out[tile.F32T1[tile.D256]]) {
	i := z.Index(0)
	z.Store(x.Load(i) + y.Load(i))
}

func addOne(x, y, z cute.Tensor[float32]) (_ cute.Kernel) {
	i := cute.BlockIdx().X*cute.BlockDim().X + cute.ThreadIdx().X
	if i < z.Size() {
		z.Set(x.At(i)+y.At(i), i)
	}
	return
}

func addThreads(x, y, z cute.Tensor[float32]) error {
	addOne(x, y, z).Launch(cute.Launch{Grid: cute.D3(cute.CeilDiv(z.Size(), 128), 1, 1), Block: cute.D3(128, 1, 1)})
	return nil
}

var threads = cute.Jit(addThreads)
