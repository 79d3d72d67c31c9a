package optim_test

import (
	"context"
	"fmt"
	"log"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/optim"
)

// Two steps down the slope of p², whose gradient is 2p.
func Example() {
	ctx := context.Background()
	dev, err := cutile.Open("cpu") // "" takes a GPU if there is one
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	p, _ := cutile.FromSlice(dev, []float32{4, -8})
	for range 2 {
		at, err := p.Slice()
		if err != nil {
			log.Fatal(err)
		}
		g, _ := cutile.FromSlice(dev, []float32{2 * at[0], 2 * at[1]})
		if err := optim.SGD(ctx, dev, p, nil, g, nil, optim.SGDOptions{Rate: 0.25}); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(p.Slice())
	// Output: [1 -2] <nil>
}

// A step of AdamW, whose first one goes by the rate against the sign of each gradient. The network has weights of 16 bits.
func ExampleAdamW() {
	ctx := context.Background()
	dev, err := cutile.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	p, _ := cutile.FromSlice(dev, []float32{1, 1})
	m, _ := cutile.NewTensor[float32](dev, 2)
	v, _ := cutile.NewTensor[float32](dev, 2)
	g, _ := cutile.FromSlice(dev, dtype.Floats[dtype.BFloat16]([]float32{0.5, -4}))
	w, _ := cutile.NewTensor[dtype.BFloat16](dev, 2)
	o := optim.AdamOptions{Rate: 0.25, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8}
	if err := optim.AdamW(ctx, dev, 1, p, m, v, g, w, o); err != nil {
		log.Fatal(err)
	}
	weights, err := w.Slice()
	fmt.Println(dtype.Float32s(weights), err)
	// Output: [0.75 1.25] <nil>
}
