package strided

import (
	"fmt"
	"slices"
)

// Narrow keeps the indexes from (included) to to (excluded) of an axis.
func (v View) Narrow(axis, from, to int) (View, error) {
	if err := v.check(axis); err != nil {
		return View{}, err
	}
	if from < 0 || to < from || to > v.Shape[axis] {
		return View{}, fmt.Errorf("range [%d, %d) is not within axis %d of shape %v", from, to, axis, v.Shape)
	}
	w := v.clone()
	w.Shape[axis] = to - from
	if to > from {
		w.Offset += from * v.Strides[axis]
	}
	return w, nil
}

// Select fixes the index of an axis, which is dropped.
func (v View) Select(axis, i int) (View, error) {
	if err := v.check(axis); err != nil {
		return View{}, err
	}
	if i < 0 || i >= v.Shape[axis] {
		return View{}, fmt.Errorf("index %d is not within axis %d of shape %v", i, axis, v.Shape)
	}
	return View{
		Shape:   slices.Delete(slices.Clone(v.Shape), axis, axis+1),
		Strides: slices.Delete(slices.Clone(v.Strides), axis, axis+1),
		Offset:  v.Offset + i*v.Strides[axis],
	}, nil
}

// Permute reorders axes: axis i of the result is axis axes[i] of v.
func (v View) Permute(axes []int) (View, error) {
	w := v.clone()
	seen := make([]bool, len(v.Shape))
	for i, axis := range axes {
		if len(axes) != len(v.Shape) || axis < 0 || axis >= len(seen) || seen[axis] {
			return View{}, fmt.Errorf("axes %v do not name each axis of shape %v once", axes, v.Shape)
		}
		seen[axis] = true
		w.Shape[i], w.Strides[i] = v.Shape[axis], v.Strides[axis]
	}
	if len(axes) != len(v.Shape) {
		return View{}, fmt.Errorf("axes %v do not name each axis of shape %v once", axes, v.Shape)
	}
	return w, nil
}

// Transpose swaps the last two axes.
func (v View) Transpose() (View, error) {
	n := len(v.Shape)
	if n < 2 {
		return View{}, fmt.Errorf("shape %v has no two axes to swap", v.Shape)
	}
	w := v.clone()
	w.Shape[n-1], w.Shape[n-2] = v.Shape[n-2], v.Shape[n-1]
	w.Strides[n-1], w.Strides[n-2] = v.Strides[n-2], v.Strides[n-1]
	return w, nil
}

// Broadcast repeats elements: axes are matched from the last one on, an extent of 1 spreads to any, and leading axes
// are added.
func (v View) Broadcast(shape []int) (View, error) {
	whole, err := RowMajor(shape)
	if err != nil {
		return View{}, err
	}
	lead := len(shape) - len(v.Shape)
	if lead < 0 {
		return View{}, fmt.Errorf("shape %v does not spread to %v, which has fewer axes", v.Shape, shape)
	}
	w := View{Shape: whole.Shape, Strides: make([]int, len(shape)), Offset: v.Offset}
	for axis, n := range v.Shape {
		switch {
		case n == shape[lead+axis]:
			w.Strides[lead+axis] = v.Strides[axis]
		case n != 1:
			return View{}, fmt.Errorf("shape %v does not spread to %v: axis %d has extent %d, not 1", v.Shape, shape, axis, n)
		}
	}
	return w, nil
}

// Reshape gives the same elements, in row-major order, another shape. It is an error where that would need a copy.
func (v View) Reshape(shape []int) (View, error) {
	w, err := RowMajor(shape)
	if err != nil {
		return View{}, err
	}
	if v.Len() != w.Len() {
		return View{}, fmt.Errorf("shape %v has %d elements, shape %v has %d", v.Shape, v.Len(), shape, w.Len())
	}
	w.Offset = v.Offset
	if v.IsRowMajor() {
		return w, nil
	}
	runs := v.runs()
	// Each run of v, elements a fixed step apart, must be split by whole axes of the new shape, from the last one on.
	axis := len(shape) - 1
	for r := len(runs) - 1; r >= 0; r-- {
		left, step := runs[r].n, runs[r].step
		for ; axis >= 0 && (left > 1 || shape[axis] == 1); axis-- {
			if left%shape[axis] != 0 {
				return View{}, fmt.Errorf("shape %v with strides %v cannot be seen as shape %v without a copy", v.Shape, v.Strides, shape)
			}
			w.Strides[axis] = step
			step *= shape[axis]
			left /= shape[axis]
		}
	}
	return w, nil
}

// run is a group of neighbouring axes that one step walks through.
type run struct{ n, step int }

// runs merges axes as far as one step walks through them; axes of extent 1 vanish. v has elements.
func (v View) runs() []run {
	var runs []run
	for axis, n := range v.Shape {
		if n == 1 {
			continue
		}
		last := len(runs) - 1
		if last >= 0 && runs[last].step == n*v.Strides[axis] {
			runs[last] = run{runs[last].n * n, v.Strides[axis]}
			continue
		}
		runs = append(runs, run{n, v.Strides[axis]})
	}
	return runs
}

func (v View) check(axis int) error {
	if axis < 0 || axis >= len(v.Shape) {
		return fmt.Errorf("shape %v has no axis %d", v.Shape, axis)
	}
	return nil
}

func (v View) clone() View {
	return View{Shape: slices.Clone(v.Shape), Strides: slices.Clone(v.Strides), Offset: v.Offset}
}
