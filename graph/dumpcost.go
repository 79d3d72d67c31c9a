package graph

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/graph/loops"
	"github.com/cutile-go/cutile/internal/names"
)

// costRow is a line of the table of costs.
type costRow struct {
	cost loops.Cost
	what string
	part bool // of the row of a kernel above: zeros are not shown
}

// cost writes what the kernels cost and what the nodes in them do, and the sum of those that each run launches.
func (s *section) cost(w io.Writer) error {
	var rows []costRow
	var all loops.Cost
	kernels := 0
	for step := range s.steps {
		if step.Control != nil {
			rows = append(rows, costRow{what: fmt.Sprintf("%%%d, %s: its kernels are below", step.Control.ID, step.Control.Name()), part: true})
			continue
		}
		row := costRow{cost: step.Cost(), what: s.name(step)}
		if s.program.Once(step) {
			row.what += ", run once, when the program is compiled"
		} else {
			all = all.Plus(row.cost)
			kernels++
		}
		rows = append(rows, row)
		costs := step.Costs()
		for _, n := range slices.SortedFunc(maps.Keys(costs), byID) {
			if costs[n] != (loops.Cost{}) {
				rows = append(rows, costRow{costs[n], fmt.Sprintf("  %%%d %s %s  %s", n.ID, n.Name(), n.Type(), n.Where), true})
			}
		}
	}
	each := "a run"
	if s.title != "" {
		each = "each time"
	}
	rows = append(rows, costRow{cost: all, what: fmt.Sprintf("%s: %s", each, names.Plural(kernels, "kernel"))})
	writeCosts(w, rows)
	if all.Bytes() > 0 {
		fmt.Fprintf(w, "intensity: %.3g operations for each byte\n", float64(all.Operations)/float64(all.Bytes()))
	}
	return nil
}

// writeCosts writes rows with aligned numbers.
func writeCosts(w io.Writer, rows []costRow) {
	table := [][4]string{{"operations", "bytes read", "bytes written", "kernel and operation"}}
	for _, r := range rows {
		line := [4]string{3: r.what}
		for i, n := range []int64{r.cost.Operations, r.cost.Read, r.cost.Written} {
			if n != 0 || !r.part {
				line[i] = names.Digits(n)
			}
		}
		table = append(table, line)
	}
	var width [3]int
	for _, line := range table {
		for i := range width {
			width[i] = max(width[i], len(line[i]))
		}
	}
	for _, line := range table {
		fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("%*s  %*s  %*s  %s", width[0], line[0], width[1], line[1], width[2], line[2], line[3]), " "))
	}
}
