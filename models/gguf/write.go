package gguf

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"unicode/utf8"

	"github.com/cutile-go/cutile/models/internal/mapped"
)

// A Value is a name of the metadata and its value, of one of the types that [File.Value] gives.
type Value struct {
	Key   string
	Value any
}

// An Entry is a tensor to write.
type Entry struct {
	Name  string
	Type  Type
	Shape []int     // outermost first, four at most; empty for a scalar
	Data  io.Reader // exactly the bytes of the tensor
}

// NewEntry makes an entry of numbers, which [Type.Quantize] turns into blocks.
func NewEntry(name string, t Type, data []float32, shape ...int) (Entry, error) {
	n := 1
	for _, dim := range shape {
		n *= dim
	}
	if n != len(data) {
		return Entry{}, fmt.Errorf("gguf: tensor %q: shape %v does not have the %d elements that are given", name, shape, len(data))
	}
	b, err := t.Quantize(data)
	if err != nil {
		return Entry{}, fmt.Errorf("tensor %q: %w", name, err)
	}
	return Entry{Name: name, Type: t, Shape: slices.Clone(shape), Data: bytes.NewReader(b)}, nil
}

// Write writes a file of version 3. The places of the tensors come from their shapes and from general.alignment, which is
// 32 where the metadata does not have it: each tensor is read once, when its turn comes, and never kept.
func Write(w io.Writer, metadata []Value, tensors ...Entry) error {
	header, sizes, alignment, err := writeHeader(metadata, tensors)
	if err != nil {
		return fmt.Errorf("gguf: %w", err)
	}
	out := bufio.NewWriterSize(w, 1<<16)
	if _, err := out.Write(header); err != nil {
		return fmt.Errorf("gguf: %w", err)
	}
	for i, e := range tensors {
		if err := copyData(out, e, sizes[i], alignment); err != nil {
			return fmt.Errorf("gguf: tensor %q: %w", e.Name, err)
		}
	}
	return out.Flush()
}

// copyData writes the bytes of a tensor, and zeros up to the alignment.
func copyData(w io.Writer, e Entry, want, alignment int64) error {
	if err := mapped.Copy(w, e.Data, want); err != nil {
		return err
	}
	_, err := io.CopyN(w, zeros{}, padded(want, alignment)-want)
	return err
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// writeHeader makes what stands before the data, with its padding, and the sizes of the tensors.
func writeHeader(metadata []Value, tensors []Entry) (b []byte, sizes []int64, alignment int64, err error) {
	b = append([]byte("GGUF"), 3, 0, 0, 0)
	b = le.AppendUint64(le.AppendUint64(b, uint64(len(tensors))), uint64(len(metadata)))
	seen, align := map[string]bool{}, any(nil)
	for _, v := range metadata {
		if b, err = appendName(b, v.Key, seen); err == nil {
			b, err = appendValue(b, reflect.ValueOf(v.Value), true, 0)
		}
		if err != nil {
			return nil, nil, 0, fmt.Errorf("value %q: %w", v.Key, err)
		}
		if v.Key == alignmentKey {
			align = v.Value
		}
	}
	if alignment, err = alignmentOf(align); err != nil {
		return nil, nil, 0, err
	}
	at, seen := int64(0), map[string]bool{}
	for _, e := range tensors {
		var n int64
		if b, n, err = appendTensor(b, e, at, seen); err == nil && n > math.MaxInt64-at-alignment {
			err = fmt.Errorf("it ends beyond what 63 bits can count")
		}
		if err != nil {
			return nil, nil, 0, fmt.Errorf("tensor %q: %w", e.Name, err)
		}
		sizes = append(sizes, n)
		at = padded(at+n, alignment)
	}
	if len(b) > MaxHeader {
		return nil, nil, 0, fmt.Errorf("the metadata and the descriptions of the tensors have %d bytes, more than %d", len(b), MaxHeader)
	}
	return append(b, make([]byte, padded(int64(len(b)), alignment)-int64(len(b)))...), sizes, alignment, nil
}

func appendName(b []byte, name string, seen map[string]bool) ([]byte, error) {
	if seen[name] || len(name) > math.MaxUint16 || !utf8.ValidString(name) {
		return nil, fmt.Errorf("the name must be UTF-8 of 65535 bytes at most that nothing else has")
	}
	seen[name] = true
	return append(le.AppendUint64(b, uint64(len(name))), name...), nil
}

func appendTensor(b []byte, e Entry, at int64, seen map[string]bool) ([]byte, int64, error) {
	b, err := appendName(b, e.Name, seen)
	if err != nil {
		return nil, 0, err
	}
	if len(e.Shape) > 4 {
		return nil, 0, fmt.Errorf("shape %v has more than 4 extents", e.Shape)
	}
	dims := slices.Clone(e.Shape)
	slices.Reverse(dims)
	n, err := e.Type.size(dims)
	if err != nil {
		return nil, 0, err
	}
	b = le.AppendUint32(b, uint32(len(dims)))
	for _, dim := range dims {
		b = le.AppendUint64(b, uint64(dim))
	}
	return le.AppendUint64(le.AppendUint32(b, uint32(e.Type)), uint64(at)), n, nil
}
