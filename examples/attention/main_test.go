package main

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/testing/assemble"
	"github.com/cutile-go/cutile/internal/testing/exampletest"
	"github.com/cutile-go/cutile/tile"
)

// bound is the allowed error: weights and results are rounded to float16, with an error of up to 2^-11 of a result
// below 4.
const bound = 4 * 2 * 0x1p-11

func TestAttention(t *testing.T) {
	dev, err := cutile.Open("", cutile.WithChecks())
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	for _, p := range []problem{
		{batch: 1, heads: 1, shared: 1, queries: 64, keys: 64},
		{batch: 1, heads: 1, shared: 1, queries: 1, keys: 1},
		{batch: 2, heads: 6, shared: 2, queries: 65, keys: 65},
		{batch: 1, heads: 4, shared: 4, queries: 127, keys: 127},
		{batch: 3, heads: 8, shared: 1, queries: 30, keys: 30},
		{batch: 1, heads: 4, shared: 2, queries: 1, keys: 200},  // one new token
		{batch: 2, heads: 2, shared: 1, queries: 70, keys: 133}, // more text after earlier text
	} {
		t.Run(fmt.Sprint(p), func(t *testing.T) {
			worst, err := p.compare(t.Context(), dev, rand.New(rand.NewPCG(9, uint64(p.keys))))
			if err != nil {
				t.Fatal(err)
			}
			if !(worst <= bound) {
				t.Errorf("error %v, bound %v", worst, bound)
			}
		})
	}
}

func TestOutput(t *testing.T) { exampletest.Output(t, run) }

func TestKernels(t *testing.T) {
	exampletest.Kernels(t,
		assemble.Case{Kernel: attention[tile.D64, tile.D64, tile.D64], Transposed: []string{"k"}})
}
