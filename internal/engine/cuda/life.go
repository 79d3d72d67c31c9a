package cuda

import "sync"

// life guards a handle of the driver against use while or after it is destroyed.
type life struct {
	mu     sync.RWMutex
	closed bool
}

// use keeps the handle alive until done.
func (l *life) use(d *Device, what string) error {
	l.mu.RLock()
	if l.closed {
		l.mu.RUnlock()
		return d.closedError(what)
	}
	return nil
}

func (l *life) done() { l.mu.RUnlock() }

// end waits for the users and lets none in any more; it reports whether this is the first end.
func (l *life) end() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	first := !l.closed
	l.closed = true
	return first
}
