package dtype_test

import (
	"slices"
	"testing"
	"testing/quick"

	"github.com/cutile-go/cutile/dtype"
)

// TestPackHalves: the first of two elements has the lower half of their byte, and what is packed comes back.
func TestPackHalves(t *testing.T) {
	xs := []dtype.Float4E2M1FN{dtype.Float4E2M1FNFromFloat32(1), dtype.Float4E2M1FNFromFloat32(-6), dtype.Float4E2M1FNFromFloat32(0.5)}
	b := dtype.PackHalves(xs)
	if want := []byte{0xf2, 0x01}; !slices.Equal(b, want) {
		t.Errorf("%v are packed as %x, want %x", xs, b, want)
	}
	if got := dtype.UnpackHalves[dtype.Float4E2M1FN](b, 3); !slices.Equal(got, xs) {
		t.Errorf("unpacked %v, want %v", got, xs)
	}
	if err := quick.Check(func(b []byte) bool { return slices.Equal(dtype.PackHalves(dtype.UnpackHalves[uint8](b, 2*len(b))), b) }, nil); err != nil {
		t.Error(err)
	}
}
