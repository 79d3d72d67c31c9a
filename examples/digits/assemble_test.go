package main

import (
	"testing"

	"github.com/cutile-go/cutile/internal/testing/assemble"
	"github.com/cutile-go/cutile/internal/testing/exampletest"
)

// TestAssemble assembles the kernels with NVIDIA's tools, in the instances that the network launches.
func TestAssemble(t *testing.T) {
	exampletest.Kernels(t,
		assemble.Case{Kernel: linear[rows, wide, wide], Funcs: []any{relu[mat[rows, wide]]}},
		assemble.Case{Kernel: linear[rows, class, wide], Funcs: []any{same[mat[rows, class]]}},
		assemble.Case{Kernel: crossEntropy[rows, class]},
		assemble.Case{Kernel: hiddenGrad[rows, wide, class]},
		assemble.Case{Kernel: weightGrad[wide, class, rows]},
		assemble.Case{Kernel: biasGrad[class, rows]},
		assemble.Case{Kernel: update[line]},
		assemble.Case{Kernel: predict[rows, class]},
		assemble.Case{Kernel: mean[line]})
}
