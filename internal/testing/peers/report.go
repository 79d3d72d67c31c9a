package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
)

// report is what -o writes.
type report struct {
	Machine  string            `json:"machine"`
	Versions map[string]string `json:"versions"`
	Rounds   int               `json:"rounds"`
	Rows     []*row            `json:"rows"`
}

// row is a workload with a number of threads.
type row struct {
	Workload string               `json:"workload"`
	Threads  int                  `json:"threads"`
	Unit     string               `json:"unit"`
	Speed    map[string]float64   `json:"speed"`
	Ratio    map[string]float64   `json:"ratio"`   // the engine's speed as a multiple of each other's
	Goal     map[string]float64   `json:"goal"`    // for Ratio
	Seconds  map[string][]float64 `json:"seconds"` // the median of each round
	Errors   map[string]string    `json:"errors,omitempty"`
	Roof     float64              `json:"of_roof,omitempty"` // the engine's part of what the machine can do
	Scale    float64              `json:"scale,omitempty"`   // the engine's speed as a multiple of that of one thread
}

// machine names the processor where Linux does.
func machine() string {
	name := runtime.GOOS + "/" + runtime.GOARCH
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return fmt.Sprintf("%s, %d cores, %s", strings.TrimSpace(value), runtime.NumCPU(), name)
		}
	}
	return fmt.Sprintf("%d cores, %s", runtime.NumCPU(), name)
}

// add makes a row for each number of threads.
func (r *report) add(w *workload, all []*entrant, threads []int) {
	for _, n := range threads {
		line := &row{Workload: w.Name, Threads: n, Unit: w.Unit, Goal: w.Goals, Speed: map[string]float64{}, Ratio: map[string]float64{},
			Seconds: map[string][]float64{}, Errors: map[string]string{}}
		for _, e := range all {
			switch {
			case e.process.threads != n:
			case e.err != nil:
				line.Errors[e.name] = e.err.Error()
			default:
				line.Speed[e.name], line.Seconds[e.name] = w.speed(e.best(), n), e.rounds
			}
		}
		if ours := line.Speed[engine]; ours > 0 {
			for name, speed := range line.Speed {
				if name != engine {
					line.Ratio[name] = ours / speed
				}
			}
			if one := r.find(w.Name, 1); one != nil && n > 1 && one.Speed[engine] > 0 {
				line.Scale = ours / one.Speed[engine]
			}
			if roof := r.roof(line); roof > 0 {
				line.Roof = ours / roof
			}
		}
		r.Rows = append(r.Rows, line)
	}
}

func (r *report) find(name string, threads int) *row {
	for _, line := range r.Rows {
		if line.Workload == name && line.Threads == threads {
			return line
		}
	}
	return nil
}

// roof is the greatest speed of the machine in the row's unit, 0 if it is unknown. That of arithmetic is for float32 only.
func (r *report) roof(line *row) (most float64) {
	name := copyName
	if line.Unit != units32(line.Workload) {
		return 0
	}
	if line.Unit == "GFLOP/s" {
		name = peakName
	}
	if of := r.find(name, line.Threads); of != nil {
		for _, speed := range of.Speed {
			most = max(most, speed)
		}
	}
	return most
}

// units32 is the unit in which a workload can be compared with the roofline.
func units32(workload string) string {
	if strings.HasPrefix(workload, "gemm-f32") || strings.HasPrefix(workload, "attention-f32") {
		return "GFLOP/s"
	}
	return "GB/s"
}

// text prints a table for each number of threads.
func (r *report) text(out io.Writer, threads []int) error {
	fmt.Fprintln(out, r.Machine)
	for _, name := range slices.Sorted(maps.Keys(r.Versions)) {
		fmt.Fprintf(out, "%s %s  ", name, r.Versions[name])
	}
	fmt.Fprintf(out, "\nEach cell is a speed, the best of the medians of %d rounds; x is %s's speed as a multiple of it.\n", r.Rounds, engine)
	fmt.Fprintf(out, "! is less than the goal, ~ a speed whose rounds differ by more than %.0f%%.\n", 100*unsteady)
	for _, n := range threads {
		fmt.Fprintf(out, "\nthreads: %d   FMA peak f32: %s   copy: %s\n", n, r.top(peakName, n), r.top(copyName, n))
		t, columns := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight), r.columns()
		fmt.Fprintf(t, "workload\tunit\t%s\tof roof\tscale\t%s\t\n", engine, strings.Join(columns, "\t"))
		for _, line := range r.Rows {
			if line.Threads == n && line.Workload != peakName {
				fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t\n", line.Workload, line.Unit, line.ours(), percent(line.Roof), multiple(line.Scale), line.others(columns))
			}
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	for _, line := range r.Rows {
		for _, name := range slices.Sorted(maps.Keys(line.Errors)) {
			fmt.Fprintf(out, "%s, %d threads: %s\n", line.Workload, line.Threads, line.Errors[name])
		}
	}
	return nil
}

// columns are the contenders beside the engine that take part.
func (r *report) columns() []string {
	return slices.DeleteFunc([]string{"numpy", "torch", "onnxruntime", loops, before}, func(name string) bool {
		return !slices.ContainsFunc(r.Rows, func(line *row) bool { return line.Speed[name] > 0 || line.Errors[name] != "" })
	})
}

// top is the greatest speed of a workload.
func (r *report) top(name string, threads int) string {
	if line := r.find(name, threads); line != nil && len(line.Speed) > 0 {
		return number(slices.Max(slices.Collect(maps.Values(line.Speed)))) + " " + line.Unit
	}
	return "unknown"
}

func (r *row) ours() string {
	if r.Errors[engine] != "" {
		return "error"
	}
	return r.speed(engine)
}

// unsteady is how much the rounds of a speed may differ before it is marked.
const unsteady = 0.3

func (r *row) speed(name string) string {
	seconds := r.Seconds[name]
	if len(seconds) > 0 && slices.Max(seconds) > (1+unsteady)*slices.Min(seconds) {
		return "~" + number(r.Speed[name])
	}
	return number(r.Speed[name])
}

// others are the cells of the other contenders: a speed and a ratio.
func (r *row) others(columns []string) string {
	var cells []string
	for _, name := range columns {
		speed, ratio := r.Speed[name], r.Ratio[name]
		switch {
		case r.Errors[name] != "":
			cells = append(cells, "error")
		case speed == 0:
			cells = append(cells, "-")
		case ratio == 0:
			cells = append(cells, r.speed(name))
		default:
			mark := ""
			if ratio < r.Goal[name] {
				mark = "!"
			}
			cells = append(cells, fmt.Sprintf("%s %s%s", r.speed(name), multiple(ratio), mark))
		}
	}
	return strings.Join(cells, "\t")
}

// number has three digits.
func number(x float64) string {
	switch {
	case x == 0:
		return "-"
	case x >= 100:
		return fmt.Sprintf("%.0f", x)
	case x >= 10:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2f", x)
}

func multiple(x float64) string {
	if x == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2fx", x)
}

func percent(x float64) string {
	if x == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f%%", 100*x)
}

// json writes the report to a file.
func (r *report) json(file string) error {
	text, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}

// failed counts the contenders that did not compute what the others do.
func (r *report) failed() (n int) {
	for _, line := range r.Rows {
		n += len(line.Errors)
	}
	return n
}
