package dropout_test

import (
	"context"
	"fmt"
	"log"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/dropout"
)

// Half of the numbers become zero, here those that the caller drew; the others are doubled, so that the mean stays.
func Example() {
	ctx := context.Background()
	dev, err := cutile.Open("cpu") // "" takes a GPU if there is one
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x, _ := cutile.FromSlice(dev, []float32{1, 2, 3, 4})
	random, _ := cutile.FromSlice(dev, []float32{0.9, 0.1, 0.5, 0.3})
	y, _ := cutile.NewTensor[float32](dev, 4)
	if err := dropout.RunMasked(ctx, dev, x, random, y, 0.5); err != nil {
		log.Fatal(err)
	}
	fmt.Println(y.Slice())
	// Output: [2 0 6 0] <nil>
}
