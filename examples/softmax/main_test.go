package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/testing/assemble"
	"github.com/cutile-go/cutile/internal/testing/exampletest"
	"github.com/cutile-go/cutile/tile"
)

// bound limits the relative error: the exponent, which is about 30, has an error of some parts in 2^24, and the sum and
// the rest have smaller errors.
const bound = 2e-6

func TestSoftmax(t *testing.T) {
	dev, err := cutile.Open("", cutile.WithChecks())
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	for _, s := range [][2]int{{1, 1}, {3, 5}, {4, 512}, {5, 511}, {8, 513}, {13, 2000}} {
		t.Run(fmt.Sprint(s), func(t *testing.T) {
			xs := random(rand.New(rand.NewPCG(3, uint64(s[1]))), s[0]*s[1])
			ys, err := onDevice(t.Context(), dev, xs, s[0], s[1])
			if err != nil {
				t.Fatal(err)
			}
			if e := worst(ys, xs, s[1]); !(e <= bound) {
				t.Errorf("relative error %v, bound %v", e, bound)
			}
		})
	}
}

// TestMasked checks that elements of -Inf have no weight, even a whole tile of them at the start.
func TestMasked(t *testing.T) {
	dev, err := cutile.Open("", cutile.WithChecks())
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	const rows, cols = 2, 1100
	xs := random(rand.New(rand.NewPCG(3, 3)), rows*cols)
	for i := range 600 {
		xs[i] = float32(math.Inf(-1))
	}
	ys, err := onDevice(t.Context(), dev, xs, rows, cols)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 600 {
		if ys[i] != 0 {
			t.Fatalf("y[%d] = %v where x is -Inf", i, ys[i])
		}
	}
	if e := worst(ys, xs, cols); !(e <= bound) {
		t.Errorf("relative error %v, bound %v", e, bound)
	}
}

func TestOutput(t *testing.T) { exampletest.Output(t, run) }

func TestKernels(t *testing.T) {
	exampletest.Kernels(t, assemble.Case{Kernel: softmax[tile.D4, tile.D512]})
}
