package vulkan

import (
	"errors"
	"sync"
)

// life guards an object of the driver against use while or after it is given back.
type life struct {
	mu    sync.RWMutex
	ended bool
}

// use keeps the object alive until done; it reports whether there is one.
func (l *life) use() bool {
	l.mu.RLock()
	if l.ended {
		l.mu.RUnlock()
		return false
	}
	return true
}

func (l *life) done() { l.mu.RUnlock() }

// end waits for the users and lets none in any more; it reports whether this is the first end.
func (l *life) end() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	first := !l.ended
	l.ended = true
	return first
}

func isClosed(err error) bool { return errors.Is(err, ErrClosed) }

// joinErrors is errors.Join, but gives a lone error as it is.
func joinErrors(a, b error) error {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	return errors.Join(a, b)
}
