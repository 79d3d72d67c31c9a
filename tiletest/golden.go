package tiletest

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/tools/store"
)

var update = flag.Bool("tiletest.update", false, "write the files of tiletest.Golden instead of comparing with them")

// updating reports whether files are written: as -tiletest.update says, or a flag -update of the test.
func updating() bool {
	if f := flag.Lookup("update"); f != nil && f.Value.String() == "true" {
		return true
	}
	return *update
}

// Golden compares a tensor with the file testdata/name.npy of the test's package, and fails the test where they differ in shape or,
// by more than a tolerance, in an element. It reports whether they are the same. With the flag -tiletest.update, as in
//
//	go test ./... -run TestAdd -args -tiletest.update
//
// it writes the file instead, and returns true. So does -update, if the test package defines a flag of that name. The file
// has the format of numpy.save.
func Golden[E dtype.Elem](t testing.TB, name string, got *cutile.Tensor[E], tol Tolerance) bool {
	t.Helper()
	file := filepath.Join("testdata", filepath.FromSlash(name)+".npy")
	if updating() {
		if err := writeGolden(file, got); err != nil {
			t.Errorf("tiletest: %v", err)
			return false
		}
		return true
	}
	f, err := os.Open(file)
	if err != nil {
		t.Errorf("tiletest: %v: run the test with -args -tiletest.update to write it", err)
		return false
	}
	defer f.Close()
	want, err := cutile.ReadTensor[E](got.Device(), f)
	if err != nil {
		t.Errorf("tiletest: %s: %v", file, err)
		return false
	}
	defer want.Close()
	if n, _ := f.Read(make([]byte, 1)); n > 0 {
		t.Errorf("tiletest: %s has more behind the elements", file)
		return false
	}
	return Tensors(t, got, want, tol)
}

// writeGolden writes a file at once: another process never sees half of it.
func writeGolden(file string, x io.WriterTo) error {
	file, err := store.Followed(file)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if _, err = x.WriteTo(f); err == nil {
		err = f.Chmod(0o644)
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}
