package onnx_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/onnx"
)

// FuzzBuild reads models, and builds the graph of what is read for small inputs: no file may end in a panic, or in a message that
// admits a bug.
func FuzzBuild(f *testing.F) {
	dev := open(f)
	for _, b := range seeds() {
		f.Add(b)
	}
	if folder := os.Getenv("CUTILE_ONNX"); folder != "" { // ONNX's tests of operators as seeds
		files, _ := filepath.Glob(filepath.Join(folder, "backend/test/data/node/*/model.onnx"))
		for _, file := range files {
			if data, err := os.ReadFile(file); err == nil && len(data) < 4096 {
				f.Add(data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := onnx.Parse(data)
		if err != nil {
			admits(t, err)
			return
		}
		m.Used()
		admits(t, onnx.Build(t.Context(), m, dev, 1<<16))
	})
}

func admits(t *testing.T, err error) {
	t.Helper()
	if err != nil && strings.Contains(err.Error(), "BUG") {
		t.Fatal(err)
	}
}

// TestSeeds builds the fuzz target's seeds: they are models.
func TestSeeds(t *testing.T) {
	dev := open(t)
	for i, b := range seeds() {
		m, err := onnx.Parse(b)
		if err != nil {
			t.Fatalf("seed %d: %v", i, err)
		}
		if err := onnx.Build(t.Context(), m, dev, 1<<16); err != nil {
			t.Errorf("seed %d: %v", i, err)
		}
	}
}
