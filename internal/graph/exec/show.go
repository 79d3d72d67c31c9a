package exec

import (
	"context"

	"github.com/cutile-go/cutile/internal/graph/emit"
	"github.com/cutile-go/cutile/internal/graph/ir"
	"github.com/cutile-go/cutile/internal/graph/loops"
	"github.com/cutile-go/cutile/tileir"
)

// Module is the Tile IR of kernels, which is the same for all of them. Each gives it arguments of its own, which point into its arrays
// ([emit.Args]).
type Module struct {
	*tileir.Module
	Steps []*loops.Step
}

// Modules gives the Tile IR of the program's kernels, in the order in which they run.
func (p *Program) Modules() ([]*Module, error) {
	var all []*Module
	made := map[string]*Module{} // by the keys
	for i := range p.Plan.Steps {
		s := &p.Plan.Steps[i]
		if s.Control != nil {
			continue
		}
		key := emit.Key(s.Kernel, p.sizes)
		m := made[key]
		if m == nil {
			code, err := improved(context.Background(), s.Kernel, p.sizes)
			if err != nil {
				return nil, err
			}
			m = &Module{Module: code.Module}
			made[key], all = m, append(all, m)
		}
		m.Steps = append(m.Steps, s)
	}
	return all, nil
}

// Once reports whether a step of the plan has run when the program was compiled, because it depends on constants alone.
func (p *Program) Once(s *loops.Step) bool { return s.Control == nil && p.fixed[s.Into] != nil }

// Copies lists the results that a run copies from what else has memory: parameters, constants, and other results.
func (p *Program) Copies() []*ir.Node {
	var all []*ir.Node
	for _, r := range p.outs {
		if r.copy {
			all = append(all, r.node)
		}
	}
	return all
}

// Inner is a program that a control step runs.
type Inner struct {
	Name string // condition, body, then branch or else branch
	*Program
}

// Inner lists the programs that a step of the plan runs, none for a kernel.
func (p *Program) Inner(s *loops.Step) (all []Inner) {
	for _, step := range p.steps {
		if step.of != s || step.control == nil {
			continue
		}
		c := step.control
		for _, in := range []Inner{{"condition", c.cond}, {"body", c.body}, {"then branch", c.then}, {"else branch", c.or}} {
			if in.Program != nil {
				all = append(all, in)
			}
		}
	}
	return all
}
