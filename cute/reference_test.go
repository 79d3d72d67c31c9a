package cute_test

import (
	"testing"

	"github.com/cutile-go/cutile/cute"
)

// TestReferences: what pointers and slices lead to is passed to kernels, and what two of them lead to is one thing there.
func TestReferences(t *testing.T) {
	dev, _ := open(t)
	x, y := vector(t, dev, 20), vector(t, dev, 20)
	check(t, cute.Jit(runScaleBy)(cute.Of[float32](x), cute.Of[float32](y), 2, 5))
	wantEach(t, y, func(i int) float32 { return float32(i)*3 + 15 })
}

// TestGenericPointers: type parameters are found behind pointers, and nil is static.
func TestGenericPointers(t *testing.T) {
	dev, _ := open(t)
	x, y := vector(t, dev, 20), vector(t, dev, 20)
	check(t, y.Fill(t.Context(), 7))
	a, b := cute.Of[float32](x), cute.Of[float32](y)
	f := cute.Jit(genericPointer[float32])
	check(t, f(&a, nil))
	wantEach(t, y, func(i int) float32 { return 7 })
	check(t, f(&a, &b))
	wantEach(t, y, func(i int) float32 { return float32(i) })
}
