package hyper_test

import (
	"context"
	"fmt"
	"log"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/hyper"
)

// Two streams of one token: the layer, which multiplies by 10, reads their mean; the streams change places, and the first one gets its result.
func Example() {
	ctx := context.Background()
	dev, err := cutile.Open("cpu") // "" takes a GPU if there is one
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	h, _ := cutile.FromSlice(dev, []float32{
		1, 2,
		3, 4,
	}, 1, 2, 2)
	a, _ := cutile.FromSlice(dev, []float32{
		0.5, 0, 1, // of the first stream: to the layer, and to the streams
		0.5, 1, 0,
	}, 1, 2, 3)
	b, _ := cutile.FromSlice(dev, []float32{1, 0}, 1, 2)
	x, _ := cutile.NewTensor[float32](dev, 1, 2)
	kept, _ := cutile.NewTensor[float32](dev, 1, 2, 2)
	if err := hyper.RunWidth(ctx, dev, h, a, x, kept); err != nil {
		log.Fatal(err)
	}
	fmt.Println(x.Slice())
	y, _ := cutile.FromSlice(dev, []float32{20, 30}, 1, 2)
	if err := hyper.RunDepth(ctx, dev, y, b, kept, h); err != nil {
		log.Fatal(err)
	}
	fmt.Println(h.Slice())
	// Output:
	// [2 3] <nil>
	// [23 34 1 2] <nil>
}
