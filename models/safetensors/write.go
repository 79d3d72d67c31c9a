package safetensors

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/models/internal/mapped"
)

// An Entry is a tensor to write.
type Entry struct {
	Name  string
	DType DType
	Shape []int     // outermost first; empty for a scalar
	Data  io.Reader // exactly the bytes of the tensor, in little-endian order
}

// NewEntry makes an entry of elements, which are written from their own memory.
func NewEntry[E dtype.Elem](name string, data []E, shape ...int) (Entry, error) {
	d := dtypeOf[E]()
	if d == Invalid {
		return Entry{}, fmt.Errorf("safetensors: tensor %q: the format has no type for elements of Go's %T", name, *new(E))
	}
	n, err := size(d, shape)
	b := bytesOf(data)
	if err == nil && n != int64(len(b)) {
		err = fmt.Errorf("shape %v does not have the %d elements that are given", shape, len(data))
	}
	if err != nil {
		return Entry{}, fmt.Errorf("safetensors: tensor %q: %w", name, err)
	}
	if !little() {
		b = slices.Clone(b)
		swap(b, d.Bits()/8)
	}
	return Entry{Name: name, DType: d, Shape: slices.Clone(shape), Data: bytes.NewReader(b)}, nil
}

// Write writes a file. Tensors of larger elements come first, then the order is that of the names, and the header is
// filled up to a multiple of 8 bytes, so that every tensor is aligned; the reference writes the same. The header comes from
// the shapes alone: each tensor is read once, when its turn comes, and never kept.
func Write(w io.Writer, metadata map[string]string, tensors ...Entry) error {
	if err := write(w, metadata, tensors); err != nil {
		return fmt.Errorf("safetensors: %w", err)
	}
	return nil
}

// Save writes a file of a name. What was there before stays until all is written. Of a symlink, the file that it leads to is replaced, or made.
func Save(path string, metadata map[string]string, tensors ...Entry) (err error) {
	if path, err = followed(path); err != nil {
		return fmt.Errorf("safetensors: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		return fmt.Errorf("safetensors: %w", err)
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if err := Write(f, metadata, tensors...); err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		return fmt.Errorf("safetensors: %w", err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("safetensors: %w", err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return fmt.Errorf("safetensors: %w", err)
	}
	return nil
}

// followed gives the path that a path leads to by symlinks, which need not exist.
func followed(path string) (string, error) {
	at := path
	for range 40 { // as many as systems follow
		to, err := os.Readlink(at)
		if err != nil { // it is no link, or not there
			return at, nil
		}
		if !filepath.IsAbs(to) {
			dir, _ := filepath.Split(at)
			to = dir + to
		}
		at = to
	}
	return "", fmt.Errorf("%s: there are too many symlinks, or they form a circle", path)
}

func write(w io.Writer, metadata map[string]string, tensors []Entry) error {
	sorted := slices.Clone(tensors)
	slices.SortStableFunc(sorted, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(b.DType, a.DType), cmp.Compare(a.Name, b.Name))
	})
	text, err := writeHeader(metadata, sorted)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<16)
	if err := binary.Write(out, binary.LittleEndian, uint64(len(text))); err != nil {
		return err
	}
	if _, err := out.Write(text); err != nil {
		return err
	}
	for _, e := range sorted {
		n, err := size(e.DType, e.Shape)
		if err == nil {
			err = mapped.Copy(out, e.Data, n)
		}
		if err != nil {
			return fmt.Errorf("tensor %q: %w", e.Name, err)
		}
	}
	return out.Flush()
}

// writeHeader makes the JSON of sorted tensors, filled with spaces.
func writeHeader(metadata map[string]string, sorted []Entry) ([]byte, error) {
	b := []byte{'{'}
	if len(metadata) > 0 {
		b = append(b, `"__metadata__":{`...)
		for i, key := range slices.Sorted(maps.Keys(metadata)) {
			if i > 0 {
				b = append(b, ',')
			}
			if !utf8.ValidString(key) || !utf8.ValidString(metadata[key]) {
				return nil, fmt.Errorf("metadata %q: %q is not valid UTF-8", key, metadata[key])
			}
			b = appendString(append(appendString(b, key), ':'), metadata[key])
		}
		b = append(b, '}')
	}
	at, seen := int64(0), map[string]bool{"__metadata__": true}
	for _, e := range sorted {
		n, err := e.check(seen)
		if err == nil && at+n < at {
			err = fmt.Errorf("the tensors have more bytes than 63 bits can count")
		}
		if err != nil {
			return nil, fmt.Errorf("tensor %q: %w", e.Name, err)
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = appendString(b, e.Name)
		shape, _ := json.Marshal(append([]int{}, e.Shape...)) // integers have no errors
		b = fmt.Appendf(b, `:{"dtype":"%v","shape":%s,"data_offsets":[%d,%d]}`, e.DType, shape, at, at+n)
		at += n
	}
	b = append(b, '}')
	for len(b)%8 != 0 {
		b = append(b, ' ')
	}
	if len(b) > MaxHeader {
		return nil, fmt.Errorf("the header has %d bytes, more than %d", len(b), MaxHeader)
	}
	return b, nil
}

// check gives the number of bytes of an entry that is right.
func (e Entry) check(seen map[string]bool) (int64, error) {
	switch {
	case e.DType == Invalid || e.DType >= numDTypes:
		return 0, fmt.Errorf("%v is no type of the format", e.DType)
	case !utf8.ValidString(e.Name):
		return 0, fmt.Errorf("the name is not valid UTF-8")
	case seen[e.Name]:
		return 0, fmt.Errorf("the name is taken")
	}
	seen[e.Name] = true
	return size(e.DType, e.Shape)
}

// escapes are those that JSON wants, in their short form where there is one.
var escapes = map[byte]string{'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`}

// appendString appends a JSON string, with no more escapes than JSON wants, as the reference does.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for i := range len(s) {
		c := s[i]
		if e, ok := escapes[c]; ok {
			b = append(b, e...)
		} else if c < ' ' {
			b = fmt.Appendf(b, `\u%04x`, c)
		} else {
			b = append(b, c)
		}
	}
	return append(b, '"')
}
