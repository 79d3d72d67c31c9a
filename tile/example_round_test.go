package tile_test

import (
	"fmt"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

type numbers = tile.F32T1[tile.D16]

// roundToEven is math.RoundToEven: floats from 2^23 on have no fraction, so that adding 2^23 rounds what is less to an integral
// value, halves to the even one, and taking it away again is exact. Infinities, NaN and -0 stay what they are. The number is 2^52 for
// float64 and 2^10 for float16.
func roundToEven(x numbers) numbers {
	size := tile.Abs(x)
	r := size + (1 << 23)
	r = r - (1 << 23)
	r = tile.Where(x < 0, -r, r)
	return tile.Where(size < 1<<23, tile.Where(r == x, x, r), x)
}

func roundAll(x tile.In[numbers], y tile.Out[numbers]) {
	i := y.Index(0)
	y.Store(roundToEven(x.Load(i)))
}

// Rounding to the nearest integral value, halves to the even one.
func ExampleFloor() {
	x, _ := cutile.FromSlice(dev, []float32{-2.5, -1.5, -0.75, 0.5, 1.25, 1.5, 2.5, 8388607.5})
	y, _ := cutile.NewTensor[float32](dev, 8)
	launch(roundAll, x, y)
	fmt.Println(y.Slice())
	// Output: [-2 -2 -1 0 1 2 2 8.388608e+06] <nil>
}
