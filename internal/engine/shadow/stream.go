package shadow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/cutile-go/cutile/internal/engine"
)

// errClosed is the error of a call on a stream that was closed.
var errClosed = errors.New("shadow: closed")

// stream implements [engine.Stream]. A goroutine does the queued work; it begins with the first piece and ends with Close.
//
// After an error, work that is queued already or later is left out until a call that waits has returned the error. Events happen all the
// same.
type stream struct {
	d    *device
	real engine.Stream
	twin engine.Stream

	mu      sync.Mutex
	changed sync.Cond
	queue   []work
	added   int64
	ended   int64
	err     error
	running bool
	closed  bool
	exited  chan struct{}
	now     context.Context // of the work until it is stopped
	stop    context.CancelFunc
}

var (
	_ engine.Stream     = (*stream)(nil)
	_ engine.Checking   = (*stream)(nil)
	_ engine.SIMTStream = (*stream)(nil)
)

// work is a piece of work. Its context ends when it is to stop.
type work struct {
	do     func(ctx context.Context) error
	always bool // also after an error
}

func newStream(d *device, real, twin engine.Stream) *stream {
	s := &stream{d: d, real: real, twin: twin, exited: make(chan struct{})}
	s.changed.L = &s.mu
	s.now, s.stop = context.WithCancel(context.Background())
	return s
}

// push queues a piece of work.
func (s *stream) push(w work) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pushLocked(w)
}

func (s *stream) pushLocked(w work) error {
	if s.closed {
		return errClosed
	}
	s.queue = append(s.queue, w)
	s.added++
	if !s.running {
		s.running = true
		go s.serve()
	}
	s.changed.Broadcast()
	return nil
}

// serve does the work until the stream is closed and nothing is left.
func (s *stream) serve() {
	defer close(s.exited)
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		for len(s.queue) == 0 && !s.closed {
			s.changed.Wait()
		}
		if len(s.queue) == 0 {
			return
		}
		w := s.queue[0]
		s.queue[0] = work{}
		s.queue = s.queue[1:]
		skip, ctx := s.err != nil && !w.always, s.now
		s.mu.Unlock()
		var err error
		if !skip {
			err = w.do(ctx)
		}
		s.mu.Lock()
		if s.err == nil {
			s.err = err
		}
		s.ended++
		if s.now.Err() != nil && len(s.queue) == 0 {
			s.now, s.stop = context.WithCancel(context.Background())
		}
		s.changed.Broadcast()
	}
}

// await waits under the lock until all that was queued has ended.
func (s *stream) await(ctx context.Context) error {
	until := s.added
	if ctx.Done() != nil {
		defer context.AfterFunc(ctx, func() {
			s.mu.Lock()
			s.changed.Broadcast()
			s.mu.Unlock()
		})()
	}
	for s.ended < until {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.changed.Wait()
	}
	return nil
}

// settle waits for what was queued and gives its error, once.
func (s *stream) settle(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	if err := s.await(ctx); err != nil {
		return err
	}
	err := s.err
	s.err = nil
	return err
}

// Wait implements [engine.Stream].
func (s *stream) Wait(ctx context.Context) error {
	if err := s.settle(ctx); err != nil {
		return err
	}
	return s.real.Wait(ctx)
}

// Failed implements [engine.Failing].
func (s *stream) Failed() bool {
	s.mu.Lock()
	failed := s.err != nil
	s.mu.Unlock()
	f, ok := s.real.(engine.Failing)
	return failed || ok && f.Failed()
}

// Launch implements [engine.Stream].
func (s *stream) Launch(k engine.Kernel, grid [3]uint32, args []uint64) error {
	return s.LaunchChecked(k, grid, args, nil)
}

// LaunchChecked implements [engine.Checking].
func (s *stream) LaunchChecked(k engine.Kernel, grid [3]uint32, args []uint64, w *engine.Watch) error {
	own, ok := k.(*kernel)
	if !ok || own.d != s.d {
		return fmt.Errorf("%s: launch: the kernel was compiled for another device", s.d.Name())
	}
	l := &tileLaunch{stream: s, kernel: own, grid: grid, args: slices.Clone(args), watch: w}
	return s.push(work{do: func(ctx context.Context) error { return s.compare(ctx, l) }})
}

// Write implements [engine.Stream].
func (s *stream) Write(dst engine.Buffer, offset int64, src []byte) error {
	to, err := s.d.own(dst)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended == s.added && s.err == nil && !s.closed {
		return s.real.Write(to, offset, src)
	}
	src = slices.Clone(src)
	return s.pushLocked(work{do: func(context.Context) error { return s.real.Write(to, offset, src) }})
}

// Copy implements [engine.Stream].
func (s *stream) Copy(dst engine.Buffer, dstOffset int64, src engine.Buffer, srcOffset, bytes int64) error {
	to, err := s.d.own(dst)
	if err != nil {
		return err
	}
	from, err := s.d.own(src)
	if err != nil {
		return err
	}
	return s.push(work{do: func(context.Context) error { return s.real.Copy(to, dstOffset, from, srcOffset, bytes) }})
}

// Read implements [engine.Stream].
func (s *stream) Read(ctx context.Context, dst []byte, src engine.Buffer, offset int64) error {
	from, err := s.d.own(src)
	if err != nil {
		return err
	}
	if err := s.settle(ctx); err != nil {
		return err
	}
	return s.real.Read(ctx, dst, from, offset)
}

// Close implements [engine.Stream].
func (s *stream) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return errClosed
	}
	s.closed = true
	running := s.running
	s.changed.Broadcast()
	s.mu.Unlock()
	if running {
		<-s.exited
	}
	s.d.mu.Lock()
	delete(s.d.streams, s)
	s.d.mu.Unlock()
	s.stop()
	return engine.Join(s.err, engine.Join(s.twin.Close(), s.real.Close()))
}

// stoppingStream is a stream of a device that can end its work early. It implements [engine.Stopping].
type stoppingStream struct {
	*stream
	stops engine.Stopping
}

// Stop implements [engine.Stopping].
func (s *stoppingStream) Stop() {
	s.mu.Lock()
	if s.ended < s.added {
		s.stop()
	}
	s.mu.Unlock()
	s.stops.Stop()
}
