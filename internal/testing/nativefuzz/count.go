package nativefuzz

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// Counts says what the modules of a run had and what became of them.
type Counts struct {
	Modules, Refused, Faults, Differ int
	Explained                        int                       // modules of which it is known what became machine code
	Made                             map[string]int            // explained modules that have an operation with an element type
	Native                           map[string]map[string]int // modules in which it ran as machine code, by level
	Code                             map[string]int            // modules that had machine code, by level
}

// Add adds a program and what became of it.
func (c *Counts) Add(p *Program, rep *Report) {
	one := Counts{Modules: 1, Refused: truth(rep.Refused), Faults: truth(rep.Fault), Differ: truth(rep.Diff != ""), Made: map[string]int{},
		Native: map[string]map[string]int{}, Code: map[string]int{}}
	if len(rep.Native) > 0 {
		one.Explained = 1
		for op := range p.Module.All() {
			one.Made[opName(op)] = 1
		}
	}
	for level, ops := range rep.Native {
		name := level.String()
		one.Native[name] = map[string]int{}
		one.Code[name] = truth(len(ops) > 0)
		for _, op := range ops {
			one.Native[name][opName(op)] = 1
		}
	}
	c.Join(&one)
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Join adds the counts of another run.
func (c *Counts) Join(d *Counts) {
	if c.Made == nil {
		c.Made, c.Native, c.Code = map[string]int{}, map[string]map[string]int{}, map[string]int{}
	}
	c.Modules, c.Refused, c.Faults, c.Differ = c.Modules+d.Modules, c.Refused+d.Refused, c.Faults+d.Faults, c.Differ+d.Differ
	c.Explained += d.Explained
	for name, n := range d.Made {
		c.Made[name] += n
	}
	for level, names := range d.Native {
		if c.Native[level] == nil {
			c.Native[level] = map[string]int{}
		}
		for name, n := range names {
			c.Native[level][name] += n
		}
		c.Code[level] += d.Code[level]
	}
}

// opName is an operation with the element type of its first operand that is a tile, or of its result.
func opName(op *tileir.Op) string {
	for _, list := range [][]*tileir.Value{op.Operands, op.Results} {
		for _, v := range list {
			switch t := v.Type.(type) {
			case *tileir.TileType:
				return op.Info.Mnemonic + " " + t.Elem.String()
			case tileir.ViewType:
				return op.Info.Mnemonic + " " + t.TensorView().Elem.String()
			}
		}
	}
	return op.Info.Mnemonic
}

// Print writes the counts as a table.
func (c *Counts) Print(w io.Writer) {
	levels := slices.Sorted(maps.Keys(c.Native))
	fmt.Fprintf(w, "%d modules, %d refused, %d with faults, %d that differ; of %d it is known what became machine code\n", c.Modules, c.Refused, c.Faults, c.Differ, c.Explained)
	for _, l := range levels {
		fmt.Fprintf(w, "%s: machine code in %d modules\n", l, c.Code[l])
	}
	fmt.Fprintf(w, "%-36s %9s", "modules with", "made")
	for _, l := range levels {
		fmt.Fprintf(w, " %9s", l)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Made)) {
		fmt.Fprintf(w, "\n%-36s %9d", name, c.Made[name])
		for _, l := range levels {
			fmt.Fprintf(w, " %9d", c.Native[l][name])
		}
	}
	fmt.Fprintln(w)
}
