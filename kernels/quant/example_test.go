package quant_test

import (
	"context"
	"fmt"
	"log"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/quant"
)

// A row is rounded to floats of 8 bits with 3 bits of fraction, and multiplied by a row of ones.
func Example() {
	ctx := context.Background()
	dev, err := cutile.Open("cpu") // "" takes a GPU if there is one
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	const k = 32 // numbers that share a scale
	xs, ws := make([]float32, k), make([]float32, k)
	copy(xs, []float32{1, 1.05, 100, 300})
	for i := range ws {
		ws[i] = 1
	}
	x, err := quant.MXFP8FromSlice(dev, xs, 1, k)
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	rounded, _ := x.Slice()
	fmt.Println(rounded[:4])

	w, err := quant.MXFP8FromSlice(dev, ws, 1, k)
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()
	y, _ := cutile.NewTensor[float32](dev, 1, 1)
	if err := quant.RunLinearMXFP8(ctx, dev, x, w, y); err != nil {
		log.Fatal(err)
	}
	fmt.Println(y.Slice())
	// Output:
	// [1 1 96 288]
	// [386] <nil>
}

// A linear layer with weights of 8 bits: each 16 of them share a scale, which brings the greatest one to 127.
func ExampleRunLinearInt8() {
	ctx := context.Background()
	dev, err := cutile.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	const k = 16
	ws, xs := make([]float32, k), make([]float32, k)
	copy(ws, []float32{127, 1, -2})
	copy(xs, []float32{1, 10, 100})
	w, err := quant.Int8FromSlice(dev, ws, 1, k, k)
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()
	x, _ := cutile.FromSlice(dev, xs, 1, k)
	y, _ := cutile.NewTensor[float32](dev, 1, 1)
	if err := quant.RunLinearInt8(ctx, dev, x, w, y); err != nil {
		log.Fatal(err)
	}
	fmt.Println(y.Slice())
	// Output: [-63] <nil>
}
