package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/testing/assemble"
	"github.com/cutile-go/cutile/internal/testing/exampletest"
	"github.com/cutile-go/cutile/tile"
)

func TestCount(t *testing.T) {
	dev, err := cutile.Open("", cutile.WithChecks())
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	strange := []float32{low, high, math.Nextafter32(high, 0), math.Nextafter32(low, -9), 0, float32(math.NaN()),
		float32(math.Inf(1)), float32(math.Inf(-1)), math.MaxFloat32, -math.MaxFloat32}
	r := rand.New(rand.NewPCG(1, 4))
	cases := []struct {
		name    string
		samples []float32
		bins    int
	}{
		{"one sample", []float32{0.5}, 10},
		{"edges and NaN", strange, 7},
		{"one bin", normal(r, 3000), 1},
		{"a tile", normal(r, 1024), 16},
		{"more than one turn", normal(r, 64*1024*2+77), 100},
		{"more bins than samples", normal(r, 1023), 4001},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			samples, err := cutile.FromSlice(dev, c.samples)
			if err != nil {
				t.Fatal(err)
			}
			counts, err := count(t.Context(), dev, samples, c.bins)
			if err != nil {
				t.Fatal(err)
			}
			got, err := counts.Slice()
			if err != nil {
				t.Fatal(err)
			}
			if want := reference(c.samples, c.bins); !slices.Equal(got, want) {
				t.Errorf("got  %v\nwant %v", got, want)
			}
		})
	}
}

func TestOutput(t *testing.T) { exampletest.Output(t, run) }

func TestKernels(t *testing.T) { exampletest.Kernels(t, assemble.Case{Kernel: histogram[tile.D1024]}) }
