package pauses

import (
	"runtime"
	"testing"
	"time"
)

// TestSince: a number, a median and a maximum, by hand.
func TestSince(t *testing.T) {
	before := Histogram{[]uint64{5, 0, 1, 0}, []float64{0, 1, 2, 3, 4}}
	after := Histogram{[]uint64{6, 4, 2, 0}, before.bounds}
	if n, median, longest := after.Since(before); n != 6 || median != 2*time.Second || longest != 3*time.Second {
		t.Errorf("got %d, %v, %v", n, median, longest)
	}
}

// TestRead: a collection stops the program.
func TestRead(t *testing.T) {
	before := Read()
	runtime.GC()
	if n, median, longest := Read().Since(before); n == 0 || median == 0 || longest < median {
		t.Errorf("got %d, %v, %v", n, median, longest)
	}
}
