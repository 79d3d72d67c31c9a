package softmax_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/softmax"
)

// Each row becomes probabilities: a number that is larger by the logarithm of 2 has twice the probability.
func Example() {
	ctx := context.Background()
	dev, err := cutile.Open("cpu") // "" takes a GPU if there is one
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x, _ := cutile.FromSlice(dev, []float32{
		0, 0, float32(math.Log(2)),
		7, 7, 7,
	}, 2, 3)
	y, _ := cutile.NewTensor[float32](dev, 2, 3)
	if err := softmax.Run(ctx, dev, x, y); err != nil {
		log.Fatal(err)
	}
	p, err := y.Slice()
	fmt.Printf("%.2f %v\n", p, err)
	// Output: [0.25 0.25 0.50 0.33 0.33 0.33] <nil>
}
