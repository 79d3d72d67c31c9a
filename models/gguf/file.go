package gguf

import (
	"fmt"
	"io"
	"iter"
	"os"
	"slices"

	"github.com/cutile-go/cutile/models/internal/mapped"
)

// ErrClosed is the error of a tensor whose file is closed.
var ErrClosed = mapped.ErrClosed

// A File is an open file. Its methods may be called from several goroutines, but for Close.
type File struct {
	src       *mapped.Source
	version   int
	keys      []string
	values    map[string]any
	alignment int64
	data      int64 // where the data starts
	tensors   []*Tensor
	byName    map[string]*Tensor
}

// Open maps a file and checks what stands before its data; [File.Close] gives the memory back. Errors about the contents are
// [ErrFormat].
func Open(path string) (*File, error) {
	src, err := mapped.OpenSource(path)
	if err != nil {
		return nil, fmt.Errorf("gguf: %w", err)
	}
	f, err := read(src)
	if err != nil {
		src.Close()
		return nil, fmt.Errorf("gguf: %s: %w", path, err)
	}
	return f, nil
}

// New reads what stands before the data of a file of size bytes. Tensors are read from r when they are asked for.
func New(r io.ReaderAt, size int64) (*File, error) {
	f, err := read(mapped.NewSource(r, size))
	if err != nil {
		return nil, fmt.Errorf("gguf: %w", err)
	}
	return f, nil
}

// Close gives the memory of a mapped file back. Bytes of its tensors must not be used any more.
func (f *File) Close() error { return f.src.Close() }

// Version is that of the format, 2 or 3.
func (f *File) Version() int { return f.version }

// Alignment is what the places of tensors are multiples of.
func (f *File) Alignment() int { return int(f.alignment) }

// Keys are the names of the metadata in the order of the file.
func (f *File) Keys() []string { return slices.Clone(f.keys) }

// Value finds a value of the metadata, or nil: one of the integers and floats of Go with a size, a bool, a string, a slice of
// these, or []any for an array of arrays. Slices must not be changed.
func (f *File) Value(key string) any { return f.values[key] }

// Get finds a value of the metadata and checks its type. The error is os.ErrNotExist where there is none.
func Get[T any](f *File, key string) (T, error) {
	v, ok := f.values[key]
	if !ok {
		return *new(T), fmt.Errorf("gguf: there is no value %q: %w", key, os.ErrNotExist)
	}
	x, ok := v.(T)
	if !ok {
		return x, fmt.Errorf("gguf: the value %q is %T, not %T", key, v, x)
	}
	return x, nil
}

// Len is the number of tensors.
func (f *File) Len() int { return len(f.tensors) }

// All gives the names and tensors in the order of the file.
func (f *File) All() iter.Seq2[string, *Tensor] {
	return func(yield func(string, *Tensor) bool) {
		for _, t := range f.tensors {
			if !yield(t.name, t) {
				return
			}
		}
	}
}

// Tensor finds a tensor by its name. The error is os.ErrNotExist where there is none.
func (f *File) Tensor(name string) (*Tensor, error) {
	t, ok := f.byName[name]
	if !ok {
		return nil, fmt.Errorf("gguf: there is no tensor %q among the %d: %w", name, f.Len(), os.ErrNotExist)
	}
	return t, nil
}

// A Tensor describes a tensor of a file.
type Tensor struct {
	file        *File
	name        string
	kind        Type
	dims, shape []int
	start, size int64 // in the data
}

// Name is the name of the tensor.
func (t *Tensor) Name() string { return t.name }

// Type is the form in which the tensor is stored.
func (t *Tensor) Type() Type { return t.kind }

// Shape is a copy of the extents, outermost first, as everywhere in Go and Python; files and llama.cpp have them in the
// other order. Blocks run along the last extent.
func (t *Tensor) Shape() []int { return append([]int{}, t.shape...) }

// Len is the number of elements.
func (t *Tensor) Len() int {
	elements, bytes := t.kind.Block()
	return int(t.size / int64(bytes) * int64(elements))
}

// Size is the number of bytes.
func (t *Tensor) Size() int64 { return t.size }

// Reader reads the bytes of the tensor, from any place. It is valid until the file is closed.
func (t *Tensor) Reader() *io.SectionReader {
	return io.NewSectionReader(t.file.src, t.file.data+t.start, t.size)
}

// Bytes are the bytes of the tensor as the file has them. Those of a file that Open gave are not copied: they must not be
// written to, and they are valid until the file is closed. Those of New are read.
func (t *Tensor) Bytes() ([]byte, error) {
	b, err := t.file.src.Bytes(t.file.data+t.start, t.size)
	if err != nil {
		return nil, fmt.Errorf("gguf: tensor %q: %w", t.name, err)
	}
	return b, nil
}

// Float32s are the elements as numbers, dequantized by [Type.Dequantize]. The memory is the caller's.
func (t *Tensor) Float32s() ([]float32, error) {
	b, err := t.Bytes()
	if err != nil {
		return nil, err
	}
	if kinds[t.kind].dequantize == nil {
		return nil, fmt.Errorf("gguf: tensor %q: %w", t.name, t.kind.Dequantize(nil, nil))
	}
	out := make([]float32, t.Len())
	return out, t.kind.Dequantize(out, b)
}
