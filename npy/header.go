package npy

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"strings"
)

const (
	magic     = "\x93NUMPY"
	maxHeader = 1 << 20 // bytes; NumPy itself stops at 10,000
	maxRank   = 64
	headAlign = 64      // the elements begin at a multiple of it
	most      = 1 << 46 // bytes of elements
)

// Header is what stands before the elements of a file.
type Header struct {
	Type  Type
	Shape []int // without extents: one element, a scalar
	// Fortran reports whether the first index varies fastest from one element to the next; otherwise the last one does.
	Fortran bool

	big bool // the file is big-endian
}

// Len returns the number of elements.
func (h Header) Len() int {
	n := 1
	for _, extent := range h.Shape {
		n *= extent
	}
	return n
}

// bytes is the size of the elements of a header that was read.
func (h Header) bytes() int { return h.Len() * h.Type.Size() }

// ReadShape reads only what stands before the elements: their type and the extents.
func ReadShape(r io.Reader) (Type, []int, error) {
	h, err := readHeader(r)
	return h.Type, h.Shape, err
}

func readHeader(r io.Reader) (h Header, err error) {
	var head [12]byte
	if _, err := io.ReadFull(r, head[:10]); err != nil || string(head[:6]) != magic {
		return h, fmt.Errorf("npy: not a .npy file: the magic number is missing")
	}
	n := int(binary.LittleEndian.Uint16(head[8:]))
	switch head[6] {
	case 1:
	case 2, 3:
		if _, err := io.ReadFull(r, head[10:]); err != nil {
			return h, fmt.Errorf("npy: the file ends in its header")
		}
		n = int(binary.LittleEndian.Uint32(head[8:]))
	default:
		return h, fmt.Errorf("npy: version %d.%d of the format is not 1.0, 2.0 or 3.0", head[6], head[7])
	}
	if n > maxHeader {
		return h, fmt.Errorf("npy: a header of %d bytes; expected %d at most", n, maxHeader)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return h, fmt.Errorf("npy: the file ends in its header")
	}
	return parseHeader(string(text))
}

// WriteTo writes the header in version 1.0 of the format, as NumPy does; h.Len() elements of h.Type must follow, little-endian.
// Types that NumPy lacks are written as raw bytes: a view such as np.load(f).view(ml_dtypes.bfloat16) gives them their
// meaning back.
func (h Header) WriteTo(w io.Writer) (int64, error) {
	if h.Type.row().Npy == "" {
		return 0, fmt.Errorf("npy: files have no elements of %v; expected one of %v", h.Type, Types())
	}
	if _, err := Bytes(h.Type, h.Shape); err != nil || len(h.Shape) > maxRank {
		return 0, fmt.Errorf("npy: cannot write %v of shape %v: expected at most %d extents of 0 or more, and 2^46 bytes at most", h.Type, h.Shape, maxRank)
	}
	order := "<"
	if h.Type.Size() == 1 {
		order = "|"
	}
	fortran := "False"
	if h.Fortran {
		fortran = "True"
	}
	extents := make([]string, len(h.Shape))
	for i, n := range h.Shape {
		extents[i] = fmt.Sprint(n)
	}
	tuple := strings.Join(extents, ", ")
	if len(extents) == 1 {
		tuple += ","
	}
	text := fmt.Sprintf("{'descr': '%s%s', 'fortran_order': %s, 'shape': (%s), }", order, h.Type.row().Npy, fortran, tuple)
	pad := -(len(magic) + 4 + len(text) + 1) & (headAlign - 1)
	text += strings.Repeat(" ", pad) + "\n"
	n, err := w.Write(append(append([]byte(magic), 1, 0, byte(len(text)), byte(len(text)>>8)), text...))
	return int64(n), err
}

// Bytes returns the size of the elements of an array. It is an error if an extent is negative, or the size above 2^46.
func Bytes(t Type, shape []int) (int, error) {
	n := uint64(t.Size())
	for _, d := range shape {
		hi, lo := bits.Mul64(n, uint64(d))
		if d < 0 || hi != 0 || lo > most {
			return 0, fmt.Errorf("npy: the shape %v: expected extents of 0 or more, and 2^46 bytes at most", shape)
		}
		n = lo
	}
	return int(n), nil
}
