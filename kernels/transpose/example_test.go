package transpose_test

import (
	"context"
	"fmt"
	"log"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/transpose"
)

// Rows become columns, in memory: a view as of Tensor.T moves nothing.
func Example() {
	ctx := context.Background()
	dev, err := cutile.Open("cpu") // "" takes a GPU if there is one
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x, _ := cutile.FromSlice(dev, []float32{
		1, 2, 3,
		4, 5, 6,
	}, 2, 3)
	y, _ := cutile.NewTensor[float32](dev, 3, 2)
	if err := transpose.Run(ctx, dev, x, y); err != nil {
		log.Fatal(err)
	}
	fmt.Println(y.Slice())
	// Output: [1 4 2 5 3 6] <nil>
}
