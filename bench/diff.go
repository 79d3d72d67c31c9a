package bench

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/cutile-go/cutile/internal/names"
)

// WriteDiff compares the report of an earlier run with a later one, as a text for people: how many times as fast each case of both is now. The
// range is that of the quotients of the two intervals, which is wide on purpose: the runs are no pairs, and the machine may have
// changed between them.
func WriteDiff(w io.Writer, before, now *Report) error {
	if before == nil || now == nil {
		return errors.New("bench: WriteDiff is given a nil report")
	}
	if before.Param != now.Param {
		return fmt.Errorf("bench: the reports have different parameters, %q and %q", before.Param, now.Param)
	}
	var b strings.Builder
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	at := func(row *Row) string {
		if now.Param == "" {
			return ""
		}
		return number(row.X) + "\t"
	}
	head := now.Param
	if head != "" {
		head += "\t"
	}
	fmt.Fprintf(table, "%scase\tbefore\tnow\ttimes as fast\n", head)
	var lonely []string
	for i := range now.Rows {
		row := &now.Rows[i]
		for k := range row.Results {
			x := &row.Results[k]
			old := before.at(row.X, x.Name)
			if old == nil || old.Median == nil || x.Median == nil || old.Median.Low <= 0 || x.Median.Low <= 0 {
				lonely = append(lonely, strings.ReplaceAll(at(row), "\t", " ")+x.Name)
				continue
			}
			low, high := old.Median.Low/x.Median.High, old.Median.High/x.Median.Low
			fmt.Fprintf(table, "%s%s\t%s\t%s\t%s (%s to %s)%s\n", at(row), x.Name, seconds(old.Seconds()), seconds(x.Seconds()),
				names.ThreeDigits(old.Seconds()/x.Seconds()), names.ThreeDigits(low), names.ThreeDigits(high), verdict(low, high))
		}
	}
	table.Flush()
	if len(lonely) > 0 {
		fmt.Fprintf(&b, "not in both: %s\n", strings.Join(lonely, ", "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// verdict says what a range of ratios shows.
func verdict(low, high float64) string {
	switch {
	case low > 1:
		return ", faster"
	case high < 1:
		return ", slower"
	}
	return ""
}

// at finds a result by the value of the parameter and its name; nil if there is none.
func (r *Report) at(x float64, name string) *Result {
	for i := range r.Rows {
		if r.Rows[i].X == x {
			return r.Rows[i].result(name)
		}
	}
	return nil
}
