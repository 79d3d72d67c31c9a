package safetensors

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// MaxHeader is the largest header in bytes, as in the reference.
const MaxHeader = 100_000_000

// ErrFormat is part of every error about the contents of a file, for errors.Is.
var ErrFormat = errors.New("not a valid safetensors file")

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrFormat, fmt.Sprintf(format, args...))
}

// A header is what stands before the data.
type header struct {
	tensors  []*Tensor // in the order of the data
	metadata map[string]string
	data     int64 // where the data starts
}

// readHeader reads and checks the header of a file of a size.
func readHeader(r io.ReaderAt, fileSize int64) (*header, error) {
	if fileSize < 8 {
		return nil, invalid("a file starts with 8 bytes that give the length of its header, found %d bytes", max(0, fileSize))
	}
	var prefix [8]byte
	if _, err := r.ReadAt(prefix[:], 0); err != nil && err != io.EOF {
		return nil, err
	}
	n := binary.LittleEndian.Uint64(prefix[:])
	if n > MaxHeader {
		return nil, invalid("the header has %d bytes, more than %d", n, MaxHeader)
	}
	if int64(n) > fileSize-8 {
		return nil, invalid("the header has %d bytes, but only %d come after the 8 that give its length", n, fileSize-8)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(io.NewSectionReader(r, 8, int64(n)), text); err != nil {
		return nil, fmt.Errorf("reading the header: %w", err)
	}
	h := &header{data: 8 + int64(n)}
	if err := h.parse(text); err != nil {
		return nil, fmt.Errorf("%w: header: %w", ErrFormat, err)
	}
	if err := h.check(fileSize - h.data); err != nil {
		return nil, err
	}
	return h, nil
}

func (h *header) parse(text []byte) error {
	seen := map[string]bool{}
	return whole(text, func(s *scanner, name string) error {
		if seen[name] {
			return s.errorf("the name %q comes twice", name)
		}
		seen[name] = true
		if name == "__metadata__" {
			return h.parseMetadata(s)
		}
		t, err := parseTensor(s)
		if err != nil {
			return fmt.Errorf("tensor %q: %w", name, err)
		}
		t.name = name
		h.tensors = append(h.tensors, t)
		return nil
	})
}

func (h *header) parseMetadata(s *scanner) error {
	if s.null() {
		return nil
	}
	h.metadata = map[string]string{}
	return s.object(func(key string) error {
		if _, ok := h.metadata[key]; ok {
			return s.errorf("__metadata__ has %q twice", key)
		}
		value, err := s.string()
		if err != nil {
			return fmt.Errorf("__metadata__ %q: %w", key, err)
		}
		h.metadata[key] = value
		return nil
	})
}

// parseTensor reads the description of a tensor. Fields that the format does not have are skipped, as the reference does.
func parseTensor(s *scanner) (*Tensor, error) {
	t := &Tensor{shape: []int{}}
	var offsets []uint64
	seen := map[string]bool{}
	fields := map[string]func() error{
		"dtype":        func() (err error) { t.dtype, err = parseDType(s); return err },
		"shape":        func() error { return parseShape(s, t) },
		"data_offsets": func() (err error) { offsets, err = parseOffsets(s); return err },
	}
	err := s.object(func(name string) error {
		read, known := fields[name]
		if !known {
			return s.skip(1)
		}
		if seen[name] {
			return s.errorf("%s comes twice", name)
		}
		seen[name] = true
		return read()
	})
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"dtype", "shape", "data_offsets"} {
		if !seen[name] {
			return nil, s.errorf("%s is missing", name)
		}
	}
	if offsets[0] > offsets[1] || offsets[1] > math.MaxInt64 {
		return nil, s.errorf("data_offsets %d are no range", offsets)
	}
	t.start, t.end = int64(offsets[0]), int64(offsets[1])
	return t, nil
}

func parseDType(s *scanner) (DType, error) {
	name, err := s.string()
	if err != nil {
		return 0, err
	}
	d, ok := byName[name]
	if !ok {
		return 0, s.errorf("the dtype %q is not known", name)
	}
	return d, nil
}

func parseShape(s *scanner, t *Tensor) error {
	return s.array(func() error {
		v, err := s.uint()
		if err == nil && v > math.MaxInt {
			err = s.errorf("an extent of %d is more than this system can count", v)
		}
		t.shape = append(t.shape, int(v))
		return err
	})
}

func parseOffsets(s *scanner) ([]uint64, error) {
	var offsets []uint64
	err := s.array(func() error {
		if len(offsets) == 2 {
			return s.errorf("data_offsets are two numbers, found more")
		}
		v, err := s.uint()
		offsets = append(offsets, v)
		return err
	})
	if err == nil && len(offsets) != 2 {
		err = s.errorf("data_offsets are two numbers, found %d", len(offsets))
	}
	return offsets, err
}

// check sorts the tensors by their places and refuses what overlaps, leaves gaps, or does not fit.
func (h *header) check(dataSize int64) error {
	slices.SortStableFunc(h.tensors, func(a, b *Tensor) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
	})
	at := int64(0)
	for _, t := range h.tensors {
		if t.start != at {
			return invalid("tensor %q has data_offsets [%d, %d], but the tensors before it end at %d: there must be no gap and no overlap", t.name, t.start, t.end, at)
		}
		n, err := size(t.dtype, t.shape)
		if err != nil {
			return invalid("tensor %q: %v", t.name, err)
		}
		if n != t.end-t.start {
			return invalid("tensor %q of %v and shape %v has %d bytes, but its data_offsets [%d, %d] are for %d", t.name, t.dtype, t.shape, n, t.start, t.end, t.end-t.start)
		}
		at = t.end
	}
	if at != dataSize {
		return invalid("the tensors have %d bytes, but %d come after the header", at, dataSize)
	}
	return nil
}
