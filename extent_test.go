package cutile_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

// TestDerivedExtents launches kernels whose tiles have products and quotients as extents, in every way that there is: an
// instance, one of other extents, typed, prepared, exported, and with a function of such tiles.
func TestDerivedExtents(t *testing.T) {
	dev := open(t)
	ctx := t.Context()
	const rows, columns = 5, 8
	x, flat, right := ramp(t, dev, rows*columns).Reshape(rows, columns), zeros[float32](t, dev, rows*columns), zeros[float32](t, dev, rows, columns/2)
	check := func(what string, factor int) {
		t.Helper()
		var all, half []int
		for i := range rows * columns {
			all = append(all, factor*(i+1))
			if i%columns >= columns/2 {
				half = append(half, factor*(i+1))
			}
		}
		holds(t, what, flat, fmt.Sprint(all))
		holds(t, what, right, fmt.Sprint(half))
		must(t, flat.Fill(ctx, 0))
		must(t, right.Fill(ctx, 0))
	}
	must(t, cutile.Launch(ctx, dev, unrolled[tile.D2, tile.D8], x, flat, right, same[tile.F32T1[tile.Product[tile.D2, tile.D8]]]))
	check("an instance", 1)
	must(t, cutile.Launch3With(ctx, dev, unrolled[tile.D4, tile.D8], x, flat, right, twice))
	check("a typed launch", 2)
	must(t, cutile.Launch(ctx, dev, cutile.Sized(unrolled[tile.D1, tile.D1], 1, 8), x, flat, right, twice[tile.F32T1[tile.D1]]))
	check("other extents", 2)
	must(t, cutile.Launch(ctx, dev, cutile.Sized(unrolled[tile.Product[tile.D2, tile.D2], tile.D2], 2, 8), x, flat, right, same[tile.F32T1[tile.D4]]))
	check("other extents for a product", 1)
	must(t, cutile.Launch(ctx, dev, unrolled[tile.Quotient[tile.D8, tile.D4], tile.Product[tile.D2, tile.D4]], x, flat, right,
		same[tile.F32T1[tile.Product[tile.Quotient[tile.D8, tile.D4], tile.Product[tile.D2, tile.D4]]]]))
	check("type arguments that are products and quotients", 1)
	p, err := cutile.Prepare(ctx, dev, cutile.Sized(unrolled[tile.D1, tile.D1], 2, 8), x, flat, right, same[tile.F32T1[tile.D1]])
	must(t, err)
	must(t, p.Launch(ctx))
	check("prepared", 1)
	must(t, cutile.Export(ctx, t.TempDir(), []string{"13.2"}, unrolled[tile.D2, tile.D8], x, flat, right, same[tile.F32T1[tile.Product[tile.D2, tile.D8]]]))
	if got := cutile.Sized(unrolled[tile.D1, tile.D1], 4, 16).String(); got != "cutile_test.unrolled[D4, D16]" {
		t.Errorf("the name is %s", got)
	}
}

// TestDerivedExtentMistakes: extents that do not exist are mistakes before anything runs, at the parameter that has them.
func TestDerivedExtentMistakes(t *testing.T) {
	dev := open(t)
	x, flat, right := zeros[float32](t, dev, 4, 8), zeros[float32](t, dev, 32), zeros[float32](t, dev, 4, 4)
	sized := func(a, b int) *cutile.Kernel { return cutile.Sized(unrolled[tile.D1, tile.D1], a, b) }
	launch := func(k any) error {
		return cutile.Launch(t.Context(), dev, k, x, flat, right, same[tile.F32T1[tile.D4]])
	}
	const half = "kernels_test.go:120:2: parameter right: tile.Quotient[tile.D1, tile.D2] is 1/2, which is not a whole number: choose an extent that 2 divides"
	const large = "kernels_test.go:119:2: parameter flat: tile.Product[tile.D16384, tile.D8] is 16384·8 = 131072, but an extent is at most 65536: choose smaller ones"
	fails(t, launch(unrolled[tile.D4, tile.D1]), half)
	fails(t, launch(sized(4, 1)), half)
	fails(t, launch(sized(16384, 8)), large)
	_, err := cutile.Prepare(t.Context(), dev, sized(4, 1), x, flat, right, same[tile.F32T1[tile.D4]])
	fails(t, err, half)
	fails(t, cutile.Export(t.Context(), t.TempDir(), []string{"13.2"}, sized(4, 1), x, flat, right, same[tile.F32T1[tile.D4]]), half)
	var list *cutile.Error
	if err := launch(sized(4, 1)); !errors.As(err, &list) {
		t.Errorf("got %v", err)
	}
	fails(t, launch(sized(3, 8)), "the extent A of cutile_test.unrolled[D1, D1] cannot be 3")
}
