package safetensors

import (
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"slices"

	"github.com/cutile-go/cutile/models/internal/mapped"
)

// ErrClosed is the error of a tensor whose file is closed.
var ErrClosed = mapped.ErrClosed

// A File is an open file of tensors. Its methods may be called from several goroutines, but for Close.
type File struct {
	header *header
	byName map[string]*Tensor
	src    *mapped.Source
}

// Open maps a file and checks its header; [File.Close] gives the memory back. Errors about the contents are [ErrFormat].
func Open(path string) (*File, error) {
	src, err := mapped.OpenSource(path)
	if err != nil {
		return nil, fmt.Errorf("safetensors: %w", err)
	}
	f, err := open(src)
	if err != nil {
		src.Close()
		return nil, fmt.Errorf("safetensors: %s: %w", path, err)
	}
	return f, nil
}

// New reads the header of a file of size bytes. Tensors are read from r when they are asked for: r must stay open.
func New(r io.ReaderAt, size int64) (*File, error) {
	f, err := open(mapped.NewSource(r, size))
	if err != nil {
		return nil, fmt.Errorf("safetensors: %w", err)
	}
	return f, nil
}

func open(src *mapped.Source) (*File, error) {
	h, err := readHeader(src, src.Size())
	if err != nil {
		return nil, err
	}
	f := &File{header: h, byName: make(map[string]*Tensor, len(h.tensors)), src: src}
	for _, t := range h.tensors {
		t.file = f
		f.byName[t.name] = t
	}
	return f, nil
}

// Close gives the memory of a mapped file back. Slices of its tensors must not be used any more: the program ends with a
// fault where they are. The tensors themselves give ErrClosed.
func (f *File) Close() error {
	return f.src.Close()
}

// Len is the number of tensors.
func (f *File) Len() int { return len(f.header.tensors) }

// All gives the names and tensors in the order of their data.
func (f *File) All() iter.Seq2[string, *Tensor] {
	return func(yield func(string, *Tensor) bool) {
		for _, t := range f.header.tensors {
			if !yield(t.name, t) {
				return
			}
		}
	}
}

// Names are the names of the tensors in the order of their data.
func (f *File) Names() []string {
	names := make([]string, 0, f.Len())
	for name := range f.All() {
		names = append(names, name)
	}
	return names
}

// Tensor finds a tensor by its name. The error is os.ErrNotExist where there is none.
func (f *File) Tensor(name string) (*Tensor, error) {
	t, ok := f.byName[name]
	if !ok {
		return nil, notFound(name, f.Len())
	}
	return t, nil
}

func notFound(name string, n int) error {
	return fmt.Errorf("safetensors: there is no tensor %q among the %d: %w", name, n, os.ErrNotExist)
}

// Metadata is a copy of the texts of __metadata__; nil where there are none.
func (f *File) Metadata() map[string]string { return maps.Clone(f.header.metadata) }

// A Tensor describes a tensor of a file.
type Tensor struct {
	file       *File
	name       string
	dtype      DType
	shape      []int
	start, end int64 // in the data
}

// Name is the name of the tensor.
func (t *Tensor) Name() string { return t.name }

// DType is the type of the elements.
func (t *Tensor) DType() DType { return t.dtype }

// Shape is a copy of the extents, outermost first; empty for a scalar. Elements are in row-major order.
func (t *Tensor) Shape() []int { return slices.Clone(t.shape) }

// Len is the number of elements.
func (t *Tensor) Len() int {
	n := 1
	for _, dim := range t.shape {
		n *= dim
	}
	return n
}

// Size is the number of bytes.
func (t *Tensor) Size() int64 { return t.end - t.start }

// Reader reads the bytes of the tensor, from any place. It is valid until the file is closed.
func (t *Tensor) Reader() *io.SectionReader {
	return io.NewSectionReader(t.file.src, t.file.header.data+t.start, t.Size())
}

// Bytes are the bytes of the tensor as the file has them, in little-endian order. Those of a file that Open gave are not
// copied: they must not be written to, and they are valid until the file is closed. Those of New are read.
func (t *Tensor) Bytes() ([]byte, error) {
	b, err := t.file.src.Bytes(t.file.header.data+t.start, t.Size())
	if err != nil {
		return nil, fmt.Errorf("safetensors: tensor %q: %w", t.name, err)
	}
	return b, nil
}
