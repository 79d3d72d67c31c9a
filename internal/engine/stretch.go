package engine

import "sync/atomic"

// Stretch is the work of a stream from one error that was told to the next. After the first piece of it that fails, the others are left out.
// Work has numbers, in the order in which it was queued.
type Stretch struct {
	failed atomic.Uint64 // the number of the first work that failed; 0 for none
	err    error         // why, set before failed
	told   atomic.Bool
}

// Fail says that work failed. Only the first call counts. Calls must not overlap.
func (s *Stretch) Fail(number uint64, err error) {
	if s.failed.Load() == 0 {
		s.err = err
		s.failed.Store(max(number, 1))
	}
}

// Tell says that somebody was told of the error, and that the stretch has ended with it.
func (s *Stretch) Tell() { s.told.Store(true) }

// Told reports whether Tell was called.
func (s *Stretch) Told() bool { return s.told.Load() }

// Err gives the error for which the work of a number was not done, if it has ended; nil if it was done.
func (s *Stretch) Err(number uint64) error {
	if first := s.failed.Load(); first == 0 || number < first {
		return nil
	}
	return s.err
}

// Failing is a stream that goes on after an error was told, and whose events happen also after an error, so that they do not say whether the
// work before them was done.
type Failing interface {
	// Failed reports whether work failed, and no call that waits has told so yet.
	Failed() bool
}

// Numbered is a Failing stream that tells which work failed, also when the error was told.
type Numbered interface {
	Failing
	// Stretch is what work belongs to that is queued next. Work that is queued while a call that waits tells an error may be done in the
	// next one.
	Stretch() *Stretch
	// Queued is the number of the work that was queued last.
	Queued() uint64
}

// Losing is a stream of a device that does no more work after an error. Streams of other devices, which wait for its events, do not learn of
// the error.
type Losing interface {
	// Lost reports whether the device has failed. It does not wait.
	Lost() bool
}
