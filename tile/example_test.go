package tile_test

import (
	"context"
	"embed"
	"fmt"
	"log"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

// A package with kernels registers its source, which is compiled at run time.
//
//go:embed example*_test.go
var source embed.FS

var _ = cutile.Module(source)

// add gives each block one tile of B elements. What hangs over the end of a tensor reads as zero and is not stored.
func add[B tile.Dim](x, y tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) {
	i := z.Index(0)
	z.Store(x.Load(i) + y.Load(i))
}

// The sum of two vectors, four elements a block.
func Example() {
	dev, err := cutile.Open("cpu") // "" takes a GPU if there is one
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x, _ := cutile.FromSlice(dev, []float32{1, 2, 3, 4, 5, 6})
	y, _ := cutile.FromSlice(dev, []float32{10, 20, 30, 40, 50, 60})
	z, _ := cutile.NewTensor[float32](dev, 6)
	if err := cutile.Launch(context.Background(), dev, add[tile.D4], x, y, z); err != nil {
		log.Fatal(err)
	}
	fmt.Println(z.Slice())
	// Output: [11 22 33 44 55 66] <nil>
}
