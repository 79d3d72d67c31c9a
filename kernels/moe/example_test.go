package moe_test

import (
	"context"
	"fmt"
	"log"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/moe"
)

// Two experts, which multiply by 10 and by 100, two tokens, and the weighted sum of what the experts say.
func Example() {
	ctx := context.Background()
	dev, err := cutile.Open("cpu") // "" takes a GPU if there is one
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	// Token 0 goes to both experts, token 1 to the second one twice.
	routes, err := moe.Route(dev, []int32{0, 1, 1, 1})
	if err != nil {
		log.Fatal(err)
	}
	defer routes.Close()
	x, _ := cutile.FromSlice(dev, []float32{1, 2}, 2, 1)
	w, _ := cutile.FromSlice(dev, []float32{10, 100}, 2, 1, 1)
	y, _ := cutile.NewTensor[float32](dev, 4, 1)
	if err := moe.Run(ctx, dev, routes, x, w, y); err != nil {
		log.Fatal(err)
	}
	fmt.Println(y.Slice())

	weights, _ := cutile.FromSlice(dev, []float32{0.5, 0.5, 1, 0}, 2, 2)
	z, _ := cutile.NewTensor[float32](dev, 2, 1)
	if err := moe.RunCombine(ctx, dev, y, weights, z); err != nil {
		log.Fatal(err)
	}
	fmt.Println(z.Slice())
	// Output:
	// [10 100 200 200] <nil>
	// [55 200] <nil>
}
