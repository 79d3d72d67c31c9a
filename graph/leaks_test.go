package graph_test

import (
	"context"
	"errors"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/limit"
)

// counted is the CPU's engine with a count of the events and memories that are alive, and room for some memories only.
type counted struct {
	engine.Device
	events, memories atomic.Int64
	room             int64 // 0 for any number
}

var errFull = errors.New("full")

func (d *counted) Alloc(bytes int64) (engine.Buffer, error) {
	if d.room > 0 && d.memories.Load() >= d.room {
		return nil, errFull
	}
	b, err := d.Device.Alloc(bytes)
	if err != nil {
		return nil, err
	}
	d.memories.Add(1)
	return countedBuffer{b, d}, nil
}

func (d *counted) NewStream() (engine.Stream, error) {
	s, err := d.Device.NewStream()
	return countedStream{s, d}, err
}

type countedBuffer struct {
	engine.Buffer
	of *counted
}

func (b countedBuffer) Free() error {
	b.of.memories.Add(-1)
	return b.Buffer.Free()
}

type countedStream struct {
	engine.Stream
	of *counted
}

func (s countedStream) Record() (engine.Event, error) {
	e, err := s.Stream.Record()
	if err != nil {
		return nil, err
	}
	s.of.events.Add(1)
	return &countedEvent{Event: e, of: s.of}, nil
}

func (s countedStream) Write(b engine.Buffer, at int64, data []byte) error {
	return s.Stream.Write(b.(countedBuffer).Buffer, at, data)
}

func (s countedStream) Read(ctx context.Context, data []byte, b engine.Buffer, at int64) error {
	return s.Stream.Read(ctx, data, b.(countedBuffer).Buffer, at)
}

func (s countedStream) Copy(to engine.Buffer, at int64, from engine.Buffer, offset, bytes int64) error {
	return s.Stream.Copy(to.(countedBuffer).Buffer, at, from.(countedBuffer).Buffer, offset, bytes)
}

func (s countedStream) WaitEvent(e engine.Event) error {
	return s.Stream.WaitEvent(e.(*countedEvent).Event)
}

type countedEvent struct {
	engine.Event
	of     *counted
	closed atomic.Bool
}

func (e *countedEvent) Close() error {
	if !e.closed.Swap(true) {
		e.of.events.Add(-1)
	}
	return e.Event.Close()
}

// countingDevice opens a device that counts.
func countingDevice(t *testing.T) (*counted, *device.Device) {
	t.Helper()
	eng := &counted{Device: cpu.New(cpu.Options{Workers: 1})}
	dev, err := device.New(eng, limit.Default)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	return eng, dev
}

// layers is a program with two results and memory between kernels.
func layers(t *testing.T, dev *device.Device) (*graph.Program, *device.Tensor[float32]) {
	t.Helper()
	g := graph.New()
	x := g.Parameter("x", dtype.F32, 8, 8)
	y := graph.MatMul(graph.MatMul(x, x), x)
	p, err := g.Compile(t.Context(), dev, graph.MatMul(graph.Sort(y, -1, false), x), graph.CumSum(y, 0, false))
	if err != nil {
		t.Fatal(err)
	}
	arg, err := device.FromSlice(dev, counting(64, 5), 8, 8)
	if err != nil {
		t.Fatal(err)
	}
	return p, arg
}

// TestFailedRuns: a run for which there is no memory gives back what it got.
func TestFailedRuns(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // the collector would find what a run forgets
	eng, dev := countingDevice(t)
	p, x := layers(t, dev)
	before := eng.memories.Load()
	failed := int64(0)
	for {
		eng.room = before + failed + 1
		out, err := p.Run(t.Context(), dev, x)
		if err == nil {
			for _, r := range out {
				r.Close()
			}
			break
		}
		failed++
		if now := settled(t, eng, dev); !errors.Is(err, errFull) || now != before {
			t.Fatalf("with room for %d memories more than the %d before, a run leaves %d: %v", failed, before, now, err)
		}
	}
	if failed < 3 {
		t.Errorf("%d runs failed: the program needs too little memory for this test", failed)
	}
	p.Close()
	if now := settled(t, eng, dev); now != 1 {
		t.Errorf("%d memories after Close, expected the argument's alone", now)
	}
}

// TestCopiedArguments: the copy of an argument that is not contiguous is given back, also where another argument is wrong.
func TestCopiedArguments(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	eng, dev := countingDevice(t)
	g := graph.New()
	x, y := g.Parameter("x", dtype.F32, 8, 8), g.Parameter("y", dtype.F32, 8, 8)
	p, err := g.Compile(t.Context(), dev, graph.Add(x, y))
	if err != nil {
		t.Fatal(err)
	}
	a, err := device.FromSlice(dev, counting(64, 5), 8, 8)
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		out, err := p.Run(t.Context(), dev, a.T(), a)
		if err != nil {
			t.Fatal(err)
		}
		out[0].Close()
		if _, err := p.Run(t.Context(), dev, a.T(), a.Narrow(0, 0, 4)); err == nil {
			t.Fatal("no error")
		}
	}
	if n := settled(t, eng, dev); n != 1 {
		t.Errorf("%d memories, expected that of one argument", n)
	}
}

// settled gives the number of memories when the device has no work and has freed what is closed.
func settled(t *testing.T, eng *counted, dev *device.Device) int64 {
	t.Helper()
	if err := dev.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	eng.room = 0
	probe, err := device.NewTensor[float32](dev, 0)
	if err != nil {
		t.Fatal(err)
	}
	probe.Close()
	return eng.memories.Load()
}

// TestEvents: any number of runs leaves a bounded number of events, and closed programs leave none, also those of kernels that
// programs share.
func TestEvents(t *testing.T) {
	eng, dev := countingDevice(t)
	for range 3 {
		p, x := layers(t, dev)
		for range 100 {
			out, err := p.Run(t.Context(), dev, x)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range out {
				r.Close()
			}
		}
		settled(t, eng, dev)
		if n := eng.events.Load(); n > 1 {
			t.Errorf("%d events after runs on one stream, expected that of the last run", n)
		}
		x.Close()
		p.Close()
		settled(t, eng, dev)
	}
	if n := eng.events.Load(); n != 0 {
		t.Errorf("%d events are left of closed programs", n)
	}
}

// TestCloseWhileRunning: runs that have begun succeed, later ones fail, and the last one gives the memory back.
func TestCloseWhileRunning(t *testing.T) {
	eng, dev := countingDevice(t)
	for range 10 {
		p, x := layers(t, dev)
		want, err := p.Run(t.Context(), dev, x)
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		var runs atomic.Int64
		for range 4 {
			all.Go(func() {
				for {
					out, err := p.Run(t.Context(), dev, x)
					if err != nil {
						if !errors.Is(err, device.ErrClosed) {
							t.Error(err)
						}
						return
					}
					runs.Add(1)
					for i, r := range out {
						if !slices.Equal(floats(t, r), floats(t, want[i])) {
							t.Errorf("result %d of a run beside others differs", i)
						}
						r.Close()
					}
				}
			})
		}
		for runs.Load() < 20 {
			runtime.Gosched()
		}
		p.Close()
		all.Wait()
		x.Close()
		for _, r := range want {
			r.Close()
		}
		// The event of the last run stays with the kernels if it had not ended when they were given back.
		if memories := settled(t, eng, dev); memories != 0 || eng.events.Load() > 1 {
			t.Fatalf("%d memories and %d events are left", memories, eng.events.Load())
		}
	}
}
