package pointwise_test

import (
	"context"
	"fmt"
	"log"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/pointwise"
	"github.com/cutile-go/cutile/tile"
)

// A function of one number, one of two, and 10·x + y.
func Example() {
	ctx := context.Background()
	dev, err := cutile.Open("cpu") // "" takes a GPU if there is one
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	type line = tile.F32T1[tile.D1]
	x, _ := cutile.FromSlice(dev, []float32{-1, 2, -3, 4})
	y, _ := cutile.NewTensor[float32](dev, 4)
	if err := pointwise.Run(ctx, dev, x, y, pointwise.ReLU[line]); err != nil {
		log.Fatal(err)
	}
	fmt.Println(y.Slice())
	if err := pointwise.RunZip(ctx, dev, x, x, y, pointwise.Mul[line]); err != nil {
		log.Fatal(err)
	}
	fmt.Println(y.Slice())
	if err := pointwise.RunAXPY(ctx, dev, 10, x, y); err != nil {
		log.Fatal(err)
	}
	fmt.Println(y.Slice())
	// Output:
	// [0 2 0 4] <nil>
	// [1 4 9 16] <nil>
	// [-9 24 -21 56] <nil>
}

// The gated unit of many language models: silu(gate)·up, which is 0 where the gate is 0.
func ExampleRunGated() {
	ctx := context.Background()
	dev, err := cutile.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	both, _ := cutile.FromSlice(dev, []float32{0, 50, 3, 2}, 1, 4) // gates, then what they scale
	y, _ := cutile.NewTensor[float32](dev, 1, 2)
	if err := pointwise.RunGated(ctx, dev, pointwise.SwiGLU, both.Narrow(1, 0, 2), both.Narrow(1, 2, 4), y); err != nil {
		log.Fatal(err)
	}
	fmt.Println(y.Slice())
	// Output: [0 100] <nil>
}
