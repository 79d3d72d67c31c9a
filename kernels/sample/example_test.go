package sample_test

import (
	"context"
	"fmt"
	"log"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/sample"
)

// Of each row, one of the two greatest logits is drawn; that of the second row is far above the others.
func Example() {
	ctx := context.Background()
	dev, err := cutile.Open("cpu") // "" takes a GPU if there is one
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x, _ := cutile.FromSlice(dev, []float32{
		1, 1, -5, -5,
		0, 0, 50, 0,
	}, 2, 4)
	y, _ := cutile.NewTensor[int32](dev, 2)
	if err := sample.Run(ctx, dev, x, y, sample.Options{Temperature: 1, TopK: 2, Seed: 42}); err != nil {
		log.Fatal(err)
	}
	columns, err := y.Slice()
	fmt.Println(columns[0] < 2, columns[1], err)
	// Output: true 2 <nil>
}
