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

// A mask of booleans: the first query may see the first and the last value, and the second one only the second value.
func ExampleRunMasked() {
	ctx := context.Background()
	dev, err := cutile.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	q, _ := cutile.NewTensor[float32](dev, 1, 1, 2, 1) // every key has the same weight
	k, _ := cutile.NewTensor[float32](dev, 1, 1, 3, 1)
	v, _ := cutile.FromSlice(dev, []float32{1, 10, 3}, 1, 1, 3, 1)
	o, _ := cutile.NewTensor[float32](dev, 1, 1, 2, 1)
	seen, _ := cutile.FromSlice(dev, []bool{
		true, false, true,
		false, true, false,
	}, 1, 1, 2, 3)
	if err := attention.RunMasked(ctx, dev, q, k, v, o, attention.Mask[float32]{Seen: seen}, 1); err != nil {
		log.Fatal(err)
	}
	fmt.Println(o.Slice())
	// Sequences that are padded at their end: only the first two keys count.
	lengths, _ := cutile.FromSlice(dev, []int32{2})
	if err := attention.RunMasked(ctx, dev, q, k, v, o, attention.Mask[float32]{Lengths: lengths}, 1); err != nil {
		log.Fatal(err)
	}
	fmt.Println(o.Slice())
	// Output:
	// [2 10] <nil>
	// [5.5 5.5] <nil>
}
