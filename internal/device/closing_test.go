package device_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/limit"
)

// TestCloseWaitsForTransfers: memory that a transfer still uses is not freed under it.
func TestCloseWaitsForTransfers(t *testing.T) {
	d, err := device.Open(cpu.New(cpu.Options{Workers: 1}), limit.Default)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	m, err := d.Alloc(16)
	if err != nil {
		t.Fatal(err)
	}
	inside, leave, closed := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go m.Map(t.Context(), true, 0, func(b []byte) {
		close(inside)
		<-leave
		b[0] = 1
	})
	<-inside
	go func() { closed <- m.Close() }()
	for !m.Closed() {
		time.Sleep(time.Millisecond)
	}
	select {
	case err := <-closed:
		t.Error("Close returned while the bytes were in use")
		closed <- err
	case <-time.After(30 * time.Millisecond):
	}
	close(leave)
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

// TestCloseKeepsMemoryOfWork: memory that queued work uses is freed when the work has ended, not before.
func TestCloseKeepsMemoryOfWork(t *testing.T) {
	f := &fake{}
	d, err := device.Open(f, limit.Default)
	if err != nil {
		t.Fatal(err)
	}
	m := alloc(t, d)
	if err := d.Main().Launch(nil, [3]uint32{1, 1, 1}, nil, []device.Use{{Memory: m, Writes: true}}); err != nil {
		t.Fatal(err)
	}
	before := f.alive()
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if f.alive() != before {
		t.Error("Close freed memory that a kernel uses")
	}
	f.finish()
	if err := d.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	if f.alive() != before-1 {
		t.Errorf("%d buffers live, want %d: the memory was not freed after the work", f.alive(), before-1)
	}
}

// TestCloseBesideClose: a device frees what is held when the work of a stream has ended that another goroutine closes, and not before.
func TestCloseBesideClose(t *testing.T) {
	f := &fake{endless: make(chan struct{}), slow: "s2"}
	d, err := device.Open(f, limit.Default)
	if err != nil {
		t.Fatal(err)
	}
	freed := make(chan struct{})
	d.Hold("code", func() (any, func()) { return nil, func() { close(freed) } })
	s := stream(t, d)
	var closing sync.WaitGroup
	closing.Go(func() { s.Close() })
	for s.Launch(nil, [3]uint32{1, 1, 1}, nil, nil) == nil { // until Close has begun
		time.Sleep(time.Millisecond)
	}
	closing.Go(func() { d.Close() })
	select {
	case <-freed:
		t.Error("Close of the device freed code that a stream runs")
	case <-time.After(50 * time.Millisecond):
	}
	if err := d.Main().Sync(t.Context()); err != device.ErrClosed {
		t.Errorf("Sync while the device is closed gives %v", err)
	}
	close(f.endless)
	closing.Wait()
	<-freed
}

// TestStopIsOver: a stop that Finish or Close began has ended when they return, as it would else stop what is queued next.
func TestStopIsOver(t *testing.T) {
	for name, end := range map[string]func(*device.Stream) error{"Finish": (*device.Stream).Finish, "Close": (*device.Stream).Close} {
		f, d := openLimited(t, limit.Limits{Close: time.Hour})
		var over atomic.Bool
		f.endless = make(chan struct{})
		f.stops = func() {
			time.Sleep(20 * time.Millisecond) // the work has ended by now
			over.Store(true)
		}
		s := stream(t, d)
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		if err := s.Sync(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: work that does not end: %v", name, err)
		}
		cancel()
		if err := end(s); err != nil || !over.Load() {
			t.Errorf("%s: %v; the stop is over: %v", name, err, over.Load())
		}
	}
}

// TestCloseWithoutEvent: a stream whose end no event can mark keeps the memory of its work until that has ended, and others cannot come after it.
func TestCloseWithoutEvent(t *testing.T) {
	f := &fake{endless: make(chan struct{}), slow: "s2"}
	d, err := device.Open(f, limit.Limits{Close: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	s, a, b := stream(t, d), alloc(t, d), alloc(t, d)
	run(t, s, device.Use{Memory: a, Writes: true}, device.Use{Memory: b, Writes: true})
	f.breaks("record")
	closed := make(chan error)
	go func() { closed <- s.Close() }()
	for {
		if err := s.Launch(nil, [3]uint32{1, 1, 1}, nil, nil); errors.Is(err, device.ErrClosed) {
			break
		}
		time.Sleep(time.Millisecond)
	}
	f.breaks("")
	if err := a.Close(); err != nil || f.alive() != 2 {
		t.Errorf("%v, %d buffers are left while the work runs", err, f.alive())
	}
	if err := d.Main().Launch(nil, [3]uint32{1, 1, 1}, nil, []device.Use{{Memory: b}}); !errors.Is(err, errBroken) {
		t.Errorf("work after that of the stream: %v", err)
	}
	close(f.endless)
	if err := <-closed; err != nil {
		t.Error(err)
	}
	run(t, d.Main(), device.Use{Memory: b})
	if err := d.Sync(t.Context()); err != nil || f.alive() != 1 {
		t.Errorf("%v, %d buffers are left", err, f.alive())
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
