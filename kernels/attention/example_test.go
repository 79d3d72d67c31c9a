package attention_test

import (
	"context"
	"fmt"
	"log"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/attention"
)

// Causal attention of one head: the first query sees the first value alone, the second one the mean of both.
func Example() {
	ctx := context.Background()
	dev, err := cutile.Open("cpu") // "" takes a GPU if there is one
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	// Queries of zeros give every key the same weight.
	q, _ := cutile.NewTensor[float32](dev, 1, 1, 2, 2)
	k, _ := cutile.FromSlice(dev, []float32{1, 0, 0, 1}, 1, 1, 2, 2)
	v, _ := cutile.FromSlice(dev, []float32{
		2, 4,
		6, 8,
	}, 1, 1, 2, 2)
	o, _ := cutile.NewTensor[float32](dev, 1, 1, 2, 2)
	if err := attention.Run(ctx, dev, q, k, v, o, true, attention.Scale(2)); err != nil {
		log.Fatal(err)
	}
	fmt.Println(o.Slice())
	// Output: [2 4 4 6] <nil>
}
