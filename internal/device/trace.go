package device

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cutile-go/cutile/internal/driver/nvtx"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/trace"
)

// tracer writes what a device does to a trace: what the host does as it happens, and how long kernels took on the device as far as that is known
// when somebody waits.
type tracer struct {
	to       *trace.Trace
	process  int
	rows     int
	launches bool // graphs are replayed launch by launch
}

// traced counts the devices that are traced, which are processes to readers of traces.
var traced struct {
	sync.Mutex
	processes int
}

// Trace makes the device write to a trace, and replay graphs launch by launch if that should have their launches. It is called before the device is
// used.
func (d *Device) Trace(to *trace.Trace, launches bool) error {
	traced.Lock()
	traced.processes++
	d.tracer = &tracer{to: to, process: traced.processes, launches: launches}
	traced.Unlock()
	defer to.Flush()
	to.Name(d.tracer.track(0), trace.Device, d.Name()+": "+d.eng.Description())
	to.Name(d.tracer.track(trace.HostRow), trace.Row, "host")
	return d.main.startTrace()
}

func (t *tracer) track(row int) trace.Track { return trace.Track{Process: t.process, Thread: row} }

// Profile makes the device tell a profiler what the host does: compilations, launches, copies and waits. It is called before the device is
// used.
func (d *Device) Profile(p *nvtx.Profiler) { d.profiler = p }

// observed reports whether anybody wants to know what the host does.
func (d *Device) observed() bool { return d.tracer != nil || d.profiler != nil }

// during begins something that the host does, for the trace and the profiler. end must be called on the same goroutine. It is for calls
// that may allocate.
func (d *Device) during(category, name string, args map[string]any) (end func()) {
	ended := d.profiler.Range(name)
	if d.tracer == nil {
		return ended
	}
	written := d.tracer.span(category, name, args)
	return func() {
		written()
		ended()
	}
}

// span gives what is called when something that the host does has ended.
func (t *tracer) span(category, name string, args map[string]any) (end func()) {
	start := time.Now()
	return func() {
		t.to.Span(t.track(trace.HostRow), category, name, start, time.Since(start), args)
		t.to.Flush()
	}
}

// compiled writes that a compilation ended now: args say how.
func (t *tracer) compiled(name string, took time.Duration, args map[string]any, err error) {
	if t == nil {
		return
	}
	if err != nil {
		args = map[string]any{"error": err.Error()}
	}
	t.to.Span(t.track(trace.HostRow), trace.Compile, name, time.Now().Add(-took), took, args)
	t.to.Flush()
}

// flush writes what was told to the trace under dev.mu, which is not held any more: the writer may want it.
func (t *tracer) flush() {
	if t != nil {
		t.to.Flush()
	}
}

// failed writes the rest of the trace, and gives why it could not be written. dev.mu is not held.
func (t *tracer) failed() error {
	if t == nil {
		return nil
	}
	if err := t.to.Err(); err != nil {
		return fmt.Errorf("the trace ends early: %w", err)
	}
	return nil
}

// streamTrace is what a stream has for a trace, guarded by dev.mu.
type streamTrace struct {
	row  int
	base engine.Event // the begin of the last work in the trace
	at   time.Time    // of base, by the host's clock
	runs []run
	lost int // how much work is not in the trace
}

// run is work whose times are not known yet.
type run struct {
	category, name string
	args           map[string]any
	from, to       engine.Event
}

// comparisons is how often clocks are compared: the host may wait long until it runs again.
const comparisons = 5

// startTrace compares the clocks of the host and of a stream that has no work yet.
func (s *Stream) startTrace() error {
	t := s.dev.tracer
	if t == nil {
		return nil
	}
	least := time.Duration(-1)
	for range comparisons {
		start := time.Now()
		e, err := s.eng.Record()
		if err != nil {
			return err
		}
		if err := e.Wait(s.dev.open); err != nil {
			return errors.Join(err, e.Close())
		}
		took := time.Since(start)
		if least >= 0 && took >= least {
			e.Close()
			continue
		}
		if s.trace.base != nil {
			s.trace.base.Close()
		}
		least, s.trace.base, s.trace.at = took, e, start.Add(took/2)
	}
	t.rows++
	s.trace.row = trace.HostRow + t.rows
	t.to.Name(t.track(s.trace.row), trace.Row, fmt.Sprintf("stream %d", t.rows-1))
	return nil
}

// mostRuns bounds what is kept of work whose times nobody has waited for: what comes then is not in the trace, unless some has ended.
const mostRuns = 1 << 14

// traceBegin marks the point before work, where it is traced. dev.mu is held.
func (s *Stream) traceBegin() engine.Event {
	if s.trace.base == nil {
		return nil
	}
	if len(s.trace.runs) >= mostRuns {
		s.traceRuns()
		go s.dev.tracer.flush()
	}
	if len(s.trace.runs) >= mostRuns {
		s.trace.lost++
		return nil
	}
	e, err := s.eng.Record()
	if err != nil {
		return nil // the launch has the same error
	}
	return e
}

// traceNone forgets a mark of traceBegin, as the work was not queued.
func traceNone(from engine.Event) {
	if from != nil {
		from.Close()
	}
}

// traceEnd keeps what was queued since the mark. dev.mu is held.
func (s *Stream) traceEnd(from engine.Event, category, name string, args map[string]any) {
	to, err := s.eng.Record()
	if err != nil {
		s.trace.lost++
		from.Close()
		return
	}
	s.trace.runs = append(s.trace.runs, run{category, name, args, from, to})
}

// traceRuns tells the trace of the work that has ended. dev.mu is held.
func (s *Stream) traceRuns() {
	t := s.dev.tracer
	for len(s.trace.runs) > 0 {
		r := s.trace.runs[0]
		if !r.to.Done() {
			return
		}
		s.trace.runs = s.trace.runs[1:]
		since, err := r.from.Elapsed(s.trace.base)
		took, failed := r.to.Elapsed(r.from)
		r.to.Close()
		if err != nil || failed != nil {
			s.trace.lost++
			r.from.Close()
			continue
		}
		// The next times count from here: CUDA gives them as float32, which would be coarse in a program that runs for long.
		s.trace.base.Close()
		s.trace.base, s.trace.at = r.from, s.trace.at.Add(time.Duration(since))
		t.to.Span(t.track(s.trace.row), r.category, r.name, s.trace.at, time.Duration(took), r.args)
	}
}

// endTrace tells the trace of what has ended, and frees the rest. dev.mu is held.
func (s *Stream) endTrace() {
	if s.trace.base == nil {
		return
	}
	s.traceRuns()
	for _, r := range s.trace.runs {
		r.from.Close()
		r.to.Close()
	}
	if lost := s.trace.lost + len(s.trace.runs); lost > 0 {
		s.dev.tracer.to.Note(s.dev.tracer.track(s.trace.row), trace.Untimed, map[string]any{"count": lost})
	}
	s.trace.base.Close()
	s.trace = streamTrace{}
}

// Named says how users know a kernel that was loaded, for traces and profilers.
func (d *Device) Named(k engine.Kernel, name string) {
	if d.observed() {
		d.names.Store(k, name)
	}
}

// kernelName is the name of a kernel.
func (d *Device) kernelName(k engine.Kernel) string {
	if name, ok := d.names.Load(k); ok {
		return name.(string)
	}
	return "kernel"
}
