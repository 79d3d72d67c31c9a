package device

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/cutile-go/cutile/internal/engine"
)

// Alloc makes zeroed memory.
func (d *Device) Alloc(bytes int64) (*Memory, error) {
	bytes = max(bytes, 1) // an empty tensor has an address, too
	return d.obtain(d.tensors(), bytes, func() (engine.Buffer, error) {
		buf, err := d.eng.Alloc(bytes)
		if err != nil {
			return nil, fmt.Errorf("no memory for %d bytes: %w", bytes, err)
		}
		return buf, nil
	})
}

// Wrap makes memory of bytes of the program, which kernels then use in place.
func (d *Device) Wrap(data []byte) (*Memory, error) {
	if len(data) == 0 {
		return d.Alloc(0)
	}
	w, ok := d.eng.(engine.Wrapper)
	if !ok {
		return nil, fmt.Errorf("%s has memory of its own, in which memory of the program cannot be used: copy it with FromSlice", d.eng.Name())
	}
	m, err := d.obtain(d.tensors(), int64(len(data)), func() (engine.Buffer, error) { return w.Wrap(data) })
	if err == nil {
		m.others = true
	}
	return m, err
}

// Borrow makes memory of what others own. release is called once, in a goroutine of its own, when nothing uses the memory any more: soon
// after Close and the work that was queued before, or when the device is closed. An error leaves the memory with its owner.
func (d *Device) Borrow(address uintptr, bytes int64, readOnly bool, release func()) (*Memory, error) {
	b, ok := d.eng.(engine.Borrower)
	if !ok {
		return nil, d.lacks("use memory of others", func(e engine.Device) bool { _, ok := e.(engine.Borrower); return ok }, "copy it with FromSlice")
	}
	m, err := d.obtain(d.tensors(), bytes, func() (engine.Buffer, error) { return b.Borrow(address, bytes) })
	if err != nil {
		return nil, err
	}
	m.others = true
	m.frozen.Store(readOnly)
	if release != nil {
		m.release = sync.OnceFunc(func() { go release() })
		d.mu.Lock()
		d.held[m.memory] = held{close: m.release}
		d.mu.Unlock()
	}
	return m, nil
}

// mostNap is the longest nap of those in which obtain waits for the collector: 31 ms in all.
const mostNap = 16 * time.Millisecond

// obtain makes memory of a buffer. If the engine or the limit refuses, as memory that was closed or that nothing refers to is still there,
// it waits for the work on closed memory, lets the garbage collector find the other, and asks once more.
func (d *Device) obtain(k kind, bytes int64, make func() (engine.Buffer, error)) (*Memory, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.busy.Done()
	d.mu.Lock()
	d.reap()
	d.mu.Unlock()
	buffer := func() (engine.Buffer, error) {
		if err := k.reserve(bytes); err != nil {
			return nil, err
		}
		buf, err := make()
		if err != nil {
			k.bytes.Add(-bytes)
		}
		return buf, err
	}
	buf, err := buffer()
	if err != nil { // what is closed may only wait for its work to end
		d.drain()
		buf, err = buffer()
	}
	if err != nil { // what nobody can reach any more is closed by the collector
		runtime.GC()
	}
	for nap := time.Millisecond; err != nil && nap <= mostNap; nap *= 2 { // in another goroutine, some time later
		d.drain()
		if buf, err = buffer(); err != nil {
			time.Sleep(nap)
		}
	}
	if err != nil {
		return nil, err
	}
	k.took()
	return d.memory(buf, k.tally), nil
}

// Trim gives the memory back to the system that the device keeps for later tensors, after the work on closed memory that has ended.
func (d *Device) Trim() error {
	if err := d.enter(); err != nil {
		return err
	}
	defer d.busy.Done()
	d.mu.Lock()
	d.reap()
	d.mu.Unlock()
	if eng, ok := d.eng.(engine.Pooling); ok {
		return eng.Trim()
	}
	return nil
}

// memory is a buffer as memory, which is freed some time after the program dropped it.
func (d *Device) memory(buf engine.Buffer, counted *tally) *Memory {
	m := &Memory{&memory{dev: d, buf: buf, counted: counted, born: d.made.Add(1)}}
	runtime.AddCleanup(m, func(inner *memory) { inner.Close() }, m.memory)
	return m
}

// garbage is memory that was closed while work that uses it may still run.
type garbage struct {
	memory *memory
	after  []mark
}

// mark is a point that a stream reaches. An event tells when; without one it is known when somebody has waited for the stream, or when that
// has ended.
type mark struct {
	point
	event engine.Event
}

// passed reports whether the stream has come to the mark. dev.mu is held.
func (m mark) passed() bool { return m.point.passed() || m.event != nil && m.event.Done() }

// drain waits for the work that garbage waits for, and frees it. Errors of that work are for those who wait for it.
func (d *Device) drain() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, g := range d.garbage {
		for _, m := range g.after {
			if m.event != nil {
				m.event.Wait(context.Background())
			}
		}
	}
	d.reap()
}

// reap frees the garbage whose work has ended. d.mu is held.
func (d *Device) reap() {
	d.garbage = slices.DeleteFunc(d.garbage, func(g garbage) bool {
		for _, m := range g.after {
			if !m.passed() {
				return false
			}
		}
		for _, m := range g.after {
			if m.event != nil {
				m.event.Close()
			}
		}
		g.memory.counted.gave(g.memory.buf.Size())
		g.memory.buf.Free()
		g.memory.forgetCopies()
		if g.memory.release != nil {
			delete(d.held, g.memory)
			g.memory.release()
		}
		return true
	})
}
