package delta_test

import (
	"context"
	"fmt"
	"log"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/delta"
)

// Three tokens with keys of length 1: the second one writes to another place, and the last one replaces what the first one wrote.
func Example() {
	ctx := context.Background()
	dev, err := cutile.Open("cpu") // "" takes a GPU if there is one
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	k, _ := cutile.FromSlice(dev, []float32{
		1, 0,
		0, 1,
		1, 0,
	}, 1, 1, 3, 2)
	q, _ := cutile.FromSlice(dev, []float32{
		1, 0,
		1, 1, // reads both places
		1, 0,
	}, 1, 1, 3, 2)
	v, _ := cutile.FromSlice(dev, []float32{5, 7, 9}, 1, 1, 3, 1)
	gate, _ := cutile.NewTensor[float32](dev, 1, 1, 3) // zeros: nothing is forgotten
	beta, _ := cutile.FromSlice(dev, []float32{1, 1, 1}, 1, 1, 3)
	state, _ := cutile.NewTensor[float32](dev, 1, 1, 2, 1)
	o, _ := cutile.NewTensor[float32](dev, 1, 1, 3, 1)
	if err := delta.Run(ctx, dev, q, k, v, gate, beta, state, o, 1); err != nil {
		log.Fatal(err)
	}
	fmt.Println(o.Slice())
	fmt.Println(state.Slice())
	// Output:
	// [5 12 9] <nil>
	// [9 7] <nil>
}
