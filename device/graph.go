package device

import (
	"errors"
	"fmt"
	"runtime"

	core "github.com/cutile-go/cutile/internal/device"
)

// LaunchGraph is launches and copies that were captured once and can be replayed again and again: what CUDA calls a graph.
// Replaying costs the program about as much as one launch, however many they are. [Stream.Capture] makes one. Its methods may be called
// from several goroutines.
//
// The launches are repeated with the arguments that they had: the same tensors, and the same numbers, also where they were passed as pointers.
// New data is written to the tensors between replays. The memory of the tensors is kept until the graph is closed, even of those that were
// closed, such as temporary ones.
type LaunchGraph struct {
	dev  *Device
	core *core.Graph
}

var errNilGraph = errors.New("cutile: the graph is nil: use the one that Capture returns")

// Capture calls f and returns a graph of the launches on the stream and the copies between their tensors ([Tensor.Copy]) that f makes. They do
// not run before [LaunchGraph.Replay]. Kernels of this package and of package cute may be mixed; those that are new are compiled. What f does on
// other streams is done at once, and is no part of the graph; neither are transfers such as [Tensor.Write].
//
// Launches of all goroutines on the stream become part of the graph while f runs. A program with several goroutines captures on a stream of its
// own, not on [Device.Stream].
//
// A graph may have branches, as in CUDA. Another stream takes part in the capture when it waits ([Stream.Wait]) for an event that was recorded
// ([Stream.Record]) on a stream that does; from then on until f returns, its launches are captured, too. In the graph, the launches and copies of
// a stream happen in order, those of several streams in the order of the events that streams wait for, and work that uses the same tensors in the
// order in which it was captured, if not all of it only reads them. Everything else may happen at the same time, and ends before the replay does.
//
// While f runs, waiting for the streams that take part or for the device, and transferring the tensors of what was captured, is an error, as the work has not run.
//
// A copy on the device, of any goroutine, is part of the capture if work that was captured before uses one of its two tensors. Else it is done
// at once and is no part of the graph. A copy between tensors of two captures is an error, unless one of them uses both.
//
// A launch that is captured and uses a tensor that was written during the capture by what is no part of it is an error, since the graph would not
// repeat that: by launches on other streams, transfers such as [Tensor.Write] and [Tensor.Fill], and such copies. Tensors that f makes may be written by launches and
// transfers, as constants are; what other goroutines replay meanwhile is not looked at. It is an error, too, if launches come on other streams alone.
//
// If f returns an error, Capture returns it as it is, and there is no graph. A graph holds at most 1,048,576 launches and copies.
//
// The CPU engine does the work of all branches one after the other, each launch on all processors. Where the device has no graphs (Vulkan, and CUDA
// before 11.4), replaying repeats the launches one by one.
func (s *Stream) Capture(f func() error) (*LaunchGraph, error) {
	if s == nil || s.core == nil {
		return nil, errNilStream
	}
	if f == nil {
		return nil, errNilWork
	}
	defer runtime.KeepAlive(s)
	var g *core.Graph
	err := s.captures(f, func(f func() error) (err error) {
		g, err = s.core.Capture(f)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &LaunchGraph{s.dev, g}, nil
}

// captures gives the error of f as it is, and that of capture with the stream's name.
func (s *Stream) captures(f func() error, capture func(f func() error) error) error {
	var own error
	err := capture(func() error {
		own = f()
		return own
	})
	if own != nil {
		return own
	}
	return s.named(err)
}

var errNilWork = errors.New("cutile: the function to capture is nil")

// Replay queues the graph's work on a stream of the same device, after the work that uses the same tensors. It does not allocate. During a
// capture of the stream, the work becomes part of that capture.
func (g *LaunchGraph) Replay(on *Stream) error {
	switch {
	case g == nil || g.core == nil:
		return errNilGraph
	case on == nil || on.core == nil:
		return errNilStream
	}
	defer runtime.KeepAlive(on)
	return on.named(on.core.Replay(g.core))
}

// Update captures f as [Stream.Capture] does, and puts its work in the place of the graph's, such as the same launches with other tensors
// or numbers. What was queued by Replay before is done as it was. If that fails, the graph stays as it is.
func (g *LaunchGraph) Update(s *Stream, f func() error) error {
	switch {
	case g == nil || g.core == nil:
		return errNilGraph
	case s == nil || s.core == nil:
		return errNilStream
	case f == nil:
		return errNilWork
	}
	defer runtime.KeepAlive(s)
	return s.captures(f, func(f func() error) error { return g.core.Update(s.core, f) })
}

// Len returns the number of launches and copies.
func (g *LaunchGraph) Len() int {
	if g == nil || g.core == nil {
		return 0
	}
	return g.core.Len()
}

// String returns text such as "graph of 7 launches and copies on cuda:0".
func (g *LaunchGraph) String() string {
	if g == nil || g.core == nil {
		return "uninitialized LaunchGraph"
	}
	return fmt.Sprintf("graph of %d launches and copies on %s", g.Len(), g.dev.Name())
}

// Device returns the graph's device.
func (g *LaunchGraph) Device() *Device {
	if g == nil {
		return nil
	}
	return g.dev
}

// Close frees the graph, and the memory of closed tensors that it kept. Work that was queued by Replay is done. A graph that nothing refers to
// is closed some time later.
func (g *LaunchGraph) Close() error {
	if g == nil || g.core == nil {
		return errNilGraph
	}
	return named("graph", g.dev, g.core.Close())
}
