package device

import (
	"context"
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/cutile-go/cutile/internal/engine"
)

// What failed work should have written is an error for whoever reads it, and so is what other work has made of that, on whichever stream or device.
// Whether work fails is known only when it has ended, so that each memory has its sources: work of other streams from which its contents come.
// Of a stream, the last such work is enough, as a stream leaves out what is behind a failure until somebody was told of it ([engine.Stretch]).
// Work that was queued while an error is not told counts as if it used what its memory had before; later work replaces that. Once Sync of the
// stream has told the error, or that of the device, what the stream's work has left can be used as it is.

// broken is an error that has ended a stream.
type broken struct{ error }

// here is the point behind what is queued, of the stretch that look has found.
func (s *Stream) here() point {
	p := point{stream: s, number: s.queued, stretch: s.stretch}
	if s.numbers != nil {
		p.at = s.numbers.Queued()
	}
	return p
}

// look notes the stretch to which work belongs that is queued from now on, before it is queued. dev.mu is held.
func (s *Stream) look() {
	if s.numbers != nil {
		s.stretch = s.numbers.Stretch()
	}
}

// failing reports whether the work of the stream has failed, as far as it has ended.
func (s *Stream) failing() bool {
	switch eng := s.eng.(type) {
	case engine.Failing:
		return eng.Failed()
	case engine.Losing:
		return eng.Lost()
	}
	return false
}

// known reports whether Sync has told of the errors of the work at the point, and of that on which it depends.
func (p point) known() bool { return p.stream != nil && p.number <= p.stream.synced.Load() }

// err gives the error for which the work at the point, which has ended, was not done.
func (p point) err() error {
	switch {
	case p.stream == nil:
		return nil
	case p.stretch != nil:
		return p.of(p.stretch.Err(p.at))
	case p.stream.ended.Load():
		if b := p.stream.broken.Load(); b != nil && p.number > p.stream.reached.Load() {
			return p.of(b.error)
		}
	}
	return nil
}

// firstError gives the first error of points.
func firstError(points []point) error {
	for _, p := range points {
		if err := p.err(); err != nil {
			return err
		}
	}
	return nil
}

// of adds to an error of the point's device which one that is.
func (p point) of(err error) error {
	if err == nil {
		return nil
	}
	return &On{p.stream.dev, err}
}

// failure is err for somebody who is told of the error, and needs no more be told by a wait for the stream.
func (p point) failure(ctx context.Context) error {
	err := p.err()
	switch {
	case p.stream == nil:
		return nil
	case p.stretch != nil:
		if err != nil && !p.stretch.Told() {
			p.stream.tell(ctx)
		}
		return err
	case err != nil || p.passed():
		return err
	case p.stream.failing():
		return p.of(p.stream.tell(ctx))
	}
	raise(&p.stream.reached, p.number)
	return nil
}

// tell waits for the error of a stream.
func (s *Stream) tell(ctx context.Context) error {
	s.dev.mu.Lock()
	err := s.enter()
	s.dev.mu.Unlock()
	if err != nil { // Close of the stream tells
		return nil
	}
	defer s.busy.Done()
	return s.wait(ctx)
}

// raise makes a number at least as large as another one.
func raise(a *atomic.Uint64, number uint64) {
	for {
		now := a.Load()
		if number <= now || a.CompareAndSwap(now, number) {
			return
		}
	}
}

// matters reports whether work that is queued on s now may be wrong as it uses what the work at the point has left. The lock of s.dev is held.
func (p point) matters(s *Stream, writes bool) bool {
	switch {
	case p.stream == nil:
		return false
	case p.stretch == nil && p.stream == s:
		return false
	case p.stretch == nil && p.stream.dev == s.dev && !p.stream.goesOn(): // whoever waits learns of it
		return false
	case p.stretch == nil:
		return !p.passed() || p.stream.broken.Load() != nil
	case p.stretch.Told():
		return !writes && p.stretch.Err(p.at) != nil
	}
	return (p.stream != s || p.stretch != s.stretch) && p.number > p.stream.reached.Load()
}

// goesOn reports whether the device does more work after an error.
func (s *Stream) goesOn() bool {
	_, ok := s.eng.(engine.Failing)
	return ok
}

// takes adds to the sources of the work that is being queued those of a memory that it uses.
func (s *Stream) takes(m *memory, writes bool) {
	if m.written.known() {
		return
	}
	s.take(m.written, writes)
	for _, p := range m.sources {
		s.take(p, writes)
	}
}

func (s *Stream) take(p point, writes bool) {
	if p.matters(s, writes) {
		s.found = p.addTo(s.found)
	}
}

// addTo adds a point to sources.
func (p point) addTo(all []point) []point {
	for i := range all {
		if q := &all[i]; q.stream == p.stream && q.stretch == p.stretch {
			q.number, q.at = max(q.number, p.number), max(q.at, p.at)
			return all
		}
	}
	return append(all, p)
}

// gather finds the sources of work that uses memories. It does not allocate where there are none.
func (s *Stream) gather(uses []Use) []point {
	s.found = s.found[:0]
	for i := range uses {
		s.takes(uses[i].Memory.memory, uses[i].Writes && !uses[i].keeps)
	}
	return s.found
}

// gives makes what gather has found the sources of a memory that the work has written.
func (s *Stream) gives(m *memory) {
	m.sources = append(m.sources[:0], s.found...)
}

// follows notes what gather has found for those who wait for the stream.
func (s *Stream) follows() {
	for _, p := range s.found {
		s.sources = p.addTo(s.sources)
	}
}

// origin is what the contents of a memory come from.
type origin struct {
	own    point
	others []point
}

// origin gives that of the memory; nothing, if the program knows whether it failed. dev.mu is held.
func (m *memory) origin() origin {
	if m.written.known() {
		return origin{}
	}
	return origin{m.written, slices.Clone(m.sources)}
}

// failure gives the error of the first work that has failed of those from which the contents come, which have ended.
func (o origin) failure(ctx context.Context) error {
	if err := o.own.failure(ctx); err != nil {
		return err
	}
	for _, p := range o.others {
		if err := p.failure(ctx); err != nil {
			if s := o.own.stream; s != nil {
				s.forgets(p)
			}
			return err
		}
	}
	return nil
}

// forgets notes that somebody was told of a failure who has waited for the stream.
func (s *Stream) forgets(p point) {
	s.dev.mu.Lock()
	defer s.dev.mu.Unlock()
	s.sources = slices.DeleteFunc(s.sources, func(q point) bool { return q.stream == p.stream && q.stretch == p.stretch })
}

// takeSources gives the number of the last work that is queued, and the sources of all, for which the caller waits.
func (s *Stream) takeSources() (number uint64, taken []point) {
	s.dev.mu.Lock()
	defer s.dev.mu.Unlock()
	taken, s.sources = s.sources, nil
	return s.queued, taken
}

// putBack is the opposite of takeSources, after a wait that did not succeed.
func (s *Stream) putBack(taken []point) {
	s.dev.mu.Lock()
	defer s.dev.mu.Unlock()
	for _, p := range taken {
		s.sources = p.addTo(s.sources)
	}
}

// waitAll is wait that also gives the error of work of other streams, on which work of this one depends.
func (s *Stream) waitAll(ctx context.Context, wait func(context.Context) error) error {
	n, taken := s.takeSources()
	err := wait(ctx)
	if err != nil && ctx.Err() != nil {
		s.putBack(taken)
		return err
	}
	for _, p := range taken {
		if failed := p.failure(ctx); err == nil {
			err = failed
		}
	}
	raise(&s.synced, n)
	return err
}

// once leaves out errors that are there already, as several streams give those of one.
func once(errs []error) (out []error) {
	for _, err := range errs {
		if !slices.ContainsFunc(out, func(other error) bool { return same(plain(err), plain(other)) }) {
			out = append(out, err)
		}
	}
	return out
}

// plain is the error without its device.
func plain(err error) error {
	if on, ok := err.(*On); ok {
		return on.Err
	}
	return err
}

func same(a, b error) bool {
	return a != nil && b != nil && reflect.TypeOf(a).Comparable() && reflect.TypeOf(b).Comparable() && a == b
}
