package cost

import (
	"fmt"
	"io"
	"math"
	"path/filepath"

	"github.com/cutile-go/cutile/internal/names"
	"github.com/cutile-go/cutile/internal/spoken"
	"github.com/cutile-go/cutile/tileir"
)

// row is a line of the table.
type row struct {
	title string
	value func(*Counts) int64
}

// Print prints the report on an entry as a table, with what is not exact below it.
func (r *Report) Print(w io.Writer, e *tileir.Entry, grid [3]uint32) {
	fmt.Fprintf(w, "entry %s, grid (%d, %d, %d)\n", e.Name, grid[0], grid[1], grid[2])
	blocks := names.Digits(r.Blocks) + " blocks"
	if r.Blocks == 1 {
		blocks = "1 block"
	}
	table := [][3]string{{"", blocks, "a block"}}
	for _, row := range r.rows() {
		table = append(table, [3]string{row.title, names.Digits(row.value(&r.Grid)), fromTo(row.value(&r.Least), row.value(&r.Most))})
	}
	var width [3]int
	for _, row := range table {
		for i, cell := range row {
			width[i] = max(width[i], len(cell))
		}
	}
	for _, row := range table {
		fmt.Fprintf(w, "%-*s  %*s  %*s\n", width[0], row[0], width[1], row[1], width[2], row[2])
	}
	if x := r.Grid.Intensity(); !math.IsNaN(x) {
		fmt.Fprintf(w, "intensity: %.3g operations for each byte\n", x)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(w, "not exact: %s%s: %s\n", spoken.Op(n.Op), placeText(n.Op.Loc), n.Text)
	}
}

// rows are the counts that the table shows: of the kinds of operations those that the grid has.
func (r *Report) rows() []row {
	rows := []row{
		{"bytes loaded", func(c *Counts) int64 { return c.Loaded }},
		{"bytes stored", func(c *Counts) int64 { return c.Stored }},
	}
	for _, k := range Kinds() {
		for elem := range r.Grid.Ops[k] {
			if r.Grid.Ops[k][elem] > 0 {
				title := fmt.Sprintf("%v of %v", k, tileir.Elem(elem))
				rows = append(rows, row{title, func(c *Counts) int64 { return c.Ops[k][elem] }})
			}
		}
	}
	return append(rows, row{"floating-point operations", (*Counts).Flops})
}

// placeText is a position in the source, with a word before it.
func placeText(l tileir.Loc) string {
	if l.IsZero() {
		return ""
	}
	return fmt.Sprintf(" at %s:%d:%d", l.File, l.Line, l.Col)
}

func fromTo(a, b int64) string {
	if a == b {
		return names.Digits(a)
	}
	return names.Digits(a) + " to " + names.Digits(b)
}

// PrintLosses prints a line for each loss.
func PrintLosses(w io.Writer, losses []Loss) {
	for _, l := range losses {
		at := ""
		if !l.Op.Loc.IsZero() {
			at = fmt.Sprintf("%s:%d:%d: ", filepath.Base(l.Op.Loc.File), l.Op.Loc.Line, l.Op.Loc.Col)
		}
		fmt.Fprintf(w, "lost: %s%s\n", at, l.Text)
	}
}

// Signed are the bits of arguments as [Count] takes them.
func Signed(bits []uint64) []int64 {
	out := make([]int64, len(bits))
	for i, b := range bits {
		out[i] = int64(b)
	}
	return out
}
