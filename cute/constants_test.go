package cute_test

import (
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/dtype"
)

// TestConstantsAreRounded: a constant is rounded at each step that has a narrow type, though Go's checker computes it as a
// float32; an untyped one is exact. The halves are by hand, from the formats.
func TestConstantsAreRounded(t *testing.T) {
	f16 := func(x float32) float32 { return dtype.Float16FromFloat32(x).Float32() }
	bf16 := func(x float32) float32 { return dtype.BFloat16FromFloat32(x).Float32() }
	want := [9]float32{
		f16(0.2) + f16(0.1), 0, bf16(1.0 / 3), 48, 1 + 1.0/1024, 1.1, 1, 0, 0.3125,
	}
	v0, v1, v2, v3, rounded, err := cute.Jit(constants)()
	if got := [4]float32{v0, v1, v2, v3}; err != nil || got != [4]float32(want[:4]) || !rounded {
		t.Errorf("on the host: got %v, %v, %v; want %v", got, rounded, err, want[:4])
	}
	dev, _ := open(t)
	x := must(cutile.NewTensor[float32](dev, 9))(t)
	if err := cute.Jit(runConstants)(cute.Of[float32](x)); err != nil {
		t.Fatal(err)
	}
	if v := must(x.Slice())(t); [9]float32(v) != want {
		t.Errorf("in a kernel: got %v, want %v", v, want)
	}
}
