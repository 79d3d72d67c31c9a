package dump

import (
	"io"

	"github.com/cutile-go/cutile/internal/tilec/cost"
)

// cost prints what a launch counts, and what costs more than it needs to.
func (d *dumper) cost(w io.Writer) error {
	_, grid, bits, err := d.launch()
	if err != nil {
		return err
	}
	entry := d.code.Module.Entries[0]
	report, err := cost.Count(entry, cost.Signed(bits), grid)
	if err != nil {
		return err
	}
	report.Print(w, entry, grid)
	cost.PrintLosses(w, append(cost.Losses(entry), cost.Masks(d.code.Explain(grid, bits))...))
	return nil
}
