package host

import (
	"runtime"
	"testing"
	"unsafe"
)

func BenchmarkCall(b *testing.B) {
	c := mapped(b, trials[runtime.GOARCH])
	var frame struct{ in, out uint64 }
	for b.Loop() {
		Call(c.Addr(), unsafe.Pointer(&frame))
	}
}

func BenchmarkMap(b *testing.B) {
	needsCode(b)
	code := make([]byte, 16<<10)
	for b.Loop() {
		c, err := Map(code)
		if err != nil {
			b.Fatal(err)
		}
		c.Free()
	}
}
