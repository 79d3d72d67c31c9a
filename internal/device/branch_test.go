package device_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/limit"
)

// before is the work that comes before other work, by its number in the order of the capture.
type before map[int]bool

func (b before) add(others ...before) {
	for _, o := range others {
		for n := range o {
			b[n] = true
		}
	}
}

// orders is an engine whose graphs only say what comes before what.
type orders struct {
	*fake
	work []before // of the last graph
	open int      // events that were not closed
}

func (e *orders) NewStream() (engine.Stream, error) {
	s, err := e.fake.NewStream()
	if err != nil {
		return nil, err
	}
	return graphStream{s.(*fakeStream)}, nil
}

func (e *orders) NewGraph(streams int, record func([]engine.Stream) error) (engine.Graph, error) {
	e.work = nil
	var on []engine.Stream
	for range streams {
		on = append(on, &ordersStream{e: e, done: before{}})
	}
	return &fakeGraph{f: e.fake}, record(on)
}

type ordersStream struct {
	fakeStream
	e    *orders
	done before // what comes before the next work
}

type ordersEvent struct {
	fakeEvent
	e      *orders
	done   before
	closed bool
}

func (s *ordersStream) Launch(engine.Kernel, [3]uint32, []uint64) error {
	b := before{}
	b.add(s.done)
	s.done[len(s.e.work)] = true
	s.e.work = append(s.e.work, b)
	return nil
}

func (s *ordersStream) Record() (engine.Event, error) {
	e := &ordersEvent{e: s.e, done: before{}}
	e.done.add(s.done)
	s.e.open++
	return e, nil
}

func (s *ordersStream) WaitEvent(e engine.Event) error {
	of := e.(*ordersEvent)
	if of.closed {
		return device.ErrClosed
	}
	s.done.add(of.done)
	return nil
}

func (e *ordersEvent) Close() error {
	e.closed = true
	e.e.open--
	return nil
}

// model computes what has to come before what.
type model struct {
	work []before
	uses [][]device.Use // by work
}

// launch adds work of a stream, before which comes what is in on.
func (m *model) launch(on before, uses []device.Use) {
	b := before{}
	b.add(on)
	for i, earlier := range m.uses {
		for _, u := range earlier {
			if slices.ContainsFunc(uses, func(v device.Use) bool { return u.Memory == v.Memory && (u.Writes || v.Writes) }) {
				b[i] = true
				b.add(m.work[i])
			}
		}
	}
	on.add(b)
	on[len(m.work)] = true
	m.work, m.uses = append(m.work, b), append(m.uses, uses)
}

// captured is one graph with the branches that it has in the model.
type captured struct {
	graph *device.Graph
	do    []func(m *model, streams []before) // with the streams of the capture, of which the first is that on which it began
}

// TestBranchOrder compares what comes before what in random captures of several streams, also with graphs of several streams in them, with what
// streams, events and memory ask for: neither less nor more.
func TestBranchOrder(t *testing.T) {
	f := &orders{fake: &fake{}}
	d, err := device.Open(f, limit.Default)
	if err != nil {
		t.Fatal(err)
	}
	const count = 4
	var streams []*device.Stream
	var memory []*device.Memory
	for range count {
		streams = append(streams, stream(t, d))
	}
	for range 8 {
		memory = append(memory, alloc(t, d))
	}
	r := rand.New(rand.NewPCG(3, 16))
	var graphs []captured
	for round := range 300 {
		var c captured
		var log []string
		c.graph, err = streams[0].Capture(func() error {
			joined := []int{0}
			for range r.IntN(14) {
				on := joined[r.IntN(len(joined))]
				switch kind := r.IntN(8); {
				case kind == 0 && len(graphs) > 0:
					inner := graphs[r.IntN(len(graphs))]
					if inner.graph.Len() > 30 {
						continue
					}
					log = append(log, fmt.Sprintf("%d graph of %d", on, inner.graph.Len()))
					c.do = append(c.do, func(m *model, s []before) { m.replay(s[on], inner) })
					if err := streams[on].Replay(inner.graph); err != nil {
						return err
					}
				case kind <= 2:
					waits := r.IntN(count)
					e, err := streams[on].Record()
					if err != nil {
						return err
					}
					more := []device.Use{{Memory: memory[r.IntN(len(memory))]}} // between the event and the wait
					if r.IntN(2) == 0 {
						run(t, streams[on], more...)
						log = append(log, fmt.Sprintf("%d reads, ", on))
					} else {
						more = nil
					}
					log = append(log, fmt.Sprintf("%d waits for %d", waits, on))
					c.do = append(c.do, func(m *model, s []before) {
						event := before{}
						event.add(s[on])
						if more != nil {
							m.launch(s[on], more)
						}
						s[waits].add(event)
					})
					if err := streams[waits].Wait(e); err != nil {
						return err
					}
					if !slices.Contains(joined, waits) {
						joined = append(joined, waits)
					}
				default:
					uses := []device.Use{{Memory: memory[r.IntN(len(memory))], Writes: r.IntN(3) == 0}, {Memory: memory[r.IntN(len(memory))]}}
					log = append(log, fmt.Sprintf("%d uses %v", on, uses))
					c.do = append(c.do, func(m *model, s []before) { m.launch(s[on], uses) })
					run(t, streams[on], uses...)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		want := &model{}
		want.replay(before{}, c)
		if got := f.work; len(got) != len(want.work) || !slices.EqualFunc(got, want.work, func(a, b before) bool { return fmt.Sprint(a) == fmt.Sprint(b) }) {
			for i := range want.work {
				t.Logf("work %d is behind %v, want %v", i, got[i], want.work[i])
			}
			t.Fatalf("round %d: %s", round, strings.Join(log, "\n"))
		}
		graphs = append(graphs, c)
	}
	if f.open != 0 {
		t.Errorf("%d events were not closed", f.open)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// replay adds a graph: behind what is on the stream, and before what comes then.
func (m *model) replay(on before, c captured) {
	streams := []before{on}
	for range 3 {
		b := before{}
		b.add(on)
		streams = append(streams, b)
	}
	for _, do := range c.do {
		do(m, streams)
	}
	on.add(streams[1:]...)
}
