package threads

import (
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/plan"
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
	target, err := simt.TargetOf(arch)
	if err != nil {
		return nil, err
	}
	e := m.Entries[0]
	x := &Explanation{Plan: plan.New(e, targetOf(target, o))}
	if x.Kernel, _, err = compile(m, e.Name, targetOf(target, o), o); err != nil {
		return nil, err
	}
	x.Code, err = PTX(m, e.Name, arch, o)
	return x, err
}
