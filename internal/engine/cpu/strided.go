package cpu

import "unsafe"

// layout is a copy between two arrays of one shape with a stride, in elements, for each dimension of each.
type layout struct {
	shape, dst, src []int
}

// squeeze drops dimensions of one element and joins neighbours that are one run in both arrays.
func (l layout) squeeze() layout {
	var out layout
	for i, n := range l.shape {
		if n == 1 {
			continue
		}
		if k := len(out.shape) - 1; k >= 0 && out.dst[k] == n*l.dst[i] && out.src[k] == n*l.src[i] {
			out.shape[k] *= n
			out.dst[k], out.src[k] = l.dst[i], l.src[i]
			continue
		}
		out.shape, out.dst, out.src = append(out.shape, n), append(out.dst, l.dst[i]), append(out.src, l.src[i])
	}
	if len(out.shape) == 0 {
		return layout{[]int{1}, []int{1}, []int{1}}
	}
	return out
}

// copy copies elements of a size.
func (l layout) copy(dst, src ptr, size int) {
	switch size {
	case 1:
		copyStrided[uint8](dst, src, l.shape, l.dst, l.src)
	case 2:
		copyStrided[uint16](dst, src, l.shape, l.dst, l.src)
	case 4:
		copyStrided[uint32](dst, src, l.shape, l.dst, l.src)
	default:
		copyStrided[uint64](dst, src, l.shape, l.dst, l.src)
	}
}

// copyStrided copies dimension by dimension; the last is a tight loop.
func copyStrided[T any](dst, src ptr, shape, ds, ss []int) {
	n, d, s := shape[0], ds[0], ss[0]
	var zero T
	size := int(unsafe.Sizeof(zero))
	if len(shape) == 1 {
		copyRow[T](dst, src, n, d, s)
		return
	}
	if len(shape) == 2 && ss[1] != 1 && ss[1] != 0 && s == 1 {
		transpose[T](dst, src, n, shape[1], d, ds[1], ss[1])
		return
	}
	for i := range n { // no pointer ever leaves its array, not even behind the last element
		copyStrided[T](unsafe.Add(dst, i*d*size), unsafe.Add(src, i*s*size), shape[1:], ds[1:], ss[1:])
	}
}

// copyRow copies n elements with strides.
func copyRow[T any](dst, src ptr, n, d, s int) {
	var zero T
	size := int(unsafe.Sizeof(zero))
	switch {
	case d == 1 && s == 1:
		copy(slice[T](dst, n), slice[T](src, n))
	case d == 1 && s == 0:
		fill(slice[T](dst, n), *(*T)(src))
	case d == 1:
		row, step := slice[T](dst, n), s*size
		for i := range row {
			row[i] = *(*T)(unsafe.Add(src, i*step))
		}
	default:
		dStep, sStep := d*size, s*size
		for i := range n {
			*(*T)(unsafe.Add(dst, i*dStep)) = *(*T)(unsafe.Add(src, i*sStep))
		}
	}
}

// transpose copies a matrix whose source is contiguous along the rows' dimension, in blocks that fit the cache.
func transpose[T any](dst, src ptr, rows, cols, dRow, dCol, sCol int) {
	var zero T
	size := int(unsafe.Sizeof(zero))
	const block = 16
	for r := 0; r < rows; r += block {
		for c := 0; c < cols; c += block {
			for i := r; i < min(r+block, rows); i++ {
				copyRow[T](unsafe.Add(dst, (i*dRow+c*dCol)*size), unsafe.Add(src, (i+c*sCol)*size), min(block, cols-c), dCol, sCol)
			}
		}
	}
}

// rowMajor gives the strides of a dense array.
func rowMajor(shape []int) []int {
	s, n := make([]int, len(shape)), 1
	for i := len(shape) - 1; i >= 0; i-- {
		s[i] = n
		n *= shape[i]
	}
	return s
}
