package mapped

import (
	"bytes"
	"errors"
	"io"
	"sync/atomic"
)

// ErrClosed is the error of a source that is closed.
var ErrClosed = errors.New("the file of the tensor is closed")

// A Source is a mapped file, or anything else that can be read at any place.
type Source struct {
	r      io.ReaderAt
	size   int64
	file   *File // or nil
	closed atomic.Bool
}

// OpenSource maps a file.
func OpenSource(path string) (*Source, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	return &Source{r: bytes.NewReader(f.Bytes()), size: int64(len(f.Bytes())), file: f}, nil
}

// NewSource reads size bytes from r.
func NewSource(r io.ReaderAt, size int64) *Source { return &Source{r: r, size: size} }

// Size is the number of bytes.
func (s *Source) Size() int64 { return s.size }

// ReadAt is that of io.ReaderAt, until the source is closed.
func (s *Source) ReadAt(p []byte, off int64) (int, error) {
	if s.closed.Load() {
		return 0, ErrClosed
	}
	return s.r.ReadAt(p, off)
}

// Bytes gives n bytes: the memory of a mapped file, or a copy. The place must lie in the source.
func (s *Source) Bytes(at, n int64) ([]byte, error) {
	if s.closed.Load() {
		return nil, ErrClosed
	}
	if s.file != nil {
		return s.file.Bytes()[at : at+n : at+n], nil
	}
	return ReadAll(io.NewSectionReader(s, at, n), n)
}

// Close gives the memory of a mapped file back.
func (s *Source) Close() error {
	s.closed.Store(true)
	if s.file != nil {
		return s.file.Close()
	}
	return nil
}

// ReadAll reads n bytes. Memory grows with what is read, as n may be a claim.
func ReadAll(r io.Reader, n int64) ([]byte, error) {
	const trusted = 1 << 24
	if n <= trusted {
		b := make([]byte, n)
		_, err := io.ReadFull(r, b)
		return b, err
	}
	var b bytes.Buffer
	got, err := io.CopyN(&b, r, n)
	if err == io.EOF && got > 0 {
		err = io.ErrUnexpectedEOF
	}
	return b.Bytes(), err
}
