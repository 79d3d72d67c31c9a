package device

import "slices"

// returnsSoon frees garbage that is still there when its work has ended, also if nobody uses the device any more: its owner waits for it.
// Other garbage is freed when the device is used again. d.mu is held.
func (d *Device) returnsSoon(g garbage) {
	if !slices.ContainsFunc(d.garbage, func(other garbage) bool { return other.memory == g.memory }) {
		return
	}
	for _, m := range g.after {
		if !m.passed() && !m.stream.refuses() { // a stream that is being closed reaps at its end
			m.stream.reapBehind()
		}
	}
}

// reapBehind frees garbage when the work that is queued so far has ended. Each stream has at most one goroutine that waits for that, in
// order; Close of the stream waits for it. Without an event the garbage is freed with the next wait for the stream. dev.mu is held.
func (s *Stream) reapBehind() {
	e, err := s.eng.Record() // of its own, as reap closes those of the garbage
	if err != nil {
		return
	}
	s.awaited = append(s.awaited, e)
	if !s.awaiting {
		s.awaiting = true
		s.busy.Add(1)
		go s.await()
	}
}

// await waits for the events in order, and reaps behind each.
func (s *Stream) await() {
	defer s.busy.Done()
	s.dev.mu.Lock()
	defer s.dev.mu.Unlock()
	for len(s.awaited) > 0 {
		e := s.awaited[0]
		s.awaited = s.awaited[1:]
		s.dev.mu.Unlock()
		e.Wait(s.dev.open) // not without an end: drivers then spin; errors of the work are for those who wait for it
		e.Close()
		s.dev.mu.Lock()
		if !s.dev.closed { // else Close of the device reaps
			s.dev.reap()
		}
	}
	s.awaiting, s.awaited = false, nil
}
