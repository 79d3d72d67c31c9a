// Package trace writes what programs do as a trace of Chrome's format, which Perfetto and chrome://tracing show: JSON arrays of
// events with times in microseconds (Trace Event Format, Google).
package trace

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// Env names the file of a trace of all devices that are opened without a trace of their own, or a folder in which each process makes a file.
const Env = "CUTILE_TRACE"

// GraphsEnv says how graphs of launches are in traces: as one piece of work each, or launch by launch.
const GraphsEnv = "CUTILE_TRACE_GRAPHS"

// The values of GraphsEnv.
const (
	Whole    = "graph" // as if there were none
	Launches = "launches"
)

// Trace writes events. A nil Trace writes none. Its methods may be called from several goroutines. Events are queued, as who tells of one may
// hold locks that the writer, which is the program's, wants, too; [Trace.Flush] writes them.
type Trace struct {
	start time.Time
	out   io.Writer

	mu      sync.Mutex
	queue   [][]byte // events as they are written
	writing bool     // a goroutine calls the writer, which it does without the lock
	changed sync.Cond
	begun   bool
	err     error
}

// mostQueued bounds the events that are queued while a goroutine writes: others that write wait then.
const mostQueued = 1 << 15

// New begins a trace. Readers of the format do not need the end of the array, so that the events of a program that is killed are not lost.
func New(out io.Writer) *Trace {
	t := &Trace{out: out, start: time.Now()}
	t.changed.L = &t.mu
	return t
}

// Track is a row of the picture: of all processes, that of the device with a number, and of it the one with a number.
type Track struct{ Process, Thread int }

// Event is one of the format. Times are in microseconds; of Phase "X" they are those of a span, "M" names a track, and "i" is a note.
type Event struct {
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

// Span tells that something took its time, with arguments for the reader.
func (t *Trace) Span(on Track, category, name string, start time.Time, took time.Duration, args map[string]any) {
	if t != nil {
		t.write(Event{Name: name, Cat: category, Phase: "X", Time: micros(start.Sub(t.start)), Took: max(micros(took), 0.001), PID: on.Process, TID: on.Thread, Args: args})
	}
}

// Note tells a note about a track at the present time.
func (t *Trace) Note(on Track, name string, args map[string]any) {
	if t != nil {
		t.write(Event{Name: name, Phase: "i", Time: micros(time.Since(t.start)), PID: on.Process, TID: on.Thread, Args: args})
	}
}

// Name names a device, by what its threads are not named, or a track of it.
func (t *Trace) Name(on Track, what, name string) {
	if t != nil {
		t.write(Event{Name: what, Phase: "M", PID: on.Process, TID: on.Thread, Args: map[string]any{"name": name}})
	}
}

// The things that have names.
const (
	Device = "process_name"
	Row    = "thread_name"

	begins = "cutile_trace" // which viewers pass over
)

// Categories of spans.
const (
	Kernel  = "kernel"  // a launch, on the device
	Graph   = "graph"   // a replay of a graph, on the device
	Copy    = "copy"    // on the device, or by the host
	Host    = "host"    // a function of the program that a stream runs
	Compile = "compile" // by the host
	Wait    = "wait"    // of the host
)

// What follows the name of a kernel in those of its compilations.
const (
	ToIR      = " to Tile IR"
	ForDevice = " for the device"
)

// HostRow is the row of what the host does; the rows of streams follow.
const HostRow = 1

// Untimed is the name of a note: its argument "count" is how much work of a stream has no span, as its times are not known.
const Untimed = "work without times"

// Begin is what a trace says of itself, first of all: which process wrote it, and the time of its zero.
type Begin struct {
	Process int
	Start   time.Time
}

// Begin gives what an event says about the trace; false for other events.
func (e *Event) Begin() (b Begin, ok bool) {
	text, _ := e.Args["start"].(string)
	id, _ := e.Args["process"].(float64)
	start, err := time.Parse(time.RFC3339Nano, text)
	return Begin{int(id), start}, e.Name == begins && err == nil
}

// write queues an event.
func (t *Trace) write(e Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.begun {
		t.put("[\n", Event{Name: begins, Phase: "M", Args: map[string]any{"start": t.start.Format(time.RFC3339Nano), "process": os.Getpid()}})
	}
	t.begun = true
	t.put(",\n", e)
}

// put queues an event behind what separates it from the one before.
func (t *Trace) put(before string, e Event) {
	text, err := json.Marshal(e)
	if t.err == nil {
		t.err = err
	}
	if t.err == nil {
		t.queue = append(t.queue, append([]byte(before), text...))
	}
}

// Flush writes what is queued. The caller holds no lock that a writer may want. While another goroutine writes, Flush leaves the rest to that one, so
// that a writer may do what flushes; if much is queued, it waits.
func (t *Trace) Flush() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.writing && len(t.queue) >= mostQueued {
		t.changed.Wait()
	}
	t.flush()
}

// flush is Flush under the lock, which it gives up while it writes.
func (t *Trace) flush() {
	if t.writing {
		return
	}
	t.writing = true
	for len(t.queue) > 0 {
		text := t.queue[0]
		t.queue = t.queue[1:]
		t.mu.Unlock()
		err := t.call(text)
		t.mu.Lock()
		if err != nil {
			t.err, t.queue = err, nil
		}
		t.changed.Broadcast()
	}
	t.writing, t.queue = false, nil
	t.changed.Broadcast()
}

// call calls the writer. A panic of it is an error.
func (t *Trace) call(text []byte) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the writer of the trace panicked: %v", r)
		}
	}()
	_, err = t.out.Write(text)
	return err
}

// Err writes what is queued, and gives the first error of writing, which ended the trace.
func (t *Trace) Err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.writing {
		t.changed.Wait()
	}
	t.flush()
	return t.err
}
