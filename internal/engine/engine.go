// Package engine is what package cutile asks of a machine that runs kernels: engine/cpu and engine/cuda implement it.
//
// Engines are given only modules that passed tileir.Verify. Work on one stream happens in order. An error of work that
// was queued earlier comes back from the next call that waits; work queued after it and before that call does not run.
// The CPU engine then goes on; where the driver has lost its context, every later call gives the error again.
package engine

import (
	"context"

	"github.com/cutile-go/cutile/tileir"
)

// Device is one machine. Its methods may be called from several goroutines.
type Device interface {
	// Name is how users ask for it: "cpu", "cuda:0".
	Name() string
	// Description is for people: the model, cores or memory, driver.
	Description() string
	// Target names what code is made for, such as "cpu" or "sm_90"; compiled kernels are cached under it.
	Target() string
	// Compile makes a module's entry ready to launch. ctx stops the wait, at the latest when a child process is killed.
	// A module that the device does not take is a [CompileError].
	Compile(ctx context.Context, m *tileir.Module, entry string) (Kernel, error)
	// Alloc makes zeroed memory of the given number of bytes, aligned to 256.
	Alloc(bytes int64) (Buffer, error)
	// NewStream makes a queue of work.
	NewStream() (Stream, error)
	// Close waits for queued work and frees what the device still holds.
	Close() error
}

// Promising is a device that gains from promises about accesses (the attribute inbounds of Tile IR 13.4), or tests them.
type Promising interface {
	// Promises reports whether it does.
	Promises() bool
}

// Modelled is a device whose model is less than its description, which also has what an update of the system changes.
type Modelled interface {
	// Model names what the speed of code depends on: devices that are as fast have the same.
	Model() string
}

// Making is a device for which code of Tile IR is made in several ways, so that a kernel may be faster or slower.
type Making interface {
	// Maker names what makes code of an entry. It makes none.
	Maker(ctx context.Context, m *tileir.Module, entry string) (string, error)
}

// Covering is a device that can record which statements of kernels run (package cover).
type Covering interface {
	// Covers reports whether it does.
	Covers() bool
}

// Parallel is a device that says how many blocks it runs at once, if a block fills a multiprocessor or a core.
type Parallel interface {
	// Parallel is their number.
	Parallel() int
}

// Kernel is compiled code on one device.
type Kernel interface {
	// Close frees it. Launches that are queued must have ended.
	Close() error
}

// Buffer is memory of a device.
type Buffer interface {
	// Size is the number of bytes.
	Size() int64
	// Address is the value that a pointer parameter takes for the buffer's first byte.
	Address() uint64
	// Host gives the bytes themselves if the program can access them, else nil. They may be read and written only while
	// no queued work uses them.
	Host() []byte
	// Free gives the memory back. Work that is queued on it must have ended.
	Free() error
}

// Fixer is a Buffer that can be told that its bytes do not change until it is freed, so that the engine keeps what it makes of them.
type Fixer interface{ Fix() }

// Stream is a queue of work that happens in order.
type Stream interface {
	// Launch queues a kernel over a grid. args holds the bits of each parameter of the entry, zero-extended to 64 bits.
	// The slice is copied. It does not allocate.
	Launch(k Kernel, grid [3]uint32, args []uint64) error
	// Write queues a copy from the program's memory; src may be used again when Write returns.
	Write(dst Buffer, offset int64, src []byte) error
	// Read queues a copy to the program's memory, waits for it and for everything queued before it.
	Read(ctx context.Context, dst []byte, src Buffer, offset int64) error
	// Copy queues a copy between two buffers of the device.
	Copy(dst Buffer, dstOffset int64, src Buffer, srcOffset, bytes int64) error
	// Record queues an event.
	Record() (Event, error)
	// WaitEvent makes work queued from now on wait for the event, which may belong to another stream.
	WaitEvent(e Event) error
	// Wait waits until everything queued has ended and gives the first error of it. When ctx ends first it gives
	// ctx.Err and the work goes on.
	Wait(ctx context.Context) error
	// Close waits and frees the stream.
	Close() error
}

// Stopping is a stream that can end its work early.
type Stopping interface {
	// Stop ends what runs and what is queued; the next call that waits returns a [*Fault] with the text "stopped".
	Stop()
}

// Event marks a point of a stream.
type Event interface {
	// Wait waits until the stream has come to the event.
	Wait(ctx context.Context) error
	// Done reports whether it has.
	Done() bool
	// Elapsed gives the nanoseconds from another event of the same device to this one; both must be done.
	Elapsed(since Event) (int64, error)
	Close() error
}

// A Fault is an error of a kernel while it runs.
type Fault struct {
	Kernel string
	Block  [3]uint32
	Known  bool       // Block is known
	Loc    tileir.Loc // zero where unknown
	Text   string     // what happened, such as `assertion failed: n > 0`
	Stack  string     // of a panic, which is a bug of the engine

	// Suspects are the kernels of which one has failed, where that is all that is known: Kernel has their names then.
	Suspects []Suspect
}

// Suspect is a kernel that may have failed.
type Suspect struct {
	Kernel string // the name of its entry; or words for others, such as "another"
	Loc    tileir.Loc
}
