package main

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/cutile-go/cutile/internal/tilec/cost"
)

// cost prints what a launch counts, and what costs more than it needs to.
func (d *dumper) cost(w io.Writer) error {
	if err := d.compile(); err != nil {
		return err
	}
	shapes, err := d.shapes()
	if err != nil {
		return err
	}
	grid, bits := d.launchOf(shapes)
	entry := d.code.Module.Entries[0]
	report, err := cost.Count(entry, signed(bits), grid)
	if err != nil {
		return err
	}
	printCost(w, entry, grid, report)
	printLosses(w, append(cost.Losses(entry), cost.Masks(d.code.Explain(grid, bits))...))
	return nil
}

func printLosses(w io.Writer, losses []cost.Loss) {
	for _, l := range losses {
		at := ""
		if !l.Op.Loc.IsZero() {
			at = fmt.Sprintf("%s:%d:%d: ", filepath.Base(l.Op.Loc.File), l.Op.Loc.Line, l.Op.Loc.Col)
		}
		fmt.Fprintf(w, "lost: %s%s\n", at, l.Text)
	}
}

// signed are the bits of arguments as numbers.
func signed(bits []uint64) []int64 {
	out := make([]int64, len(bits))
	for i, b := range bits {
		out[i] = int64(b)
	}
	return out
}
