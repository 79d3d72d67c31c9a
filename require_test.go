package cutile_test

import (
	"errors"
	"os"
	"testing"

	"github.com/cutile-go/cutile"
)

// TestRequireSame: what a kernel wants of its extents is held against them before anything runs, by every way of launching.
func TestRequireSame(t *testing.T) {
	dev := open(t)
	f := func(shape ...int) *cutile.Tensor[float32] { return ramp(t, dev, shape...) }
	x, y, z := f(3, 5), f(3, 5), zeros[float32](t, dev, 3, 5)
	must(t, cutile.Launch(t.Context(), dev, addSame, x, y, z))
	holds(t, "the same", z.Select(0, 2), "[22 24 26 28 30]")
	must(t, cutile.Launch(t.Context(), dev, addSame, f(5, 3).T(), y, z))
	prepared, err := cutile.Prepare(t.Context(), dev, addSame, x, y, z)
	must(t, err)
	wrong := func(err error, texts ...string) {
		t.Helper()
		fails(t, err, texts...)
		if !errors.Is(err, cutile.ErrMismatch) {
			t.Errorf("%v is no mismatch", err)
		}
	}
	z = zeros[float32](t, dev, 3, 5)
	wrong(cutile.Launch(t.Context(), dev, addSame, f(3, 4), y, z),
		"kernel cutile_test.addSame: extent 1 of argument #1 (x) is 4, but extent 1 of argument #2 (y) is 5: ", "kernels_races_test.go:", " requires them to be the same")
	wrong(cutile.Launch3(t.Context(), dev, addSame, x, f(4, 5), z), "extent 0 of argument #1 (x) is 3, but extent 0 of argument #2 (y) is 4", "extent 0 of argument #2 (y) is 4, but extent 0 of argument #3 (z) is 3")
	wrong(prepared.Launch(t.Context(), x, f(3, 6), z), "extent 1 of argument #1 (x) is 5, but extent 1 of argument #2 (y) is 6")
	_, err = cutile.Prepare(t.Context(), dev, addSame, f(2, 5), y, z)
	wrong(err, "extent 0 of argument #1 (x) is 2, but extent 0 of argument #2 (y) is 3")
	holds(t, "nothing ran", z.Select(0, 0), "[0 0 0 0 0]")

	a, b, c := f(4, 8), f(8, 6), zeros[float32](t, dev, 4, 6)
	inner := 8
	must(t, cutile.Launch(t.Context(), dev, matrices, a, b, &inner, c))
	wrong(cutile.Launch(t.Context(), dev, matrices, a, f(7, 6), 8, c), "extent 1 of argument #1 (x) is 8, but extent 0 of argument #2 (y) is 7")
	wrong(cutile.Launch(t.Context(), dev, matrices, a, b, 9, c), "extent 1 of argument #1 (x) is 8, but argument #3 (inner) is 9")
	wrong(cutile.Launch(t.Context(), dev, matrices, a, b, 8, zeros[float32](t, dev, 4, 5)), "extent 1 of argument #4 (z) is 5, but what the kernel requires is 6")
	p, err := cutile.Prepare(t.Context(), dev, matrices, a, b, &inner, c)
	must(t, err)
	must(t, p.Launch(t.Context()))
	dir := t.TempDir()
	wrong(cutile.Export(t.Context(), dir, []string{"13.1"}, matrices, a, f(7, 6), 8, c), "extent 1 of argument #1 (x) is 8, but extent 0 of argument #2 (y) is 7")
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("what no launch takes was exported: %v, %v", files, err)
	}
	inner = 7
	wrong(p.Launch(t.Context()), "but argument #3 (inner) is 7")

	v := f(4)
	for _, m := range []struct {
		err  error
		want string
	}{
		{cutile.Launch(t.Context(), dev, ranksDiffer, v, z), "RequireSame: tensors of rank 1 and 2 never have the same extents"},
		{cutile.Launch(t.Context(), dev, requireComputed, v, f(4)), "a launch can compare extents of parameters, numbers that are parameters, and constants: this is computed in the kernel"},
		{cutile.Launch(t.Context(), dev, requireInBranch, v, f(4)), "a launch cannot check what depends on a branch or loop of the kernel"},
		{cutile.Launch(t.Context(), dev, requireConstants, v), "4 and 5 must be the same"},
	} {
		fails(t, m.err, m.want, "kernels_races_test.go:")
	}
}
