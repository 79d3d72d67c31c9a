package notebook

import (
	"embed"
	"fmt"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
)

//go:embed *.go
var source embed.FS
var _ = cutile.Module(source)

func scale(x cute.Tensor[float32], by float32) (_ cute.Kernel) {
	i := cute.BlockIdx().X*cute.BlockDim().X + cute.ThreadIdx().X
	if i < x.Size() {
		x.Set(by*x.At(i), i)
	}
	return
}

func scaleAll(x cute.Tensor[float32], by float32) error {
	scale(x, by).Launch(cute.Launch{
		Grid:  cute.D3(cute.CeilDiv(x.Size(), 128), 1, 1),
		Block: cute.D3(128, 1, 1),
	})
	return nil
}

var Scale = cute.Jit(scaleAll)

func scaling() {
	dev := must(cutile.Open("cpu"))
	x := must(cutile.FromSlice(dev, []float32{1, 2, 3, 4, 5, 6}, 2, 3))
	fmt.Println(Scale(cute.Of[float32](x), 10))
	fmt.Println(must(x.Slice()))
}

func copyTile(from, to cute.Tensor[float32], at cute.CoordTensor, shape cute.Shape, tv cute.Layout) (_ cute.Kernel) {
	thread, block := cute.I(cute.ThreadIdx().X), cute.I(cute.BlockIdx().X)
	mine := cute.Composition(from.Slice(cute.All, block), tv).Slice(thread, cute.All)
	theirs := cute.Composition(to.Slice(cute.All, block), tv).Slice(thread, cute.All)
	where := cute.Composition(at.Slice(cute.All, block), tv).Slice(thread, cute.All)
	for i := range cute.Unroll(mine.Size()) {
		if cute.ElemLess(where.At(i), shape) {
			theirs.Set(mine.At(i), i)
		}
	}
	return
}

func copyMatrix(from, to cute.Tensor[float32]) error {
	threads := cute.MakeOrderedLayout(cute.S(2, 16), cute.S(1, 0))
	values := cute.MakeOrderedLayout(cute.S(2, 4), cute.S(1, 0))
	tile, tv := cute.MakeLayoutTV(threads, values) // (4,64), 32 threads with 8 values each

	f, t := cute.ZippedDivide(from, tile), cute.ZippedDivide(to, tile) // ((4,64),(rest,rest))
	at := cute.ZippedDivide(cute.Identity(to.Shape()), tile)
	copyTile(f, t, at, to.Shape(), tv).Launch(cute.Launch{
		Grid:  cute.D3(t.Size(1), 1, 1),
		Block: cute.D3(tv.Size(0), 1, 1),
	})
	return nil
}

var Copy = cute.Jit(copyMatrix)

func copying() {
	dev := must(cutile.Open("cpu"))
	x := must(cutile.FromSlice(dev, []float32{1, 2, 3, 4, 5, 6}, 2, 3))
	y := must(cutile.NewTensor[float32](dev, 3, 2))
	fmt.Println(Copy(cute.Of[float32](x.Permute(1, 0)), cute.Of[float32](y))) // of the transposed matrix
	fmt.Println(must(y.Slice()))
}

func looking(x cute.Tensor[float32], n int, k cute.Constexpr[int]) error {
	fmt.Println("compiling for", x.Layout(), n, k.V)
	cute.Printf("running with %d and %d\n", n, k.V)
	return nil
}

var Look = cute.Jit(looking)

func statics() {
	dev := must(cutile.Open("cpu"))
	x := must(cutile.NewTensor[float32](dev, 3, 8))
	Look(cute.Of[float32](x), 1, cute.C(5))
	Look(cute.Of[float32](x), 2, cute.C(5))
	Look(cute.Of[float32](x), 2, cute.C(6))
	Look(cute.Of[float32](x, cute.Static()), 2, cute.C(6))
	Look(cute.Of[float32](x, cute.CompactDynamic(1, nil, 4)), 2, cute.C(6))
}

func symbolic(x cute.Tensor[float32]) error {
	tiles := cute.ZippedDivide(x, cute.S(2, 4))
	fmt.Println(tiles.Layout())
	fmt.Println(tiles.Slice(cute.All, cute.I(0)).Layout())
	fmt.Println(cute.Coalesce(cute.MakeLayout(cute.S(4, x.Size(0)))))
	return nil
}

func symbols() {
	dev := must(cutile.Open("cpu"))
	x := must(cutile.NewTensor[float32](dev, 3, 8))
	fmt.Println(cute.Jit(symbolic)(cute.Of[float32](x, cute.CompactDynamic(1, nil, 4))))
}

func executors() {
	dev := must(cutile.Open("cpu"))
	x := must(cutile.FromSlice(dev, []float32{1, 2, 3}))
	e := must(cute.Compile(Look, must(cutile.NewTensor[float32](dev, 3, 8)), 1, 5))
	fmt.Println(e.Pruned())
	_, err := e.Run(x, 2)
	fmt.Println(err)
	_, err = cute.Call(Scale, 10, x)
	fmt.Println(err)
}

func tooLate(x cute.Tensor[float32]) error {
	for i := range cute.Unroll(x.Size()) {
		cute.Printf("%d\n", i)
	}
	return nil
}

func mistakes() {
	dev := must(cutile.Open("cpu"))
	x := must(cutile.NewTensor[float32](dev, 3))
	fmt.Println(cute.Jit(tooLate)(cute.Of[float32](x)))
}
