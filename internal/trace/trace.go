// Package trace writes what programs do as a trace of Chrome's format, which Perfetto and chrome://tracing show: JSON arrays of
// events with times in microseconds (Trace Event Format, Google).
package trace

import (
	"encoding/json"
	"io"
	"sync"
	"time"
)

// Trace writes events. A nil Trace writes none. Its methods may be called from several goroutines.
type Trace struct {
	mu    sync.Mutex
	out   io.Writer
	start time.Time
	begun bool
	err   error
}

// New begins a trace. Readers of the format do not need the end of the array, so that the events of a program that is killed are not lost.
func New(out io.Writer) *Trace { return &Trace{out: out, start: time.Now()} }

// Track is a row of the picture: of all processes, that of the device with a number, and of it the one with a number.
type Track struct{ Process, Thread int }

// event is one of the format.
type event struct {
	Name  string         `json:"name"`
	Cat   string         `json:"cat,omitempty"`
	Phase string         `json:"ph"`
	Time  float64        `json:"ts"`
	Took  float64        `json:"dur,omitempty"`
	PID   int            `json:"pid"`
	TID   int            `json:"tid"`
	Args  map[string]any `json:"args,omitempty"`
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// Span writes that something took its time, with arguments for the reader.
func (t *Trace) Span(on Track, category, name string, start time.Time, took time.Duration, args map[string]any) {
	if t != nil {
		t.write(event{Name: name, Cat: category, Phase: "X", Time: micros(start.Sub(t.start)), Took: max(micros(took), 0.001), PID: on.Process, TID: on.Thread, Args: args})
	}
}

// Name names a device, by what its threads are not named, or a track of it.
func (t *Trace) Name(on Track, what, name string) {
	if t != nil {
		t.write(event{Name: what, Phase: "M", PID: on.Process, TID: on.Thread, Args: map[string]any{"name": name}})
	}
}

// The things that have names.
const (
	Device = "process_name"
	Row    = "thread_name"
)

func (t *Trace) write(e event) {
	text, err := json.Marshal(e)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil {
		t.err = err
	}
	if t.err != nil {
		return
	}
	begin := "[\n"
	if t.begun {
		begin = ",\n"
	}
	t.begun = true
	_, t.err = t.out.Write(append([]byte(begin), text...))
}

// Err is the first error of writing, which ended the trace.
func (t *Trace) Err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}
