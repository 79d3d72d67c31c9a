package engine

import (
	"errors"
	"fmt"
	"sync"

	"github.com/cutile-go/cutile/internal/names"
	"github.com/cutile-go/cutile/tileir"
)

// Life guards an object of a driver against use while or after it is given back. The zero value is an object that is alive.
type Life struct {
	mu    sync.RWMutex
	ended bool
}

// Use keeps the object alive until Done; it reports whether there is one.
func (l *Life) Use() bool {
	l.mu.RLock()
	if l.ended {
		l.mu.RUnlock()
		return false
	}
	return true
}

// Done ends a use.
func (l *Life) Done() { l.mu.RUnlock() }

// End waits for the users and lets none in any more; it reports whether this is the first end.
func (l *Life) End() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	first := !l.ended
	l.ended = true
	return first
}

// Join is errors.Join, but gives a lone error as it is.
func Join(a, b error) error {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	return errors.Join(a, b)
}

// FindEntry gives the entry of a module.
func FindEntry(m *tileir.Module, name string) (*tileir.Entry, error) {
	var all []string
	for _, e := range m.Entries {
		if e.Name == name {
			return e, nil
		}
		all = append(all, e.Name)
	}
	return nil, fmt.Errorf("the module has no entry %q; it has %s", names.Short(name), names.List(all))
}
