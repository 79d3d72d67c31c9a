//go:build !amd64 && !arm64

package host

import "unsafe"

// Call runs generated code, of which there is none for this architecture.
func Call(uintptr, unsafe.Pointer) uint64 {
	panic("BUG: a call of generated code, which does not exist for this architecture")
}

// CallFlushing is [Call].
func CallFlushing(code uintptr, frame unsafe.Pointer) uint64 { return Call(code, frame) }
