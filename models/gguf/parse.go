package gguf

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/cutile-go/cutile/models/internal/mapped"
)

// MaxHeader limits the bytes of the metadata and the descriptions of tensors.
const MaxHeader = 1 << 28

// ErrFormat is part of every error about the contents of a file, for errors.Is.
var ErrFormat = errors.New("not a valid GGUF file")

// A parser reads what stands before the data.
type parser struct {
	r        *bufio.Reader
	at, size int64 // size is where it must end
	file     *File
}

func (p *parser) errorf(format string, args ...any) error {
	return fmt.Errorf("%w: before byte %d: %s", ErrFormat, p.at, fmt.Sprintf(format, args...))
}

func (p *parser) bytes(n int64) ([]byte, error) {
	if n < 0 || n > p.size-p.at {
		return nil, p.errorf("%d more bytes are expected, but %d are left of the file or of the %d that a header may have", uint64(n), p.size-p.at, MaxHeader)
	}
	b, err := mapped.ReadAll(p.r, n)
	p.at += n
	return b, err
}

func (p *parser) uint32() (uint32, error) {
	b, err := p.bytes(4)
	if err != nil {
		return 0, err
	}
	return le.Uint32(b), nil
}

func (p *parser) uint64() (uint64, error) {
	b, err := p.bytes(8)
	if err != nil {
		return 0, err
	}
	return le.Uint64(b), nil
}

// count reads the number of things that take bytes each, at least.
func (p *parser) count(what string, bytes int64) (int, error) {
	n, err := p.uint64()
	if err != nil {
		return 0, err
	}
	if most := (p.size - p.at) / bytes; n > uint64(most) {
		return 0, p.errorf("%d %s take at least %d bytes each, but there is place for %d at most", n, what, bytes, most)
	}
	return int(n), nil
}

func (p *parser) text() (string, error) {
	n, err := p.count("bytes of a text", 1)
	if err != nil {
		return "", err
	}
	b, err := p.bytes(int64(n))
	return string(b), err
}

// name reads a text that names something.
func (p *parser) name(what string) (string, error) {
	s, err := p.text()
	if err == nil && (len(s) > math.MaxUint16 || !utf8.ValidString(s)) {
		err = p.errorf("the name of a %s must be UTF-8 of 65535 bytes at most, found %d bytes: %.40q", what, len(s), s)
	}
	return s, err
}

func (p *parser) parse() error {
	magic, err := p.bytes(4)
	if err != nil {
		return err
	}
	if string(magic) != "GGUF" {
		return p.errorf("a file starts with GGUF, found %q", magic)
	}
	version, err := p.uint32()
	switch {
	case err != nil:
		return err
	case version&0xFFFF == 0:
		return p.errorf("the version is %#x: this file is big-endian, which is not supported; convert it with gguf_convert_endian.py of llama.cpp", version)
	case version != 2 && version != 3:
		return p.errorf("version %d is not supported; 2 and 3 are", version)
	}
	p.file.version = int(version)
	tensors, err := p.count("tensors", 24)
	if err != nil {
		return err
	}
	values, err := p.count("values", 13)
	if err != nil {
		return err
	}
	for range values {
		if err := p.keyValue(); err != nil {
			return err
		}
	}
	if err := p.alignment(); err != nil {
		return err
	}
	end := int64(0)
	for range tensors {
		if end, err = p.tensor(end); err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) keyValue() error {
	key, err := p.name("value")
	if err != nil {
		return err
	}
	kind, err := p.uint32()
	if err != nil {
		return err
	}
	v, err := p.value(kind, 0)
	if err != nil {
		return fmt.Errorf("value %q: %w", key, err)
	}
	if _, ok := p.file.values[key]; ok {
		return p.errorf("the value %q comes twice", key)
	}
	p.file.values[key] = v
	p.file.keys = append(p.file.keys, key)
	return nil
}

const (
	alignmentKey = "general.alignment"
	maxAlignment = 1 << 20 // files with more would be mostly padding
)

func (p *parser) alignment() error {
	a, err := alignmentOf(p.file.values[alignmentKey])
	if err != nil {
		return p.errorf("%v", err)
	}
	p.file.alignment = a
	return nil
}

// alignmentOf is what a value of general.alignment means, which may be missing.
func alignmentOf(v any) (int64, error) {
	if v == nil {
		return 32, nil
	}
	a, ok := v.(uint32)
	if !ok || a == 0 || a&(a-1) != 0 || a > maxAlignment {
		return 0, fmt.Errorf("%s must be a power of two of type uint32, found %v of type %T; at most %d", alignmentKey, v, v, maxAlignment)
	}
	return int64(a), nil
}

// tensor reads a description. Tensors must follow each other without gaps, as llama.cpp demands.
func (p *parser) tensor(start int64) (end int64, err error) {
	name, err := p.name("tensor")
	if err != nil {
		return 0, err
	}
	if _, ok := p.file.byName[name]; ok {
		return 0, p.errorf("the tensor %q comes twice", name)
	}
	t := &Tensor{file: p.file, name: name, start: start}
	if err := p.extents(t); err != nil {
		return 0, err
	}
	kind, err := p.uint32()
	if err != nil {
		return 0, err
	}
	offset, err := p.uint64()
	if err != nil {
		return 0, err
	}
	t.kind = Type(kind)
	if t.size, err = t.kind.size(t.dims); err != nil {
		return 0, p.errorf("tensor %q: %v", name, err)
	}
	if offset != uint64(start) {
		return 0, p.errorf("tensor %q is at %d of the data, but the place after the tensor before it is %d", name, offset, start)
	}
	p.file.byName[name] = t
	p.file.tensors = append(p.file.tensors, t)
	if t.size > math.MaxInt64-start-p.file.alignment {
		return 0, p.errorf("tensor %q ends beyond what 63 bits can count", name)
	}
	return padded(start+t.size, p.file.alignment), nil
}

func (p *parser) extents(t *Tensor) error {
	n, err := p.uint32()
	if err != nil {
		return err
	}
	if n > 4 {
		return p.errorf("tensor %q has %d extents, more than 4", t.name, n)
	}
	for range n {
		v, err := p.uint64()
		if err != nil {
			return err
		}
		if v > math.MaxInt {
			return p.errorf("tensor %q: the extent %d is more than this system can count", t.name, v)
		}
		t.dims = append(t.dims, int(v))
	}
	t.shape = slices.Clone(t.dims)
	slices.Reverse(t.shape)
	return nil
}

// padded is n, or the next multiple of the alignment.
func padded(n, alignment int64) int64 { return (n + alignment - 1) &^ (alignment - 1) }

// read reads and checks what stands before the data.
func read(src *mapped.Source) (*File, error) {
	f := &File{src: src, values: map[string]any{}, byName: map[string]*Tensor{}}
	p := &parser{r: bufio.NewReader(io.NewSectionReader(src, 0, src.Size())), size: min(src.Size(), MaxHeader), file: f}
	if err := p.parse(); err != nil {
		return nil, err
	}
	f.data = padded(p.at, f.alignment)
	for _, t := range f.tensors {
		if left := max(src.Size()-f.data, 0); t.start > left || t.size > left-t.start {
			return nil, p.errorf("tensor %q has %d bytes at %d of the data, which has %d", t.name, t.size, t.start, left)
		}
	}
	return f, nil
}
