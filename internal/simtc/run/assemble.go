package run

import (
	"context"
	"fmt"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
)

// Assemble has NVIDIA's ptxas make machine code of a module's PTX.
func Assemble(ctx context.Context, m *simt.Module, ptx []byte, arch string, level int) ([]byte, error) {
	tool, err := toolchain.Find(toolchain.Ptxas)
	if err != nil {
		return nil, err
	}
	run := toolchain.Assembly{Tool: tool, Input: ptx, Target: arch, Options: []string{fmt.Sprintf("-O%d", level)}}
	for _, k := range m.Kernels {
		run.Entries = append(run.Entries, k.Name)
	}
	cubin, _, err := run.Run(ctx)
	return cubin, err
}
