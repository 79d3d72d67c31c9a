package safetensors

import (
	"encoding/binary"
	"fmt"
	"slices"
	"unsafe"

	"github.com/cutile-go/cutile/dtype"
)

// Slice gives the elements of a tensor. E must be the Go type of its elements, such as dtype.BFloat16 for BF16: anything
// else is refused, so that numbers are not taken for others. Types of the format that Go lacks have bytes only.
//
// The elements of a file that Open gave are not copied where they are aligned in memory, as they are in all files of
// which tensors of larger elements come first. Like the bytes, they must not be written to and are valid until the file is
// closed. Booleans are checked.
func Slice[E dtype.Elem](t *Tensor) ([]E, error) {
	want := dtypeOf[E]()
	if want == Invalid || t.dtype != want {
		return nil, fmt.Errorf("safetensors: tensor %q has elements of %v, not of Go's %T%s", t.name, t.dtype, *new(E), instead(t.dtype))
	}
	b, err := t.Bytes()
	if err != nil {
		return nil, err
	}
	if t.dtype == Bool {
		if i := slices.IndexFunc(b, func(x byte) bool { return x > 1 }); i >= 0 {
			return nil, fmt.Errorf("safetensors: tensor %q: element %d is %d, but a BOOL is 0 or 1", t.name, i, b[i])
		}
	}
	return elements[E](b), nil
}

func instead(d DType) string {
	if d.Elem() == dtype.Invalid {
		return "; Go has no such type, use Bytes"
	}
	return fmt.Sprintf("; the type for them is that of dtype.%v", d.Elem())
}

// elements is the memory of b as elements, or a copy where it is not aligned or has another byte order.
func elements[E dtype.Elem](b []byte) []E {
	width := int(unsafe.Sizeof(*new(E)))
	n := len(b) / width
	if n == 0 {
		return []E{}
	}
	if little() && uintptr(unsafe.Pointer(unsafe.SliceData(b)))%unsafe.Alignof(*new(E)) == 0 {
		return unsafe.Slice((*E)(unsafe.Pointer(unsafe.SliceData(b))), n)
	}
	out := make([]E, n)
	raw := bytesOf(out)
	copy(raw, b)
	swap(raw, width)
	return out
}

// bytesOf is the memory of elements.
func bytesOf[E dtype.Elem](data []E) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), len(data)*int(unsafe.Sizeof(*new(E))))
}

// swap turns elements of this machine into little-endian ones, or back.
func swap(b []byte, width int) {
	if little() || width == 1 {
		return
	}
	for e := range slices.Chunk(b, width) {
		slices.Reverse(e)
	}
}

func little() bool { return binary.NativeEndian.Uint16([]byte{1, 0}) == 1 }
