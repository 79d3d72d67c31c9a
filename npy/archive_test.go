package npy_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/npy"
)

// archive makes a .npz file, compressed or not, of the files that NumPy wrote.
func archive(t testing.TB, compressed bool) []byte {
	t.Helper()
	var out bytes.Buffer
	w := npy.NewArchiveWriter(&out)
	if compressed {
		w.Compress()
	}
	for _, name := range []string{"f32", "fortran", "big"} {
		a, err := npy.Read(bytes.NewReader(file(t, name)))
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(name, a); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestArchive(t *testing.T) {
	for _, compressed := range []bool{false, true} {
		data := archive(t, compressed)
		a, err := npy.OpenArchive(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		if names := a.Names(); !slices.Equal(names, []string{"f32", "fortran", "big"}) {
			t.Errorf("the names are %q", names)
		}
		for _, name := range a.Names() {
			want, err := npy.Read(bytes.NewReader(file(t, name)))
			if err != nil {
				t.Fatal(err)
			}
			got, err := a.Read(name)
			if err != nil || got.Type != want.Type || !slices.Equal(got.Shape, want.Shape) || !bytes.Equal(got.Data, want.Data) {
				t.Errorf("%s: got %v, %v; want %v", name, got, err, want)
			}
			if h, err := a.Header(name); err != nil || h.Type != want.Type || h.Len() != want.Len() {
				t.Errorf("%s: got %v, %v", name, h, err)
			}
		}
		if _, err := a.Read("f64"); err == nil || err.Error() != `npy: the .npz file has no array "f64"; it has f32, fortran, big` {
			t.Errorf("got %v", err)
		}
	}
}

// TestArchiveWrong: archives that are refused, and what is wrong with them.
func TestArchiveWrong(t *testing.T) {
	made := func(names ...string) []byte {
		var out bytes.Buffer
		z := zip.NewWriter(&out)
		for _, name := range names {
			w, err := z.Create(name)
			if err != nil {
				t.Fatal(err)
			}
			io.WriteString(w, "not an array")
		}
		z.Close()
		return out.Bytes()
	}
	open := func(data []byte) (*npy.Archive, error) {
		return npy.OpenArchive(bytes.NewReader(data), int64(len(data)))
	}
	if _, err := open([]byte("PK no")); err == nil || !strings.HasPrefix(err.Error(), "npy: not a .npz file: zip: ") {
		t.Errorf("got %v", err)
	}
	if _, err := open(made("a.npy", "a.npy")); err == nil || err.Error() != `npy: the .npz file has the array "a" twice; expected each name once` {
		t.Errorf("got %v", err)
	}
	a, err := open(made("../a.npy", "readme.txt"))
	if err != nil || !slices.Equal(a.Names(), []string{"../a"}) {
		t.Fatalf("got %v, %v", a, err)
	}
	if _, err := a.Read("../a"); err == nil || err.Error() != `npy: array "../a": npy: not a .npy file: the magic number is missing` {
		t.Errorf("got %v", err)
	}
	w := npy.NewArchiveWriter(io.Discard)
	if _, err := w.Create("a"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Create("a"); err == nil || err.Error() != `npy: the .npz file has an array "a" already` {
		t.Errorf("got %v", err)
	}
	broken := archive(t, false)
	at := bytes.Index(broken, []byte("NUMPY")) + 130 // among the elements: the checksum is wrong then
	broken[at] ^= 1
	if a, err = open(broken); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Read("f32"); !errors.Is(err, zip.ErrChecksum) {
		t.Errorf("got %v", err)
	}
}

// TestReader reads elements in parts of every size, from readers that give few bytes at a time, and files that follow each other.
func TestReader(t *testing.T) {
	for _, name := range []string{"f32", "fortran", "big", "scalar", "empty"} {
		want, err := npy.Read(bytes.NewReader(file(t, name)))
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{1, 3, 7, 8, 4096} {
			two := io.MultiReader(iotest.HalfReader(bytes.NewReader(file(t, name))), iotest.OneByteReader(bytes.NewReader(file(t, name))))
			for range 2 {
				r, err := npy.NewReader(two)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				var got bytes.Buffer
				if _, err := io.CopyBuffer(struct{ io.Writer }{&got}, r, make([]byte, size)); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if got.Len() != len(want.Data) || !r.Header.Fortran && !bytes.Equal(got.Bytes(), want.Data) {
					t.Errorf("%s in parts of %d: got %x, want %x", name, size, got.Bytes(), want.Data)
				}
			}
		}
		data := file(t, name)
		if want.Len() == 0 {
			continue
		}
		r, err := npy.NewReader(bytes.NewReader(data[:len(data)-1]))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(r); !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), "bytes of elements, but the file has ") {
			t.Errorf("%s without its end: %v", name, err)
		}
	}
}

// TestOf: each type of dtype that NumPy or ml_dtypes has a name for, and the way back.
func TestOf(t *testing.T) {
	for _, d := range dtype.Types() {
		typ, ok := npy.Of(d)
		if lacks := d == dtype.TF32 || d == dtype.F8E5M3FNU; ok == lacks || ok && typ.DType() != d {
			t.Errorf("%v: %v, %v", d, typ, ok)
		}
	}
	if npy.Raw16.DType() != dtype.Invalid {
		t.Error("raw bytes have no type")
	}
	if _, err := (npy.Header{Type: npy.Type(dtype.TF32)}).WriteTo(io.Discard); err == nil || !strings.Contains(err.Error(), "npy: files have no elements of tf32; expected one of [bool ") {
		t.Errorf("got %v", err)
	}
}

func FuzzArchive(f *testing.F) {
	f.Add(archive(f, false))
	f.Add(archive(f, true))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := npy.OpenArchive(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		for _, name := range a.Names() {
			h, err := a.Header(name)
			if err != nil || h.Len() > 1<<20 {
				continue
			}
			if array, err := a.Read(name); err == nil && array.Len() != h.Len() {
				t.Errorf("%s has %d elements, not %d", name, array.Len(), h.Len())
			}
		}
	})
}
