package device

import (
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/cutile-go/cutile/internal/trace"
)

// WithTrace writes what the device does to w, as a trace that Perfetto (ui.perfetto.dev) and chrome://tracing show: compilations, copies and waits
// by the host's clock, and for each stream how long kernels and copies took on the device, with their grids. The times of work are written when
// somebody has waited for it (Sync, or a read); of work that nobody waits for, 16384 pieces are kept for each stream. Devices that are opened
// with one Option share the trace; Write is called for one event at a time. What is written is a JSON array of events without the ] at its end, which
// the format does without, so that what a program that ends early has written can be read; Close gives the error of a
// writer that fails, or panics, which ends the trace. Launches take longer, as there are two events for each.
//
// The writer may ask a device that shares the trace for its [Device.Stats]. It must not launch, wait or close there: that writes to the trace, or waits
// until the trace is written.
//
// The environment variable CUTILE_TRACE names a file for the devices that are opened without the option, or a folder in which each process makes a file
// of its own. While another process writes the file, a process makes one beside it: trace-*.json for trace.json.
//
// A graph of launches ([LaunchGraph]) is one piece of work in a trace. With CUTILE_TRACE_GRAPHS=launches in the environment, graphs are replayed
// launch by launch on devices with a trace, so that it has the kernels.
func WithTrace(w io.Writer) Option {
	if w == nil {
		return func(o *options) { o.Trace = nil }
	}
	t := trace.New(w)
	return func(o *options) { o.Trace = t }
}

// fileTraces are the traces that the environment has asked for, by the name of the file.
var fileTraces struct {
	sync.Mutex
	of map[string]*trace.Trace
}

// envTrace gives the trace of the file that CUTILE_TRACE names; nil for none. The file is made once in a process.
func envTrace() (*trace.Trace, error) {
	name := os.Getenv(trace.Env)
	if name == "" {
		return nil, nil
	}
	fileTraces.Lock()
	defer fileTraces.Unlock()
	if t := fileTraces.of[name]; t != nil {
		return t, nil
	}
	f, err := trace.Create(name)
	if err != nil {
		return nil, err
	}
	if fileTraces.of == nil {
		fileTraces.of = map[string]*trace.Trace{}
	}
	fileTraces.of[name] = trace.New(f)
	return fileTraces.of[name], nil
}

// tracesLaunches reports whether the environment asks for the launches of graphs in traces.
func tracesLaunches() (bool, error) {
	switch v := os.Getenv(trace.GraphsEnv); v {
	case "", trace.Whole:
		return false, nil
	case trace.Launches:
		return true, nil
	default:
		return false, fmt.Errorf("%s is %q: expected %s or %s", trace.GraphsEnv, v, trace.Whole, trace.Launches)
	}
}
