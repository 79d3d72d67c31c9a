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

// fmaDown is an operation that package op does not declare in this form. The compiler needs only the directive.
//
//cutile:op fma(x, y, z) {rounding_mode: negative_inf}
func fmaDown[T tile.FloatTile](x, y, z T) T { panic("runs through cutile.Launch") }

// rounded adds 1 in two ways. 2²⁴ + 1 lies between two float32 numbers that differ by 2.
func rounded(x tile.In[line], up, down tile.Out[line]) {
	v := x.Load(up.Index(0))
	up.Store(op.AddF(v, 1, op.PositiveInf, false)) // Go's + rounds to the nearest number
	down.Store(fmaDown(v, 1, 1))
}

// A kernel can call an operation of Tile IR with attributes that Go's operators do not have, here the rounding mode.
// Any package can declare operations, as this one does.
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
