package profile

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/cutile-go/cutile/internal/names"
	"github.com/cutile-go/cutile/internal/simt/emu"
)

// Print writes the report for people.
func (r *Report) Print(w io.Writer) error {
	var b bytes.Buffer
	p := &printer{w: &b, r: r}
	p.head()
	p.units()
	p.memory()
	p.loops()
	p.lines()
	p.model()
	_, err := w.Write(b.Bytes())
	return err
}

type printer struct {
	w io.Writer
	r *Report
}

func (p *printer) printf(format string, args ...any) { fmt.Fprintf(p.w, format, args...) }

func (p *printer) rows(title string, rows [][]string) { names.Table(p.w, title, rows) }

func (p *printer) head() {
	r := p.r
	p.printf("kernel %s, grid (%d, %d, %d), block (%d, %d, %d), %s bytes of shared memory\n", r.Kernel, r.Grid[0], r.Grid[1], r.Grid[2],
		r.Block[0], r.Block[1], r.Block[2], names.Digits(int64(r.Shared)))
	p.printf("model of %s, %s: cycles of a multiprocessor for one block\n", r.Target, r.Product)
}

// units prints what was executed, by unit.
func (p *printer) units() {
	rows := [][]string{{"unit", "executed", "lanes", "multiply-adds", "overlapped", "in flight"}}
	for _, e := range p.r.Units {
		rows = append(rows, p.unit(e.Name, &e.Count))
	}
	rows = append(rows, p.unit("all", &p.r.Total.Count))
	p.rows("instructions of warps", rows)
}

func (p *printer) unit(name string, n *emu.Count) []string {
	row := []string{name, names.Digits(n.Executed), share(n.Lanes, warpSize*(n.Executed-n.Idle)), "", "", ""}
	if n.MultiplyAdds > 0 && name != "all" {
		row[3], row[4] = names.Digits(n.MultiplyAdds), share(n.Overlapped, n.Executed)
		row[5] = names.Digits(n.InFlight / n.Executed)
	}
	return row
}

// share is a part in per cent.
func share(part, of int64) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f%%", 100*float64(part)/float64(of))
}

// ratio is a quotient.
func ratio(x, by int64) string {
	if by == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", float64(x)/float64(by))
}

func (p *printer) memory() {
	n := &p.r.Total.Count
	rows := [][]string{{"", "requests", "bytes", "pieces", "of a request", "ideal"}}
	if g := n.Global; g.Requests > 0 {
		rows = append(rows, []string{"global memory, sectors of 32 bytes", names.Digits(g.Requests), names.Digits(g.Asked), names.Digits(g.Sectors),
			ratio(g.Sectors, g.Requests), ratio(g.Ideal, g.Requests)})
	}
	if s := n.Shared; s.Requests > 0 {
		rows = append(rows, []string{"shared memory, passes over the banks", names.Digits(s.Requests), names.Digits(s.Asked), names.Digits(s.Wavefronts),
			ratio(s.Wavefronts, s.Requests), ratio(s.Ideal, s.Requests)})
	}
	p.rows("memory", rows)
	for _, x := range []struct {
		n    int64
		what string
	}{
		{n.Begun, "bytes of asynchronous copies to shared memory"}, {n.Operand, "bytes of shared memory that tensor cores read by themselves"},
		{n.Local, "bytes of local memory"}, {n.Remote, "bytes of other blocks' shared memory"}, {n.Diverged, "branches at which lanes of a warp part"},
	} {
		if x.n > 0 {
			p.printf("  %s %s\n", names.Digits(x.n), x.what)
		}
	}
}

// cycles describes pipes: the busiest one in full, the others as a share of it.
func cycles(list []Pipe, by float64) string {
	var words []string
	for i, x := range list {
		switch {
		case i == 0:
			words = append(words, fmt.Sprintf("%s %s", x.Name, number1(x.Cycles/by)))
		case x.Cycles >= 0.005*list[0].Cycles:
			words = append(words, fmt.Sprintf("%s %s (%.0f%%)", x.Name, number1(x.Cycles/by), 100*x.Cycles/list[0].Cycles))
		}
	}
	return strings.Join(words, ", ")
}

// number1 is a number with a digit after the point where it is small.
func number1(x float64) string {
	if x >= 1000 {
		return names.Digits(int64(x + 0.5))
	}
	return fmt.Sprintf("%.1f", x)
}

func (p *printer) loops() {
	tw := tabwriter.NewWriter(p.w, 0, 0, 2, ' ', 0)
	for i, l := range p.r.Loops {
		if i == 0 {
			p.printf("\nloops: cycles of one turn of a block\n")
		}
		fmt.Fprintf(tw, "  %s\t%s turns\t%s of %d warps\t%s\n", shortPlace(l.Place), number1(l.Turns), strings.TrimSuffix(number1(l.Warps), ".0"), p.r.Warps, cycles(l.Pipes, 1))
	}
	tw.Flush()
}

func (p *printer) lines() {
	blocks := float64(p.r.Blocks)
	rows := [][]string{{"line", "executed", "lanes", "issue", "share", "global", "sectors", "shared", "conflicts", "busiest"}}
	for _, e := range p.r.Lines {
		n := &e.Count
		if len(e.Pipes) == 0 {
			continue // moves alone
		}
		row := []string{shortPlace(e.Name), names.Digits(n.Executed), share(n.Lanes, warpSize*(n.Executed-n.Idle)), "", "", "", "", "", "", ""}
		for i, x := range e.Pipes {
			if i == 0 {
				row[9] = fmt.Sprintf("%s %s", x.Name, number1(x.Cycles/blocks))
			}
			if x.Name == "issue" {
				row[3], row[4] = number1(x.Cycles/blocks), fmt.Sprintf("%.1f%%", 100*x.Cycles/p.r.Total.Cycles("issue"))
			}
		}
		if g := n.Global; g.Requests > 0 {
			row[5], row[6] = names.Digits(sectorSize*g.Sectors), ratio(g.Sectors, g.Requests)
		}
		if s := n.Shared; s.Requests > 0 {
			row[7], row[8] = names.Digits(s.Asked), names.Digits(s.Wavefronts-s.Ideal)
		}
		rows = append(rows, row)
	}
	p.rows("lines", rows)
}

// shortPlace is a place without the folder.
func shortPlace(place string) string { return filepath.Base(place) }

func (p *printer) model() {
	r := p.r
	p.printf("\na block: %s\n", cycles(r.Total.Pipes, float64(r.Blocks)))
	bound := "its busiest pipe"
	if r.MemoryBound {
		bound = "memory"
	}
	p.printf("memory: %s bytes read and %s written, each sector once\n", names.Digits(r.Read), names.Digits(r.Written))
	p.printf("the launch takes %s µs at least, bound by %s\n", number1(r.Microseconds), bound)
	if len(r.Unpublished) > 0 {
		p.printf("not in the model, as no rate is published for %s: %s\n", r.Target, strings.Join(r.Unpublished, ", "))
	}
}
