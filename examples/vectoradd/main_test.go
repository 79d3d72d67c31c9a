package main

import (
	"math"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/testing/assemble"
	"github.com/cutile-go/cutile/internal/testing/exampletest"
	"github.com/cutile-go/cutile/tile"
)

func TestSum(t *testing.T) {
	dev, err := cutile.Open("", cutile.WithChecks())
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	for _, n := range []int{0, 1, 7, 1023, 1024, 1025, 5000} {
		xs, ys := make([]float32, n), make([]float32, n)
		for i := range xs {
			xs[i], ys[i] = float32(i)/3, float32(math.Sin(float64(i)))
		}
		zs, err := sum(t.Context(), dev, xs, ys)
		if err != nil {
			t.Fatal(err)
		}
		if len(zs) != n {
			t.Fatalf("%d sums of %d elements", len(zs), n)
		}
		for i, z := range zs {
			if want := xs[i] + ys[i]; z != want { // a single rounding, which is the same everywhere
				t.Errorf("n %d: z[%d] = %v, want %v", n, i, z, want)
			}
		}
	}
}

// TestSpecial checks that infinities, NaN and signed zeros add as in Go.
func TestSpecial(t *testing.T) {
	dev, err := cutile.Open("", cutile.WithChecks())
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	inf, nan, zero := float32(math.Inf(1)), float32(math.NaN()), float32(math.Copysign(0, -1))
	xs := []float32{inf, inf, nan, zero, zero, math.MaxFloat32, 1e-45}
	ys := []float32{inf, -inf, 1, zero, 0, math.MaxFloat32, 1e-45}
	zs, err := sum(t.Context(), dev, xs, ys)
	if err != nil {
		t.Fatal(err)
	}
	for i, z := range zs {
		want := xs[i] + ys[i]
		if math.Float32bits(z) != math.Float32bits(want) && !(z != z && want != want) {
			t.Errorf("%v + %v = %v, want %v", xs[i], ys[i], z, want)
		}
	}
}

// TestMismatch checks that sum refuses slices of different lengths, which a kernel that works tile by tile does not
// notice.
func TestMismatch(t *testing.T) {
	dev, err := cutile.Open("", cutile.WithChecks())
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	if _, err := sum(t.Context(), dev, make([]float32, 3), make([]float32, 4)); err == nil || !strings.Contains(err.Error(), "3 and 4 elements") {
		t.Errorf("error %v", err)
	}
}

func TestOutput(t *testing.T) { exampletest.Output(t, run) }

func TestKernels(t *testing.T) { exampletest.Kernels(t, assemble.Case{Kernel: add[tile.D1024]}) }
