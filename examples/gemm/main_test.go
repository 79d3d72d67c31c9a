package main

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/testing/assemble"
	"github.com/cutile-go/cutile/internal/testing/exampletest"
)

func TestProducts(t *testing.T) {
	dev, err := cutile.Open("", cutile.WithChecks())
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	shapes := [][3]int{{64, 64, 32}, {128, 64, 96}, {1, 1, 1}, {1, 100, 65}, {65, 63, 31}, {130, 70, 257}, {17, 129, 0}}
	for _, e := range epilogues {
		for i, s := range shapes {
			t.Run(fmt.Sprintf("%s %v", e.name, s), func(t *testing.T) {
				r, err := compare(t.Context(), dev, rand.New(rand.NewPCG(uint64(i), 7)), s[0], s[1], s[2], e)
				if err != nil {
					t.Fatal(err)
				}
				if !(r.share <= 1) {
					t.Errorf("the greatest error is %v, %v times what rounding explains", r.worst, r.share)
				}
			})
		}
	}
}

func TestOutput(t *testing.T) { exampletest.Output(t, run) }

func TestKernels(t *testing.T) {
	exampletest.Kernels(t,
		assemble.Case{Kernel: gemm[dimM, dimN, dimK]},
		assemble.Case{Kernel: linear[dimM, dimN, dimK], Funcs: []any{relu[block]}},
		assemble.Case{Kernel: linear[dimM, dimN, dimK], Funcs: []any{gelu[block]}})
}
