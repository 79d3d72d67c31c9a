package embedding_test

import (
	"context"
	"fmt"
	"log"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/embedding"
)

// The rows of a table for three tokens, the last of which has none.
func Example() {
	ctx := context.Background()
	dev, err := cutile.Open("cpu") // "" takes a GPU if there is one
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	table, _ := cutile.FromSlice(dev, []float32{
		0, 1,
		10, 11,
		20, 21,
	}, 3, 2)
	ids, _ := cutile.FromSlice(dev, []int32{2, 0, 7})
	y, _ := cutile.NewTensor[float32](dev, 3, 2)
	if err := embedding.Run(ctx, dev, ids, table, y); err != nil {
		log.Fatal(err)
	}
	fmt.Println(y.Slice())
	// Output: [20 21 0 1 0 0] <nil>
}

// Two bags of ids: the mean of two rows, and one row.
func ExampleRunBag() {
	ctx := context.Background()
	dev, err := cutile.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	table, _ := cutile.FromSlice(dev, []float32{
		0, 1,
		10, 11,
		20, 21,
	}, 3, 2)
	ids, _ := cutile.FromSlice(dev, []int32{0, 1, 2})
	offsets, _ := cutile.FromSlice(dev, []int32{0, 2}) // the first bag has two ids
	y, _ := cutile.NewTensor[float32](dev, 2, 2)
	if err := embedding.RunBag(ctx, dev, ids, offsets, nil, table, y, true); err != nil {
		log.Fatal(err)
	}
	fmt.Println(y.Slice())
	// Output: [5 6 20 21] <nil>
}
