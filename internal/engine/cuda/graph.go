package cuda

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/cutile-go/cutile/internal/driver/cudrv"
	"github.com/cutile-go/cutile/internal/engine"
)

var (
	_ engine.Grapher     = (*Device)(nil)
	_ engine.GraphStream = (*Stream)(nil)
)

// graph implements [engine.Graph]: a graph of the driver that can be launched.
type graph struct {
	d    *Device
	life engine.Life

	mu      sync.Mutex // guards what follows
	exec    cudrv.Exec
	kernels []*Kernel // each once
}

func (g *graph) order() int     { return orderGraph }
func (g *graph) destroy() error { return g.d.drv.GraphExecDestroy(g.exec) }

// NewGraph implements [engine.Grapher]. The driver captures the work on streams that are made for that.
func (d *Device) NewGraph(streams int, record func([]engine.Stream) error) (engine.Graph, error) {
	g := &graph{d: d}
	err := d.captured(streams, record, func(captured cudrv.Graph, kernels []*Kernel) (err error) {
		g.kernels = kernels
		g.exec, err = d.drv.GraphInstantiate(captured)
		return err
	})
	if g.exec == 0 {
		return nil, err
	}
	d.track(g)
	if err != nil { // of what was done afterwards
		return nil, engine.Join(err, g.Close())
	}
	return g, nil
}

// captured captures work on streams and hands its graph, which is freed afterwards, to use.
func (d *Device) captured(streams int, record func([]engine.Stream) error, use func(cudrv.Graph, []*Kernel) error) (err error) {
	var private []engine.Stream
	defer func() {
		for _, s := range private {
			err = engine.Join(err, s.Close())
		}
	}()
	for range streams {
		s, err := d.NewStream()
		if err != nil {
			return err
		}
		s.(*Stream).launched = []*Kernel{}
		private = append(private, s)
	}
	first := private[0].(*Stream)
	if err := first.driver(func() error { return d.drv.StreamBeginCapture(first.h) }); err != nil {
		if cudrv.Code(err) == cudrv.NotFound {
			err = fmt.Errorf("%s: the driver has no graphs: %w", d.Name(), errors.ErrUnsupported)
		}
		return err
	}
	if err = fork(private); err == nil {
		err = engine.Join(record(private), merge(private)) // what was forked has to be merged, whatever happened
	}
	failed := first.driver(func() error {
		g, ended := d.drv.StreamEndCapture(first.h)
		if ended != nil {
			return ended
		}
		if err == nil {
			err = use(g, launchedOn(private))
		}
		return d.drv.GraphDestroy(g)
	})
	return engine.Join(err, failed)
}

// fork makes the other streams take part in the capture of the first.
func fork(streams []engine.Stream) error {
	for _, s := range streams[1:] {
		if err := behind(s, streams[0]); err != nil {
			return err
		}
	}
	return nil
}

// merge makes the first stream wait for the others, as the driver asks for at the end of a capture.
func merge(streams []engine.Stream) error {
	var errs []error
	for _, s := range streams[1:] {
		errs = append(errs, behind(streams[0], s))
	}
	return errors.Join(errs...)
}

// behind makes a stream wait for what is queued on another.
func behind(s, other engine.Stream) error {
	e, err := other.Record()
	if err != nil {
		return err
	}
	return engine.Join(s.WaitEvent(e), e.Close())
}

// launchedOn gives the kernels of streams that captured, each once.
func launchedOn(streams []engine.Stream) (kernels []*Kernel) {
	for _, s := range streams {
		for _, k := range s.(*Stream).launched {
			if !slices.Contains(kernels, k) {
				kernels = append(kernels, k)
			}
		}
	}
	return kernels
}

// driver makes calls of the driver that concern the stream.
func (s *Stream) driver(calls func() error) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	return s.d.fault(calls())
}

// Update implements [engine.Graph].
func (g *graph) Update(streams int, record func([]engine.Stream) error) error {
	if err := use(&g.life, g.d, "graph"); err != nil {
		return err
	}
	defer g.life.Done()
	return g.d.captured(streams, record, func(captured cudrv.Graph, kernels []*Kernel) error {
		g.mu.Lock()
		defer g.mu.Unlock()
		drv := g.d.drv
		err := drv.GraphExecUpdate(g.exec, captured)
		if code := cudrv.Code(err); code == cudrv.GraphExecUpdateFailure || code == cudrv.NotFound {
			var exec cudrv.Exec
			if exec, err = drv.GraphInstantiate(captured); err == nil {
				err = drv.GraphExecDestroy(g.exec)
				g.exec = exec
			}
		}
		if err == nil {
			g.kernels = kernels
		}
		return err
	})
}

// Close implements [engine.Graph]. The driver frees the graph when what was queued of it has ended.
func (g *graph) Close() error {
	if !g.life.End() {
		return nil
	}
	return g.d.drop(g)
}

// Replay implements [engine.GraphStream].
func (s *Stream) Replay(any engine.Graph) error {
	g, ok := any.(*graph)
	if !ok || g.d != s.d {
		return fmt.Errorf("%s: replay: the graph belongs to another device", s.d.Name())
	}
	if err := use(&g.life, s.d, "graph"); err != nil {
		return err
	}
	defer g.life.Done()
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, k := range g.kernels {
		if err := use(&k.life, s.d, "kernel"); err != nil {
			release(g.kernels[:i])
			return fmt.Errorf("replay of a graph: kernel %s: %w", k.name, err)
		}
	}
	defer release(g.kernels)
	if err := s.d.drv.GraphLaunch(g.exec, s.h); err != nil {
		return s.d.fault(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range g.kernels {
		s.note(k)
	}
	return nil
}

// release ends the uses of kernels.
func release(kernels []*Kernel) {
	for _, k := range kernels {
		k.life.Done()
	}
}

// keeps adds a kernel to those of a capture.
func (s *Stream) keeps(k *Kernel) {
	if s.launched != nil && !slices.Contains(s.launched, k) {
		s.launched = append(s.launched, k)
	}
}
