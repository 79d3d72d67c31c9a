// Package mapped gives the bytes of files, mapped into memory where the system has that, and else read.
package mapped

import (
	"fmt"
	"math"
	"os"
	"sync"
)

// A File holds the bytes of a file.
type File struct {
	data  []byte
	unmap func([]byte) error
	once  sync.Once
	err   error
}

// Open maps a regular file. The bytes must not be written to. A file that someone makes shorter while it is mapped ends the
// program with a fault where the bytes that it lost are read: this is how systems map files.
func Open(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // a mapping stays
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	if info.Size() > math.MaxInt {
		return nil, fmt.Errorf("%s has %d bytes, more than the address space of this system", path, info.Size())
	}
	if info.Size() == 0 {
		return &File{}, nil
	}
	data, unmap, err := mapFile(f, int(info.Size()))
	if err != nil {
		return nil, fmt.Errorf("mapping %s: %w", path, err)
	}
	return &File{data: data, unmap: unmap}, nil
}

// Bytes are the bytes of the file, valid until Close.
func (f *File) Bytes() []byte { return f.data }

// Close gives the memory back. It may be called again, with the same result.
func (f *File) Close() error {
	f.once.Do(func() {
		if f.unmap != nil {
			f.err = f.unmap(f.data)
		}
		f.data = nil
	})
	return f.err
}
