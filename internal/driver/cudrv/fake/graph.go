package fake

import (
	"slices"

	"github.com/cutile-go/cutile/internal/driver/cudrv"
)

// graph is work that was captured, or a graph that can be launched.
type graph struct {
	ctx    *context
	origin *stream // on which the capture began
	work   []node
	order  []cmd // of a graph that can be launched
}

// node is work of a graph, behind that of which it has the numbers.
type node struct {
	cmd
	after []int
}

// firstGraphs is the first driver whose graphs are those that package cudrv uses, firstUpdate the first with cuGraphExecUpdate_v2.
const (
	firstGraphs = 11040
	firstUpdate = 12000
)

// beginSince is begin for a call that drivers before a version lack.
func (d *Driver) beginSince(name string, since int, args ...any) (*Call, *context, error) {
	c, ctx, err := d.beginCtx(name, args...)
	if err == nil && d.opts.Version < since {
		err = c.fail(cudrv.NotFound)
	}
	return c, ctx, err
}

// StreamBeginCapture implements [cudrv.Driver].
func (d *Driver) StreamBeginCapture(on cudrv.Stream) error {
	c, ctx, err := d.beginSince("cuStreamBeginCapture", firstGraphs, on)
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	s := d.streams[on]
	switch {
	case s == nil:
		return c.fail(cudrv.InvalidHandle)
	case s.capture != nil:
		return c.fail(cudrv.IllegalState)
	}
	s.joins(&graph{ctx: ctx, origin: s}, nil)
	return nil
}

// joins makes a stream take part in a capture, behind work of it.
func (s *stream) joins(g *graph, after []int) { s.capture, s.after = g, slices.Clone(after) }

// keep makes work part of the capture.
func (s *stream) keep(c cmd) {
	if c.kind == cmdRecord {
		c.event.capture, c.event.after = s.capture, slices.Clone(s.after)
		return
	}
	s.capture.work = append(s.capture.work, node{c, s.after})
	s.after = []int{len(s.capture.work) - 1}
}

// waitCaptured makes a stream wait for an event, where one of both is part of a capture: then both are.
func (s *stream) waitCaptured(e *event) cudrv.Result {
	switch {
	case e.capture == nil:
		return cudrv.StreamCaptureIsolation
	case e.capture.origin.capture != e.capture:
		return cudrv.CapturedEvent // the capture has ended
	case s.capture == nil:
		s.joins(e.capture, e.after)
	case s.capture != e.capture:
		return cudrv.StreamCaptureMerge
	}
	s.after = append(s.after, e.after...)
	return cudrv.Success
}

// joined reports whether what the capture has is all before the next work of the stream on which it began.
func (g *graph) joined() bool {
	before := make([]bool, len(g.work))
	var visit func(after []int)
	visit = func(after []int) {
		for _, i := range after {
			if !before[i] {
				before[i] = true
				visit(g.work[i].after)
			}
		}
	}
	visit(g.origin.after)
	return !slices.Contains(before, false)
}

// late gives the work in an order that the nodes allow: always the last that may be next, so that what lacks an order comes in another one than
// that in which it was captured.
func (g *graph) late() (order []cmd) {
	done := make([]bool, len(g.work))
	for range g.work {
		for i := len(g.work) - 1; i >= 0; i-- {
			if !done[i] && !slices.ContainsFunc(g.work[i].after, func(a int) bool { return !done[a] }) {
				done[i], order = true, append(order, g.work[i].cmd)
				break
			}
		}
	}
	return order
}

// StreamEndCapture implements [cudrv.Driver].
func (d *Driver) StreamEndCapture(on cudrv.Stream) (cudrv.Graph, error) {
	c, _, err := d.beginSince("cuStreamEndCapture", firstGraphs, on)
	defer d.mu.Unlock()
	if err != nil {
		return 0, err
	}
	s := d.streams[on]
	if s == nil || s.capture == nil {
		return 0, c.fail(cudrv.IllegalState)
	}
	g := s.capture
	if g.origin != s {
		return 0, c.fail(cudrv.StreamCaptureUnmatched)
	}
	joined := g.joined()
	for _, other := range d.streams {
		if other.capture == g {
			other.capture, other.after = nil, nil
		}
	}
	if !joined {
		return 0, c.fail(cudrv.StreamCaptureUnjoined)
	}
	id := cudrv.Graph(d.newHandle())
	d.graphs[id] = g
	c.Out = id
	return id, nil
}

// GraphDestroy implements [cudrv.Driver].
func (d *Driver) GraphDestroy(id cudrv.Graph) error {
	c, _, err := d.beginSince("cuGraphDestroy", firstGraphs, id)
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	if d.graphs[id] == nil {
		return c.fail(cudrv.InvalidHandle)
	}
	delete(d.graphs, id)
	return nil
}

// GraphInstantiate implements [cudrv.Driver].
func (d *Driver) GraphInstantiate(id cudrv.Graph) (cudrv.Exec, error) {
	c, ctx, err := d.beginSince("cuGraphInstantiateWithFlags", firstGraphs, id)
	defer d.mu.Unlock()
	if err != nil {
		return 0, err
	}
	g := d.graphs[id]
	if g == nil {
		return 0, c.fail(cudrv.InvalidHandle)
	}
	e := cudrv.Exec(d.newHandle())
	d.execs[e] = &graph{ctx: ctx, work: slices.Clone(g.work), order: g.late()}
	c.Out = e
	return e, nil
}

// GraphExecUpdate implements [cudrv.Driver]: kernels may differ in their arguments and grids only, and copies not at all in their sizes.
func (d *Driver) GraphExecUpdate(id cudrv.Exec, with cudrv.Graph) error {
	c, _, err := d.beginSince("cuGraphExecUpdate", firstUpdate, id, with)
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	e, g := d.execs[id], d.graphs[with]
	if e == nil || g == nil {
		return c.fail(cudrv.InvalidHandle)
	}
	if !slices.EqualFunc(e.work, g.work, func(a, b node) bool {
		return a.kind == b.kind && a.launch == b.launch && a.block == b.block && a.n == b.n && slices.Equal(a.after, b.after)
	}) {
		return c.fail(cudrv.GraphExecUpdateFailure)
	}
	e.work, e.order = slices.Clone(g.work), g.late()
	return nil
}

// GraphLaunch implements [cudrv.Driver].
func (d *Driver) GraphLaunch(id cudrv.Exec, on cudrv.Stream) error {
	c, s, err := d.beginStream("cuGraphLaunch", on, id, on)
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	e := d.execs[id]
	if e == nil || e.ctx != s.ctx {
		return c.fail(cudrv.InvalidHandle)
	}
	for _, w := range e.order {
		w.args = slices.Clone(w.args) // a stream uses them again
		s.push(w)
	}
	return nil
}

// GraphExecDestroy implements [cudrv.Driver].
func (d *Driver) GraphExecDestroy(id cudrv.Exec) error {
	c, _, err := d.beginSince("cuGraphExecDestroy", firstGraphs, id)
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	if d.execs[id] == nil {
		return c.fail(cudrv.InvalidHandle)
	}
	delete(d.execs, id)
	return nil
}
