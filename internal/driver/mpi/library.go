package mpi

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/cutile-go/cutile/internal/driver/shlib"
)

// library is a library that was loaded.
type library struct {
	path    string
	family  Family
	version string
	fn      [numFns]uintptr
	handle  [numHandles]uintptr
	numbers
}

// world is MPI in this process, which begins and ends once.
var world struct {
	sync.Mutex
	lib   *library
	comms atomic.Int64 // that are not freed
	ended bool
}

// Start gives a communicator of all processes of the job. It loads the library and initialises MPI at the first call: [LibraryEnv] names
// the library, else it is that of a family. All processes must call it equally often. MPI ends when the last communicator is freed.
func Start(family Family) (*Comm, error) {
	world.Lock()
	defer world.Unlock()
	if world.ended {
		return nil, errors.New("MPI has ended in this process and cannot begin again: keep a group open for as long as groups are needed")
	}
	if world.lib == nil {
		lib, err := open(family)
		if err != nil {
			return nil, err
		}
		if err := lib.begin(); err != nil {
			return nil, err
		}
		world.lib = lib
	}
	all := &Comm{lib: world.lib, h: world.lib.handle[commWorld]}
	return all.dup()
}

// freed ends MPI after the last communicator.
func freed() error {
	world.Lock()
	defer world.Unlock()
	if world.comms.Add(-1) > 0 {
		return nil
	}
	world.ended = true
	return world.lib.check(fnFinalize, world.lib.call(fnFinalize))
}

// open loads a library.
func open(family Family) (*library, error) {
	if libraries == nil {
		return nil, &shlib.LoadError{Library: "MPI", Reason: "this module uses MPI on Linux (amd64, arm64), not on " + runtime.GOOS + "/" + runtime.GOARCH,
			Advice: "run one process, without a launcher"}
	}
	paths := libraries[family]
	if p := os.Getenv(LibraryEnv); p != "" {
		paths = []string{p}
	}
	// UCX, which MPICH may use, puts its handlers over Go's: a nil pointer would end the process instead of being a panic.
	const signals = "UCX_ERROR_SIGNALS"
	if _, set := os.LookupEnv(signals); !set {
		os.Setenv(signals, "")
	}
	var first error
	for _, path := range paths {
		h, err := shlib.OpenGlobal(path)
		if err == nil {
			return resolve(h, path)
		}
		if first == nil {
			first = err
		}
	}
	return nil, &shlib.LoadError{Library: "MPI", Tried: paths, Reason: first.Error(),
		Advice: "install " + family.String() + ", whose launcher started this program, or set " + LibraryEnv + " to its library"}
}

// resolve finds what a library has.
func resolve(h uintptr, path string) (*library, error) {
	l := &library{path: path, family: MPICH}
	if shlib.Symbol(h, handles[commWorld].symbol) != 0 {
		l.family = OpenMPI
	}
	l.numbers = constants[l.family]
	lacks := func(name string) error {
		return &shlib.LoadError{Library: "MPI", Tried: []string{path}, Reason: "it has no " + name, Advice: "set " + LibraryEnv + " to the library of an MPI of version 3 or later"}
	}
	for i, name := range functions {
		if l.fn[i] = shlib.Symbol(h, name); l.fn[i] == 0 {
			return nil, lacks(name)
		}
	}
	for i, row := range handles {
		if l.handle[i] = row.number; l.family == OpenMPI {
			if l.handle[i] = shlib.Symbol(h, row.symbol); l.handle[i] == 0 {
				return nil, lacks(row.symbol)
			}
		}
	}
	l.version = l.text(func(text *byte, n *int32) int32 {
		return l.call(fnGetLibraryVersion, uintptr(unsafe.Pointer(text)), uintptr(unsafe.Pointer(n)))
	})
	return l, nil
}

// begin initialises MPI.
func (l *library) begin() error {
	var there, provided int32
	if err := l.check(fnInitialized, l.call(fnInitialized, uintptr(unsafe.Pointer(&there)))); err != nil {
		return err
	}
	if there != 0 {
		return errors.New("other code of this process has initialised MPI already: leave it to package dist")
	}
	if err := l.check(fnInitThread, l.call(fnInitThread, 0, 0, threadMultiple, uintptr(unsafe.Pointer(&provided)))); err != nil {
		return err
	}
	if provided != threadMultiple {
		return fmt.Errorf("%s cannot be called from several threads (it provides level %d, not MPI_THREAD_MULTIPLE): use one that was built for it", l, provided)
	}
	return l.check(fnCommSetErrhandler, l.call(fnCommSetErrhandler, l.handle[commWorld], l.handle[errorsReturn]))
}

// String names the library with its version.
func (l *library) String() string {
	version, _, _ := strings.Cut(l.version, "\n")
	version, _, _ = strings.Cut(version, ", package")
	version = strings.Join(strings.Fields(version), " ")
	return version + " (" + l.path + ")"
}

// call makes one call. Pointers are passed as uintptr(unsafe.Pointer(p)) in the argument list itself: the directive keeps what they
// point to alive, and on the heap.
//
//go:uintptrescapes
func (l *library) call(f fn, args ...uintptr) int32 { return int32(shlib.Call(l.fn[f], args...)) }

// check turns a result into an error.
func (l *library) check(f fn, code int32) error {
	if code == success {
		return nil
	}
	text := l.text(func(text *byte, n *int32) int32 {
		return l.call(fnErrorString, uintptr(code), uintptr(unsafe.Pointer(text)), uintptr(unsafe.Pointer(n)))
	})
	return &Error{Call: functions[f], Code: code, Text: text}
}

// text gets a text of the library.
func (l *library) text(get func(text *byte, n *int32) int32) string {
	buf, n := make([]byte, textBytes), int32(0)
	if get(&buf[0], &n) != success || n < 0 || int(n) > len(buf) {
		return "it has no text"
	}
	return strings.TrimRight(string(buf[:n]), "\x00\n ")
}
