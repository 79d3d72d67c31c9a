package gemm_test

import (
	"context"
	"fmt"
	"log"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/gemm"
	"github.com/cutile-go/cutile/tile"
)

// A product of matrices, and a layer of a neural network.
func Example() {
	ctx := context.Background()
	dev, err := cutile.Open("cpu") // "" takes a GPU if there is one
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	a, _ := cutile.FromSlice(dev, []float32{
		1, 0, 2,
		0, 1, 3,
	}, 2, 3)
	b, _ := cutile.FromSlice(dev, []float32{
		1, 2,
		3, 4,
		10, 100,
	}, 3, 2)
	c, _ := cutile.NewTensor[float32](dev, 2, 2)
	if err := gemm.Run(ctx, dev, a, b, c); err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Slice())

	// A layer: the rows of w are its outputs, and a function becomes part of the kernel.
	w, _ := cutile.FromSlice(dev, []float32{
		1, 1, 1,
		-1, -1, 0,
	}, 2, 3)
	bias, _ := cutile.FromSlice(dev, []float32{0.5, 0})
	if err := gemm.RunLinear(ctx, dev, a, w, bias, c, gemm.ReLU[tile.F32T2[tile.D1, tile.D1]]); err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Slice())
	// Output:
	// [21 202 33 304] <nil>
	// [3.5 0 4.5 0] <nil>
}
