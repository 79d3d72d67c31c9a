package npy

import (
	"archive/zip"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/names"
)

// suffix is what follows an array's name in an archive.
const suffix = ".npy"

// Archive is a .npz file, as numpy.savez writes it: a zip file of arrays with names.
type Archive struct {
	names []string
	files map[string]*zip.File
}

// OpenArchive reads the list of the arrays of a .npz file of size bytes, such as a *os.File or a *bytes.Reader. Files in it
// whose names do not end in .npy are ignored. Memory is proportional to the file. r is used for as long as the archive is.
func OpenArchive(r io.ReaderAt, size int64) (*Archive, error) {
	z, err := zip.NewReader(r, size)
	if err != nil && err != zip.ErrInsecurePath { // nothing is written to a path
		return nil, fmt.Errorf("npy: not a .npz file: %w", err)
	}
	a := &Archive{files: map[string]*zip.File{}}
	for _, f := range z.File {
		name, ok := strings.CutSuffix(f.Name, suffix)
		if !ok {
			continue
		}
		if a.files[name] != nil {
			return nil, fmt.Errorf("npy: the .npz file has the array %s twice; expected each name once", names.Quote(names.Short(name)))
		}
		a.names, a.files[name] = append(a.names, name), f
	}
	return a, nil
}

// Names returns the names of the arrays, without .npy, in the order of the file.
func (a *Archive) Names() []string { return slices.Clone(a.names) }

// Open opens an array as the .npy file that it is, for [NewReader] and cutile.ReadTensor. Compressed arrays are decompressed
// while they are read. The caller closes the file.
func (a *Archive) Open(name string) (io.ReadCloser, error) {
	f := a.files[name]
	if f == nil {
		return nil, fmt.Errorf("npy: the .npz file has no array %s; it has %s", names.Quote(names.Short(name)), names.Short(strings.Join(a.names, ", ")))
	}
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("npy: array %s: %w", names.Quote(names.Short(name)), err)
	}
	return r, nil
}

// Read reads an array, as the function [Read] does. A compressed array may take 1032 times the bytes that it has in the archive,
// which is what the format can express: check the size of [Archive.Header] first where that matters.
func (a *Archive) Read(name string) (*Array, error) {
	f, err := a.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	array, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("npy: array %s: %w", names.Quote(names.Short(name)), err)
	}
	return array, nil
}

// Header reads only what stands before the elements of an array.
func (a *Archive) Header(name string) (Header, error) {
	f, err := a.Open(name)
	if err != nil {
		return Header{}, err
	}
	defer f.Close()
	h, err := readHeader(f)
	if err != nil {
		return Header{}, fmt.Errorf("npy: array %s: %w", names.Quote(names.Short(name)), err)
	}
	return h, nil
}

// ArchiveWriter writes a .npz file, one array after another, in bounded memory.
type ArchiveWriter struct {
	z      *zip.Writer
	method uint16
	names  map[string]bool
}

// NewArchiveWriter begins a .npz file without compression, as numpy.savez does. [ArchiveWriter.Close] ends it.
func NewArchiveWriter(w io.Writer) *ArchiveWriter {
	return &ArchiveWriter{z: zip.NewWriter(w), method: zip.Store, names: map[string]bool{}}
}

// Compress makes the arrays that follow compressed, as numpy.savez_compressed does.
func (a *ArchiveWriter) Compress() { a.method = zip.Deflate }

// Create begins an array of a name. What is written to w until the next array or Close must be a .npy file, as
// [Header.WriteTo] followed by the elements, or Tensor.WriteTo, writes it.
func (a *ArchiveWriter) Create(name string) (w io.Writer, err error) {
	if a.names[name] {
		return nil, fmt.Errorf("npy: the .npz file has an array %s already", names.Quote(names.Short(name)))
	}
	a.names[name] = true
	w, err = a.z.CreateHeader(&zip.FileHeader{Name: name + suffix, Method: a.method})
	if err != nil {
		return nil, fmt.Errorf("npy: array %s: %w", names.Quote(names.Short(name)), err)
	}
	return w, nil
}

// Write writes an array.
func (a *ArchiveWriter) Write(name string, array *Array) error {
	w, err := a.Create(name)
	if err != nil {
		return err
	}
	return array.Write(w)
}

// Close writes the list of the arrays. It does not close what the archive is written to.
func (a *ArchiveWriter) Close() error {
	if err := a.z.Close(); err != nil {
		return fmt.Errorf("npy: %w", err)
	}
	return nil
}
