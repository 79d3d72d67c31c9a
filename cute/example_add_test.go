package cute_test

import (
	"embed"
	"fmt"
	"log"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
)

// A package with host functions and kernels registers its source, which is compiled at run time.
//
//go:embed example_add_test.go
var addSource embed.FS

var _ = cutile.Module(addSource)

// addOne is what one thread does.
func addOne(x, y, z cute.Tensor[float32]) (_ cute.Kernel) {
	i := cute.BlockIdx().X*cute.BlockDim().X + cute.ThreadIdx().X
	if i < z.Size() {
		z.Set(x.At(i)+y.At(i), i)
	}
	return
}

// addAll launches as many blocks of 128 threads as z needs. It is compiled, too.
func addAll(x, y, z cute.Tensor[float32]) error {
	addOne(x, y, z).Launch(cute.Launch{Grid: cute.D3(cute.CeilDiv(z.Size(), 128), 1, 1), Block: cute.D3(128, 1, 1)})
	return nil
}

// Add has the type of addAll. Its first call compiles.
var Add = cute.Jit(addAll)

// The sum of two vectors. Without a GPU an emulator runs the threads.
func Example() {
	dev, err := cutile.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x, _ := cutile.FromSlice(dev, []float32{1, 2, 3})
	y, _ := cutile.FromSlice(dev, []float32{10, 20, 30})
	z, _ := cutile.NewTensor[float32](dev, 3)
	if err := Add(cute.Of[float32](x), cute.Of[float32](y), cute.Of[float32](z)); err != nil {
		log.Fatal(err)
	}
	fmt.Println(z.Slice())
	// Output: [11 22 33] <nil>
}
