package op_test

import (
	"context"
	"embed"
	"fmt"
	"log"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
	"github.com/cutile-go/cutile/tile/op"
)

//go:embed example_test.go
var source embed.FS

var _ = cutile.Module(source)

type line = tile.F32T1[tile.D2]

// fmaDown is an operation that package op does not have in this way: a directive declares it, and the compiler needs no more.
//
//cutile:op fma(x, y, z) {rounding_mode: negative_inf}
func fmaDown[T tile.FloatTile](x, y, z T) T { panic("runs through cutile.Launch") }

// rounded adds 1 in two ways. 2²⁴ + 1 lies between two numbers of float32, which are 2 apart there.
func rounded(x tile.In[line], up, down tile.Out[line]) {
	v := x.Load(up.Index(0))
	up.Store(op.AddF(v, 1, op.PositiveInf, false)) // Go's + rounds to the nearest number
	down.Store(fmaDown(v, 1, 1))
}

// An operation of Tile IR is called with the attributes that Go's operators leave out, here the rounding. A package of your own
// can declare operations, too, as this one does.
func Example() {
	dev, err := cutile.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x, _ := cutile.FromSlice(dev, []float32{1, 1 << 24})
	up, _ := cutile.NewTensor[float32](dev, 2)
	down, _ := cutile.NewTensor[float32](dev, 2)
	if err := cutile.Launch(context.Background(), dev, rounded, x, up, down); err != nil {
		log.Fatal(err)
	}
	ups, _ := up.Slice()
	downs, _ := down.Slice()
	fmt.Printf("%.0f %.0f\n", ups, downs)
	// Output: [2 16777218] [2 16777216]
}
