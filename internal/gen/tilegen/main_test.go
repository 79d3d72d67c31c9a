package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestGenerated regenerates the files of package tile and wants no difference.
func TestGenerated(t *testing.T) {
	dir := t.TempDir()
	if err := generate(dir); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*_gen.go"))
	if len(files) != 3 {
		t.Fatalf("generated %v, want 3 files", files)
	}
	for _, f := range files {
		want, _ := os.ReadFile(f)
		got, err := os.ReadFile(filepath.Join("../../../tile", filepath.Base(f)))
		if err != nil || string(got) != string(want) {
			t.Errorf("%s is not what the generator writes: run go generate ./tile (%v)", filepath.Base(f), err)
		}
	}
}
