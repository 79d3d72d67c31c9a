//go:build amd64 || arm64

package host

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"unsafe"
)

// TestCallFlushing: the code takes and gives zeros in place of subnormal numbers, and Go code that runs later does not, even
// behind code that faults.
func TestCallFlushing(t *testing.T) {
	least, tiny := float32(math.SmallestNonzeroFloat32), float32(0x1p-126)
	for _, a := range adders() {
		c, n := mapped(t, a.code), a.lanes
		x, y, sum := make([]float32, n), make([]float32, n), make([]float32, n)
		x[0], y[0] = least, least       // operands
		x[1], y[1] = tiny, -1.5*tiny    // a result
		x[2], y[2] = -least, 1          // it does not change the sum anyway
		x[3], y[3] = -3*tiny, tiny+tiny // nothing is subnormal
		frame := addFrame{unsafe.Pointer(&x[0]), unsafe.Pointer(&y[0]), unsafe.Pointer(&sum[0]), 1}
		for _, w := range []struct {
			call func(uintptr, unsafe.Pointer) uint64
			want [4]float32
		}{{Call, [4]float32{2 * least, -tiny / 2, 1, -tiny}}, {CallFlushing, [4]float32{0, 0, 1, -tiny}}} {
			if w.call(c.Addr(), unsafe.Pointer(&frame)) != 7 || [4]float32(sum) != w.want {
				t.Errorf("%s: got %v, want %v", a.name, sum[:4], w.want)
			}
			checkSubnormal(t)
		}
		if s := math.Float32bits(sum[1]); s != 1<<31 {
			t.Errorf("%s: the sign of a zero is lost: %#x", a.name, s)
		}
	}
}

// TestCallFlushingFaults does so for code that faults.
func TestCallFlushingFaults(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a fault ends the program")
	}
	c := mapped(t, load)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	mode := floatMode()
	func() {
		defer func() {
			if recover() == nil {
				t.Error("nothing panics")
			}
		}()
		addr := uintptr(unmapped)
		CallFlushing(c.Addr(), unsafe.Pointer(&addr))
	}()
	if got := floatMode(); got != mode {
		t.Errorf("the mode of floats is %#x, and was %#x", got, mode)
	}
	checkSubnormal(t)
}

// half is a variable so that no compiler computes with it.
var half = float32(0.5)

func checkSubnormal(t *testing.T) {
	t.Helper()
	if x := half * 0x1p-126; x != 0x1p-127 {
		t.Errorf("Go code takes a subnormal number as %v", x)
	}
}
