package host

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
)

// adder is generated code that adds floats: n vectors of some lanes.
type adder struct {
	name  string
	code  []byte
	lanes int
}

// addFrame is the frame of an adder.
type addFrame struct {
	a, b, out unsafe.Pointer
	n         uint64
}

// run adds operands of a size in vectors that are made from a seed, and reports whether each sum is right.
func (a adder) run(code uintptr, vectors, seed int) bool {
	n := a.lanes * vectors
	x, y, sum := make([]float32, n), make([]float32, n), make([]float32, n)
	for i := range n {
		x[i], y[i] = float32(seed+i), float32(seed*3-i)
	}
	frame := addFrame{unsafe.Pointer(&x[0]), unsafe.Pointer(&y[0]), unsafe.Pointer(&sum[0]), uint64(vectors)}
	if Call(code, unsafe.Pointer(&frame)) != 7 {
		return false
	}
	for i := range n {
		if sum[i] != x[i]+y[i] {
			return false
		}
	}
	return true
}

// TestCall: results are right, and Go code runs on after generated code has changed all registers that it may change.
func TestCall(t *testing.T) {
	needsCode(t)
	for _, a := range adders() {
		c := mapped(t, a.code)
		for vectors := 1; vectors < 20; vectors++ {
			if !a.run(c.Addr(), vectors, vectors) {
				t.Errorf("%s: %d vectors are added wrongly", a.name, vectors)
			}
			if !goWorks() {
				t.Fatalf("%s: Go code is wrong after a call", a.name)
			}
		}
	}
}

// goWorks uses what Go's compiled code expects in registers: the goroutine, and zeros.
func goWorks() bool {
	var zeros [200]byte
	clear(zeros[:])
	for _, b := range zeros {
		if b != 0 {
			return false
		}
	}
	done := make(chan float64)
	go func() {
		defer func() { done <- recover().(float64) }()
		panic(deep(10))
	}()
	return <-done == 10
}

// deep grows the stack by about a kilobyte for each level.
func deep(n int) float64 {
	var space [128]float64
	if n == 0 {
		return 0
	}
	space[n%128] = deep(n-1) + 1
	return space[n%128]
}

// TestFaultAtNil: an access to the first page is a panic on Unix, and the program runs on.
func TestFaultAtNil(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a fault ends the program")
	}
	c := mapped(t, load)
	for range 10 {
		if _, ok := faulting(c.Addr(), 0).(runtime.Error); !ok || !goWorks() {
			t.Error("no runtime.Error")
		}
	}
}

// TestFaultAnywhere: other addresses are a panic where debug.SetPanicOnFault asks for it.
func TestFaultAnywhere(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a fault ends the program")
	}
	c := mapped(t, load)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	err, ok := faulting(c.Addr(), unmapped).(interface {
		runtime.Error
		Addr() uintptr
	})
	if !ok || err.Addr() != unmapped || !goWorks() {
		t.Errorf("got %v", err)
	}
}

// unmapped is an address at which nothing lies: Linux leaves out the lowest pages.
const unmapped = 0x2008

// faulting gives what a call that reads from an address panics with.
func faulting(code, addr uintptr) (caught any) {
	defer func() { caught = recover() }()
	Call(code, unsafe.Pointer(&addr))
	return nil
}

// child starts this test program again for one test, with variables of the environment, and gives its output.
func child(t *testing.T, test string, env ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^"+test+"$")
	cmd.Env = append(os.Environ(), append(env, childEnv+"=1")...)
	out, err := cmd.CombinedOutput()
	if err != nil && strings.Contains(err.Error(), "exec format error") {
		t.Skip("the system starts no programs for " + runtime.GOARCH)
	}
	return string(out), err
}

// childEnv is set in such a program.
const childEnv = "CUTILE_HOST_CHILD"

// TestPreemption: a loop of calls stops for the garbage collector when a call begins. Signals, which could also stop it
// now and then between two calls, are off.
func TestPreemption(t *testing.T) {
	c := mapped(t, spin)
	if os.Getenv(childEnv) == "" {
		if out, err := child(t, "TestPreemption", "GODEBUG=asyncpreemptoff=1", "GOMAXPROCS=2"); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	var stop atomic.Bool
	ended := make(chan bool)
	go func() {
		for !stop.Load() {
			waste(c, 100_000)
		}
		close(ended)
	}()
	for range 5 {
		runtime.GC()
	}
	stop.Store(true)
	<-ended
}

// TestFaultEnds: without that, the program ends and names the call.
func TestFaultEnds(t *testing.T) {
	c := mapped(t, load)
	if os.Getenv(childEnv) != "" {
		addr := uintptr(unmapped)
		Call(c.Addr(), unsafe.Pointer(&addr))
		return
	}
	out, err := child(t, "TestFaultEnds")
	want := []string{"host.Call", "TestFaultEnds"}
	if runtime.GOOS != "windows" {
		want = append(want, "unexpected fault address 0x2008")
	}
	for _, w := range want {
		if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 2 || !strings.Contains(out, w) {
			t.Errorf("%v, want exit code 2 and %q in\n%s", err, w, out)
		}
	}
}

func BenchmarkCall(b *testing.B) {
	c := mapped(b, trials[runtime.GOARCH])
	var frame struct{ in, out uint64 }
	for b.Loop() {
		Call(c.Addr(), unsafe.Pointer(&frame))
	}
}

func BenchmarkCallFlushing(b *testing.B) {
	c := mapped(b, trials[runtime.GOARCH])
	var frame struct{ in, out uint64 }
	for b.Loop() {
		CallFlushing(c.Addr(), unsafe.Pointer(&frame))
	}
}

// BenchmarkMap maps 16 KiB, about what a kernel takes.
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
