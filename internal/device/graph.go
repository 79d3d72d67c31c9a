package device

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/trace"
)

// Graph is work that was captured once and can be queued again and again. Its methods may be called from several goroutines.
type Graph struct {
	*graph
}

// graph is the part of a Graph that is kept until it is freed.
type graph struct {
	dev *Device
	eng engine.Graph // nil where the engine has none: the work is queued piece by piece

	// Guarded by dev.mu.
	captured *capture
	closed   bool
}

// Capture calls f, and makes a graph of the kernels and copies that f queues on the stream. They do not run.
func (s *Stream) Capture(f func() error) (*Graph, error) {
	c, err := s.captureWork(f)
	if err != nil {
		return nil, err
	}
	g := &graph{dev: s.dev, captured: c}
	eng, ok := s.dev.eng.(engine.Grapher)
	if _, takes := s.eng.(engine.GraphStream); ok && takes {
		g.eng, err = eng.NewGraph(len(c.branches), c.record)
		if errors.Is(err, errors.ErrUnsupported) {
			g.eng, err = nil, nil
		}
	}
	if err != nil {
		s.dev.mu.Lock()
		defer s.dev.mu.Unlock()
		c.release()
		return nil, err
	}
	out := &Graph{g}
	runtime.AddCleanup(out, func(g *graph) { g.Close() }, g)
	return out, nil
}

// queue queues the work of a capture that has ended, in the order in which it was captured.
func (c *capture) queue(on engine.Stream) error {
	for i := range c.work {
		if err := c.work[i].queue(on); err != nil {
			return err
		}
	}
	return nil
}

// Len is the number of kernels and copies.
func (g *graph) Len() int {
	g.dev.mu.Lock()
	defer g.dev.mu.Unlock()
	return len(g.captured.work)
}

// Device is the device that the graph belongs to.
func (g *graph) Device() *Device { return g.dev }

// Update captures other work in the place of the graph's. After an error the graph is as before.
func (g *graph) Update(s *Stream, f func() error) error {
	if s.dev != g.dev {
		return errOtherGraph
	}
	if err := g.usable(); err != nil {
		return err
	}
	c, err := s.captureWork(f)
	if err != nil {
		return err
	}
	g.dev.mu.Lock() // so that nobody queues the new work after that of the old memory
	defer g.dev.mu.Unlock()
	switch {
	case g.closed || g.dev.closed: // by another goroutine, or by f
		err = errGraphClosed
	case g.eng != nil:
		err = g.eng.Update(len(c.branches), c.record)
	}
	if err == nil {
		c, g.captured = g.captured, c
	}
	c.release()
	return err
}

// usable gives the error of a graph that was closed.
func (g *graph) usable() error {
	g.dev.mu.Lock()
	defer g.dev.mu.Unlock()
	if g.closed || g.dev.closed {
		return errGraphClosed
	}
	return nil
}

var errGraphClosed error = &Of{"the graph", ErrClosed}

var errOtherGraph = errors.New("the graph was captured on another device")

// Replay queues all the work of a graph, after all work, on any stream, whose memory it uses. It does not allocate as long as the
// memories stay with one stream.
func (s *Stream) Replay(g *Graph) error {
	if s.dev != g.dev {
		return errOtherGraph
	}
	s.dev.mu.Lock()
	defer s.dev.mu.Unlock()
	c := g.captured
	switch {
	case g.closed:
		return errGraphClosed
	case s.refuses():
		return ErrClosed
	case s.capture != nil:
		return s.capture.replay(s.capture.branchOf(s), c)
	case len(c.work) == 0:
		return nil
	}
	if err := c.writable(); err != nil {
		return err
	}
	for i := range c.uses {
		if err := s.after(c.uses[i].Memory.memory, c.uses[i].Writes); err != nil {
			return err
		}
	}
	err := s.replay(g.eng, c)
	s.noteReplay(c.uses) // also after an error: a part may be queued
	if err != nil {
		return err
	}
	s.dev.counts.launches.Add(c.kernels)
	return nil
}

func (s *Stream) replay(g engine.Graph, c *capture) error {
	if p := s.dev.profiler; p != nil {
		defer p.Range(fmt.Sprintf("replay graph of %d", len(c.work)))()
	}
	if t := s.dev.tracer; t != nil && t.launches {
		return s.replayTraced(c)
	}
	if from := s.traceBegin(); from != nil {
		defer s.traceEnd(from, trace.Graph, fmt.Sprintf("graph of %d", len(c.work)), nil)
	}
	if g != nil {
		return s.eng.(engine.GraphStream).Replay(g)
	}
	return c.queue(s.eng)
}

// replayTraced queues the work of a graph piece by piece, in the order in which it was captured, for a trace that has each of them.
func (s *Stream) replayTraced(c *capture) error {
	for i := range c.work {
		w := &c.work[i]
		from := s.traceBegin()
		if err := w.queue(s.eng); err != nil {
			traceNone(from)
			return err
		}
		if from != nil {
			category, name, args := s.dev.tells(w)
			s.traceEnd(from, category, name, args)
		}
	}
	return nil
}

// tells says what a piece of work is in a trace.
func (d *Device) tells(w *work) (category, name string, args map[string]any) {
	switch {
	case w.copies != nil:
		return trace.Copy, "copy", map[string]any{"bytes": w.copies.n}
	case w.simt != nil:
		return trace.Kernel, d.kernelName(w.kernel), map[string]any{"grid": w.simt.Grid}
	}
	return trace.Kernel, d.kernelName(w.kernel), map[string]any{"grid": w.grid}
}

// writable gives the error of a graph that writes memory that was frozen since.
func (c *capture) writable() error {
	for i := range c.uses {
		if c.uses[i].Writes && c.uses[i].Memory.frozen.Load() {
			return &Of{"a tensor that the graph writes", ErrFrozen}
		}
	}
	return nil
}

// Close frees the graph, and the memory that only it kept. What was queued is done.
func (g *graph) Close() error {
	g.dev.mu.Lock()
	if g.closed {
		g.dev.mu.Unlock()
		return nil
	}
	g.closed = true
	g.captured.release()
	g.dev.mu.Unlock()
	if g.eng == nil {
		return nil
	}
	return g.eng.Close()
}
