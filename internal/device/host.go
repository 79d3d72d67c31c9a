package device

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/trace"
)

// Part is a part of a memory that a function of the program uses.
type Part struct {
	Use
	Offset, Bytes int64
	Fresh         bool // the function writes all of it and reads nothing before
}

// Host queues a call of f after all work, on any stream, whose memory it uses; work that is queued later and uses the same memory
// follows. f gets the bytes of each part, and its error is one of the stream's work.
//
// Where the engine has memory of its own, Host is not queued: it waits, copies the parts to the program's memory, calls f and
// copies the parts that f writes back. ctx bounds that wait. name is for traces.
func (s *Stream) Host(ctx context.Context, name string, parts []Part, f func(bytes [][]byte) error) error {
	uses := make([]Use, len(parts))
	bytes := make([][]byte, len(parts))
	mapped := true
	for i, p := range parts {
		uses[i] = p.Use
		if host := p.Memory.buf.Host(); host != nil {
			bytes[i] = host[p.Offset : p.Offset+p.Bytes : p.Offset+p.Bytes]
		} else {
			mapped = false
		}
	}
	if eng, ok := s.eng.(engine.Hosting); ok && mapped {
		return s.call(eng, name, uses, func() error { return f(bytes) })
	}
	return s.copied(ctx, name, parts, uses, f)
}

// call queues a call.
func (s *Stream) call(eng engine.Hosting, name string, uses []Use, f func() error) error {
	s.dev.mu.Lock()
	defer s.dev.mu.Unlock()
	if err := s.beginHost(uses); err != nil {
		return err
	}
	if sources := slices.Clone(s.gather(uses)); len(sources) > 0 {
		f = unlessFailed(sources, f)
	}
	from := s.traceBegin()
	if err := eng.Call(f); err != nil {
		traceNone(from)
		return err
	}
	if from != nil {
		s.traceEnd(from, trace.Host, name, nil)
	}
	s.noteAll(uses)
	return nil
}

// unlessFailed makes a function that calls f if what it depends on was done, and else gives the error.
func unlessFailed(sources []point, f func() error) func() error {
	return func() error {
		if err := firstError(sources); err != nil {
			return err
		}
		return f()
	}
}

// errHostInCapture is the error of what cannot be part of a graph.
var errHostInCapture = errors.New("the stream captures, and a call of the program's functions or of other libraries cannot be captured: use another stream")

// beginHost is begin for work that cannot be captured. dev.mu is held.
func (s *Stream) beginHost(uses []Use) error {
	if s.capture != nil {
		return errHostInCapture
	}
	if len(s.dev.captures) > 0 {
		return errHostBesideCapture
	}
	return s.begin(uses)
}

// errHostBesideCapture is the error of a call on another stream than the one that captures. It might be meant as part of the graph, and would be
// missing there without a word.
var errHostBesideCapture = errors.New("a stream of the device captures, and a call of the program's functions or of other libraries cannot be captured: make it before the capture, or behind it")

// copied calls f with copies of the parts.
func (s *Stream) copied(ctx context.Context, name string, parts []Part, uses []Use, f func(bytes [][]byte) error) error {
	sources, err := s.hold(uses)
	if err != nil {
		return err
	}
	defer s.release(uses)
	if t := s.dev.tracer; t != nil {
		defer t.span(trace.Host, name, nil)()
	}
	if err := s.wait(ctx); err != nil {
		return err
	}
	if err := (origin{others: sources}).failure(ctx); err != nil {
		return err
	}
	bytes := make([][]byte, len(parts))
	for i, p := range parts {
		bytes[i] = make([]byte, p.Bytes)
		if p.Fresh {
			continue
		}
		if err := s.eng.Read(ctx, bytes[i], p.Memory.buf, p.Offset); err != nil {
			return err
		}
	}
	if err := f(bytes); err != nil {
		return err
	}
	for i, p := range parts {
		if p.Writes {
			if err := s.eng.Write(p.Memory.buf, p.Offset, bytes[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// hold begins work that the caller does itself: neither the stream nor the memories are closed before release.
func (s *Stream) hold(uses []Use) (sources []point, err error) {
	s.dev.mu.Lock()
	defer s.dev.mu.Unlock()
	if err := s.beginHost(uses); err != nil {
		return nil, err
	}
	s.noteAll(uses)
	sources = slices.Clone(s.found)
	s.busy.Add(1)
	for _, u := range uses {
		u.Memory.busy.Add(1)
	}
	return sources, nil
}

func (s *Stream) release(uses []Use) {
	for _, u := range uses {
		u.Memory.busy.Done()
	}
	s.busy.Done()
}

// HasNative reports whether [Stream.Native] is possible.
func (s *Stream) HasNative() bool {
	_, ok := s.eng.(engine.Native)
	return ok
}

// Native calls f at once, which queues work on the stream by its handle: after all work, on any stream, whose memory it uses, and before work
// that is queued later and uses the same memory. f gets the address of each part. It may wait; other streams can be used meanwhile.
func (s *Stream) Native(name string, parts []Part, f func(handle uintptr, addresses []uint64) error) error {
	eng, ok := s.eng.(engine.Native)
	if !ok {
		return fmt.Errorf("device %s has no streams that other libraries know", s.dev.eng.Name())
	}
	uses := make([]Use, len(parts))
	addresses := make([]uint64, len(parts))
	for i, p := range parts {
		uses[i], addresses[i] = p.Use, p.Memory.Address()+uint64(p.Offset)
	}
	if _, err := s.hold(uses); err != nil {
		return err
	}
	defer s.release(uses)
	if t := s.dev.tracer; t != nil {
		defer t.span(trace.Host, name, nil)()
	}
	return eng.Native(func(handle uintptr) error { return f(handle, addresses) })
}
