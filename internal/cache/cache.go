// Package cache keeps values that are costly to make, and makes each once, however many callers ask for it at the same time.
package cache

import (
	"context"
	"fmt"
	"runtime/debug"
	"runtime/pprof"
	"sync"
)

// Cache maps keys to values that are made on demand. Its methods may be called from several goroutines.
type Cache[K comparable, V any] struct {
	keep    func(error) bool
	mu      sync.Mutex
	entries map[K]*entry[V]
	stats   Stats
}

// Stats counts what a cache did.
type Stats struct {
	Hits   int64 // calls that found a value, or one that was being made
	Made   int64 // values that were made
	Failed int64 // attempts that gave an error
}

// Panic is the error of an attempt that panicked, which is a bug of ours.
type Panic struct {
	Value any
	Stack []byte
}

// Error is "BUG: …", without the stack.
func (p *Panic) Error() string { return fmt.Sprintf("BUG: %v", p.Value) }

type entry[V any] struct {
	done    chan struct{} // closed when value and err are there
	value   V
	err     error
	waiters int
	cancel  context.CancelFunc
}

// New makes a cache. keep says which failures are kept like values: those that would come again. The others are made
// anew by the next call.
func New[K comparable, V any](keep func(error) bool) *Cache[K, V] {
	return &Cache[K, V]{keep: keep, entries: map[K]*entry[V]{}}
}

// Get gives the value of a key, and makes it where it is not there. While it is being made, other callers of the key
// wait for the same attempt. A caller whose ctx ends leaves with its error; the attempt goes on for the others, and its
// context ends when nobody waits any more.
func (c *Cache[K, V]) Get(ctx context.Context, key K, build func(context.Context) (V, error)) (V, error) {
	if err := ctx.Err(); err != nil {
		var none V
		return none, err
	}
	c.mu.Lock()
	e := c.entries[key]
	if e == nil {
		work, cancel := context.WithCancel(context.WithoutCancel(ctx))
		e = &entry[V]{done: make(chan struct{}), cancel: cancel}
		c.entries[key] = e
		go c.fill(work, key, e, build)
	} else {
		c.stats.Hits++
	}
	e.waiters++
	c.mu.Unlock()
	select {
	case <-e.done:
	case <-ctx.Done():
		c.leave(key, e)
		var none V
		return none, ctx.Err()
	}
	return e.value, e.err
}

// Lookup gives the value of a key that is there.
func (c *Cache[K, V]) Lookup(key K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[key]
	if e == nil {
		return value, false
	}
	select {
	case <-e.done:
		if e.err == nil {
			c.stats.Hits++
			return e.value, true
		}
	default:
	}
	return value, false
}

// leave gives up one caller's wait; the last one ends the attempt and makes room for a new one.
func (c *Cache[K, V]) leave(key K, e *entry[V]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.waiters--
	if e.waiters > 0 {
		return
	}
	select {
	case <-e.done: // it came just now: it stays
		return
	default:
	}
	e.cancel()
	if c.entries[key] == e {
		delete(c.entries, key)
	}
}

// fill makes a value. A panic is a bug of ours and must not end the user's program from a goroutine of ours.
func (c *Cache[K, V]) fill(ctx context.Context, key K, e *entry[V], build func(context.Context) (V, error)) {
	value, err := guarded(ctx, build)
	c.mu.Lock()
	defer c.mu.Unlock()
	defer e.cancel()
	e.value, e.err = value, err
	if err == nil {
		c.stats.Made++
	} else {
		c.stats.Failed++
		if c.entries[key] == e && !c.keep(err) {
			delete(c.entries, key)
		}
	}
	close(e.done)
}

func guarded[V any](ctx context.Context, build func(context.Context) (V, error)) (value V, err error) {
	err = Guard(func() error {
		value, err = build(ctx)
		return err
	})
	return value, err
}

// Guard calls a function. A panic of it, which is a bug of ours and must not end the user's program, is a [*Panic].
func Guard(do func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &Panic{r, debug.Stack()}
		}
	}()
	return do()
}

// Profiled makes the time of a build count for a name in profiles of the program, under the label "compile". It is for Get, which
// builds on a goroutine of its own.
func Profiled[V any](name string, build func(context.Context) (V, error)) func(context.Context) (V, error) {
	return func(ctx context.Context) (value V, err error) {
		pprof.Do(ctx, pprof.Labels("compile", name), func(ctx context.Context) { value, err = build(ctx) })
		return value, err
	}
}

// Stats gives the counts so far.
func (c *Cache[K, V]) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stats
}

// Clear forgets everything and hands each value that is there to drop. A value that is being made is given only to
// those who already wait for it, and its context ends.
func (c *Cache[K, V]) Clear(drop func(V)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, e := range c.entries {
		select {
		case <-e.done:
			if e.err == nil {
				drop(e.value)
			}
		default:
			e.cancel()
		}
		delete(c.entries, key)
	}
}
