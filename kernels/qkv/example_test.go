package qkv_test

import (
	"context"
	"fmt"
	"log"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/qkv"
)

// A token at position 1, where the tables say a quarter turn: its query is turned, its key turned and stored, its value stored.
func Example() {
	ctx := context.Background()
	dev, err := cutile.Open("cpu") // "" takes a GPU if there is one
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	q, _ := cutile.FromSlice(dev, []float32{1, 0}, 1, 1, 2)
	k, _ := cutile.FromSlice(dev, []float32{0, 5}, 1, 1, 2)
	v, _ := cutile.FromSlice(dev, []float32{7, 8}, 1, 1, 2)
	cos, _ := cutile.FromSlice(dev, []float32{1, 0}, 2, 1)
	sin, _ := cutile.FromSlice(dev, []float32{0, 1}, 2, 1)
	positions, _ := cutile.FromSlice(dev, []int32{1})
	slots, _ := cutile.FromSlice(dev, []int32{2})
	toK, _ := cutile.NewTensor[float32](dev, 1, 1, 3, 2) // a sequence with room for three tokens
	toV, _ := cutile.NewTensor[float32](dev, 1, 1, 3, 2)
	err = qkv.Run(ctx, dev, qkv.Step[float32]{Q: q, K: k, V: v, Cos: cos, Sin: sin, Positions: positions, ToK: toK, ToV: toV, Slots: slots})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(q.Slice())
	fmt.Println(toK.Slice())
	fmt.Println(toV.Slice())
	// Output:
	// [0 1] <nil>
	// [0 0 0 0 -5 0] <nil>
	// [0 0 0 0 7 8] <nil>
}
