package conformance

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/device/strided"
)

// shown is how many differences a message lists.
const shown = 8

// codec is how elements of a type are told apart and written.
type codec struct {
	gather func(data []byte, v strided.View) []byte
	value  func(elem []byte) float64
	text   func(elem []byte) string
}

func codecOf[E dtype.Elem]() codec {
	return codec{
		gather: func(data []byte, v strided.View) []byte {
			out := make([]E, v.Len())
			strided.Gather(out, elemsOf[E](data), v)
			return bytesOf(out)
		},
		value: func(b []byte) float64 { return toF64(elemsOf[E](b)[0]) },
		text:  func(b []byte) string { return fmt.Sprintf("%v", elemsOf[E](b)[0]) },
	}
}

var codecs = map[dtype.Type]codec{
	dtype.Bool: codecOf[bool](), dtype.I8: codecOf[int8](), dtype.I16: codecOf[int16](), dtype.I32: codecOf[int32](),
	dtype.I64: codecOf[int64](), dtype.U8: codecOf[uint8](), dtype.U16: codecOf[uint16](), dtype.U32: codecOf[uint32](),
	dtype.U64: codecOf[uint64](), dtype.F16: codecOf[dtype.Float16](), dtype.BF16: codecOf[dtype.BFloat16](),
	dtype.F32: codecOf[float32](), dtype.F64: codecOf[float64](), dtype.TF32: codecOf[dtype.TensorFloat32](),
	dtype.F8E4M3FN: codecOf[dtype.Float8E4M3FN](), dtype.F8E5M2: codecOf[dtype.Float8E5M2](),
	dtype.F8E8M0FNU: codecOf[dtype.Float8E8M0FNU](), dtype.F8E5M3FNU: codecOf[dtype.Float8E5M3FNU](),
}

// reached marks the elements of memory that a view reaches.
func reached(a *Array) []bool {
	out := make([]bool, len(a.Data)/a.Elem.Size())
	index := make([]int, len(a.View.Shape))
	for range a.View.Len() {
		at := a.View.Offset
		for axis, i := range index {
			at += i * a.View.Strides[axis]
		}
		out[at] = true
		for axis := len(index) - 1; axis >= 0; axis-- {
			if index[axis]++; index[axis] < a.View.Shape[axis] {
				break
			}
			index[axis] = 0
		}
	}
	return out
}

// checkUntouched compares the memory outside the view, or all of it where nothing was wanted, with what it was.
func checkUntouched(a *Array, got []byte, wanted bool) error {
	inside := make([]bool, len(a.Data)/a.Elem.Size())
	if wanted {
		inside = reached(a)
	}
	size := a.Elem.Size()
	for i, in := range inside {
		if was, is := a.Data[i*size:(i+1)*size], got[i*size:(i+1)*size]; !in && !bytes.Equal(was, is) {
			c := codecs[a.Elem]
			return fmt.Errorf("%s: element %d of the memory should stay %s, but is %s", a.Name, i, c.text(was), c.text(is))
		}
	}
	return nil
}

// check compares the memory of an array after a run with what is wanted.
func (w *Want) check(got []byte) error {
	if err := checkUntouched(w.Array, got, true); err != nil {
		return err
	}
	c, size := codecs[w.Array.Elem], w.Array.Elem.Size()
	data := c.gather(got, w.Array.View)
	var wrong []string
	count := 0
	for i := range w.Array.View.Len() {
		is := data[i*size : (i+1)*size]
		want := ""
		if w.Exact != nil {
			if should := w.Exact[i*size : (i+1)*size]; !bytes.Equal(is, should) && !(math.IsNaN(c.value(is)) && math.IsNaN(c.value(should))) {
				want = c.text(should)
			}
		} else if !near(c.value(is), w.Near[i], w.Tol[i]) {
			want = fmt.Sprintf("%v ± %.3g", w.Near[i], w.Tol[i])
		}
		if want == "" {
			continue
		}
		if count++; count <= shown {
			wrong = append(wrong, fmt.Sprintf("at %v want %s, got %s", unravel(i, w.Array.View.Shape), want, c.text(is)))
		}
	}
	if count == 0 {
		return nil
	}
	return fmt.Errorf("%s: %d of %d elements differ:\n\t%s", w.Array.Name, count, w.Array.View.Len(), strings.Join(wrong, "\n\t"))
}

func near(got, want, tol float64) bool {
	switch {
	case math.IsNaN(want) || math.IsNaN(got):
		return math.IsNaN(want) && math.IsNaN(got)
	case math.IsInf(want, 0) || math.IsInf(got, 0):
		return got == want
	}
	return math.Abs(got-want) <= tol
}

// unravel is the index of the i-th element in row-major order.
func unravel(i int, shape []int) []int {
	index := make([]int, len(shape))
	for axis := len(shape) - 1; axis >= 0; axis-- {
		index[axis] = i % shape[axis]
		i /= shape[axis]
	}
	return index
}
