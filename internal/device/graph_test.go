package device_test

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/limit"
)

// grapher is a fake engine with graphs, whose streams it makes.
type grapher struct{ *fake }

type graphStream struct{ *fakeStream }

// fakeGraph holds what was recorded, as the log has it.
type fakeGraph struct {
	f    *fake
	work []string
}

func (g grapher) NewStream() (engine.Stream, error) {
	s, err := g.fake.NewStream()
	if err != nil {
		return nil, err
	}
	return graphStream{s.(*fakeStream)}, nil
}

func (g grapher) NewGraph(streams int, record func([]engine.Stream) error) (engine.Graph, error) {
	out := &fakeGraph{f: g.fake}
	return out, out.Update(streams, record)
}

func (g *fakeGraph) Update(streams int, record func([]engine.Stream) error) error {
	if err := g.f.fails("graph"); err != nil {
		return err
	}
	before := g.f.take()
	var on []engine.Stream
	for i := range streams {
		on = append(on, &fakeStream{f: g.f, name: fmt.Sprintf("graph%d", i)})
	}
	err := record(on)
	if err == nil {
		g.work = g.f.take()
	}
	g.f.log = before
	return err
}

func (g *fakeGraph) Close() error { g.f.note("close graph"); return nil }

func (s graphStream) Replay(g engine.Graph) error {
	s.f.note("%s replay %d", s.name, len(g.(*fakeGraph).work))
	return s.f.fails("replay")
}

// onGraphs runs a test on an engine with graphs and on one without.
func onGraphs(t *testing.T, test func(t *testing.T, f *fake, d *device.Device, native bool)) {
	for name, native := range map[string]bool{"graphs": true, "none": false} {
		t.Run(name, func(t *testing.T) {
			f := &fake{}
			var eng engine.Device = f
			if native {
				eng = grapher{f}
			}
			d, err := device.Open(eng, limit.Default)
			if err != nil {
				t.Fatal(err)
			}
			test(t, f, d, native)
			f.finish()
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestGraphOrder: what is captured does not run; a replay comes after other work on its memory, and other work after it.
func TestGraphOrder(t *testing.T) {
	onGraphs(t, func(t *testing.T, f *fake, d *device.Device, native bool) {
		s, other := stream(t, d), stream(t, d)
		a, b := alloc(t, d), alloc(t, d)
		g, err := s.Capture(func() error {
			run(t, s, device.Use{Memory: a, Writes: true}, device.Use{Memory: b})
			run(t, other, device.Use{Memory: b}) // is no part of it
			return b.Copy(0, a, 0, 4)
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := f.take(); !slices.Equal(got, []string{"s3 launch"}) || g.Len() != 2 {
			t.Errorf("capturing did %q, and the graph has %d", got, g.Len())
		}
		run(t, other, device.Use{Memory: b, Writes: true})
		for range 2 {
			if err := s.Replay(g); err != nil {
				t.Fatal(err)
			}
		}
		run(t, other, device.Use{Memory: b})
		want := []string{"s3 launch", "s2 after s3", "s2 launch", "s2 copy", "s2 launch", "s2 copy", "s3 after s2", "s3 launch"}
		if native {
			want = []string{"s3 launch", "s2 after s3", "s2 replay 2", "s2 replay 2", "s3 after s2", "s3 launch"}
		}
		if got := f.take(); !slices.Equal(got, want) {
			t.Errorf("the engine was asked for %q, want %q", got, want)
		}
		if n := d.Stats().Launches; n != 5 {
			t.Errorf("%d launches", n)
		}
	})
}

// TestGraphMemory: a graph keeps the memory of its work, also what was closed, until it is closed or dropped and its work has ended.
func TestGraphMemory(t *testing.T) {
	onGraphs(t, func(t *testing.T, f *fake, d *device.Device, _ bool) {
		s := stream(t, d)
		capture := func() *device.Graph {
			g, err := s.Capture(func() error {
				m := alloc(t, d)
				defer m.Close()
				run(t, s, device.Use{Memory: m, Writes: true})
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			return g
		}
		g := capture()
		if err := s.Replay(g); err != nil || f.alive() != 1 {
			t.Fatalf("%v, %d buffers", err, f.alive())
		}
		if err := g.Close(); err != nil || f.alive() != 1 {
			t.Errorf("a graph was closed whose work has not ended: %v, %d buffers are left", err, f.alive())
		}
		if err := s.Replay(g); !errors.Is(err, device.ErrClosed) {
			t.Errorf("replaying a closed graph gives %v", err)
		}
		f.finish()
		if err := d.Sync(t.Context()); err != nil || f.alive() != 0 {
			t.Errorf("%v, %d buffers are left", err, f.alive())
		}
		capture()
		for range 100 {
			runtime.GC()
			if time.Sleep(time.Millisecond); f.alive() == 0 {
				return
			}
		}
		t.Errorf("a graph was dropped, but %d buffers are left", f.alive())
	})
}

// TestGraphMemoryInTransfer: the end of the last graph that keeps closed memory does not take it from a transfer.
func TestGraphMemoryInTransfer(t *testing.T) {
	f := &hostFake{}
	d, err := device.Open(f, limit.Default)
	if err != nil {
		t.Fatal(err)
	}
	s, m := stream(t, d), alloc(t, d)
	g, err := s.Capture(func() error { run(t, s, device.Use{Memory: m}); return nil })
	if err != nil {
		t.Fatal(err)
	}
	closed := make(chan error)
	err = m.Map(t.Context(), true, 0, func([]byte) {
		go func() { closed <- m.Close() }()
		for !m.Closed() {
			time.Sleep(time.Millisecond)
		}
		if err := g.Close(); err != nil || f.alive() != 1 {
			t.Errorf("%v, %d buffers are left during a transfer", err, f.alive())
		}
	})
	if err := errors.Join(err, <-closed); err != nil {
		t.Error(err)
	}
	f.finish()
	if err := errors.Join(d.Sync(t.Context()), d.Close()); err != nil || f.alive() != 0 {
		t.Errorf("%v, %d buffers are left", err, f.alive())
	}
}

// hostFake is a fake engine whose memory the program can access.
type hostFake struct{ fake }

type hostBuffer struct{ *fakeBuffer }

func (b hostBuffer) Host() []byte { return b.data }

func (f *hostFake) Alloc(bytes int64) (engine.Buffer, error) {
	b, err := f.fake.Alloc(bytes)
	if err != nil {
		return nil, err
	}
	return hostBuffer{b.(*fakeBuffer)}, nil
}

// TestGraphUpdate: other work takes the place of a graph's, with its memory; a failure changes nothing.
func TestGraphUpdate(t *testing.T) {
	onGraphs(t, func(t *testing.T, f *fake, d *device.Device, native bool) {
		s := stream(t, d)
		launches := func(n int) func() error {
			return func() error {
				m := alloc(t, d)
				defer m.Close()
				for range n {
					run(t, s, device.Use{Memory: m, Writes: true})
				}
				return nil
			}
		}
		g, err := s.Capture(launches(1))
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Update(s, launches(3)); err != nil || g.Len() != 3 || f.alive() != 1 {
			t.Errorf("%v: %d launches, %d buffers", err, g.Len(), f.alive())
		}
		if err := g.Update(s, func() error { launches(2)(); return errBroken }); err != errBroken || g.Len() != 3 || f.alive() != 1 {
			t.Errorf("%v: %d launches, %d buffers", err, g.Len(), f.alive())
		}
		if native {
			f.broken = "graph"
			if err := g.Update(s, launches(2)); !errors.Is(err, errBroken) || g.Len() != 3 || f.alive() != 1 {
				t.Errorf("%v: %d launches, %d buffers", err, g.Len(), f.alive())
			}
			if _, err := s.Capture(launches(2)); !errors.Is(err, errBroken) || f.alive() != 1 {
				t.Errorf("%v: %d buffers", err, f.alive())
			}
			f.broken = "replay"
		} else {
			f.broken = "launch"
		}
		if err := s.Replay(g); !errors.Is(err, errBroken) {
			t.Errorf("a broken replay gives %v", err)
		}
		f.broken = ""
		if err := g.Close(); err != nil || f.alive() != 1 { // a part may have been queued
			t.Errorf("%v, %d buffers", err, f.alive())
		}
		f.finish()
		if err := d.Sync(t.Context()); err != nil || f.alive() != 0 {
			t.Errorf("%v, %d buffers", err, f.alive())
		}
		if err := g.Update(s, launches(1)); !errors.Is(err, device.ErrClosed) || f.alive() != 0 {
			t.Errorf("updating a closed graph gives %v, %d buffers", err, f.alive())
		}
	})
}

// TestCaptureRefuses: what would see results of work that has not run is an error, and the stream can be used after it.
func TestCaptureRefuses(t *testing.T) {
	d, err := device.Open(cpu.New(cpu.Options{Workers: 1}), limit.Default)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	s, other := stream(t, d), stream(t, d)
	a, b, c, e := alloc(t, d), alloc(t, d), alloc(t, d), alloc(t, d)
	event, err := other.Record()
	if err != nil {
		t.Fatal(err)
	}
	ctx, four := t.Context(), make([]byte, 4)
	var inside *device.Event
	g, err := s.Capture(func() error {
		if err := b.Copy(0, a, 0, 4); err != nil {
			t.Errorf("a copy between other tensors gives %v", err)
		}
		if err := s.Launch(nil, [3]uint32{1, 1, 1}, nil, []device.Use{{Memory: b}}); err == nil || !strings.Contains(err.Error(), "Do it before the capture") {
			t.Errorf("work on what was copied, and may have been meant to be part of it, gives %v", err)
		}
		_, err := other.Capture(func() error { return nil })
		if err != nil {
			t.Errorf("a capture beside it: %v", err)
		}
		inside, err = s.Record()
		if err != nil {
			t.Fatal(err)
		}
		for what, do := range map[string]struct {
			err  error
			want string
		}{
			"Capture":       {func() error { _, err := s.Capture(func() error { return nil }); return err }(), "captures already"},
			"Sync":          {s.Sync(ctx), "nothing to wait for"},
			"Sync of all":   {d.Sync(ctx), "nothing to wait for"},
			"Wait":          {s.Wait(event), "before the capture"},
			"Event.Sync":    {inside.Sync(ctx), "part of a capture"},
			"Event.Wait":    {func() error { _, err := other.Capture(func() error { return other.Wait(inside) }); return err }(), "part of a capture"},
			"Event.Elapsed": {func() error { _, err := inside.Elapsed(event); return err }(), "part of a capture"},
		} {
			if do.err == nil || !strings.Contains(do.err.Error(), do.want) {
				t.Errorf("%s gives %v", what, do.err)
			}
		}
		if inside.Done() {
			t.Error("an event is done that has not come")
		}
		if err := errors.Join(s.Wait(inside), c.Write(four, 0), c.Read(ctx, four, 0)); err != nil {
			t.Error(err)
		}
		return nil
	})
	if err != nil || g.Len() != 0 || s.Replay(g) != nil {
		t.Fatalf("an empty capture gives %v", err)
	}
	if err := s.Sync(ctx); err != nil {
		t.Error(err)
	}
	if _, err := s.Capture(func() error { return errBroken }); err != errBroken {
		t.Error(err)
	}
	func() {
		defer func() { recover() }()
		s.Capture(func() error { panic("in a capture") })
	}()
	if err := other.Wait(inside); err == nil || !strings.Contains(err.Error(), "part of a capture") {
		t.Errorf("waiting for an event after its capture gives %v", err)
	}
	if err := errors.Join(s.Sync(ctx), s.Wait(event), inside.Close(), e.Copy(0, a, 0, 4)); err != nil {
		t.Error(err)
	}
}

// TestCaptureCopies: copies between the tensors of a capture are part of it, in order, and their memory is neither read nor written meanwhile.
func TestCaptureCopies(t *testing.T) {
	d, err := device.Open(cpu.New(cpu.Options{Workers: 1}), limit.Default)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	s, other := stream(t, d), stream(t, d)
	a, b, c := alloc(t, d), alloc(t, d), alloc(t, d)
	seed, err := s.Capture(func() error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	capture := func(on *device.Stream, f func() error) *device.Graph {
		g, err := on.Capture(f)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	g := capture(s, func() error {
		s.CaptureUse(device.Use{Memory: a})
		if err := errors.Join(b.Copy(0, a, 0, 4), c.Copy(0, b, 0, 4)); err != nil {
			return err
		}
		four := make([]byte, 4)
		for _, m := range []*device.Memory{a, b, c} {
			for _, err := range []error{m.Read(t.Context(), four, 0), m.Write(four, 0), m.Map(t.Context(), false, 0, func([]byte) {})} {
				if err == nil || !strings.Contains(err.Error(), "has not run") {
					t.Errorf("a transfer gives %v", err)
				}
			}
		}
		_, err := other.Capture(func() error { other.CaptureUse(device.Use{Memory: alloc(t, d)}); return nil })
		return errors.Join(err, s.Replay(seed))
	})
	for _, want := range []byte{7, 9} {
		got := make([]byte, 4)
		if err := errors.Join(a.Write([]byte{want, 1, 2, 3}, 0), other.Replay(g), c.Read(t.Context(), got, 0)); err != nil || got[0] != want || got[3] != 3 {
			t.Errorf("the copies give %v, %v", got, err)
		}
	}
	twice := capture(s, func() error { return errors.Join(s.Replay(g), s.Replay(g)) })
	if twice.Len() != 2*g.Len() {
		t.Errorf("a graph in a graph has %d, want %d", twice.Len(), 2*g.Len())
	}
	if err := a.Freeze(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Replay(g); err != nil {
		t.Errorf("a graph that reads frozen memory: %v", err)
	}
	if err := b.Freeze(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Replay(g); !errors.Is(err, device.ErrFrozen) {
		t.Errorf("a graph that writes frozen memory: %v", err)
	}
	if _, err := s.Capture(func() error { return s.Replay(g) }); !errors.Is(err, device.ErrFrozen) {
		t.Errorf("capturing it: %v", err)
	}
}
