package cutile_test

import (
	"errors"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

// TestSized launches one instance in other extents, and with functions of other extents.
func TestSized(t *testing.T) {
	dev := open(t)
	x, z := ramp(t, dev, 10), zeros[float32](t, dev, 10)
	for _, n := range []int{1, 2, 16, 64} {
		must(t, cutile.Launch(t.Context(), dev, cutile.Sized(scale[tile.D1], n), x, n, z))
		if got, err := z.Select(0, 9).Item(); err != nil || got != float32(10*n) {
			t.Errorf("extent %d: got %v, %v", n, got, err)
		}
	}
	if got := cutile.Sized(addMatrix[tile.D1, tile.D2], 64, 128).String(); got != "cutile_test.addMatrix[D64, D128]" {
		t.Errorf("the name is %s", got)
	}
	must(t, cutile.Launch(t.Context(), dev, cutile.Sized(apply[tile.D1], 8), x, z, square[tile.F32T1[tile.D2]]))
	holds(t, "a generic function", z.Narrow(0, 0, 3), "[1 4 9]")
	before := cutile.CompileStats().Compiled
	must(t, cutile.Launch(t.Context(), dev, cutile.Sized(scale[tile.D4], 16), x, 2, z))
	if n := cutile.CompileStats().Compiled - before; n != 0 {
		t.Errorf("the same kernel of the same extents is compiled again")
	}
	p, err := cutile.Prepare(t.Context(), dev, cutile.Sized(scale[tile.D1], 4), x, 2, z)
	must(t, err)
	must(t, p.Launch(t.Context()))
	must(t, cutile.Export(t.Context(), t.TempDir(), []string{"13.2"}, cutile.Sized(scale[tile.D1], 4), x, 2, z))
}

func TestSizedMistakes(t *testing.T) {
	dev := open(t)
	x, z := ramp(t, dev, 10), zeros[float32](t, dev, 10)
	launch := func(k any, args ...any) error { return cutile.Launch(t.Context(), dev, k, args...) }
	fails(t, launch(cutile.Sized(scale[tile.D1], 3), x, 1, z), "the extent B of cutile_test.scale[D1] cannot be 3: extents are powers of two up to 65536")
	fails(t, launch(cutile.Sized(scale[tile.D1], 0), x, 1, z), "cannot be 0")
	fails(t, launch(cutile.Sized(scale[tile.D1], 1<<20), x, 1, z), "cannot be 1048576")
	fails(t, launch(cutile.Sized(addMatrix[tile.D1, tile.D1], 4), x, x, z), "cutile_test.addMatrix[D1, D1] takes 2 extents (A, B), but got 1")
	fails(t, launch(cutile.Sized(3, 4), x, x, z), "a kernel is a Go function, not int")
	fails(t, launch(cutile.Sized(copyLiteral, 4), x, z), "is a function literal")
	fails(t, launch((*cutile.Kernel)(nil), x, 1, z), "the kernel is a nil *cutile.Kernel")
	fails(t, launch(cutile.Sized(apply[tile.D1], 8), x, z, sameLiteral), "argument #3 (f)", "it cannot be the parameter f")
	if err := launch(cutile.Sized(scale[tile.D1], 4), x); !errors.Is(err, cutile.ErrMismatch) {
		t.Errorf("got %v", err)
	}
}
