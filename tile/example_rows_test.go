package tile_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

// ctx and dev are those of the examples.
var (
	ctx = context.Background()
	dev = open()
)

func open() *cutile.Device {
	dev, err := cutile.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	return dev
}

// launch is cutile.Launch on the device of the examples. It ends the program after a mistake.
func launch(kernel any, args ...any) {
	if err := cutile.Launch(ctx, dev, kernel, args...); err != nil {
		log.Fatal(err)
	}
}

// Each block turns two rows into probabilities. What a row lacks up to the tile's four columns must not count: it is loaded as
// minus infinity, of which the exponential is 0.
func ExampleSoftmax() {
	type rows = tile.F32T2[tile.D2, tile.D4]
	softmax := func(x tile.In[rows], y tile.Out[rows]) {
		y.Store(tile.Softmax(x.LoadPad(math.Inf(-1), y.Index(0), 0)))
	}
	x, _ := cutile.FromSlice(dev, []float32{
		0, 0, float32(math.Log(2)),
		7, 7, 7,
	}, 2, 3)
	y, _ := cutile.NewTensor[float32](dev, 2, 3)
	launch(softmax, x, y)
	p, _ := y.Slice()
	fmt.Printf("%.2f\n", p)
	// Output: [0.25 0.25 0.50 0.33 0.33 0.33]
}

// A sum along an axis keeps that axis with extent 1, so that a conversion can spread it over the tile again.
func ExampleFloatTile2_Sum1() {
	type rows = tile.F32T2[tile.D2, tile.D4]
	shares := func(x tile.In[rows], y tile.Out[rows]) {
		v := x.Load(y.Index(0), y.Index(1))
		y.Store(v / rows(v.Sum1()))
	}
	x, _ := cutile.FromSlice(dev, []float32{
		1, 1, 2, 4,
		5, 0, 5, 0,
	}, 2, 4)
	y, _ := cutile.NewTensor[float32](dev, 2, 4)
	launch(shares, x, y)
	fmt.Println(y.Slice())
	// Output: [0.125 0.125 0.25 0.5 0.5 0 0.5 0] <nil>
}

// Fold combines the elements along an axis by a function of the kernel's own, which becomes part of it.
func ExampleFloatTile1_Fold0() {
	product := func(x tile.In[tile.F32T1[tile.D4]], y tile.Out[tile.F32T1[tile.D1]]) {
		y.Store(x.Load(0).Fold0(1, func(a, b tile.F32) tile.F32 { return a * b }))
	}
	x, _ := cutile.FromSlice(dev, []float32{1, 2, 3, 4})
	y, _ := cutile.NewTensor[float32](dev, 1)
	launch(product, x, y)
	fmt.Println(y.Slice())
	// Output: [24] <nil>
}

// CumSum1 gives sums up to each element: of a row of ones the numbers of its elements.
func ExampleFloatTile2_CumSum1() {
	type rows = tile.F32T2[tile.D2, tile.D4]
	sums := func(x tile.In[rows], y tile.Out[rows]) { y.Store(x.Load(0, 0).CumSum1()) }
	x, _ := cutile.FromSlice(dev, []float32{
		1, 1, 1, 1,
		1, 2, 3, 4,
	}, 2, 4)
	y, _ := cutile.NewTensor[float32](dev, 2, 4)
	launch(sums, x, y)
	fmt.Println(y.Slice())
	// Output: [1 2 3 4 1 3 6 10] <nil>
}

// Which column of each row has the greatest element?
func ExampleFloatTile2_ArgMax1() {
	greatest := func(x tile.In[tile.F32T2[tile.D2, tile.D4]], y tile.Out[tile.I32T2[tile.D2, tile.D1]]) {
		y.Store(x.Load(0, 0).ArgMax1())
	}
	x, _ := cutile.FromSlice(dev, []float32{
		3, 1, 4, 1,
		5, 9, 2, 6,
	}, 2, 4)
	y, _ := cutile.NewTensor[int32](dev, 2, 1)
	launch(greatest, x, y)
	fmt.Println(y.Slice())
	// Output: [2 1] <nil>
}
