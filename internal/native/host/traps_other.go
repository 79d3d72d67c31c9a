//go:build !amd64

package host

// fillTraps has nothing to write: fresh pages are zero, which is UDF on arm64.
func fillTraps([]byte) {}
