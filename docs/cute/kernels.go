package notebook

import (
	"context"
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

func copyTile(src, dst cute.Tensor[float32], at cute.CoordTensor, shape cute.Shape, tv cute.Layout) (_ cute.Kernel) {
	thread, block := cute.I(cute.ThreadIdx().X), cute.I(cute.BlockIdx().X)
	from := cute.Composition(src.Slice(cute.All, block), tv).Slice(thread, cute.All)
	to := cute.Composition(dst.Slice(cute.All, block), tv).Slice(thread, cute.All)
	crd := cute.Composition(at.Slice(cute.All, block), tv).Slice(thread, cute.All)
	for i := range cute.Unroll(to.Size()) {
		if cute.ElemLess(crd.At(i), shape) {
			to.Set(from.At(i), i)
		}
	}
	return
}

func copyMatrix(src, dst cute.Tensor[float32]) error {
	threads := cute.MakeOrderedLayout(cute.S(2, 16), cute.S(1, 0))
	values := cute.MakeOrderedLayout(cute.S(2, 4), cute.S(1, 0))
	tile, tv := cute.MakeLayoutTV(threads, values)

	from, to := cute.ZippedDivide(src, tile), cute.ZippedDivide(dst, tile)
	at := cute.ZippedDivide(cute.Identity(dst.Shape()), tile)
	fmt.Println("tiles", to.Layout(), "of", tile, "by", tv)

	copyTile(from, to, at, dst.Shape(), tv).Launch(cute.Launch{
		Grid:  cute.D3(to.Size(1), 1, 1),
		Block: cute.D3(tv.Size(0), 1, 1),
	})
	return nil
}

func copying() {
	dev := must(cutile.Open("cpu"))
	x := must(cutile.FromSlice(dev, []float32{1, 2, 3, 4, 5, 6}, 2, 3))
	y := must(cutile.NewTensor[float32](dev, 3, 2))
	transposed := cute.Of[float32](x.Permute(1, 0))
	fmt.Println(cute.Jit(copyMatrix)(transposed, cute.Of[float32](y)))
	fmt.Println(must(y.Slice()))
}

func look(x cute.Tensor[float32], n int, k cute.Constexpr[int]) error {
	fmt.Println("compiling for", x.Layout(), cute.S(n, k.V))
	cute.Printf("running with %v\n", cute.S(n, k.V))
	return nil
}

func statics() {
	dev := must(cutile.Open("cpu"))
	x := must(cutile.NewTensor[float32](dev, 3, 8))
	look := cute.Jit(look)
	look(cute.Of[float32](x), 1, cute.C(5))
	look(cute.Of[float32](x), 2, cute.C(5))
	look(cute.Of[float32](x), 2, cute.C(6))
	look(cute.Of[float32](x, cute.Static()), 2, cute.C(6))
	look(cute.Of[float32](x, cute.CompactDynamic(1, nil, 4)), 2, cute.C(6))
}

func executors() {
	dev := must(cutile.Open("cpu"))
	x := must(cutile.NewTensor[float32](dev, 3, 8))
	e := must(cute.Compile(context.Background(), cute.Jit(look), x, 1, 5))
	defer e.Close()
	fmt.Println("left out:", e.Pruned())
	for n := range 2 {
		must(e.Run(context.Background(), x, n))
	}
}

func tooLate(x cute.Tensor[float32]) error {
	for i := range cute.Unroll(x.Size()) {
		cute.Printf("%d\n", i)
	}
	return nil
}

func mistakes() {
	fmt.Println(cute.Composition(cute.MakeLayout(cute.S(6, 2), cute.S(8, 2)), cute.MakeLayout(cute.I(5), cute.I(5))))

	dev := must(cutile.Open("cpu"))
	x := must(cutile.NewTensor[float32](dev, 3))
	_, err := cute.Call(context.Background(), Scale, 10, x)
	fmt.Println(err)
	fmt.Println(cute.Jit(tooLate)(cute.Of[float32](x)))
}
