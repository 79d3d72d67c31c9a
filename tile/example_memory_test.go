package tile_test

import (
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

// A matrix product, one tile of the result a block: the block walks along the columns of a and the rows of b.
func ExampleDot() {
	type square = tile.F32T2[tile.D2, tile.D2]
	matmul := func(a, b tile.In[square], c tile.Out[square]) {
		var sum square // zeros
		for k := range a.Tiles(1) {
			sum = tile.Dot(a.Load(c.Index(0), k), b.Load(k, c.Index(1)), sum)
		}
		c.Store(sum)
	}
	a, _ := cutile.FromSlice(dev, []float32{
		1, 0, 2,
		0, 1, 3,
	}, 2, 3)
	b, _ := cutile.FromSlice(dev, []float32{
		1, 2,
		3, 4,
		10, 100,
	}, 3, 2)
	c, _ := cutile.NewTensor[float32](dev, 2, 2)
	launch(matmul, a, b, c)
	fmt.Println(c.Slice())
	// Output: [21 202 33 304] <nil>
}

// A comparison of tiles is a mask: a truth value for each element. Where takes one tile or the other.
func ExampleWhere() {
	type line = tile.F32T1[tile.D4]
	leaky := func(x tile.In[line], y tile.Out[line]) {
		v := x.Load(y.Index(0))
		y.Store(tile.Where(v > 0, v, v/10))
	}
	x, _ := cutile.FromSlice(dev, []float32{1, -20, 3, -40, 5})
	y, _ := cutile.NewTensor[float32](dev, 5)
	launch(leaky, x, y)
	fmt.Println(y.Slice())
	// Output: [1 -2 3 -4 5] <nil>
}

// The last tile hangs over the end of the tensor. Load gives zeros there, which would not be the least element; NaN and the
// infinities are the other choices.
func ExampleIn_LoadPad() {
	least := func(x tile.In[tile.F32T1[tile.D4]], y tile.Out[tile.F32T1[tile.D1]]) {
		low := tile.F32T1[tile.D1](tile.Inf[tile.F32](1))
		for i := range x.Tiles(0) {
			low = min(low, x.LoadPad(math.Inf(1), i).Min0())
		}
		y.Store(low)
	}
	x, _ := cutile.FromSlice(dev, []float32{8, 9, 7, 8, 6, 9})
	y, _ := cutile.NewTensor[float32](dev, 1)
	launch(least, x, y)
	fmt.Println(y.Slice())
	// Output: [6] <nil>
}

// Gather loads from an offset for each element; what the mask leaves out is -1.
func ExampleGather() {
	pick := func(table tile.Ptr[float32], at tile.In[tile.I32T1[tile.D4]], y tile.Out[tile.F32T1[tile.D4]]) {
		i := at.Load(y.Index(0))
		y.Store(tile.Gather[tile.F32T1[tile.D4]](table, i, i >= 0, -1))
	}
	table, _ := cutile.FromSlice(dev, []float32{0, 10, 20, 30})
	at, _ := cutile.FromSlice(dev, []int32{3, 1, -5, 1})
	y, _ := cutile.NewTensor[float32](dev, 4)
	launch(pick, table, at, y)
	fmt.Println(y.Slice())
	// Output: [30 10 -1 10] <nil>
}

// Blocks that count into one tensor do so by atomic additions. A kernel without Out is launched on a grid that is given.
func ExampleAtomicAdd() {
	count := func(x tile.In[tile.I32T1[tile.D4]], counts tile.Ptr[int32]) {
		tile.AtomicAdd(counts, x.Load(tile.BlockID(0)), tile.I32T1[tile.D4](1), true)
	}
	x, _ := cutile.FromSlice(dev, []int32{0, 2, 2, 1, 2, 0, 0, 2})
	counts, _ := cutile.NewTensor[int32](dev, 3)
	if err := cutile.Launch(ctx, dev.Grid(2), count, x, counts); err != nil {
		fmt.Println(err)
	}
	fmt.Println(counts.Slice())
	// Output: [3 1 4] <nil>
}

// Print writes from the kernel, by default to the program's output.
func ExamplePrint() {
	show := func(x tile.In[tile.F32T1[tile.D4]]) {
		v := x.Load(tile.BlockID(0))
		tile.Print("tile %d: %v, sum %v\n", tile.BlockID(0), v, v.Sum0())
	}
	dev, _ := cutile.Open("cpu", cutile.WithOutput(os.Stdout))
	defer dev.Close()
	x, _ := cutile.FromSlice(dev, []float32{1, 2, 3, 4})
	if err := cutile.Launch(ctx, dev.Grid(1), show, x); err != nil {
		fmt.Println(err)
	}
	fmt.Println(dev.Sync(ctx)) // waits for the kernel
	// Output:
	// tile 0: [1, 2, 3, 4], sum [10]
	// <nil>
}

// An assertion that fails ends the launch. The error comes from what waits for it, and begins with the line of the kernel.
func ExampleAssert() {
	roots := func(x tile.In[tile.F32T1[tile.D4]], y tile.Out[tile.F32T1[tile.D4]]) {
		v := x.Load(y.Index(0))
		tile.Assert(v >= 0, "a negative number has no root")
		y.Store(tile.Sqrt(v))
	}
	x, _ := cutile.FromSlice(dev, []float32{4, 9, -1, 16})
	y, _ := cutile.NewTensor[float32](dev, 4)
	launch(roots, x, y)
	_, err := y.Slice()
	_, text, _ := strings.Cut(err.Error(), ", ")
	fmt.Println(text)
	// Output: block (0, 0, 0): assertion failed: a negative number has no root (element 2 of 4)
}
