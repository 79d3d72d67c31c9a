package fake

import (
	"slices"

	"github.com/cutile-go/cutile/internal/driver/cudrv"
)

// graph is work that was captured, or a graph that can be launched.
type graph struct {
	ctx  *context
	work []cmd
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
	s.capture = &graph{ctx: ctx}
	return nil
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
	id := cudrv.Graph(d.newHandle())
	d.graphs[id], s.capture = s.capture, nil
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
	d.execs[e] = &graph{ctx, slices.Clone(g.work)}
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
	if !slices.EqualFunc(e.work, g.work, func(a, b cmd) bool {
		return a.kind == b.kind && a.launch == b.launch && a.block == b.block && a.n == b.n
	}) {
		return c.fail(cudrv.GraphExecUpdateFailure)
	}
	e.work = slices.Clone(g.work)
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
	for _, w := range e.work {
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
