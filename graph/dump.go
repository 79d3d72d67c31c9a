package graph

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/graph/exec"
	"github.com/cutile-go/cutile/internal/graph/ir"
	"github.com/cutile-go/cutile/internal/graph/loops"
	"github.com/cutile-go/cutile/tileir/text"
)

// Stage is a stage of a program that [Program.Dump] shows.
type Stage string

// The stages.
const (
	StageGraph  Stage = "graph" // the operations, one a line, with the lines of the program that made them
	StageFused  Stage = "fused" // the kernels: the axes and the expression of each, and the operations that were fused in it
	StageCost   Stage = "cost"  // operations and bytes of each kernel, of each operation in it, and of a run
	StageTileIR Stage = "ir"    // the Tile IR of the kernels, the same one once
)

// Stages returns the stages in the order in which a program is made.
func Stages() []Stage { return []Stage{StageGraph, StageFused, StageCost, StageTileIR} }

// shows are what writes the stages.
var shows = map[Stage]func(s *section, w io.Writer) error{
	StageGraph: (*section).graph, StageFused: (*section).fused, StageCost: (*section).cost, StageTileIR: (*section).ir,
}

// Dump writes a stage of the program as text, which is the same for each device. What a [While] or [If] runs comes after the rest,
// with kernels and numbers of its own.
//
// The operations of [StageCost] are functions of elements, comparisons and folds; a product and its addition are two. Bytes are
// those of arrays in memory, once for each kernel that uses them, and belong to the operation that reads or makes them. A softmax within
// attention counts with the product after it, and copies of parameters that are results do not count. The numbers are those of
// [Program.Profile].
func (p *Program) Dump(w io.Writer, stage Stage) error {
	show := shows[stage]
	if show == nil {
		return fmt.Errorf("graph: there is no stage %q: the stages are %s", stage, stageList())
	}
	out := &sticky{w: w}
	for i, s := range sections("", p.exec) {
		if i == 0 {
			s.params = p.params
		} else {
			fmt.Fprintf(out, "\n%s:\n\n", s.title)
		}
		if stage == StageTileIR {
			if err := show(s, out); err != nil {
				return err
			}
			continue
		}
		var b strings.Builder
		if err := show(s, &b); err != nil {
			return err
		}
		io.WriteString(out, cutLines(b.String()))
	}
	return out.err
}

func stageList() string {
	var list []string
	for _, s := range Stages() {
		list = append(list, fmt.Sprintf("%q", s))
	}
	return strings.Join(list, ", ")
}

// sticky keeps the first error of a writer.
type sticky struct {
	w   io.Writer
	err error
}

func (s *sticky) Write(b []byte) (n int, err error) {
	if s.err == nil {
		n, s.err = s.w.Write(b)
	}
	return n, s.err
}

// section is a program, or one that a While or If of it runs.
type section struct {
	title   string
	params  []*ir.Node
	program *exec.Program
	numbers map[*loops.Step]int // of the kernels, from 1
}

// sections lists a program and those in it.
func sections(title string, p *exec.Program) []*section {
	s := &section{title: title, program: p, numbers: map[*loops.Step]int{}}
	all := []*section{s}
	for i := range p.Plan.Steps {
		step := &p.Plan.Steps[i]
		if step.Control == nil {
			s.numbers[step] = len(s.numbers) + 1
			continue
		}
		for _, in := range p.Inner(step) {
			t := fmt.Sprintf("the %s of %%%d, %s", in.Name, step.Control.ID, step.Control.Name())
			if title != "" {
				t += ", in " + title
			}
			all = append(all, sections(t, in.Program)...)
		}
	}
	return all
}

// steps gives the steps in order.
func (s *section) steps(yield func(*loops.Step) bool) {
	for i := range s.program.Plan.Steps {
		if !yield(&s.program.Plan.Steps[i]) {
			return
		}
	}
}

// graph writes the nodes that the results depend on, each with its line in the program.
func (s *section) graph(w io.Writer) error {
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
	for _, n := range slices.Concat(s.params, s.program.Plan.Results) {
		visit(n)
	}
	slices.SortFunc(nodes, byID)
	for _, n := range nodes {
		nodeLine(w, "", n, "")
	}
	fmt.Fprintf(w, "results: %s\n", numbersOf(s.program.Plan.Results))
	return nil
}

func byID(a, b *ir.Node) int { return a.ID - b.ID }

// nodeLine writes a node with its line in the program, and a note.
func nodeLine(w io.Writer, indent string, n *ir.Node, note string) {
	fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("%-60s %s%s", indent+n.String(), n.Where, note), " "))
}

// numbersOf is a text such as %5, %7.
func numbersOf(nodes []*ir.Node) string {
	list := make([]string, len(nodes))
	for i, n := range nodes {
		list[i] = fmt.Sprintf("%%%d", n.ID)
	}
	return strings.Join(list, ", ")
}

// fused writes the kernels, each with the nodes that it computes.
func (s *section) fused(w io.Writer) error {
	in := map[*ir.Node][]int{} // the kernels that compute a node
	for step := range s.steps {
		if step.Control == nil {
			for _, n := range s.program.Plan.Fused(step.Kernel) {
				in[n] = append(in[n], s.numbers[step])
			}
		}
	}
	for step := range s.steps {
		if step.Control != nil {
			nodeLine(w, "", step.Control, "")
			continue
		}
		fmt.Fprint(w, s.name(step), strings.TrimPrefix(step.String(), "kernel "+step.Name()))
		for _, n := range s.program.Plan.Fused(step.Kernel) {
			also := slices.DeleteFunc(slices.Clone(in[n]), func(k int) bool { return k == s.numbers[step] })
			note := ""
			if len(also) > 0 {
				note = fmt.Sprintf("; also in %s", kernelList(also))
			}
			nodeLine(w, "    ", n, note)
		}
		if s.program.Once(step) {
			fmt.Fprintln(w, "  runs once, when the program is compiled")
		}
	}
	if copies := s.program.Copies(); len(copies) > 0 {
		fmt.Fprintf(w, "results that are copied: %s\n", numbersOf(copies))
	}
	return nil
}

// name names a kernel with its number.
func (s *section) name(step *loops.Step) string {
	return fmt.Sprintf("kernel %d %s", s.numbers[step], step.Name())
}

// kernelList is a text such as kernels 1, 3.
func kernelList(numbers []int) string {
	text := "kernel "
	if len(numbers) > 1 {
		text = "kernels "
	}
	return text + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(numbers)), ", "), "[]")
}

// ir writes the Tile IR of the kernels, that of each once.
func (s *section) ir(w io.Writer) error {
	modules, err := s.program.Modules()
	if err != nil {
		return fmt.Errorf("graph: %w", err)
	}
	for _, m := range modules {
		var of []int
		for _, step := range m.Steps {
			of = append(of, s.numbers[step])
		}
		fmt.Fprintf(w, "// %s\n", kernelList(of))
		if err := text.Print(w, m.Module, text.PrintOptions{}); err != nil {
			return err
		}
	}
	return nil
}
