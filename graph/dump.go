package graph

import (
	"fmt"
	"io"
	"slices"

	"github.com/cutile-go/cutile/internal/graph/ir"
	"github.com/cutile-go/cutile/internal/graph/loops"
	"github.com/cutile-go/cutile/tileir/text"
)

// Stage is a stage of a program that [Program.Dump] shows.
type Stage string

// The stages.
const (
	StageGraph   Stage = "graph"   // the operations, one a line
	StageKernels Stage = "kernels" // the kernels: the operations in each, its axes, expression, and cost
	StageTileIR  Stage = "ir"      // the Tile IR of each kernel
)

// Dump writes a stage of the program as text.
func (p *Program) Dump(w io.Writer, stage Stage) error {
	switch stage {
	case StageGraph:
		return p.dumpGraph(w)
	case StageKernels:
		return p.dumpKernels(w)
	case StageTileIR:
		return p.dumpIR(w)
	}
	return fmt.Errorf("graph: there is no stage %q: the stages are %q, %q and %q", stage, StageGraph, StageKernels, StageTileIR)
}

// dumpGraph writes the nodes that the results depend on, each with its line in the program.
func (p *Program) dumpGraph(w io.Writer) error {
	var nodes []*ir.Node
	seen := map[*ir.Node]bool{}
	var visit func(*ir.Node)
	visit = func(n *ir.Node) {
		if !seen[n] {
			seen[n] = true
			nodes = append(nodes, n)
			for _, x := range n.In {
				visit(x)
			}
		}
	}
	for _, n := range p.exec.Plan.Results {
		visit(n)
	}
	slices.SortFunc(nodes, func(a, b *ir.Node) int { return a.ID - b.ID })
	for _, n := range nodes {
		if _, err := fmt.Fprintf(w, "%-60v %s\n", n, n.Where); err != nil {
			return err
		}
	}
	return nil
}

// dumpKernels writes the kernels, with the nodes that each computes, and what it costs.
func (p *Program) dumpKernels(w io.Writer) error {
	var all loops.Cost
	for _, s := range p.exec.Plan.Steps {
		if s.Control != nil {
			fmt.Fprintln(w, s.Control)
			continue
		}
		c := s.Kernel.Cost()
		all.Operations, all.Bytes = all.Operations+c.Operations, all.Bytes+c.Bytes
		fmt.Fprintf(w, "%v  computes", s.Kernel)
		for _, n := range s.Kernel.Nodes {
			fmt.Fprintf(w, " %%%d", n.ID)
		}
		fmt.Fprintf(w, "\n  %d operations, %d bytes\n", c.Operations, c.Bytes)
	}
	_, err := fmt.Fprintf(w, "in all: kernels %d, operations %d, bytes %d\n", len(p.exec.Plan.Steps), all.Operations, all.Bytes)
	return err
}

// dumpIR writes the Tile IR of the kernels, that of each once.
func (p *Program) dumpIR(w io.Writer) error {
	modules, err := p.exec.Modules()
	for _, m := range modules {
		if err == nil {
			err = text.Print(w, m, text.PrintOptions{})
		}
	}
	return err
}
