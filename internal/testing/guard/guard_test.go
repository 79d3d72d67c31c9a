package guard_test

import (
	"os"
	"runtime/debug"
	"testing"
	"unsafe"

	"github.com/cutile-go/cutile/internal/testing/guard"
)

// TestGuard touches each byte of memory, and those beside it.
func TestGuard(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	page := os.Getpagesize()
	for _, n := range []int{1, 100, page, page + 1} {
		for _, atEnd := range []bool{false, true} {
			m, err := guard.New(n, atEnd)
			if err != nil {
				t.Fatal(err)
			}
			for i := range m.Bytes {
				if m.Bytes[i] != 0 {
					t.Errorf("byte %d of %d is not zero", i, n)
				}
				m.Bytes[i] = 5
			}
			if err := m.Check(); err != nil {
				t.Errorf("%d bytes, at the end: %v: %v", n, atEnd, err)
			}
			first := unsafe.Pointer(unsafe.SliceData(m.Bytes))
			outside, beside := unsafe.Add(first, -1), unsafe.Add(first, n)
			if atEnd {
				outside, beside = beside, outside
			}
			if !faults(outside) {
				t.Errorf("%d bytes, at the end: %v: the page beside them can be written", n, atEnd)
			}
			if n%page != 0 {
				if faults(beside) {
					t.Fatalf("%d bytes, at the end: %v: the rest of their page is missing", n, atEnd)
				}
				if m.Check() == nil {
					t.Errorf("%d bytes, at the end: %v: Check does not see a byte that was written", n, atEnd)
				}
			}
			if err := m.Free(); err != nil {
				t.Error(err)
			}
		}
	}
}

// faults reports whether a byte cannot be written; it was never 0xee before.
func faults(p unsafe.Pointer) (bad bool) {
	defer func() { bad = recover() != nil }()
	*(*byte)(p) = 0xee
	return false
}
