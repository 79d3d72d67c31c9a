package run

import (
	"context"

	"github.com/cutile-go/cutile/internal/simt/ptx"
)

// readBack replaces the kernels by those that their PTX says: what runs then is the text.
func readBack(_ context.Context, p *program) error {
	m, err := ptx.Read(p.ptx)
	if err != nil {
		return &CompileError{Stage: "read", Arch: p.arch, Module: p.module, Err: err}
	}
	read := *p.module
	read.Kernels = m.Kernels
	for i, k := range p.module.Kernels { // PTX does not say how much dynamic shared memory there is
		read.Kernels[i].Shared = k.Shared
	}
	p.module = &read
	return nil
}
