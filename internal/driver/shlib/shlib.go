// Package shlib opens shared libraries of drivers and calls their functions, without cgo. On systems where it cannot, opening one is an
// error.
package shlib

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
