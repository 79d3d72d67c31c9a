package layout_test

import (
	"math"
	"testing"

	"github.com/cutile-go/cutile/internal/layout"
)

// TestDiv: the largest known divisor of integers that are known, and of those that are not.
func TestDiv(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 1, -1: 1, 6: 6, -6: 6, math.MaxInt32: math.MaxInt32, -math.MaxInt32: math.MaxInt32} {
		if got := layout.N(n).Div(); got != want {
			t.Errorf("%d: %d, want %d", n, got, want)
		}
	}
	for div, want := range map[int]int{0: 1, 1: 1, 16: 16} {
		if got := layout.Sym(div, false, nil).Div(); got != want {
			t.Errorf("a multiple of %d: %d, want %d", div, got, want)
		}
	}
}
