package dump

import (
	"fmt"
	"io"

	"github.com/cutile-go/cutile/internal/access"
	"github.com/cutile-go/cutile/internal/access/ranges"
)

// access prints what the accesses touch and what else back ends know of the kernel: in every launch, or in the one of -shape.
func (d *dumper) access(w io.Writer) error {
	if err := d.compile(); err != nil {
		return err
	}
	facts := access.Facts{Apart: func(int, int) bool { return true }}
	title := "in every launch whose arguments do not overlap"
	if len(d.opts.shapes) > 0 {
		shapes, grid, bits, err := d.launch()
		if err != nil {
			return err
		}
		facts.Launch = &ranges.Launch{Grid: grid, Bits: bits}
		title = d.titleOf(shapes, grid) + ", whose arguments do not overlap"
	}
	if _, err := fmt.Fprintf(w, "%s\n\n", title); err != nil {
		return err
	}
	return access.Analyse(d.code.Module.Entries[0], facts).Print(w)
}
