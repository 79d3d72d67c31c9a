// Package shlib opens shared libraries of drivers and calls their functions, without cgo. On systems where it cannot, opening one is an
// error.
package shlib

import "strings"

// First opens the first of several libraries that can be opened. The error is that of the first one, whose name is the usual one: its
// reason helps most.
func First(paths []string) (handle uintptr, path string, err error) {
	for _, path := range paths {
		h, why := Open(path)
		if why == nil {
			return h, path, nil
		}
		if err == nil {
			err = why
		}
	}
	return 0, "", err
}

// CString is s with a zero byte after it.
func CString(s string) *byte {
	b := make([]byte, len(s)+1)
	copy(b, s)
	return &b[0]
}

// LoadError says why a library could not be used.
type LoadError struct {
	Library string   // as people call it, such as "MPI"
	Tried   []string // files, in order
	Reason  string
	Advice  string
}

// Error returns the reason and what to do.
func (e *LoadError) Error() string {
	text := "no " + e.Library + ": " + e.Reason
	if len(e.Tried) > 0 {
		text += " (tried " + strings.Join(e.Tried, ", ") + ")"
	}
	return text + ": " + e.Advice
}
