//go:build !nocuda && ((linux && (amd64 || arm64)) || (windows && amd64))

package cudrv

import (
	"os"
	"strings"
	"sync"
	"unsafe"

	"github.com/cutile-go/cutile/internal/driver/shlib"
)

// LibraryEnv is the environment variable that names the driver's library, in place of the usual ones.
const LibraryEnv = "CUTILE_LIBCUDA"

const loadAdvice = "install the NVIDIA driver (nvidia-smi must work; in a container the GPU must be passed in), or set " +
	LibraryEnv + " to its library"

var opened struct {
	sync.Mutex
	driver Driver
}

// Open loads the driver's library, at the first call only; [LibraryEnv] names it where it is not the system's. It does not
// call Init. An error is a [*LoadError].
func Open() (Driver, error) {
	opened.Lock()
	defer opened.Unlock()
	if opened.driver != nil {
		return opened.driver, nil
	}
	paths := libraries
	if p := os.Getenv(LibraryEnv); p != "" {
		paths = []string{p}
	}
	d, err := load(paths)
	if err != nil {
		return nil, err
	}
	opened.driver = d
	return d, nil
}

// OpenLibrary loads a driver from a library of the given path, each time anew.
func OpenLibrary(path string) (Driver, error) { return load([]string{path}) }

// load takes the first library that can be opened; one that lacks a function is an error, not a reason to go on.
func load(paths []string) (Driver, error) {
	handle, path, err := shlib.First(paths)
	if err != nil {
		return nil, &LoadError{Tried: paths, Reason: err.Error(), Advice: loadAdvice}
	}
	d := &native{}
	if err := d.resolve(handle, path); err != nil {
		return nil, err
	}
	return d, nil
}

func (d *native) resolve(handle uintptr, path string) error {
	for i, s := range symbols {
		exports := s.exports
		if exports == "" {
			exports = s.name
		}
		for _, name := range strings.Fields(exports) {
			if d.addr[i] = shlib.Symbol(handle, name); d.addr[i] != 0 {
				break
			}
		}
		if d.addr[i] == 0 && !s.optional {
			return &LoadError{Tried: []string{path}, Reason: "it has no function " + s.name,
				Advice: "the NVIDIA driver is too old, or this is not its library: update the driver"}
		}
	}
	return nil
}

// native calls the functions of a loaded library.
type native struct {
	addr [numFns]uintptr
}

// call makes one call. Pointers are passed as uintptr(unsafe.Pointer(p)) in the argument list itself: the directive
// keeps what they point to alive, and on the heap.
//
//go:uintptrescapes
func (d *native) call(f fn, args ...uintptr) Result {
	if d.addr[f] == 0 {
		return NotFound
	}
	return Result(int32(shlib.Call(d.addr[f], args...)))
}

// words are the arguments of a call by result. None of the calls has more.
type words [12]uintptr

var spareWords = sync.Pool{New: func() any { return new(words) }}

// result is call without allocating, for calls whose arguments hold no pointer into Go's memory, or one that is on the heap
// in any case (what comes through the interface is) and that the caller keeps alive. The arguments of call itself
// escape with what they point to.
func (d *native) result(f fn, args ...uintptr) Result {
	if d.addr[f] == 0 {
		return NotFound
	}
	w := spareWords.Get().(*words)
	n := copy(w[:], args)
	r := Result(int32(shlib.Call(d.addr[f], w[:n]...)))
	spareWords.Put(w)
	return r
}

// check turns a result into an error.
func (d *native) check(f fn, r Result) error {
	if r == Success {
		return nil
	}
	return d.fail(f, r)
}

func (d *native) fail(f fn, r Result) *Error {
	e := &Error{Call: symbols[f].name, Code: r}
	_, e.Text = d.ErrorText(r)
	if d.addr[f] == 0 {
		e.Text = "the installed driver does not have this function"
	}
	return e
}

// ErrorText implements [Driver].
func (d *native) ErrorText(code Result) (name, text string) {
	ask := func(f fn) string {
		var p *byte
		if d.call(f, uintptr(code), uintptr(unsafe.Pointer(&p))) != Success || p == nil {
			return ""
		}
		return cString(p)
	}
	return ask(fnGetErrorName), ask(fnGetErrorString)
}

// cString copies a string of the driver, which ends in a zero byte.
func cString(p *byte) string {
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}
