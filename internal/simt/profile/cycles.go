package profile

import (
	"cmp"
	"slices"

	"github.com/cutile-go/cutile/internal/simt/emu"
)

const (
	warpSize   = 32 // threads
	sectorSize = 32 // bytes
)

// Pipe is something that does one piece of work after another.
type Pipe struct {
	Name   string  `json:"name"`
	Cycles float64 `json:"cycles"`
}

// pipes are the cycles of pipes by name, and the rates that are not published though there is work for them.
type pipes struct {
	cycles  map[string]float64
	unknown map[string]bool
}

func newPipes() *pipes { return &pipes{map[string]float64{}, map[string]bool{}} }

// do adds work of a rate.
func (p *pipes) do(t *Target, name string, n float64) {
	switch per := t.per(name); {
	case n == 0:
	case per == 0 && name == "l2":
	case per == 0:
		p.unknown[name] = true
	default:
		p.cycles[rates()[name].pipe] += n / per
	}
}

// add adds what an instruction did.
func (p *pipes) add(t *Target, c *class, n *emu.Count) {
	p.do(t, "issue", c.issued*float64(n.Executed))
	for _, w := range c.work {
		switch {
		case w.rate == "":
		case n.MultiplyAdds > 0:
			p.do(t, w.rate, float64(n.MultiplyAdds))
		default:
			p.do(t, w.rate, w.n*warpSize*float64(n.Executed-n.Idle))
		}
	}
	bytes := 128*n.Shared.Wavefronts + n.Operand + n.Local + n.Remote
	if c.unit != "copy" { // copies go past L1
		bytes += sectorSize * n.Global.Sectors
	}
	p.do(t, "l1", float64(bytes))
	p.do(t, "l2", float64(sectorSize*n.Global.Sectors))
}

// list gives the pipes that have work, the busiest first, each divided by a number.
func (p *pipes) list(by float64) []Pipe {
	var all []Pipe
	for name, cycles := range p.cycles {
		all = append(all, Pipe{name, cycles / by})
	}
	slices.SortFunc(all, func(a, b Pipe) int { return cmp.Or(cmp.Compare(b.Cycles, a.Cycles), cmp.Compare(a.Name, b.Name)) })
	return all
}

// missing lists the rates that are not published.
func (p *pipes) missing() []string {
	var all []string
	for name := range p.unknown {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}
