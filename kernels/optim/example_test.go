package optim_test

import (
	"context"
	"fmt"
	"log"

	"github.com/cutile-go/cutile"
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
