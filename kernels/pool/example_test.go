package pool_test

import (
	"context"
	"fmt"
	"log"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/pool"
)

// The greatest elements of windows of 2 by 2, with their places in the plane, and the average of the plane.
func Example() {
	ctx := context.Background()
	dev, err := cutile.Open("cpu") // "" takes a GPU if there is one
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x, _ := cutile.FromSlice(dev, []float32{
		1, 2, 0, 0,
		3, 4, 0, 6,
	}, 1, 1, 2, 4) // one image, one channel
	y, _ := cutile.NewTensor[float32](dev, 1, 1, 1, 2)
	indices, _ := cutile.NewTensor[int32](dev, 1, 1, 1, 2)
	if err := pool.Max(ctx, dev, x, y, indices, pool.Options{Window: []int{2, 2}, Stride: []int{2, 2}}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(y.Slice())
	fmt.Println(indices.Slice())
	mean, _ := cutile.NewTensor[float32](dev, 1, 1, 1, 1)
	if err := pool.Adaptive(ctx, dev, x, mean); err != nil {
		log.Fatal(err)
	}
	fmt.Println(mean.Slice())
	// Output:
	// [4 6] <nil>
	// [5 7] <nil>
	// [2] <nil>
}
