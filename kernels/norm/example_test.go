package norm_test

import (
	"context"
	"fmt"
	"log"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/norm"
)

// The first row is divided by the root of its mean square, which is 2. Of the second one the mean, 2, is taken away.
func Example() {
	ctx := context.Background()
	dev, err := cutile.Open("cpu") // "" takes a GPU if there is one
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x, _ := cutile.FromSlice(dev, []float32{
		2, -2,
		1, 3,
	}, 2, 2)
	w, _ := cutile.FromSlice(dev, []float32{1, 10})
	y, _ := cutile.NewTensor[float32](dev, 2, 2)
	if err := norm.RMS(ctx, dev, x.Narrow(0, 0, 1), w, y.Narrow(0, 0, 1), 0); err != nil {
		log.Fatal(err)
	}
	b, _ := cutile.FromSlice(dev, []float32{0, 100})
	mean, _ := cutile.NewTensor[float32](dev, 1)
	rstd, _ := cutile.NewTensor[float32](dev, 1)
	if err := norm.Layer(ctx, dev, x.Narrow(0, 1, 2), w, b, y.Narrow(0, 1, 2), mean, rstd, 0); err != nil {
		log.Fatal(err)
	}
	fmt.Println(y.Slice())
	fmt.Println(mean.Slice())
	// Output:
	// [1 -10 -1 110] <nil>
	// [2] <nil>
}

// Two images of two channels with two places: batch normalisation of a training, which gives each channel mean 0 and variance 1.
func ExampleBatchTraining() {
	ctx := context.Background()
	dev, err := cutile.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x, _ := cutile.FromSlice(dev, []float32{
		1, 1, 10, 30,
		3, 3, 10, 30,
	}, 2, 2, 2)
	w, _ := cutile.Full[float32](dev, 1, 2)
	b, _ := cutile.FromSlice(dev, []float32{0, 100})
	y, _ := cutile.NewTensor[float32](dev, 2, 2, 2)
	mean, _ := cutile.NewTensor[float32](dev, 2)
	rstd, _ := cutile.NewTensor[float32](dev, 2)
	running := norm.Running{Momentum: 0.5}
	running.Mean, _ = cutile.NewTensor[float32](dev, 2)
	running.Variance, _ = cutile.Full[float32](dev, 1, 2)
	if err := norm.BatchTraining(ctx, dev, x, w, b, y, mean, rstd, running, 0); err != nil {
		log.Fatal(err)
	}
	fmt.Println(y.Slice())
	fmt.Println(mean.Slice())
	fmt.Println(running.Mean.Slice())
	// Output:
	// [-1 -1 99 101 1 1 99 101] <nil>
	// [2 20] <nil>
	// [1 10] <nil>
}
