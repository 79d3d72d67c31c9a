package device

import "github.com/cutile-go/cutile/internal/engine"

// Drop closes a stream that nobody can use any more, some time after its work has ended. It stops no work, and does not wait. Where work failed
// and nobody was told of it, the stream stays until somebody is: who waits for the device, who reads what the work wrote, or Close of the device.
func (s *Stream) Drop() {
	s.dropped.Store(true)
	go s.drop()
}

func (s *Stream) drop() {
	for {
		s.dev.mu.Lock()
		if s.refuses() || s.capture != nil { // whose end calls drop again
			s.dev.mu.Unlock()
			return
		}
		number := s.queued
		end, err := s.eng.Record()
		s.dev.mu.Unlock()
		if err != nil { // the device is broken, which Close of it tells
			return
		}
		err = end.Wait(s.dev.open)
		end.Close()
		s.dev.mu.Lock()
		switch {
		case s.refuses(), err != nil, s.untold():
			s.dev.mu.Unlock()
			return
		case s.queued == number: // else others have transferred memory that the stream wrote
			s.gaveUp.Store(false) // the work that somebody did not wait for has ended
			s.close()
			return
		}
		s.dev.mu.Unlock()
	}
}

// untold reports whether work of the stream failed of which nobody was told.
func (s *Stream) untold() bool {
	eng, ok := s.eng.(engine.Failing)
	return ok && eng.Failed()
}
