package strided

// Gather copies the elements of a view over src to dst in row-major order. dst is at least as long as the view.
func Gather[T any](dst, src []T, v View) {
	n := 0
	v.each(func(at, length, step int) {
		if step == 1 {
			n += copy(dst[n:n+length], src[at:])
			return
		}
		for i := range length {
			dst[n+i] = src[at+i*step]
		}
		n += length
	})
}

// Scatter copies src, in row-major order, to the elements of a view over dst.
func Scatter[T any](dst, src []T, v View) {
	n := 0
	v.each(func(at, length, step int) {
		if step == 1 {
			n += copy(dst[at:at+length], src[n:])
			return
		}
		for i := range length {
			dst[at+i*step] = src[n+i]
		}
		n += length
	})
}

// each visits the elements in row-major order, in the longest lines that one step walks through.
func (v View) each(line func(at, length, step int)) {
	if v.Len() == 0 {
		return
	}
	runs := v.runs()
	if len(runs) == 0 {
		line(v.Offset, 1, 1)
		return
	}
	last := runs[len(runs)-1]
	outer := runs[:len(runs)-1]
	index := make([]int, len(outer))
	at := v.Offset
	for {
		line(at, last.n, last.step)
		a := len(outer) - 1
		for ; a >= 0; a-- {
			index[a]++
			at += outer[a].step
			if index[a] < outer[a].n {
				break
			}
			at -= outer[a].n * outer[a].step
			index[a] = 0
		}
		if a < 0 {
			return
		}
	}
}
