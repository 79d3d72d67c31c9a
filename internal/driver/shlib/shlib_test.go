//go:build linux && (amd64 || arm64)

package shlib_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/cutile-go/cutile/internal/driver/shlib"
)

// TestFirst opens C's library by the second of two names and calls a function; without any the reason is that of the first name.
func TestFirst(t *testing.T) {
	h, path, err := shlib.First([]string{"libnone.so.1", "libc.so.6"})
	if err != nil || path != "libc.so.6" {
		t.Fatalf("opened %q, %v", path, err)
	}
	strlen := shlib.Symbol(h, "strlen")
	if strlen == 0 || shlib.Symbol(h, "no_such_function") != 0 {
		t.Fatalf("strlen is at %#x", strlen)
	}
	if n := shlib.Call(strlen, uintptr(unsafe.Pointer(shlib.CString("four")))); n != 4 {
		t.Errorf("strlen gives %d", n)
	}
	if _, _, err := shlib.First([]string{"libnone.so.1", "libother.so.1"}); err == nil || !strings.Contains(err.Error(), "libnone.so.1") {
		t.Errorf("error %v", err)
	}
}

// TestReasons: each of many that open libraries at the same time learns why its own could not be opened.
func TestReasons(t *testing.T) {
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() {
			for k := range 100 {
				name := fmt.Sprintf("libnone-%d-%d.so", i, k)
				if _, err := shlib.Open(name); err == nil || !strings.Contains(err.Error(), name) {
					t.Errorf("opening %s: %v", name, err)
					return
				}
			}
		})
	}
	all.Wait()
}
