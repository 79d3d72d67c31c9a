package traceprofile

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/cutile-go/cutile/internal/trace"
)

// Process is the trace of one process. The times of its events count from Begin.Start.
type Process struct {
	trace.Begin
	Events []trace.Event
}

// Read reads the traces of a file, or of all files trace-*.json in a folder, in the order in which they begin.
func Read(path string) (list []Process, err error) {
	files := []string{path}
	if st, err := os.Stat(path); err == nil && st.IsDir() {
		if files, err = filepath.Glob(filepath.Join(path, "trace-*.json")); err != nil {
			return nil, err
		}
	}
	for _, name := range files {
		events, err := readFile(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		list = append(list, split(events)...)
	}
	slices.SortStableFunc(list, func(a, b Process) int { return a.Start.Compare(b.Start) })
	return list, nil
}

func readFile(name string) ([]trace.Event, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return trace.Read(bufio.NewReader(f))
}

// split gives each process of a trace the events that follow its beginning, with times from there on: one that [Merge] made has several.
func split(events []trace.Event) (list []Process) {
	for i, e := range events {
		b, begins := e.Begin()
		if begins || i == 0 {
			list = append(list, Process{Begin: b})
		}
		p := &list[len(list)-1]
		if e.Phase != naming {
			e.Time -= micros(p.Start.Sub(list[0].Start))
		}
		p.Events = append(p.Events, e)
	}
	return list
}

// naming is the phase of events that have no time.
const naming = "M"

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// Merge gives the events of all processes, as one trace whose times count from the first process: the numbers of devices become different, and their
// names say which process they are of, if there are several.
func Merge(list []Process) (events []trace.Event) {
	devices := 0
	for _, p := range list {
		most := 0
		for _, e := range p.Events {
			most = max(most, e.PID)
			if _, begins := e.Begin(); !begins {
				e.PID += devices
			}
			if e.Name == trace.Device && len(list) > 1 {
				e.Args = map[string]any{"name": fmt.Sprintf("%v (process %d)", e.Args["name"], p.Process)}
			}
			if e.Phase != naming {
				e.Time += micros(p.Start.Sub(list[0].Start))
			}
			events = append(events, e)
		}
		devices += most
	}
	return events
}

// spans are the events that took time, in the order of their beginnings.
func (p *Process) spans() (list []trace.Event) {
	for _, e := range p.Events {
		if e.Phase == "X" {
			list = append(list, e)
		}
	}
	slices.SortStableFunc(list, func(a, b trace.Event) int { return cmp.Compare(a.Time, b.Time) })
	return list
}
