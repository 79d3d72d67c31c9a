package device_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/limit"
)

// TestBrokenEngine: what fails in the engine is the error of the call, and the device can be closed after it.
func TestBrokenEngine(t *testing.T) {
	one := [3]uint32{1, 1, 1}
	for _, c := range []struct {
		broken string
		call   func(d *device.Device, s *device.Stream, a, b *device.Memory) error
	}{
		{"launch", func(d *device.Device, s *device.Stream, a, b *device.Memory) error {
			return s.Launch(nil, one, nil, []device.Use{{Memory: a, Writes: true}})
		}},
		{"write", func(d *device.Device, s *device.Stream, a, b *device.Memory) error {
			return a.Write(make([]byte, 4), 0)
		}},
		{"read", func(d *device.Device, s *device.Stream, a, b *device.Memory) error {
			return a.Read(context.Background(), make([]byte, 4), 0)
		}},
		{"copy", func(d *device.Device, s *device.Stream, a, b *device.Memory) error { return a.Copy(0, b, 0, 4) }},
		{"record", func(d *device.Device, s *device.Stream, a, b *device.Memory) error { _, err := s.Record(); return err }},
		{"stream", func(d *device.Device, s *device.Stream, a, b *device.Memory) error {
			_, err := d.NewStream()
			return err
		}},
		{"wait", func(d *device.Device, s *device.Stream, a, b *device.Memory) error {
			return s.Sync(context.Background())
		}},
		{"wait", func(d *device.Device, s *device.Stream, a, b *device.Memory) error {
			return a.Map(context.Background(), true, 0, func([]byte) { panic("the work has not ended") })
		}},
		{"wait", func(d *device.Device, s *device.Stream, a, b *device.Memory) error {
			return d.Sync(context.Background())
		}},
		{"wait", func(d *device.Device, s *device.Stream, a, b *device.Memory) error { return s.Close() }},
	} {
		// The memories were written on the other stream, so that what follows waits for it.
		for _, meets := range []string{"", "record", "wait for event"} {
			broken := c.broken
			f, d := openFake(t)
			s, a, b := stream(t, d), alloc(t, d), alloc(t, d)
			if meets != "" {
				if broken != "launch" && broken != "copy" {
					continue
				}
				broken = meets
				other := stream(t, d)
				run(t, other, device.Use{Memory: b, Writes: true})
				run(t, d.Main(), device.Use{Memory: a, Writes: true})
			}
			f.broken = broken
			if err := c.call(d, s, a, b); !errors.Is(err, errBroken) {
				t.Errorf("%s, meeting by %q: %v", c.broken, broken, err)
			}
			f.broken = ""
			closed := make(chan error)
			go func() { closed <- d.Close() }()
			select {
			case err := <-closed:
				if err != nil {
					t.Errorf("%s: the device cannot be closed: %v", broken, err)
				}
			case <-time.After(30 * time.Second):
				t.Fatalf("%s: the device does not close", broken)
			}
		}
	}
}

// work calls all that devices, streams, memories and events have, and gives the errors.
func work(t *testing.T, f *fake) (errs []error) {
	ctx, one, bytes := t.Context(), [3]uint32{1, 1, 1}, make([]byte, 16)
	note := func(err error) { errs = append(errs, err) }
	d, err := device.Open(f, limit.Default)
	if note(err); err != nil {
		return errs
	}
	other, err := d.NewStream()
	note(err)
	a, err := d.Alloc(16)
	note(err)
	b, err := d.Alloc(16)
	note(err)
	if other != nil && a != nil && b != nil {
		launch := func(s *device.Stream, uses ...device.Use) { note(s.Launch(nil, one, nil, uses)) }
		record := func(s *device.Stream) *device.Event { e, err := s.Record(); note(err); f.finish(); return e }
		launch(d.Main(), device.Use{Memory: a, Writes: true})
		launch(other, device.Use{Memory: a}, device.Use{Memory: b, Writes: true})
		note(a.Write(bytes, 0))
		note(a.Copy(0, b, 0, 16))
		launch(d.Main(), device.Use{Memory: a, Writes: true})
		launch(other, device.Use{Memory: b, Writes: true}, device.Use{Memory: a})
		for _, m := range []*device.Memory{a, b} {
			mapped := false
			err := m.Map(ctx, true, 0, func([]byte) { mapped = true })
			if note(err); mapped == (err != nil) {
				t.Errorf("mapped: %v, %v", mapped, err)
			}
		}
		launch(d.Main(), device.Use{Memory: b, Writes: true}, device.Use{Memory: a})
		note(b.Read(ctx, bytes, 0))
		if e, later := record(other), record(d.Main()); e != nil && later != nil {
			note(d.Main().Wait(e))
			note(e.Sync(ctx))
			_, err := later.Elapsed(e)
			note(err)
			note(e.Close())
			note(later.Close())
		}
		note(other.Sync(ctx))
		note(d.Sync(ctx))
		f.closing = true
		note(a.Close())
		note(other.Close())
	}
	note(d.Close())
	return errs
}

// TestEachCallBroken lets each call of the engine fail, one at a time: some call of ours gives its error.
func TestEachCallBroken(t *testing.T) {
	f := &fake{}
	if err := errors.Join(work(t, f)...); err != nil || f.calls < 25 {
		t.Fatalf("%d calls: %v", f.calls, err)
	}
	for n := 1; n <= f.calls; n++ {
		if err := errors.Join(work(t, &fake{failing: n})...); !errors.Is(err, errBroken) {
			t.Errorf("call %d of the engine fails, and what it was called for does not: %v", n, err)
		}
	}
}

// TestBrokenOpen: a device without a stream is none, and its engine is closed.
func TestBrokenOpen(t *testing.T) {
	f := &fake{broken: "stream"}
	if _, err := device.Open(f, limit.Default); !errors.Is(err, errBroken) {
		t.Error(err)
	}
	if log := f.take(); len(log) != 1 || log[0] != "close" {
		t.Errorf("%q", log)
	}
}

// TestGivenUp: closing a stream stops work that does not end, at once where somebody gave up to wait for it, else after the
// limit; what ends by itself is not stopped.
func TestGivenUp(t *testing.T) {
	for _, c := range []struct {
		name            string
		endless, giveUp bool
		limit           time.Duration
		stops           bool
	}{
		{"ends", false, false, time.Hour, false},
		{"given up", true, true, time.Hour, true},
		{"takes too long", true, false, 10 * time.Millisecond, true},
	} {
		f, d := openLimited(t, limit.Limits{Close: c.limit})
		if c.endless {
			f.endless = make(chan struct{})
		}
		s, m := stream(t, d), alloc(t, d)
		run(t, s, device.Use{Memory: m, Writes: true})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if c.giveUp {
			if err := m.Map(ctx, false, 0, func([]byte) { t.Error("the work has not ended") }); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", c.name, err)
			}
		} else if err := s.Sync(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: an ended context: %v", c.name, err)
		}
		closed := make(chan error)
		go func() { closed <- s.Close() }()
		select {
		case err := <-closed:
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: the stream does not close", c.name)
		}
		if stopped := f.stopped > 0; stopped != c.stops {
			t.Errorf("%s: stopped %v", c.name, stopped)
		}
		f.endless = nil
		if err := errors.Join(s.Close(), d.Close()); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestFacts: what a device, a stream and a memory say of themselves.
func TestFacts(t *testing.T) {
	f, d := openLimited(t, limit.Limits{Calls: 7})
	s, m := stream(t, d), alloc(t, d)
	if s.Device() != d || m.Device() != d || d.Engine() != f || m.Size() != 16 || m.Address() != 256 || m.Mapped() {
		t.Error("of streams and memories")
	}
	if d.Limits().Calls != 7 || d.Limits().Turns != limit.Default.Turns || d.LimitKey() == "" {
		t.Errorf("%+v, %q", d.Limits(), d.LimitKey())
	}
	if _, d := openLimited(t, limit.Limits{Run: 7}); d.Limits().Run != 7 || d.LimitKey() != "" {
		t.Errorf("%+v, %q", d.Limits(), d.LimitKey())
	}
	e, err := s.Record()
	if err != nil || s.Wait(e) != nil || e.Close() != nil {
		t.Error("of events")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := s.Wait(e); !errors.Is(err, device.ErrClosed) {
		t.Errorf("a stream that is closed waits: %v", err)
	}
	d.Close()
}
