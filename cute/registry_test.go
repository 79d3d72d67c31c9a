package cute_test

import (
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
)

// boxed and crate stand for tensors by adapters of one package each.
type (
	boxed struct{ t *cutile.Tensor[float32] }
	crate struct{ t *cutile.Tensor[float32] }
	bomb  struct{}
)

// TestOneRegistry: what an adapter of either package knows is an argument of tile kernels and of functions of package cute.
func TestOneRegistry(t *testing.T) {
	check(t, cutile.RegisterAdapter(func(b boxed) (any, error) { return b.t, nil }))
	check(t, cute.RegisterAdapter(func(c crate) *cutile.Tensor[float32] { return c.t }))
	check(t, cutile.RegisterAdapter(func(bomb) (any, error) { panic("boom") }))
	x := vectorOf(t, 4)
	before := must(x.Slice())(t)
	for _, arg := range []any{boxed{x}, crate{x}} {
		check(t, cutile.Launch(t.Context(), x.Device().Grid(1), negate, arg))
		_, err := cute.Call(t.Context(), cute.Jit(runScale), arg, -1)
		check(t, err)
	}
	if got := must(x.Slice())(t); got[3] != before[3] || got[3] == 0 {
		t.Errorf("%v became %v", before, got)
	}
	wantError(t, cute.RegisterAdapter(func(boxed) float32 { return 0 }), "cute: there is an adapter for cute_test.boxed already")
	wantError(t, cutile.RegisterAdapter(func(crate) (any, error) { return 0, nil }), "cutile: there is an adapter for cute_test.crate already")
	_, err := cute.Call(t.Context(), cute.Jit(runScale), bomb{}, 1)
	for _, err := range []error{err, cutile.Launch(t.Context(), x.Device().Grid(1), negate, bomb{})} {
		wantError(t, err, "argument #1 (x)", "the adapter for cute_test.bomb panicked: boom")
	}
}
