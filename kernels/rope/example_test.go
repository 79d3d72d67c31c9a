package rope_test

import (
	"context"
	"fmt"
	"log"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/rope"
)

// Two tokens with one head of two numbers: at position 0 nothing is turned, at position 1 these tables turn by a quarter.
// rope.Tables makes the usual ones.
func Example() {
	ctx := context.Background()
	dev, err := cutile.Open("cpu") // "" takes a GPU if there is one
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x, _ := cutile.FromSlice(dev, []float32{
		1, 2,
		1, 2,
	}, 2, 1, 2)
	cos, _ := cutile.FromSlice(dev, []float32{1, 0}, 2, 1)
	sin, _ := cutile.FromSlice(dev, []float32{0, 1}, 2, 1)
	positions, _ := cutile.FromSlice(dev, []int32{0, 1})
	if err := rope.Run(ctx, dev, x, cos, sin, positions, rope.Halves); err != nil {
		log.Fatal(err)
	}
	fmt.Println(x.Slice())
	// Output: [1 2 -2 1] <nil>
}
