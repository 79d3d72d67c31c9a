// Package strided is the arithmetic of tensors over flat memory: a shape, strides and an offset, all counted in
// elements. It knows no memory and no element type.
package strided

import (
	"fmt"
	"math"
	"slices"
)

// View says where the elements of a tensor lie: the element at index i is at Offset plus the sum of i[a]*Strides[a].
// A View is not changed once made; views made from it share nothing that is written.
type View struct {
	Shape   []int
	Strides []int // never negative; 0 repeats an element along an axis
	Offset  int
}

// RowMajor is the view of a whole memory in row-major order. Negative extents and a number of elements beyond the range
// of int are errors.
func RowMajor(shape []int) (View, error) {
	for axis, n := range shape {
		if n < 0 {
			return View{}, fmt.Errorf("shape %v: the extent of axis %d is negative", shape, axis)
		}
	}
	total := 1
	for _, n := range shape {
		if n > 0 && total > math.MaxInt/8/n {
			return View{}, fmt.Errorf("shape %v: too many elements", shape)
		}
		total *= max(n, 1) // a later 0 must not hide an overflow of the strides
	}
	return View{Shape: slices.Clone(shape), Strides: rowMajor(shape)}, nil
}

func rowMajor(shape []int) []int {
	strides := make([]int, len(shape))
	step := 1
	for axis := len(shape) - 1; axis >= 0; axis-- {
		strides[axis] = step
		step *= max(shape[axis], 1)
	}
	return strides
}

// Len is the number of elements.
func (v View) Len() int {
	n := 1
	for _, extent := range v.Shape {
		n *= extent
	}
	return n
}

// IsRowMajor reports whether the elements lie one behind another in row-major order.
func (v View) IsRowMajor() bool {
	if v.Len() == 0 {
		return true
	}
	step := 1
	for axis := len(v.Shape) - 1; axis >= 0; axis-- {
		if v.Shape[axis] != 1 && v.Strides[axis] != step {
			return false
		}
		step *= v.Shape[axis]
	}
	return true
}

// Range gives the first element touched and the one after the last; both are Offset where there is none.
func (v View) Range() (from, to int) {
	last := v.Offset
	for axis, n := range v.Shape {
		if n == 0 {
			return v.Offset, v.Offset
		}
		last += (n - 1) * v.Strides[axis]
	}
	return v.Offset, last + 1
}

// Span is all of memory from the first element to the last, in one axis.
func (v View) Span() View {
	from, to := v.Range()
	return View{Shape: []int{to - from}, Strides: []int{1}, Offset: from}
}

// Stride is the stride of an axis as code may see it: along an extent of 1 no stride is ever used, so that it may be
// taken as the row-major one, which keeps the facts of a shape the same however its view was made.
func (v View) Stride(axis int) int {
	if v.Shape[axis] != 1 {
		return v.Strides[axis]
	}
	step := 1
	for a := axis + 1; a < len(v.Shape); a++ {
		if v.Shape[a] != 1 {
			return v.Strides[a] * max(v.Shape[a], 1)
		}
	}
	return step
}
