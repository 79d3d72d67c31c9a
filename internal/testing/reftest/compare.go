package reftest

import (
	"bytes"
	"fmt"
	"math"

	"github.com/cutile-go/cutile/npy"
)

// compare holds a buffer against what it should be; before is what it was.
func (b *Buffer) compare(got, before []byte) error {
	want := &npy.Array{Type: b.in.Type, Shape: b.in.Shape, Data: before}
	if b.Want != "" {
		want = b.want
	}
	if bytes.Equal(got, want.Data) {
		return nil
	}
	a := &npy.Array{Type: b.in.Type, Shape: b.in.Shape, Data: got}
	wrong, first := 0, 0
	for i := range a.Len() {
		if !b.near(a.Bits(i), want.Bits(i)) {
			if wrong++; wrong == 1 {
				first = i
			}
		}
	}
	if wrong == 0 {
		return nil
	}
	t := a.Type
	within := "exactly"
	if b.RTol != 0 || b.ATol != 0 {
		within = fmt.Sprintf("within %g relative and %g absolute", b.RTol, b.ATol)
	}
	return fmt.Errorf("index %v: got %s, want %s %s; %d of %d elements are wrong",
		index(first, a.Shape), t.Text(a.Bits(first)), t.Text(want.Bits(first)), within, wrong, a.Len())
}

// near reports whether an element is right. All NaNs are one.
func (b *Buffer) near(got, want uint64) bool {
	if got == want {
		return true
	}
	t := b.in.Type
	if !t.IsFloat() {
		return false
	}
	x, y := t.Number(got), t.Number(want)
	if x != x || y != y {
		return x != x && y != y
	}
	if b.RTol == 0 && b.ATol == 0 || math.IsInf(x, 0) || math.IsInf(y, 0) {
		return false
	}
	return math.Abs(x-y) <= b.ATol+b.RTol*math.Abs(y)
}

// index is the index of the i-th element in row-major order.
func index(i int, shape []int) []int {
	out := make([]int, len(shape))
	for k := len(shape) - 1; k >= 0; k-- {
		out[k], i = i%shape[k], i/shape[k]
	}
	return out
}
