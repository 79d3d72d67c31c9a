package npy

import (
	"errors"
	"fmt"
	"io"
)

// Reader reads the elements of a file one part after another. It reads no byte beyond the elements, so that several files
// may follow each other in one stream.
type Reader struct {
	Header  Header // what stands before the elements
	r       io.Reader
	left    int    // bytes of elements that were not read
	buffer  []byte // of big-endian elements
	swapped []byte // what is left in buffer, little-endian
}

// NewReader reads the header of a file. The errors are those of [Read].
func NewReader(r io.Reader) (*Reader, error) {
	h, err := readHeader(r)
	if err != nil {
		return nil, err
	}
	return &Reader{Header: h, r: r, left: h.bytes()}, nil
}

// Read reads bytes of elements, little-endian and in the order of the file, which the Header tells. It returns io.EOF behind the
// last element, and another error if the file ends before.
func (r *Reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if len(r.swapped) == 0 && r.left == 0 {
		return 0, io.EOF
	}
	if r.Header.big {
		return r.readBig(p)
	}
	n, err := r.r.Read(p[:min(len(p), r.left)])
	r.left -= n
	return n, r.ends(err)
}

// readBig reads big-endian elements: whole ones into a buffer, from which they are copied in their other order.
func (r *Reader) readBig(p []byte) (n int, err error) {
	if len(r.swapped) == 0 {
		if r.buffer == nil {
			r.buffer = make([]byte, min(r.left, 1<<16))
		}
		r.swapped = r.buffer[:min(r.left, len(r.buffer))]
		if n, err := io.ReadFull(r.r, r.swapped); err != nil {
			r.left -= n
			r.swapped = nil
			return 0, r.ends(err)
		}
		r.left -= len(r.swapped)
		swap(r.swapped, r.Header.Type.Size())
	}
	n = copy(p, r.swapped)
	r.swapped = r.swapped[n:]
	return n, nil
}

// ends is the error of a read: the end of the file is one where elements are left.
func (r *Reader) ends(err error) error {
	switch {
	case err == nil || err == io.EOF && r.left == 0:
		return nil
	case err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("npy: %v of shape %v has %d bytes of elements, but the file has %d: %w", r.Header.Type, r.Header.Shape, r.Header.bytes(), r.Header.bytes()-r.left, io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("npy: %w", err)
}
