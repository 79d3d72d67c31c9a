package cpu

import (
	"errors"
	"slices"
	"sync"

	"github.com/cutile-go/cutile/internal/engine"
)

var (
	_ engine.Grapher     = (*Device)(nil)
	_ engine.GraphStream = (*Stream)(nil)
)

// graph implements [engine.Graph]: commands that a stream runs as one.
type graph struct {
	device *Device

	mu     sync.Mutex
	work   []command // replaced as a whole, as a stream may run it
	closed bool
}

// NewGraph implements [engine.Grapher].
func (d *Device) NewGraph(streams int, record func([]engine.Stream) error) (engine.Graph, error) {
	g := &graph{device: d}
	if err := g.Update(streams, record); err != nil {
		return nil, err
	}
	return g, nil
}

// Update implements [engine.Graph]. Each launch has all processors, so that the work of all streams is one sequence: in the order in which it is
// recorded, whatever it waits for comes before it.
func (g *graph) Update(streams int, record func([]engine.Stream) error) error {
	s := newStream(g.device)
	s.records = true
	if err := record(slices.Repeat([]engine.Stream{s}, streams)); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.work = s.queue[:s.count] // a queue from which nothing was taken begins at its first place
	return nil
}

// Close implements [engine.Graph].
func (g *graph) Close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.work, g.closed = nil, true
	return nil
}

// Replay implements [engine.GraphStream].
func (s *Stream) Replay(any engine.Graph) error {
	g, ok := any.(*graph)
	if !ok || g.device != s.device {
		return errors.New("cpu: the graph belongs to another device")
	}
	g.mu.Lock()
	work, closed := g.work, g.closed
	g.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || closed {
		return errClosed
	}
	c := s.push()
	c.kind, c.graph = cmdGraph, work
	return nil
}

// replay runs the commands of a graph, up to the first error.
func (s *Stream) replay(c *command) (err error) {
	for i := range c.graph {
		s.replays = c.graph[i]
		s.replays.halted = c.halted
		s.mu.Lock()
		s.job.stop.Store(s.halt) // and not what the limit of the launch before may have asked for as that ended
		s.mu.Unlock()
		if err = s.run(&s.replays); err != nil {
			break
		}
	}
	s.replays = command{}
	return err
}
