package sample_test

import (
	"context"
	"fmt"
	"log"
	"slices"

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

// Without a temperature, the greatest logit of each row is taken; with one, the same seed and step draw the same columns.
func ExampleRun() {
	ctx := context.Background()
	dev, err := cutile.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x, _ := cutile.FromSlice(dev, []float32{
		1, 3, 2,
		7, 0, 0,
	}, 2, 3)
	y, _ := cutile.NewTensor[int32](dev, 2)
	if err := sample.Run(ctx, dev, x, y, sample.Options{}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(y.Slice())
	o := sample.Options{Temperature: 0.8, TopP: 0.9, Seed: 1}
	if err := sample.Run(ctx, dev, x, y, o); err != nil {
		log.Fatal(err)
	}
	first, _ := y.Slice()
	if err := sample.Run(ctx, dev, x, y, o); err != nil {
		log.Fatal(err)
	}
	second, err := y.Slice()
	fmt.Println(slices.Equal(first, second), err)
	// Output:
	// [1 0] <nil>
	// true <nil>
}
