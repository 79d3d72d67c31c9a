package npy

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// Array is the content of a file: elements in row-major order, little-endian. An array without extents is a scalar.
type Array struct {
	Type  Type
	Shape []int
	Data  []byte
}

// Zeros returns an array of zeros. It is an error if an extent is negative, or the array has more than 2^46 bytes.
func Zeros(t Type, shape ...int) (*Array, error) {
	n, err := Bytes(t, shape)
	if err != nil {
		return nil, err
	}
	return &Array{Type: t, Shape: slices.Clone(shape), Data: make([]byte, n)}, nil
}

// Len returns the number of elements.
func (a *Array) Len() int { return len(a.Data) / a.Type.Size() }

// Bits returns the i-th element in row-major order, zero-extended.
func (a *Array) Bits(i int) uint64 {
	var b [8]byte
	size := a.Type.Size()
	copy(b[:], a.Data[i*size:(i+1)*size])
	return binary.LittleEndian.Uint64(b[:])
}

// SetBits sets the i-th element in row-major order to the low bits of a number.
func (a *Array) SetBits(i int, v uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], v)
	size := a.Type.Size()
	copy(a.Data[i*size:(i+1)*size], b[:])
}

// Read reads a file to its end. Arrays in Fortran's order and big-endian ones become row-major and little-endian. Read refuses
// objects, structures, complex numbers, texts and dates, and a file whose length its header does not state. It takes at most
// three times the memory of the file, whatever the header says.
func Read(r io.Reader) (*Array, error) {
	br := bufio.NewReader(r)
	h, err := readHeader(br)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(br, int64(h.bytes())+1))
	if err != nil {
		return nil, fmt.Errorf("npy: %w", err)
	}
	if len(data) != h.bytes() {
		found := strconv.Itoa(len(data))
		if len(data) > h.bytes() {
			found = "more"
		}
		return nil, fmt.Errorf("npy: %v of shape %v has %d bytes of elements, but the file has %s", h.Type, h.Shape, h.bytes(), found)
	}
	if h.big {
		swap(data, h.Type.Size())
	}
	if h.Fortran {
		data = transpose(data, h.Shape, h.Type.Size())
	}
	return &Array{Type: h.Type, Shape: h.Shape, Data: data}, nil
}

// Write writes a file, as [Header.WriteTo] describes.
func (a *Array) Write(w io.Writer) error {
	if n, err := Bytes(a.Type, a.Shape); err != nil || n != len(a.Data) {
		return fmt.Errorf("npy: cannot write %v of shape %v with %d bytes of elements", a.Type, a.Shape, len(a.Data))
	}
	if _, err := (Header{Type: a.Type, Shape: a.Shape}).WriteTo(w); err != nil {
		return err
	}
	_, err := w.Write(a.Data)
	return err
}

func swap(data []byte, size int) {
	for i := 0; i < len(data); i += size {
		slices.Reverse(data[i : i+size])
	}
}

// transpose brings elements in Fortran's order into C's.
func transpose(data []byte, shape []int, size int) []byte {
	out := make([]byte, 0, len(data))
	index := make([]int, len(shape))
	for len(out) < len(data) {
		at, stride := 0, size
		for i, k := range index {
			at += k * stride
			stride *= shape[i]
		}
		out = append(out, data[at:at+size]...)
		for i := len(index) - 1; i >= 0; i-- {
			if index[i]++; index[i] < shape[i] {
				break
			}
			index[i] = 0
		}
	}
	return out
}
