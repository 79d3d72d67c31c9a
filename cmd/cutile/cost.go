package main

import (
	"flag"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/internal/spoken"
	"github.com/cutile-go/cutile/internal/tilec/cost"
	"github.com/cutile-go/cutile/internal/toolbox"
	"github.com/cutile-go/cutile/tileir"
)

var costCommand = &command{
	name: "cost", args: "FILE", short: "count the bytes and operations of a Tile IR kernel for given arguments",
	long: `
FILE is bytecode or text; "-" is the standard input. Nothing is run; of arrays only type and extents matter, and of .npy
files only those are read.

Bytes are those that blocks ask for, inside their tensors and masks; caches are not modelled. An element of a tile counts
one operation for a sum, product, quotient, minimum or maximum, two for fma, and one special operation for exp, sqrt and
the like, also where it lies outside the tensor; a matrix product counts 2mnk, under the type of its factors. Comparisons,
conversions and integers count nothing. The intensity is floating-point operations for each byte.

What depends on the arguments, the block and loop counters is counted exactly. What depends on data is stated below the
table, and counted as said there.
` + argsHelp,
	setup: func(fs *flag.FlagSet) action {
		l := newLaunchFlags(fs)
		return func(c *call, args []string) error { return countCost(c, args, l) }
	},
}

func countCost(c *call, args []string, l *launchFlags) error {
	if len(args) != 1 {
		return toolbox.Usagef("want one file, got %d", len(args))
	}
	in, err := toolbox.ReadSound(c.in, args[0])
	if err != nil {
		return err
	}
	entry, err := in.Entry(l.entry)
	if err != nil {
		return err
	}
	b, err := l.bind(entry)
	if err != nil {
		return err
	}
	report, err := cost.Count(entry, signed(b.bits), l.grid)
	if err != nil {
		return fmt.Errorf("%s: %w", in.Name, err)
	}
	printCost(c.out, entry, l.grid, report)
	return nil
}

// costRow is a line of the table.
type costRow struct {
	title string
	value func(*cost.Counts) int64
}

func printCost(w io.Writer, e *tileir.Entry, grid [3]uint32, r *cost.Report) {
	fmt.Fprintf(w, "entry %s, grid (%d, %d, %d)\n", e.Name, grid[0], grid[1], grid[2])
	rows := []costRow{
		{"bytes loaded", func(c *cost.Counts) int64 { return c.Loaded }},
		{"bytes stored", func(c *cost.Counts) int64 { return c.Stored }},
	}
	for _, k := range cost.Kinds() {
		for elem := range r.Grid.Ops[k] {
			if r.Grid.Ops[k][elem] > 0 {
				title := fmt.Sprintf("%v of %v", k, tileir.Elem(elem))
				rows = append(rows, costRow{title, func(c *cost.Counts) int64 { return c.Ops[k][elem] }})
			}
		}
	}
	rows = append(rows, costRow{"floating-point operations", (*cost.Counts).Flops})
	blocks := digits(r.Blocks) + " blocks"
	if r.Blocks == 1 {
		blocks = "1 block"
	}
	table := [][3]string{{"", blocks, "a block"}}
	var width [3]int
	for _, row := range rows {
		table = append(table, [3]string{row.title, digits(row.value(&r.Grid)), between(row.value(&r.Least), row.value(&r.Most))})
	}
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

// placeText is a place in the source, with a word before it.
func placeText(l tileir.Loc) string {
	if l.IsZero() {
		return ""
	}
	return fmt.Sprintf(" at %s:%d:%d", l.File, l.Line, l.Col)
}

func between(a, b int64) string {
	if a == b {
		return digits(a)
	}
	return digits(a) + " to " + digits(b)
}

// digits groups the digits of a number by three.
func digits(n int64) string {
	s := strconv.FormatInt(n, 10)
	var b strings.Builder
	for i, c := range s {
		if i > 0 && (len(s)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	return b.String()
}
