package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile/bench"
	"github.com/cutile-go/cutile/internal/testing/assemble"
	"github.com/cutile-go/cutile/internal/testing/exampletest"
	"github.com/cutile-go/cutile/tile"
)

// TestRun: all ways have the same results, and the plots are there.
func TestRun(t *testing.T) {
	t.Setenv("CUTILE_CHECKS", "off")
	t.Run("cpu", func(t *testing.T) {
		t.Setenv("CUTILE_DEVICE", "cpu")
		plots(t, "cpu", 1)
	})
	t.Run("cuda", func(t *testing.T) {
		exampletest.GPU(t)
		plots(t, "cuda:0", 2)
	})
}

// plots compares all ways for two sizes; threads are measured for some of them.
func plots(t *testing.T, device string, threads int) {
	t.Helper()
	var out strings.Builder
	dir := t.TempDir()
	roof := &bench.Roofline{Device: device, Bandwidth: 1e10, Peaks: []bench.Peak{{Kind: "matrix", Type: "f32", Rate: 1e11}}}
	if err := run(t.Context(), &out, dir, []int{16, 80}, bench.Options{Rounds: 1, Sample: 1, Warm: time.Nanosecond, Roof: roof}); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	if strings.Contains(text, "not measured") || strings.Count(text, "package kernels/gemm") != 3 || strings.Count(text, "threads") != threads || !strings.Contains(text, "roof of") {
		t.Errorf("the output is\n%s", text)
	}
	for _, name := range []string{"speed.svg", "roof.svg"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.Contains(string(data), "tiles of 16") {
			t.Errorf("%s: %v, %d bytes", name, err, len(data))
		}
	}
}

func TestKernels(t *testing.T) {
	exampletest.Kernels(t, assemble.Case{Kernel: product[tile.D64, tile.D64, tile.D64]}, assemble.Case{Kernel: product[tile.D16, tile.D16, tile.D16]})
}
