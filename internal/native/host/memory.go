package host

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"github.com/cutile-go/cutile/internal/debug"
)

// Code is a mapping that is executable and read-only.
type Code struct {
	pages  []byte
	memory memory
}

// Function names a part of the code for profilers.
type Function struct {
	Name         string
	Offset, Size int
}

// RefusedError says that the system gives no executable memory.
type RefusedError struct {
	Step string // what was asked for
	Err  error
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("the system refuses executable memory: %s: %v", e.Step, e.Err)
}

// Unwrap is the system's error.
func (e *RefusedError) Unwrap() error { return e.Err }

// memory is how a system gives pages. A system for which there is none gives errors.
type memory struct {
	reserve func(size int) ([]byte, error) // pages that can be read and written
	seal    func(pages []byte) error       // from now on they can be read and executed, and the CPU sees what was written
	release func(pages []byte) error
}

// Map copies code, and the constants that it reads, into executable memory, which begins at a page. One mapping is meant to
// hold all functions of a compiled kernel. With CUTILE_DEBUG=perfmap, perf finds the functions by their names. An error is a
// [RefusedError] if the system refuses executable memory.
func Map(code []byte, functions ...Function) (*Code, error) { return mapIn(system, code, functions) }

func mapIn(m memory, code []byte, functions []Function) (*Code, error) {
	if len(code) == 0 {
		return nil, errors.New("BUG: executable memory is wanted for no code")
	}
	for _, f := range functions {
		if f.Offset < 0 || f.Size <= 0 || f.Size > len(code)-f.Offset {
			return nil, fmt.Errorf("BUG: function %s, of %d bytes at %d, is outside code of %d bytes", f.Name, f.Size, f.Offset, len(code))
		}
	}
	page := os.Getpagesize()
	pages, err := m.reserve((len(code) + page - 1) / page * page)
	if err != nil {
		return nil, &RefusedError{"pages to write", err}
	}
	c := &Code{pages, m}
	fillTraps(pages[copy(pages, code):])
	if err := m.seal(pages); err != nil {
		c.Free()
		return nil, &RefusedError{"making pages executable", err}
	}
	if debug.On(debug.PerfMap) {
		if err := profiled.add(c.Addr(), functions); err != nil {
			c.Free()
			return nil, err
		}
	}
	return c, nil
}

// Addr is where the code begins.
func (c *Code) Addr() uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(c.pages))) }

// Size is the number of bytes that the mapping takes.
func (c *Code) Size() int { return len(c.pages) }

// Free gives the memory back. No call of the code may be running, and none may follow. A second Free does nothing. Code that
// is never freed stays mapped, since the garbage collector cannot see its callers.
func (c *Code) Free() {
	if c.pages == nil {
		return
	}
	if err := c.memory.release(c.pages); err != nil {
		panic("BUG: executable memory cannot be given back: " + err.Error())
	}
	c.pages = nil
}
