//go:build !((linux || darwin || windows) && (amd64 || arm64))

package shlib

import (
	"errors"
	"runtime"
)

// Open gives an error.
func Open(string) (uintptr, error) {
	return 0, errors.New("this module loads no libraries on " + runtime.GOOS + "/" + runtime.GOARCH)
}

// OpenGlobal gives an error.
func OpenGlobal(path string) (uintptr, error) { return Open(path) }

// Symbol gives 0.
func Symbol(uintptr, string) uintptr { return 0 }

// Call cannot be called, as no library has been opened.
func Call(uintptr, ...uintptr) uintptr { panic("BUG: a call of a library that is not open") }

// Callback cannot be called, as no library has been opened.
func Callback(any) uintptr { panic("BUG: a function for a library that is not open") }
