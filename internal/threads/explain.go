package threads

import (
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/threads/emit"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/plan"
	"github.com/cutile-go/cutile/internal/threads/ptx"
	"github.com/cutile-go/cutile/tileir"
)

// Explanation is what [PTX] makes on the way to its module, for people.
type Explanation struct {
	Plan   *plan.Plan   // the layouts of tiles
	Kernel *ir.Kernel   // the program of one thread
	Code   *simt.Module // of PTX
}

// Explain does what [PTX] does for the first entry of a module, and gives the stages, too.
func Explain(m *tileir.Module, arch string, o Options) (*Explanation, error) {
	return explain(m, m.Entries[0].Name, arch, o)
}

func explain(m *tileir.Module, entry, arch string, o Options) (*Explanation, error) {
	target, err := simt.TargetOf(arch)
	if err != nil {
		return nil, err
	}
	p, k, vars, err := compile(m, entry, targetOf(target, o), machineOf(target, o))
	if err != nil {
		return nil, err
	}
	code := &simt.Module{Name: entry, Kernels: []*simt.Func{ptx.Write(k, target, o.Debug)}}
	for _, v := range vars {
		code.Vars = append(code.Vars, &simt.Var{Name: v.Name, Space: "global", Align: max(16, v.Align), Bytes: len(v.Data), Init: v.Data})
	}
	return &Explanation{p, k, code}, nil
}

// machineOf is what the emitter has to know of an architecture.
func machineOf(a simt.Arch, o Options) emit.Target {
	return emit.Target{Shared: a.Shared, Exact: o.Exact, Narrow: a.SM >= 80, Floats8: a.SM >= 89, Magic: true, Shuffles: true, Wide: true, Fused: true, Observe: o.Debug}
}
