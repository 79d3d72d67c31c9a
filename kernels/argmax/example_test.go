package argmax_test

import (
	"context"
	"fmt"
	"log"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/argmax"
)

// The column of the greatest element of each row.
func Example() {
	ctx := context.Background()
	dev, err := cutile.Open("cpu") // "" takes a GPU if there is one
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x, _ := cutile.FromSlice(dev, []float32{
		3, 1, 4, 1,
		5, 9, 2, 6,
	}, 2, 4)
	best, _ := cutile.NewTensor[int32](dev, 2)
	if err := argmax.Run(ctx, dev, x, best); err != nil {
		log.Fatal(err)
	}
	fmt.Println(best.Slice())
	// Output: [2 1] <nil>
}
