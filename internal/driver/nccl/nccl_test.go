package nccl

import (
	"errors"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/cutile-go/cutile/internal/driver/shlib"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// TestLoad: what is no NCCL, or an old one, is refused with the reason, and another may be tried afterwards.
func TestLoad(t *testing.T) {
	if runtime.GOOS != "linux" {
		_, err := Open()
		if want := "no NCCL: NVIDIA has no NCCL for " + runtime.GOOS; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
		return
	}
	for path, want := range map[string]string{
		"libnone.so.2": "libnone.so.2: cannot open shared object file: No such file or directory (tried libnone.so.2): install NCCL (libnccl2), or set CUTILE_LIBNCCL to its library",
		"libc.so.6":    "no NCCL: it has no ncclGetVersion (tried libc.so.6): use NCCL 2.23 or later, or set CUTILE_LIBNCCL to its library",
	} {
		t.Setenv(LibraryEnv, path)
		var load *shlib.LoadError
		if _, err := Open(); !errors.As(err, &load) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	out := filepath.Join(t.TempDir(), "libnccl.so.2")
	if b, err := exec.Command(testenv.CC(t), "-O1", "-shared", "-fPIC", "-o", out, filepath.Join("testdata", "nccl.c")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	t.Setenv(LibraryEnv, out)
	l, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { opened.lib = nil })
	if want := "NCCL 2.27.3 (" + out + ")"; l.String() != want {
		t.Errorf("%q, want %q", l, want)
	}
	alone(t, l)
	t.Setenv(LibraryEnv, "off")
	if _, err := Open(); err != ErrOff {
		t.Errorf("switched off: %v", err)
	}
}

// memory is what the stand-in takes for that of a GPU, and for a stream.
var memory = struct {
	src, dst [3]float32
	stream   int32
}{src: [3]float32{1, 2, 3}, stream: 1}

// alone calls a communicator of one process, with memory of the program and with arguments that NCCL refuses.
func alone(t *testing.T, l *Library) {
	id, err := l.NewID()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Init(&id, 1, 1); err == nil || err.Error() != "ncclCommInitRankScalable: invalid argument: rank (code 4)" {
		t.Errorf("rank 1 of 1: %v", err)
	}
	c, err := l.Init(&id, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	at := func(p unsafe.Pointer) uint64 { return uint64(uintptr(p)) }
	to, from, s := at(unsafe.Pointer(&memory.dst)), at(unsafe.Pointer(&memory.src)), uintptr(unsafe.Pointer(&memory.stream))
	if err := c.AllReduce(Sum, Float32, 3, to, from, s); err != nil || memory.dst != memory.src {
		t.Errorf("AllReduce alone gives %v, %v", memory.dst, err)
	}
	for what, err := range map[string]error{
		"stream": c.AllReduce(Sum, Float32, 3, to, from, 0),
		"op":     c.AllReduce(7, Float32, 3, to, from, s),
		"type":   c.AllGather(12, 3, to, from, s),
		"buffer": c.Broadcast(Uint8, 3, 0, 0, s),
		"peer":   c.Send(Uint8, 3, from, 1, s),
		"color":  second(c.Split(-1, 0)),
	} {
		var e *Error
		if !errors.As(err, &e) || e.Code != 4 || !strings.Contains(err.Error(), what) {
			t.Errorf("a wrong %s: error %v", what, err)
		}
	}
	if err := c.Destroy(); err != nil {
		t.Error(err)
	}
}

func second[T any](_ T, err error) error { return err }
