package fft_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/fft"
)

// The transform of 1, 2, 3, 4 begins with their sum. The inverse gives them back.
func Example() {
	ctx := context.Background()
	dev, err := cutile.Open("cpu") // "" takes a GPU if there is one
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	plan, err := fft.NewPlan(dev, 4)
	if err != nil {
		log.Fatal(err)
	}
	defer plan.Close()
	// Four complex numbers, each a real and an imaginary part.
	x, _ := cutile.FromSlice(dev, []float32{1, 0, 2, 0, 3, 0, 4, 0}, 1, 4, 2)
	y, _ := cutile.NewTensor[float32](dev, 1, 4, 2)
	if err := plan.Forward(ctx, dev, x, y); err != nil {
		log.Fatal(err)
	}
	show(y)
	if err := plan.Inverse(ctx, dev, y, x); err != nil {
		log.Fatal(err)
	}
	show(x)
	// Output:
	// 10+0i -2+2i -2+0i -2-2i
	// 1+0i 2+0i 3+0i 4+0i
}

// show prints complex numbers, rounded to integers.
func show(t *cutile.Tensor[float32]) {
	parts, err := t.Slice()
	if err != nil {
		log.Fatal(err)
	}
	text := ""
	for i := 0; i < len(parts); i += 2 {
		text += fmt.Sprintf(" %.0f%+.0fi", parts[i], math.Round(float64(parts[i+1]))+0)
	}
	fmt.Println(text[1:])
}
