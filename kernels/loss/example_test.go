package loss_test

import (
	"context"
	"fmt"
	"log"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/loss"
)

// Equal logits give each of two classes one half: the loss is the logarithm of 2. The last row does not count.
func Example() {
	ctx := context.Background()
	dev, err := cutile.Open("cpu") // "" takes a GPU if there is one
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x, _ := cutile.FromSlice(dev, []float32{
		5, 5,
		1, 1,
		9, 0,
	}, 3, 2)
	targets, _ := cutile.FromSlice(dev, []int32{0, 1, -100})
	y, _ := cutile.NewTensor[float32](dev, 1)
	if err := loss.CrossEntropy(ctx, dev, x, targets, y, loss.Labels{Ignore: -100, Reduction: loss.Mean}); err != nil {
		log.Fatal(err)
	}
	l, err := y.Slice()
	fmt.Printf("%.4f %v\n", l, err)
	// Output: [0.6931] <nil>
}

// The squared error of two predictions, and its gradient.
func ExampleRun() {
	ctx := context.Background()
	dev, err := cutile.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x, _ := cutile.FromSlice(dev, []float32{1, 5})
	t, _ := cutile.FromSlice(dev, []float32{1, 2})
	y, _ := cutile.NewTensor[float32](dev, 1)
	if err := loss.Run(ctx, dev, loss.MSE, x, t, y, loss.Mean); err != nil {
		log.Fatal(err)
	}
	fmt.Println(y.Slice())
	dy, _ := cutile.FromSlice(dev, []float32{1})
	dx, _ := cutile.NewTensor[float32](dev, 2)
	if err := loss.Backward(ctx, dev, loss.MSE, x, t, dy, dx, loss.Mean); err != nil {
		log.Fatal(err)
	}
	fmt.Println(dx.Slice())
	// Output:
	// [4.5] <nil>
	// [0 3] <nil>
}
