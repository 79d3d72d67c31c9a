package kvcache_test

import (
	"context"
	"fmt"
	"log"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/kvcache"
)

// The key and the value of a new token go behind the one that the sequence has already.
func Example() {
	ctx := context.Background()
	dev, err := cutile.Open("cpu") // "" takes a GPU if there is one
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	k, _ := cutile.FromSlice(dev, []float32{1, 2}, 1, 1, 1, 2)
	v, _ := cutile.FromSlice(dev, []float32{3, 4}, 1, 1, 1, 2)
	toK, _ := cutile.NewTensor[float32](dev, 1, 1, 3, 2) // room for three tokens
	toV, _ := cutile.NewTensor[float32](dev, 1, 1, 3, 2)
	lengths, _ := cutile.FromSlice(dev, []int32{1})
	if err := kvcache.Run(ctx, dev, k, v, toK, toV, lengths); err != nil {
		log.Fatal(err)
	}
	fmt.Println(toK.Slice())
	fmt.Println(toV.Slice())
	// Output:
	// [0 0 1 2 0 0] <nil>
	// [0 0 3 4 0 0] <nil>
}
