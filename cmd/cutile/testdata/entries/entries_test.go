package entries

import (
	"fmt"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/tile"
)

func TestLaunches(t *testing.T) {
	dev, err := cutile.Open("cpu", cutile.WithChecks())
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	x, err := cutile.FromSlice(dev, []float32{1, 2, 3, 4, 5})
	must(err)
	z, err := cutile.NewTensor[float32](dev, 5)
	must(err)
	must(LaunchScale[tile.D4](ctx, dev, x, 3, z))
	holds(t, z, "[3 6 9 12 15]")
	must(launchDouble[tile.F32T1[tile.D8]](ctx, dev, x, z))
	holds(t, z, "[2 4 6 8 10]")

	m, err := cutile.FromSlice(dev, []float64{1, 2, 3, 4, 5, 6}, 2, 3)
	must(err)
	h, err := cutile.NewTensor[dtype.Float16](dev, 2, 3)
	must(err)
	p, err := prepareConvert[tile.D2, tile.D2, float64](ctx, dev, m, h)
	must(err)
	must(p.Launch(ctx))
	holds(t, h, "[1 2 3 4 5 6]")

	n, err := cutile.NewTensor[int32](dev, 6)
	must(err)
	must(launchFill[tile.D4](ctx, dev.Grid(2), n, 5, 0, 0, true, square[tile.D4]))
	holds(t, n, "[0 1 4 9 16 0]")

	m2, err := cutile.FromSlice(dev, []float32{1, 2, 3, 4, 5, 6, 7, 8}, 2, 4)
	must(err)
	flat, err := cutile.NewTensor[float32](dev, 8)
	must(err)
	right, err := cutile.NewTensor[float32](dev, 2, 2)
	must(err)
	must(launchUnroll(ctx, dev, m2, flat, right, negative[tile.D2, tile.Quotient[tile.D4, tile.D2]]))
	holds(t, flat, "[1 2 3 4 5 6 7 8]")
	holds(t, right, "[-3 -4 -7 -8]")
	unrolled, err := prepareUnroll(ctx, dev, m2, flat, right, negative[tile.D1, tile.Quotient[tile.D4, tile.D2]])
	must(err)
	views := [2]cutile.TensorOf[float32]{x, x}
	must(LaunchCombine[tile.D4](ctx, dev, x, 2, views, [3]int32{10, 20, 30}, x, 3, x, 4, z))
	holds(t, z, "[71 82 93 104 115]")
	must(flat.Fill(ctx, 0))
	must(unrolled.Launch(ctx))
	holds(t, flat, "[1 2 3 4 5 6 7 8]")
}

func holds[E dtype.Elem](t *testing.T, x *cutile.Tensor[E], want string) {
	t.Helper()
	got, err := x.Slice()
	if fmt.Sprint(got) != want || err != nil {
		t.Errorf("got %v, %v; want %s", got, err, want)
	}
}
