package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/testing/assemble"
	"github.com/cutile-go/cutile/internal/testing/exampletest"
)

// bound limits errors relative to a result's greatest magnitude. Results are sums of up to 1100 numbers that were
// rounded a few times, and float32 has a relative error of 6e-8.
const bound = 4e-6

func TestLayer(t *testing.T) {
	dev, err := cutile.Open("", cutile.WithChecks())
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	for _, s := range [][2]int{{4, 256}, {1, 7}, {5, 255}, {9, 257}, {66, 1100}} {
		t.Run(fmt.Sprint(s), func(t *testing.T) {
			l, err := newLayer(dev, rand.New(rand.NewPCG(5, uint64(s[1]))), s[0], s[1])
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(l.forward(t.Context(), dev), l.backward(t.Context(), dev)); err != nil {
				t.Fatal(err)
			}
			all, err := l.deviations()
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range all {
				if !(d.worst <= bound) {
					t.Errorf("%s: error %v, bound %v", d.name, d.worst, bound)
				}
			}
		})
	}
}

func TestOutput(t *testing.T) { exampletest.Output(t, run) }

func TestKernels(t *testing.T) {
	exampletest.Kernels(t,
		assemble.Case{Kernel: forward[dimR, dimC]},
		assemble.Case{Kernel: backwardX[dimR, dimC]},
		assemble.Case{Kernel: backwardW[dimR, dimC]})
}
