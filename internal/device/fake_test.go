package device_test

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/tileir"
)

// fake is an engine that runs nothing: it writes down what is asked of it, and its events are done when a test says so.
type fake struct {
	mu      sync.Mutex
	log     []string
	streams int
	events  []*fakeEvent
	buffers int    // alive
	room    int    // buffers that fit; 0 for any number
	broken  string // what fails from now on, such as "launch"
	calls   int    // that may fail
	failing int    // the number of the call that fails; 0 for none
	closing bool   // only waits are counted, as what closes does not depend on the rest
	stopped int
	endless chan struct{} // work that ends when it is stopped; nil for none
	slow    string        // the only stream that has such work; "" for all
	stops   func()        // called at the end of a stop; nil for nothing
}

// fails gives the error of what is broken.
func (f *fake) fails(what string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.closing || what == "wait" {
		f.calls++
	}
	if f.broken != "" && f.broken == what || f.calls == f.failing {
		return errBroken
	}
	return nil
}

// breaks says what fails from now on, while other goroutines use the engine.
func (f *fake) breaks(what string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.broken = what
}

var errBroken = errors.New("fake: broken")

func (f *fake) note(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log = append(f.log, fmt.Sprintf(format, args...))
}

// take gives the log and empties it.
func (f *fake) take() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	log := f.log
	f.log = nil
	return log
}

func (f *fake) alive() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.buffers
}

// finish lets all work end.
func (f *fake) finish() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range f.events {
		e.once.Do(func() { close(e.done) })
	}
	f.events = nil
}

func (f *fake) Name() string        { return "fake" }
func (f *fake) Description() string { return "runs nothing" }
func (f *fake) Target() string      { return "fake" }
func (f *fake) Close() error        { f.note("close"); return nil }

func (f *fake) Compile(context.Context, *tileir.Module, string) (engine.Kernel, error) {
	return nil, errors.New("fake: no compiler")
}

func (f *fake) Alloc(bytes int64) (engine.Buffer, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.room > 0 && f.buffers == f.room {
		return nil, errors.New("fake: full")
	}
	f.buffers++
	return &fakeBuffer{f, make([]byte, bytes)}, nil
}

func (f *fake) NewStream() (engine.Stream, error) {
	if err := f.fails("stream"); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.streams++
	return &fakeStream{f: f, name: fmt.Sprintf("s%d", f.streams)}, nil
}

type fakeBuffer struct {
	f    *fake
	data []byte
}

func (b *fakeBuffer) Size() int64     { return int64(len(b.data)) }
func (b *fakeBuffer) Address() uint64 { return 256 }
func (b *fakeBuffer) Host() []byte    { return nil }
func (b *fakeBuffer) Free() error {
	b.f.mu.Lock()
	defer b.f.mu.Unlock()
	b.f.buffers--
	return nil
}

type fakeStream struct {
	f    *fake
	name string
}

func (s *fakeStream) Launch(engine.Kernel, [3]uint32, []uint64) error {
	s.f.note("%s launch", s.name)
	return s.f.fails("launch")
}

func (s *fakeStream) Write(engine.Buffer, int64, []byte) error {
	s.f.note("%s write", s.name)
	return s.f.fails("write")
}

func (s *fakeStream) Read(context.Context, []byte, engine.Buffer, int64) error {
	s.f.note("%s read", s.name)
	return s.f.fails("read")
}

func (s *fakeStream) Copy(engine.Buffer, int64, engine.Buffer, int64, int64) error {
	s.f.note("%s copy", s.name)
	return s.f.fails("copy")
}

func (s *fakeStream) Native(f func(handle uintptr) error) error {
	s.f.note("%s native", s.name)
	if err := s.f.fails("native"); err != nil {
		return err
	}
	return f(7)
}

func (s *fakeStream) Record() (engine.Event, error) {
	if err := s.f.fails("record"); err != nil {
		return nil, err
	}
	e := &fakeEvent{of: s, done: make(chan struct{})}
	s.f.mu.Lock()
	defer s.f.mu.Unlock()
	s.f.events = append(s.f.events, e)
	return e, nil
}

func (s *fakeStream) WaitEvent(e engine.Event) error {
	s.f.note("%s after %s", s.name, e.(*fakeEvent).of.name)
	return s.f.fails("wait for event")
}

func (s *fakeStream) Wait(ctx context.Context) error {
	if s.f.endless != nil && (s.f.slow == "" || s.f.slow == s.name) {
		select {
		case <-s.f.endless:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return s.f.fails("wait")
}

// Stop makes the engine one that can.
func (s *fakeStream) Stop() {
	s.f.mu.Lock()
	if s.f.stopped++; s.f.stopped == 1 && s.f.endless != nil {
		close(s.f.endless)
	}
	s.f.mu.Unlock()
	if s.f.stops != nil {
		s.f.stops()
	}
}

func (s *fakeStream) Close() error { s.f.note("%s close", s.name); return nil }

type fakeEvent struct {
	of   *fakeStream
	once sync.Once
	done chan struct{}
}

func (e *fakeEvent) Wait(ctx context.Context) error {
	select {
	case <-e.done:
		return e.of.f.fails("wait for event")
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (e *fakeEvent) Done() bool {
	select {
	case <-e.done:
		return true
	default:
		return false
	}
}

func (e *fakeEvent) Elapsed(engine.Event) (int64, error) { return 1500, e.of.f.fails("elapsed") }
func (e *fakeEvent) Close() error                        { return e.of.f.fails("close event") }
