package conv_test

import (
	"context"
	"fmt"
	"log"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/conv"
	"github.com/cutile-go/cutile/kernels/gemm"
	"github.com/cutile-go/cutile/tile"
)

// An image of 3 by 3, whose neighbours are added up, and the same with numbers below 0 as zeros.
func Example() {
	ctx := context.Background()
	dev, err := cutile.Open("cpu") // "" takes a GPU if there is one
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x, _ := cutile.FromSlice(dev, []float32{
		1, 2, 3,
		-4, -5, -6,
		7, 8, 9,
	}, 1, 1, 3, 3) // one image, one channel
	w, _ := cutile.FromSlice(dev, []float32{
		0, 1, 0,
		1, 0, 1,
		0, 1, 0,
	}, 1, 1, 3, 3) // one feature of one channel
	y, _ := cutile.NewTensor[float32](dev, 1, 1, 3, 3)
	o, err := conv.Options{}.Same([]int{3, 3}, []int{3, 3})
	if err != nil {
		log.Fatal(err)
	}
	if err := conv.Run(ctx, dev, x, w, nil, y, o, nil); err != nil {
		log.Fatal(err)
	}
	fmt.Println(y.Slice())
	if err := conv.Run(ctx, dev, x, w, nil, y, o, gemm.ReLU[tile.F32T2[tile.D1, tile.D1]]); err != nil {
		log.Fatal(err)
	}
	fmt.Println(y.Slice())
	// Output:
	// [-2 -1 -4 3 0 7 4 11 2] <nil>
	// [0 0 0 3 0 7 4 11 2] <nil>
}
