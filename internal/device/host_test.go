package device_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/limit"
)

// openCPU opens the CPU engine, whose memory the program can access.
func openCPU(t *testing.T) *device.Device {
	t.Helper()
	d, err := device.Open(cpu.New(cpu.Options{Workers: 2}), limit.Default)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func part(m *device.Memory, writes bool, offset, bytes int64) device.Part {
	return device.Part{Use: device.Use{Memory: m, Writes: writes}, Offset: offset, Bytes: bytes}
}

// TestHostOrder: a function that waits is queued between the work before it and after it, on whatever streams these are, and
// holds up nothing else.
func TestHostOrder(t *testing.T) {
	d := openCPU(t)
	calls, other := stream(t, d), stream(t, d)
	a, b := alloc(t, d), alloc(t, d)
	if err := a.Write([]byte{1, 2, 3, 4}, 0); err != nil {
		t.Fatal(err)
	}
	open := make(chan struct{})
	var seen []byte
	err := calls.Host(t.Context(), "double", []device.Part{part(a, true, 1, 2)}, func(bytes [][]byte) error {
		<-open
		seen = slices.Clone(bytes[0])
		for i := range bytes[0] {
			bytes[0][i] *= 2
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Copy(4, a, 0, 4); err != nil { // waits for the function
		t.Fatal(err)
	}
	if err := other.Sync(t.Context()); err != nil { // does not
		t.Fatal(err)
	}
	late, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	got := make([]byte, 4)
	if err := b.Read(late, got, 4); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("a read of what the function has still to write gives %v, %v", got, err)
	}
	close(open)
	if err := b.Read(t.Context(), got, 4); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, []byte{1, 4, 6, 4}) || !slices.Equal(seen, []byte{2, 3}) {
		t.Errorf("the function saw %v and left %v", seen, got)
	}
}

// TestHostError: an error comes out at the next wait, and what follows on the stream does not run.
func TestHostError(t *testing.T) {
	d := openCPU(t)
	s, a := stream(t, d), alloc(t, d)
	broken := errors.New("broken")
	ran := false
	for _, f := range []func([][]byte) error{func([][]byte) error { return broken }, func([][]byte) error { ran = true; return nil }} {
		if err := s.Host(t.Context(), "f", []device.Part{part(a, true, 0, 16)}, f); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Sync(t.Context()); !errors.Is(err, broken) || ran {
		t.Errorf("error %v; the next function ran: %v", err, ran)
	}
	if err := s.Sync(t.Context()); err != nil {
		t.Errorf("the error comes a second time: %v", err)
	}
	if err := a.Freeze(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Host(t.Context(), "f", []device.Part{part(a, true, 0, 16)}, nil); !errors.Is(err, device.ErrFrozen) {
		t.Errorf("a function that writes frozen memory: %v", err)
	}
	a.Close()
	if err := s.Host(t.Context(), "f", []device.Part{part(a, false, 0, 16)}, nil); !errors.Is(err, device.ErrClosed) {
		t.Errorf("a function that uses closed memory: %v", err)
	}
}

// TestHostStopped: what is queued behind a launch or function that a closing device stops does not begin.
func TestHostStopped(t *testing.T) {
	limits := limit.Default
	limits.Close = time.Millisecond
	d, err := device.Open(cpu.New(cpu.Options{}), limits)
	if err != nil {
		t.Fatal(err)
	}
	s := stream(t, d)
	open, ran := make(chan struct{}), false
	for _, f := range []func([][]byte) error{func([][]byte) error { <-open; return nil }, func([][]byte) error { ran = true; return nil }} {
		if err := s.Host(t.Context(), "f", nil, f); err != nil {
			t.Fatal(err)
		}
	}
	time.AfterFunc(200*time.Millisecond, func() { close(open) })
	if err := d.Close(); err == nil || ran {
		t.Errorf("error %v; the next function ran: %v", err, ran)
	}
}

// TestHostCopies: where the program cannot access the memory, the function gets copies, after the work that uses it.
func TestHostCopies(t *testing.T) {
	f, d := openFake(t)
	s, other, a, b := stream(t, d), stream(t, d), alloc(t, d), alloc(t, d)
	run(t, other, device.Use{Memory: a, Writes: true})
	f.take()
	parts := []device.Part{part(a, false, 4, 8), part(b, true, 0, 3)}
	parts = append(parts, part(b, true, 8, 5))
	parts[2].Fresh = true
	var sizes []int
	err := s.Host(t.Context(), "f", parts, func(bytes [][]byte) error {
		for _, b := range bytes {
			sizes = append(sizes, len(b))
		}
		f.note("called")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"s2 after s3", "s2 read", "s2 read", "called", "s2 write", "s2 write"}
	if got := f.take(); !slices.Equal(got, want) {
		t.Errorf("the engine was asked for %q, want %q", got, want)
	}
	if !slices.Equal(sizes, []int{8, 3, 5}) {
		t.Errorf("the function got parts of %v bytes", sizes)
	}
	for _, broken := range []string{"wait", "read", "write"} {
		f.broken = broken
		if err := s.Host(t.Context(), "f", parts, func([][]byte) error { return nil }); !errors.Is(err, errBroken) {
			t.Errorf("a broken %s gives %v", broken, err)
		}
	}
	f.broken = ""
	f.finish()
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestNative: what another library queues comes after the work on the same memory, and before later work on it.
func TestNative(t *testing.T) {
	f, d := openFake(t)
	s, other, a := stream(t, d), stream(t, d), alloc(t, d)
	if !s.HasNative() {
		t.Fatal("the fake has no native streams")
	}
	run(t, other, device.Use{Memory: a, Writes: true})
	parts := []device.Part{part(a, true, 4, 8), part(a, false, 12, 4)}
	err := s.Native("f", parts, func(handle uintptr, addresses []uint64) error {
		f.note("called with %d %v", handle, addresses)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	run(t, other, device.Use{Memory: a})
	want := []string{"s3 launch", "s2 after s3", "s2 native", "called with 7 [260 268]", "s3 after s2", "s3 launch"}
	if got := f.take(); !slices.Equal(got, want) {
		t.Errorf("the engine was asked for %q, want %q", got, want)
	}
	if err := s.Native("f", nil, func(uintptr, []uint64) error { return errBroken }); !errors.Is(err, errBroken) {
		t.Errorf("error %v", err)
	}
	a.Close()
	if err := s.Native("f", parts, nil); !errors.Is(err, device.ErrClosed) {
		t.Errorf("closed memory: error %v", err)
	}
	f.finish()
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if cpu := openCPU(t); cpu.Main().HasNative() || cpu.Main().Native("f", nil, nil) == nil {
		t.Error("the CPU engine has native streams")
	}
}
