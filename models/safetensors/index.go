package safetensors

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// MaxIndex is the largest index file in bytes.
const MaxIndex = 100_000_000

// A Model is the tensors of several files, as model.safetensors.index.json names them.
type Model struct {
	files   map[string]*File
	tensors map[string]*Tensor
}

// OpenModel opens the files that an index names. They must lie in its folder or below: other paths are refused, but links
// are followed, as the cache of Hugging Face's hub needs. Every tensor must be in the file that the index says.
func OpenModel(index string) (*Model, error) {
	m := &Model{files: map[string]*File{}, tensors: map[string]*Tensor{}}
	if err := m.open(index); err != nil {
		m.Close()
		return nil, fmt.Errorf("safetensors: %s: %w", index, err)
	}
	return m, nil
}

func (m *Model) open(index string) error {
	places, err := readIndex(index)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(places)) {
		path := places[name]
		f, ok := m.files[path]
		if !ok {
			if f, err = Open(filepath.Join(filepath.Dir(index), filepath.FromSlash(path))); err != nil {
				return err
			}
			m.files[path] = f
		}
		if m.tensors[name], ok = f.byName[name]; !ok {
			return invalid("weight_map says that tensor %q is in %s, which does not have it", name, path)
		}
	}
	return nil
}

// readIndex gives the file of each tensor.
func readIndex(path string) (map[string]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, MaxIndex+1))
	if err != nil {
		return nil, err
	}
	if len(text) > MaxIndex {
		return nil, invalid("the index has more than %d bytes", MaxIndex)
	}
	var places map[string]string
	err = whole(text, func(s *scanner, name string) error {
		if name != "weight_map" {
			return s.skip(1)
		}
		if places != nil {
			return s.errorf("weight_map comes twice")
		}
		places = map[string]string{}
		return s.object(func(tensor string) error { return parsePlace(s, places, tensor) })
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if places == nil {
		return nil, invalid("weight_map is missing")
	}
	return places, nil
}

func parsePlace(s *scanner, places map[string]string, tensor string) error {
	if _, ok := places[tensor]; ok {
		return s.errorf("weight_map has %q twice", tensor)
	}
	path, err := s.string()
	if err != nil {
		return err
	}
	if strings.ContainsAny(path, "\\:\x00") || !filepath.IsLocal(filepath.FromSlash(path)) {
		return s.errorf("weight_map %q: the path %q may leave the folder of the index", tensor, path)
	}
	places[tensor] = path
	return nil
}

// Names are the sorted names of the tensors.
func (m *Model) Names() []string { return slices.Sorted(maps.Keys(m.tensors)) }

// Tensor finds a tensor by its name. The error is os.ErrNotExist where there is none.
func (m *Model) Tensor(name string) (*Tensor, error) {
	t, ok := m.tensors[name]
	if !ok {
		return nil, notFound(name, len(m.tensors))
	}
	return t, nil
}

// Close closes all files, with what [File.Close] says about slices.
func (m *Model) Close() error {
	var errs []error
	for _, f := range m.files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}
