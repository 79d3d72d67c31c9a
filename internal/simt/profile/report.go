package profile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
)

// Report is what a launch did, and the model's cycles for a target.
type Report struct {
	Kernel   string `json:"kernel"`
	Grid     [3]int `json:"grid"`
	Launches int    `json:"launches"`
	Block    [3]int `json:"block"`
	Shared   int    `json:"shared"` // bytes of a block
	Target   string `json:"target"`
	Product  string `json:"product"`

	Blocks int     `json:"blocks"` // of all launches
	Warps  int     `json:"warps"`  // of a block
	Total  Entry   `json:"total"`
	Units  []Entry `json:"units"` // by unit and, of tensor cores, kind and shape
	Loops  []Loop  `json:"loops"`
	Lines  []Entry `json:"lines"`

	Read         int64    `json:"read"`         // bytes of memory, each sector once
	Written      int64    `json:"written"`      //
	Microseconds float64  `json:"microseconds"` // of all launches at least, by the model
	MemoryBound  bool     `json:"memory_bound"`
	Unpublished  []string `json:"unpublished,omitempty"` // rates that the kernel needs and the model lacks
}

// Entry is the sum of what some instructions did. Pipes are the cycles of a multiprocessor for all blocks together, but those of a
// loop are for one turn of one block.
type Entry struct {
	Name  string    `json:"name"`
	Place string    `json:"place,omitempty"` // file:line
	Count emu.Count `json:"count"`
	Pipes []Pipe    `json:"pipes"`
}

// Cycles gives the cycles of a pipe: 0 if it has no work.
func (e *Entry) Cycles(pipe string) float64 {
	for _, p := range e.Pipes {
		if p.Name == pipe {
			return p.Cycles
		}
	}
	return 0
}

// Loop is a loop of the kernel.
type Loop struct {
	Entry
	Turns float64 `json:"turns"` // of a warp that runs it
	Warps float64 `json:"warps"` // of a block, that run it
}

// sum adds up what instructions did.
type sum struct {
	Entry
	pipes *pipes
}

func (s *sum) add(t *Target, c *class, n *emu.Count) {
	if s.pipes == nil {
		s.pipes = newPipes()
	}
	warps := max(s.Count.Warps, n.Warps) // of several instructions, not the sum
	s.Count.Add(n)
	s.Count.Warps = warps
	s.pipes.add(t, c, n)
}

func (s *sum) entry(by float64) Entry {
	if s.pipes == nil {
		s.pipes = newPipes()
	}
	s.Pipes = s.pipes.list(by)
	return s.Entry
}

// table is sums by a key, in the order in which the keys came.
type table struct {
	sums map[string]*sum
	keys []string
}

func (b *table) at(key string) *sum {
	s := b.sums[key]
	if s == nil {
		s = &sum{}
		s.Name = key
		if b.sums == nil {
			b.sums = map[string]*sum{}
		}
		b.sums[key], b.keys = s, append(b.keys, key)
	}
	return s
}

func (b *table) entries() (all []Entry) {
	for _, key := range b.keys {
		all = append(all, b.sums[key].entry(1))
	}
	return all
}

// New makes the report of an account.
func New(a *emu.Account, t Target) (*Report, error) {
	f := a.Kernel
	r := &Report{Kernel: f.Title(), Grid: a.Grid, Block: f.Block, Shared: a.Shared, Target: t.Name, Product: t.Product, Launches: a.Launches, Blocks: a.Blocks, Warps: a.Warps,
		Read: a.Read, Written: a.Written}
	kinds := make([]*class, len(f.Body))
	var total sum
	var units, lines table
	for i := range f.Body {
		in, n := &f.Body[i], &a.Counts[i]
		if kinds[i] = classOf(in.Op); kinds[i] == nil {
			return nil, fmt.Errorf("BUG: kernel %s: the instruction %s has no unit", f.Title(), in.Op)
		}
		if n.Executed == 0 {
			continue
		}
		total.add(&t, kinds[i], n)
		units.at(unitName(kinds[i], in)).add(&t, kinds[i], n)
		lines.at(place(in)).add(&t, kinds[i], n)
	}
	r.Total, r.Units, r.Lines = total.entry(1), units.entries(), lines.entries()
	r.Unpublished = total.pipes.missing()
	slices.SortStableFunc(r.Units, func(x, y Entry) int { return cmp.Compare(unitOrder(x.Name), unitOrder(y.Name)) })
	slices.SortFunc(r.Lines, func(x, y Entry) int { return comparePlaces(x.Name, y.Name) })
	r.loops(a, &t, kinds)
	r.time(&t)
	return r, nil
}

// unitName is the unit of an instruction; of a matrix instruction it has the kind and the shape.
func unitName(c *class, in *simt.Instr) string {
	if c.unit != "tensor" {
		return c.unit
	}
	words := strings.Split(in.Op, ".")
	kept := []string{"tensor", words[0]}
	for _, w := range words[1:] {
		if !slices.Contains([]string{"mma_async", "mma", "sync", "aligned", "row", "col"}, w) {
			kept = append(kept, w)
		}
	}
	return strings.Join(kept, " ")
}

// unitOrder is where a unit stands in the table of units.
func unitOrder(name string) int {
	unit, _, _ := strings.Cut(name, " ")
	return strings.Index(unitsText, "\n"+unit+" ")
}

// time is how long the launch takes at least: its blocks are dealt to the multiprocessors, and memory moves each sector once.
func (r *Report) time(t *Target) {
	if len(r.Total.Pipes) > 0 {
		blocks := r.Blocks / r.Launches
		rounds := r.Launches * ((blocks + t.SMs - 1) / t.SMs)
		r.Microseconds = r.Total.Pipes[0].Cycles / float64(r.Blocks) * float64(rounds) / t.GHz / 1e3
	}
	if memory := float64(r.Read+r.Written) / t.GBs / 1e3; memory > r.Microseconds {
		r.Microseconds, r.MemoryBound = memory, true
	}
}

// place is the line of an instruction in its source, or else in the PTX that it was read from.
func place(in *simt.Instr) string {
	switch {
	case in.Pos.IsValid() && in.Pos.Filename != "":
		return fmt.Sprintf("%s:%d", in.Pos.Filename, in.Pos.Line)
	case in.Pos.IsValid():
		return fmt.Sprintf("line %d", in.Pos.Line)
	case in.Line > 0:
		return fmt.Sprintf("PTX:%d", in.Line)
	}
	return "no line"
}

// comparePlaces orders places by file and line.
func comparePlaces(x, y string) int {
	split := func(s string) (file string, line int) {
		if i := strings.LastIndexAny(s, ": "); i >= 0 {
			fmt.Sscan(s[i+1:], &line)
			return s[:i], line
		}
		return s, 0
	}
	fx, lx := split(x)
	fy, ly := split(y)
	return cmp.Or(cmp.Compare(fx, fy), cmp.Compare(lx, ly))
}
