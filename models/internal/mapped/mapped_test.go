package mapped_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/cutile-go/cutile/models/internal/mapped"
)

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	for _, want := range [][]byte{nil, {1}, bytes.Repeat([]byte("abc"), 5000)} {
		path := filepath.Join(dir, "f")
		if err := os.WriteFile(path, want, 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := mapped.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(f.Bytes(), want) {
			t.Errorf("%d bytes, want %d", len(f.Bytes()), len(want))
		}
		for range 2 {
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		}
		if f.Bytes() != nil {
			t.Error("bytes after Close")
		}
	}
	for _, path := range []string{dir, filepath.Join(dir, "none")} {
		if _, err := mapped.Open(path); err == nil {
			t.Errorf("%s was mapped", path)
		}
	}
}
