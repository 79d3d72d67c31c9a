package compile_test

import (
	"testing"

	"github.com/cutile-go/cutile/internal/testing/assemble"
	"github.com/cutile-go/cutile/tile"
)

// TestLanguageAssembles gives kernels of every kind to NVIDIA's assembler: with promises and without, 64-bit counters,
// carried tokens, early returns, reductions of two tiles, prints.
func TestLanguageAssembles(t *testing.T) {
	for name, fn := range map[string]any{
		"softmax": softmax[tile.D16, tile.D64], "histogram": histogram[tile.D128], "arg": arg[tile.D16, tile.D64],
		"persistent": persistent[tile.D128, tile.D64, tile.D32], "inPlace": inPlace[tile.D64, tile.D64, tile.D64],
		"deep": deep[tile.D16], "readBack": readBack[tile.D16], "folded": folded[tile.D1, tile.D1, tile.D16, tile.D16],
		"earlyReturn": earlyReturn[tile.D16], "identities": identities[tile.D16], "notEqual": notEqual[tile.D16],
	} {
		t.Run(name, func(t *testing.T) {
			for _, promises := range []bool{false, true} {
				c := assemble.Case{Kernel: fn}.Code(t, promises)
				data := assemble.Bytecode(t, c.Module)
				assemble.Cubin(t, data, "sm_90")
				assemble.SameText(t, data, c.Module)
			}
		})
	}
}
