package vulkan

import (
	"strings"
	"sync"
	"unsafe"
)

// functions calls what was found of one level: of the library, an instance or a device.
type functions struct {
	lib  *Library
	addr [numFns]uintptr
}

// resolve finds the functions of a level and gives the name of one that is missing and has to be there.
func (c *functions) resolve(l level, find func(name *byte) uintptr) (missing string) {
	for i, s := range symbols {
		if s.level != l {
			continue
		}
		for _, name := range strings.Fields(s.name + " " + s.other) {
			if c.addr[i] = find(cString(name)); c.addr[i] != 0 {
				break
			}
		}
		if c.addr[i] == 0 && !s.optional {
			return s.name
		}
	}
	return ""
}

// resolved asks vkGetInstanceProcAddr or vkGetDeviceProcAddr.
func resolved(lookup, handle uintptr, name *byte) uintptr {
	return syscallN(lookup, handle, uintptr(unsafe.Pointer(name)))
}

// call makes one call. Pointers are passed as uintptr(unsafe.Pointer(p)) in the argument list itself: the directive keeps
// what they point to alive, and on the heap. What that points to in turn is held by typed pointers and stays alive with it.
//
//go:uintptrescapes
func (c *functions) call(f fn, args ...uintptr) Result {
	if r := c.before(f); r != Success {
		return r
	}
	return Result(int32(syscallN(c.addr[f], args...))) // the upper half of the register means nothing
}

// words are the arguments of a call by quick. None of the calls has more.
type words [10]uintptr

var spareWords = sync.Pool{New: func() any { return new(words) }}

// quick is call without allocating, for calls whose arguments hold no pointer into Go's memory, or one that is on the heap
// in any case and that the caller keeps alive.
func (c *functions) quick(f fn, args ...uintptr) Result {
	if r := c.before(f); r != Success {
		return r
	}
	w := spareWords.Get().(*words)
	n := copy(w[:], args)
	r := Result(int32(syscallN(c.addr[f], w[:n]...)))
	spareWords.Put(w)
	return r
}

// before is what keeps a call from being made.
func (c *functions) before(f fn) Result {
	if c.addr[f] == 0 {
		return FeatureNotPresent
	}
	if hook := c.lib.hook.Load(); hook != nil && symbols[f].result {
		return (*hook)(symbols[f].name)
	}
	return Success
}

// check turns a result into an error.
func (c *functions) check(f fn, r Result) error {
	if r >= Success { // the positive ones say how it went, as VK_INCOMPLETE does
		return nil
	}
	return &Error{Call: symbols[f].name, Code: r}
}

// made counts an object that a call has made.
func (c *functions) made(f fn, r Result, object string) error {
	if r == Success {
		c.lib.count(object, 1)
	}
	return c.check(f, r)
}

// has reports whether an optional function is there.
func (c *functions) has(f fn) bool { return c.addr[f] != 0 }

// cString is s with a zero byte after it.
func cString(s string) *byte {
	b := make([]byte, len(s)+1)
	copy(b, s)
	return &b[0]
}

// cStrings makes an array of strings; nil for none.
func cStrings(list []string) **byte {
	if len(list) == 0 {
		return nil
	}
	out := make([]*byte, len(list))
	for i, s := range list {
		out[i] = cString(s)
	}
	return &out[0]
}

// goString is the text in an array that ends in a zero byte, if it has one.
func goString(b []byte) string {
	s, _, _ := strings.Cut(string(b), "\x00")
	return s
}
