package strided

import (
	"fmt"
	"math/bits"
	"slices"
)

// Given is a view with the strides that somebody gives, in elements; nil for row-major order. It begins at the memory's first element.
func Given(shape, strides []int) (View, error) {
	v, err := RowMajor(shape)
	if err != nil || strides == nil {
		return v, err
	}
	if len(strides) != len(shape) {
		return View{}, fmt.Errorf("shape %v has %d axes, but there are %d strides", shape, len(shape), len(strides))
	}
	last := uint64(0)
	for axis, s := range strides {
		if s < 0 {
			return View{}, fmt.Errorf("strides %v: that of axis %d is negative", strides, axis)
		}
		if shape[axis] == 0 {
			return v, nil // there are no elements
		}
		high, far := bits.Mul64(uint64(s), uint64(shape[axis]-1))
		var carry uint64
		if last, carry = bits.Add64(last, far, 0); high > 0 || carry > 0 || last >= 1<<60 {
			return View{}, fmt.Errorf("shape %v with strides %v spans more than 2^60 elements", shape, strides)
		}
	}
	v.Strides = slices.Clone(strides)
	return v, nil
}
