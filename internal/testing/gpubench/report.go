package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// report prints the rows as a table in Markdown, and gives back whether a result is wrong or missing that the machine should give.
func (o *options) report(to io.Writer, rows []row) (failed bool) {
	for _, r := range rows {
		switch {
		case r.Absent != "":
			w, err := wayOf(r.Way)
			failed = failed || err != nil || !w.optional
			fmt.Fprintf(to, "%s: not measured: %s\n", r.Way, r.Absent)
		case r.Work == "":
			fmt.Fprintf(to, "%s: %s\n", r.Way, r.Device)
		}
	}
	var others []string
	for _, w := range ways {
		if w.peer && slices.ContainsFunc(rows, func(r row) bool { return r.Way == w.name && r.Seconds > 0 }) {
			others = append(others, w.name)
		}
	}
	head := []string{"workload", "way", "time", "fastest and slowest run", "speed"}
	for _, name := range others {
		head = append(head, "times as fast as "+name)
	}
	fmt.Fprintf(to, "\n| %s |\n|%s\n", strings.Join(head, " | "), strings.Repeat("---|", len(head)))
	for i := range o.work {
		failed = o.reportWork(to, &o.work[i], others, rows) || failed
	}
	return failed
}

// reportWork prints the rows of a workload.
func (o *options) reportWork(to io.Writer, w *workload, others []string, rows []row) (failed bool) {
	seconds := map[string]float64{}
	for _, r := range rows {
		if r.Work == w.name {
			seconds[r.Way] = r.Seconds
		}
	}
	for _, r := range rows {
		if r.Work != w.name {
			continue
		}
		cells := []string{w.name, r.Way}
		switch {
		case r.Error != "":
			failed = true
			cells = append(cells, "failed: "+strings.ReplaceAll(r.Error, "\n", " "))
		case r.Seconds == 0:
			cells = append(cells, "compared")
		default:
			cells = append(cells, duration(r.Seconds), duration(r.Low)+", "+duration(r.High), w.kind.speed(w.dims, r.Seconds))
			for _, name := range others {
				ratio := ""
				if peer := seconds[name]; peer > 0 {
					ratio = fmt.Sprintf("%.2f", peer/r.Seconds)
				}
				cells = append(cells, ratio)
			}
		}
		fmt.Fprintf(to, "| %s |\n", strings.Join(cells, " | "))
	}
	return failed
}

// speed is the work of a second.
func (k *kind) speed(d []int, seconds float64) string {
	scale := 1e-9
	if k.unit == "TFLOP/s" {
		scale = 1e-12
	}
	return significant(scale*k.work(d)/seconds) + " " + k.unit
}

// duration is a time in microseconds or milliseconds.
func duration(seconds float64) string {
	if seconds < 1e-3 {
		return significant(1e6*seconds) + " µs"
	}
	return significant(1e3*seconds) + " ms"
}

// significant has three digits.
func significant(x float64) string {
	digits := 2
	if x > 0 {
		digits = max(0, 2-int(math.Floor(math.Log10(x))))
	}
	return fmt.Sprintf("%.*f", digits, x)
}
