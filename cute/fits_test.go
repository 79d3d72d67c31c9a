package cute

import (
	"math"
	"testing"

	"github.com/cutile-go/cutile/internal/device/strided"
)

// TestFits32: numbers of a tensor have 32 bits in kernels only where each extent, stride and offset fits. No machine of the
// tests has room for the tensors.
func TestFits32(t *testing.T) {
	const most = math.MaxInt32
	for _, c := range []struct {
		shape, strides []int
		want           bool
	}{
		{nil, nil, true}, {[]int{most}, []int{1}, true}, {[]int{most + 1}, []int{1}, false}, {[]int{most + 1}, []int{0}, false}, {[]int{1}, []int{most}, true}, {[]int{1}, []int{most + 1}, false},
		{[]int{2}, []int{most - 1}, true}, {[]int{2}, []int{most}, false}, {[]int{46341, 46341}, []int{46341, 1}, false}, {[]int{46340, 46340}, []int{46340, 1}, true},
		{[]int{0, 3}, []int{most, most}, false}, {[]int{0, 3}, []int{most, 5}, true}, {[]int{2, 2}, []int{most/2 + 1, most / 2}, false}, {[]int{2, 2}, []int{most / 2, most / 2}, true},
	} {
		p := plan{view: strided.View{Shape: c.shape, Strides: c.strides}}
		if got := p.fits32(); got != c.want {
			t.Errorf("%v:%v: %t", c.shape, c.strides, got)
		}
	}
}
