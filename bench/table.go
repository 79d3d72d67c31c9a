package bench

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/cutile-go/cutile/internal/names"
)

// column is one of the table.
type column struct {
	head string
	left bool // the text begins at the left
	cell func(row *Row, r *Result) string
}

// columns are those of the table, of which it leaves out those without a text in any row.
func (r *Report) columns(first string) []column {
	return []column{
		{r.Param, false, func(row *Row, _ *Result) string {
			if r.Param == "" {
				return ""
			}
			return number(row.X)
		}},
		{"case", true, func(_ *Row, x *Result) string { return x.Name }},
		{"device", true, func(_ *Row, x *Result) string {
			if r.Device != "" {
				return ""
			}
			return x.Device
		}},
		{"time", false, func(_ *Row, x *Result) string {
			if x.Time == nil {
				return ""
			}
			return seconds(x.Time.Median)
		}},
		{"20% to 80%", false, func(_ *Row, x *Result) string {
			if x.Time == nil {
				return ""
			}
			return fromTo(seconds(x.Time.P20), seconds(x.Time.P80))
		}},
		{"operations", false, func(_ *Row, x *Result) string { return some(x.Rate(), "FLOP/s") }},
		{"bytes", false, func(_ *Row, x *Result) string { return some(x.Bandwidth(), "B/s") }},
		{"times as fast as " + first, true, func(_ *Row, x *Result) string {
			switch i := x.Speedup; {
			case i == nil:
				return ""
			case i.Confidence < wantConfidence:
				return fmt.Sprintf("%s (%s to %s, few samples)", names.ThreeDigits(i.Median), names.ThreeDigits(i.Low), names.ThreeDigits(i.High))
			default:
				return fmt.Sprintf("%s (%s to %s)", names.ThreeDigits(i.Median), names.ThreeDigits(i.Low), names.ThreeDigits(i.High))
			}
		}},
		{"part of the roof", true, func(_ *Row, x *Result) string {
			if x.Bound == "" {
				return ""
			}
			return fmt.Sprintf("%3.0f%% of %s", 100*x.Part, x.Bound)
		}},
	}
}

// WriteTable writes the report as a text for people. Times are medians, with the quantiles in which three fifths of the samples lie. The ratio
// to the first case is the median of the ratios of all rounds, with the interval that has it with a confidence of 95 percent.
func (r *Report) WriteTable(w io.Writer) error {
	var b strings.Builder
	if r.Title != "" {
		fmt.Fprintf(&b, "%s\n", r.Title)
	}
	if r.Device != "" {
		fmt.Fprintf(&b, "on %s\n", r.Device)
	}
	if r.Roof != nil {
		r.Roof.write(&b)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	r.writeRows(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

// write writes what a device can do.
func (r *Roofline) write(b *strings.Builder) {
	fmt.Fprintf(b, "roof of %s: memory %s", r.Device, unit(r.Bandwidth, "B/s"))
	for _, p := range r.Peaks {
		fmt.Fprintf(b, ", %s %s %s", p.Kind, p.Type, unit(p.Rate, "FLOP/s"))
	}
	b.WriteByte('\n')
	for _, m := range r.Missing {
		fmt.Fprintf(b, "not measured: %s\n", m)
	}
}

// first names the first case of all rows, where it is the same.
func (r *Report) first() (name string) {
	for _, row := range r.Rows {
		switch {
		case len(row.Results) == 0:
		case name == "":
			name = row.Results[0].Name
		case name != row.Results[0].Name:
			return "the first"
		}
	}
	return name
}

func (r *Report) writeRows(b *strings.Builder) {
	all := r.columns(r.first())
	var cells [][]string
	var failed []string
	used, width := make([]bool, len(all)), make([]int, len(all))
	for i := range r.Rows {
		row := &r.Rows[i]
		at := ""
		if r.Param != "" {
			at = fmt.Sprintf("%s %s: ", r.Param, number(row.X))
		}
		if row.Error != "" {
			failed = append(failed, at+row.Error)
		}
		for k := range row.Results {
			x := &row.Results[k]
			if x.Error != "" {
				failed = append(failed, fmt.Sprintf("%s%s: %s", at, x.Name, x.Error))
			}
			line := make([]string, len(all))
			for c := range all {
				line[c] = all[c].cell(row, x)
				used[c] = used[c] || line[c] != ""
			}
			cells = append(cells, line)
		}
	}
	head := make([]string, len(all))
	for c := range all {
		head[c] = all[c].head
	}
	for c := range all {
		for _, line := range append([][]string{head}, cells...) {
			width[c] = max(width[c], utf8.RuneCountInString(line[c]))
		}
	}
	if len(cells) > 0 {
		for _, line := range append([][]string{head}, cells...) {
			b.WriteString(aligned(all, line, used, width) + "\n")
		}
	}
	for _, f := range failed {
		fmt.Fprintf(b, "not measured: %s\n", f)
	}
}

// aligned is a line of the table.
func aligned(all []column, line []string, used []bool, width []int) string {
	var b strings.Builder
	for c := range all {
		if !used[c] {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("  ")
		}
		space := strings.Repeat(" ", width[c]-utf8.RuneCountInString(line[c]))
		if all[c].left {
			b.WriteString(line[c] + space)
		} else {
			b.WriteString(space + line[c])
		}
	}
	return strings.TrimRight(b.String(), " ")
}
