package exec_test

import (
	"testing"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/internal/graph/emit"
	"github.com/cutile-go/cutile/internal/graph/exec"
	"github.com/cutile-go/cutile/internal/testing/graphtest"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

// TestAssemble assembles the kernels of random graphs with NVIDIA's assembler. GRAPHFUZZ_ASSEMBLED says of how many.
func TestAssemble(t *testing.T) {
	tool := cuda.Tileiras{Tool: toolchain.Tool{Name: toolchain.Tileiras, Path: testenv.Tool(t, toolchain.Tileiras)}}
	dev, err := device.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	kernels := 0
	for seed := range number(t, "GRAPHFUZZ_ASSEMBLED", 15) {
		c := graphtest.Random(uint64(seed))
		p, err := exec.Compile(t.Context(), dev.Internal(), c.Params, c.Results, emit.DefaultSizes)
		if err != nil {
			t.Fatal(err)
		}
		modules, err := p.Modules()
		if err != nil {
			t.Fatal(err)
		}
		for _, made := range modules {
			m := made.Module
			if err := tileir.VerifyTarget(m, "sm_100"); err != nil {
				t.Errorf("seed %d: %v", seed, err)
				continue
			}
			code, err := bytecode.Write(m, tileir.Newest, bytecode.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := tool.Assemble(t.Context(), cuda.Job{Bytecode: code, Version: tileir.Newest, Target: "sm_100", Module: m, Entry: m.Entries[0]}); err != nil {
				t.Errorf("seed %d, kernel %s: %v\n%v", seed, m.Entries[0].Name, err, c)
			}
			kernels++
		}
		p.Close()
	}
	t.Logf("%d kernels", kernels)
}
