package cpu

import (
	"unsafe"

	"github.com/cutile-go/cutile/internal/native/nest"
	"github.com/cutile-go/cutile/tileir"
)

// leastTurned is how many elements a matrix has that is worth a call of machine code.
const leastTurned = 64

// turning is a permutation of dimensions by machine code: some matrices are turned, one after the other.
type turning struct {
	code       *machineCode
	fn         int
	size       int
	rows, cols int // of a turned matrix
	row, line  int // strides of the rows of the source and of the result, in bytes
	perCall    int // rows of the result
	d, s       slot
	from, to   []int // where the matrices are, in bytes
}

// nativePermute gives a step for a permutation that brings another dimension to the end; nil if it is interpreted.
func (c *compiler) nativePermute(l layout, dst, src *tileir.Value) step {
	l = l.squeeze()
	last, first := len(l.shape)-1, -1
	for i := range last {
		if l.src[i] == 1 {
			first = i
		}
	}
	code := c.plan.code
	if code == nil || first < 0 || l.shape[first]*l.shape[last] < leastTurned {
		return nil
	}
	size := elemBytes(tileType(dst))
	t := &turning{code: code, size: size, rows: l.shape[first], cols: l.shape[last], row: l.src[last] * size, line: l.dst[first] * size,
		d: c.off(dst), s: c.need(src), from: []int{0}, to: []int{0}}
	if 16*t.row > 1<<30 {
		return nil
	}
	for i, n := range l.shape[:last] {
		if i == first {
			continue
		}
		var from, to []int
		for k := range t.from {
			for j := range n {
				from, to = append(from, t.from[k]+j*l.src[i]*size), append(to, t.to[k]+j*l.dst[i]*size)
			}
		}
		t.from, t.to = from, to
	}
	t.perCall = max(1, pollElems/t.cols)
	f, err := nest.Transpose{Size: size, Cols: t.cols}.Build(c.entry.Name)
	if err != nil {
		return nil
	}
	if t.fn, err = code.asm.Add(f); err != nil {
		return nil
	}
	return t.run
}

// run turns all matrices.
func (t *turning) run(f *frame) signal {
	words := f.words
	words[nest.SourceRow], words[nest.ResultRow] = uint64(t.row), uint64(t.line)
	done := 0
	for i, from := range t.from {
		words[nest.SourceBytes] = uint64(uintptr(unsafe.Add(f.mem, int(t.s)+from)))
		words[nest.ResultBytes] = uint64(uintptr(unsafe.Add(f.mem, int(t.d)+t.to[i])))
		for lo := 0; lo < t.rows; lo += t.perCall {
			hi := min(lo+t.perCall, t.rows)
			words[nest.FirstLine], words[nest.LastLine] = uint64(lo), uint64(hi)
			t.code.call(t.fn, words)
			if done += (hi - lo) * t.cols; done >= pollElems {
				f.poll()
				done = 0
			}
		}
	}
	return sigNext
}
