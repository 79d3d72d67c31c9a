// Package nccl calls NCCL, NVIDIA's collectives between GPUs: the calls that package dist needs. It loads the library when the program runs,
// so that a program needs neither cgo nor an installed NCCL to be built.
//
// All calls on communicators are made while the device's context is current in the thread. Those that queue work take the handle of a CUDA
// stream and addresses in the GPU's memory.
package nccl

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"unsafe"

	"github.com/cutile-go/cutile/internal/driver/shlib"
)

// LibraryEnv is the environment variable that names the library, in place of the usual ones.
const LibraryEnv = "CUTILE_LIBNCCL"

// ErrOff is the error of Open where LibraryEnv is "off".
var ErrOff = errors.New("no NCCL, as " + LibraryEnv + " is off")

// Type is a type of elements (ncclDataType_t).
type Type int

// The types.
const (
	Int8     Type = 0
	Uint8    Type = 1
	Int32    Type = 2
	Uint32   Type = 3
	Int64    Type = 4
	Uint64   Type = 5
	Float16  Type = 6
	Float32  Type = 7
	Float64  Type = 8
	BFloat16 Type = 9
)

// Op is a reduction (ncclRedOp_t).
type Op int

// The reductions.
const (
	Sum     Op = 0
	Product Op = 1
	Max     Op = 2
	Min     Op = 3
)

// ID names a communicator that is to be made (ncclUniqueId).
type ID [128]byte

// InvalidUsage is the code of a call that is wrong beside others, as of two processes that use one GPU (ncclInvalidUsage).
const InvalidUsage = 5

// inProgress is the code of a communicator that is still being made (ncclInProgress).
const inProgress = 7

// Error is an error of a call.
type Error struct {
	Call string
	Code int32
	Text string // NCCL's
}

// Error returns the call and NCCL's text.
func (e *Error) Error() string { return fmt.Sprintf("%s: %s (code %d)", e.Call, e.Text, e.Code) }

// Library is a library that was loaded.
type Library struct {
	path    string
	version int32
	fn      [numFns]uintptr
}

var opened struct {
	sync.Mutex
	lib *Library
}

// Open loads the library, once.
func Open() (*Library, error) {
	if os.Getenv(LibraryEnv) == "off" {
		return nil, ErrOff
	}
	opened.Lock()
	defer opened.Unlock()
	if opened.lib != nil {
		return opened.lib, nil
	}
	if libraries == nil {
		return nil, &shlib.LoadError{Library: "NCCL", Reason: "NVIDIA has no NCCL for " + runtime.GOOS + "/" + runtime.GOARCH, Advice: "use Linux for jobs of several GPUs"}
	}
	paths := libraries
	if p := os.Getenv(LibraryEnv); p != "" {
		paths = []string{p}
	}
	h, path, err := shlib.First(paths)
	if err != nil {
		return nil, &shlib.LoadError{Library: "NCCL", Tried: paths, Reason: err.Error(), Advice: "install NCCL (libnccl2), or set " + LibraryEnv + " to its library"}
	}
	l := &Library{path: path}
	for i, name := range functions {
		if l.fn[i] = shlib.Symbol(h, name); l.fn[i] == 0 {
			return nil, &shlib.LoadError{Library: "NCCL", Tried: []string{path}, Reason: "it has no " + name, Advice: "use NCCL 2.23 or later, or set " + LibraryEnv + " to its library"}
		}
	}
	if err := l.check(fnGetVersion, l.call(fnGetVersion, uintptr(unsafe.Pointer(&l.version)))); err != nil {
		return nil, err
	}
	opened.lib = l
	return l, nil
}

// String returns text such as "NCCL 2.27.3 (libnccl.so.2)".
func (l *Library) String() string {
	return fmt.Sprintf("NCCL %d.%d.%d (%s)", l.version/10000, l.version/100%100, l.version%100, l.path)
}

// NewID makes an ID, which one process gives to all others.
func (l *Library) NewID() (id ID, err error) {
	err = l.check(fnGetUniqueID, l.call(fnGetUniqueID, uintptr(unsafe.Pointer(&id))))
	return id, err
}

// call makes one call. Pointers are passed as uintptr(unsafe.Pointer(p)) in the argument list itself: the directive keeps what they
// point to alive, and on the heap.
//
//go:uintptrescapes
func (l *Library) call(f fn, args ...uintptr) int32 { return int32(shlib.Call(l.fn[f], args...)) }

// check turns a result into an error.
func (l *Library) check(f fn, code int32) error {
	if code == 0 {
		return nil
	}
	text := cString(shlib.Call(l.fn[fnGetErrorString], uintptr(code)))
	if more := cString(shlib.Call(l.fn[fnGetLastError], 0)); more != "" {
		text += ": " + more
	}
	return &Error{Call: functions[f], Code: code, Text: text}
}

// cString copies a string of the library, which ends in a zero byte. It is at most 4096 bytes long.
func cString(p uintptr) string {
	if p == 0 {
		return ""
	}
	text := (*[4096]byte)(*(*unsafe.Pointer)(unsafe.Pointer(&p))) // C's memory, which Go does not move
	for i := range text {
		if text[i] == 0 {
			return string(text[:i])
		}
	}
	return string(text[:])
}
