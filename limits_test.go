package cutile_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

// launchBounded launches a kernel with one output, or one input and one output, under limits.
func launchBounded(ctx context.Context, t *testing.T, l cutile.Limits, kernel any, tensors int) error {
	t.Helper()
	dev := open(t, cutile.WithLimits(l))
	var args []any
	for range tensors {
		args = append(args, ramp(t, dev, 16))
	}
	return cutile.Launch(ctx, dev, kernel, args...)
}

// TestCompileLimits: what a few lines make of the compiler's work is bounded, with an error that names the construct, its
// place and the limit; a higher limit lets the same kernel pass.
func TestCompileLimits(t *testing.T) {
	for _, test := range []struct {
		name    string
		kernel  any
		tensors int
		limits  cutile.Limits
		want    []string
	}{
		{"operations", doubling, 2, cutile.Limits{Operations: 20000}, []string{"kernels_limits_test.go:29:10", "the call of f20", "20000 operations", "Limits.Operations", "CUTILE_LIMITS=operations="}},
		{"operations of one function", callsLong, 2, cutile.Limits{Operations: 100}, []string{"kernels_limits_test.go:42:10: the call of long takes more than 100 operations"}},
		{"calls", doubling, 2, cutile.Limits{Calls: 20000}, []string{"kernels_limits_test.go:29:10", "the call of f20", "20000 inlined calls", "Limits.Calls"}},
		{"memory", doubling, 2, cutile.Limits{CompileMemory: 10 << 20}, []string{"the call of f20", "10485760 bytes", "Limits.CompileMemory"}},
		{"turns", nested, 1, cutile.Limits{Turns: 79}, []string{"more than 79 turns", "Limits.Turns"}},
		{"product of turns", nested, 1, cutile.Limits{Unrolled: 10000}, []string{"kernels_limits_test.go:5", "10000 iterations of unrolled loops", "Limits.Unrolled"}},
		{"text", doubledText, 1, cutile.Limits{}, []string{"kernels_limits_test.go", "bytes of the compiler's memory"}},
		{"lists", lists, 1, cutile.Limits{}, []string{"kernels_limits_test.go", "bytes of the compiler's memory"}},
		{"negative", doubling, 2, cutile.Limits{Calls: -1}, []string{"Limits.Calls is negative"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			start := time.Now()
			var err error
			if test.limits.Calls < 0 {
				_, err = cutile.Open("cpu", cutile.WithLimits(test.limits))
			} else {
				err = launchBounded(t.Context(), t, test.limits, test.kernel, test.tensors)
			}
			if err == nil {
				t.Fatal("it compiled")
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error does not say %q: %v", want, err)
				}
			}
			if took := time.Since(start); took > 2*time.Minute { // seconds, on a machine that has nothing else to do
				t.Errorf("the error took %v", took)
			}
		})
	}
	t.Setenv("CUTILE_LIMITS", "calls=3")
	if err := launchBounded(t.Context(), t, cutile.Limits{}, add[tile.D16], 3); err == nil || !strings.Contains(err.Error(), "more than 3 inlined calls") {
		t.Errorf("CUTILE_LIMITS=calls=3: %v", err)
	}
	if err := launchBounded(t.Context(), t, cutile.Limits{Calls: 1000}, add[tile.D16], 3); err != nil {
		t.Errorf("a limit of the program comes before that of the environment, and a failure under another one is not kept: %v", err)
	}
	for _, text := range []string{"calls=x", "call=3", "calls=-3", "print=9999999999GiB"} {
		t.Setenv("CUTILE_LIMITS", text)
		if _, err := cutile.Open("cpu"); err == nil || !strings.Contains(err.Error(), "CUTILE_LIMITS") {
			t.Errorf("CUTILE_LIMITS=%s: %v", text, err)
		}
	}
}

// TestCompilationHonoursContext: a compilation ends soon after its context, or with Close of the device, and leaves
// nothing that grows; another caller of the same kernel is not harmed.
func TestCompilationHonoursContext(t *testing.T) {
	unbounded := cutile.Limits{Operations: 1 << 30, Calls: 1 << 30, CompileMemory: 1 << 40}
	ended := func(what string) {
		t.Helper()
		for end := time.Now().Add(time.Minute); compiling(); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s: the compilation goes on", what)
			}
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := launchBounded(ctx, t, unbounded, doubling, 2); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the deadline's error is %v", err)
	}
	ended("deadline")
	dev := open(t, cutile.WithLimits(unbounded))
	x, z := ramp(t, dev, 16), ramp(t, dev, 16)
	got := make(chan error)
	go func() { got <- cutile.Launch(context.Background(), dev, doubling, x, z) }()
	for !compiling() {
		time.Sleep(time.Millisecond)
	}
	dev.Close()
	if err := <-got; !errors.Is(err, cutile.ErrClosed) {
		t.Errorf("a launch on a device that is closed gives %v", err)
	}
	ended("Close")
}

// compiling reports whether some goroutine is lowering a kernel.
func compiling() bool {
	stacks := make([]byte, 1<<20)
	for {
		n := runtime.Stack(stacks, true)
		if n < len(stacks) {
			return strings.Contains(string(stacks[:n]), "/internal/tilec/lower.")
		}
		stacks = make([]byte, 2*len(stacks))
	}
}

// TestCopyOfHugeView: a view that repeats one element 2 to the power of 40 times is no end of the program.
func TestCopyOfHugeView(t *testing.T) {
	dev := open(t)
	x := ramp(t, dev, 1)
	for _, n := range []int{1 << 40, 1 << 61} {
		huge := x.Broadcast(n)
		if _, err := huge.Slice(); err == nil {
			t.Errorf("%d elements: Slice gives no error", n)
		}
		if _, err := huge.Contiguous(); err == nil {
			t.Errorf("%d elements: Contiguous gives no error", n)
		}
		if err := huge.Fill(t.Context(), 1); err == nil {
			t.Errorf("%d elements: Fill gives no error", n)
		}
	}
}

// badWriter panics, as a program's writer may.
type badWriter struct{}

func (badWriter) Write([]byte) (int, error) { panic("the disk is gone") }

// TestPanickingWriter: what the caller's writer does wrong is the caller's error, and the device can be used again.
func TestPanickingWriter(t *testing.T) {
	dev := open(t, cutile.WithOutput(badWriter{}))
	if err := cutile.Launch(t.Context(), dev, printing, ramp(t, dev, 16)); err != nil {
		t.Fatal(err)
	}
	if err := dev.Sync(t.Context()); err == nil || !strings.Contains(err.Error(), "the disk is gone") || strings.Contains(err.Error(), "BUG") {
		t.Errorf("the error is %v", err)
	}
	if err := cutile.Launch(t.Context(), dev, add[tile.D16], ramp(t, dev, 16), ramp(t, dev, 16), ramp(t, dev, 16)); err != nil {
		t.Error(err)
	}
	if err := dev.Sync(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestCloseEndsWork: Close of a device or stream ends a kernel without an end within the time that Limits states, though nobody waited for it;
// Limits.Run ends a launch by itself.
func TestCloseEndsWork(t *testing.T) {
	limits := cutile.WithLimits(cutile.Limits{Close: 100 * time.Millisecond})
	closes(t, "a device", func() (time.Duration, error) {
		dev := open(t, limits)
		s, err := dev.NewStream()
		must(t, err)
		z := ramp(t, dev, 16)
		for _, on := range []cutile.Target{dev, s} { // the second waits for the first, as they use one tensor
			must(t, cutile.Launch(t.Context(), on, endless, z))
		}
		return timed(dev.Close)
	})
	closes(t, "a stream", func() (time.Duration, error) {
		dev := open(t, limits)
		s, err := dev.NewStream()
		must(t, err)
		must(t, cutile.Launch(t.Context(), s, endless, ramp(t, dev, 16)))
		return timed(s.Close)
	})
	closes(t, "the default stream", func() (time.Duration, error) {
		dev := open(t, limits)
		must(t, cutile.Launch(t.Context(), dev, endless, ramp(t, dev, 16)))
		return timed(dev.Stream().Close)
	})
	dev := open(t, cutile.WithLimits(cutile.Limits{Run: 50 * time.Millisecond}))
	if err := cutile.Launch(t.Context(), dev, endless, ramp(t, dev, 16)); err != nil {
		t.Fatal(err)
	}
	if err := dev.Sync(t.Context()); err == nil || !strings.Contains(err.Error(), "longer than 50ms: raise Limits.Run") {
		t.Errorf("the error of a launch that takes too long is %v", err)
	}
	if err := cutile.Launch(t.Context(), dev, add[tile.D16], ramp(t, dev, 16), ramp(t, dev, 16), ramp(t, dev, 16)); err != nil {
		t.Fatal(err)
	}
	if err := dev.Sync(t.Context()); err != nil {
		t.Errorf("the launch after it: %v", err)
	}
}

// timed gives how long a call takes, and its error.
func timed(f func() error) (time.Duration, error) {
	start := time.Now()
	err := f()
	return time.Since(start), err
}

// closes demands that work is stopped after 100 ms and little more. Where the machine is busy it may take longer: once in
// some attempts is enough.
func closes(t *testing.T, what string, attempt func() (time.Duration, error)) {
	t.Helper()
	least := time.Hour
	for range 10 {
		took, err := attempt()
		if err == nil || !strings.Contains(err.Error(), "stopped") {
			t.Fatalf("Close of %s gives %v", what, err)
		}
		if took < 90*time.Millisecond {
			t.Fatalf("Close of %s waits only %v", what, took)
		}
		if least = min(least, took); least < 300*time.Millisecond {
			return
		}
	}
	t.Errorf("Close of %s takes %v, want 100 ms", what, least)
}

// TestForgottenDevice: a device that nobody holds any more is closed, its goroutines and memory with it.
func TestForgottenDevice(t *testing.T) {
	const devices, size = 10, 16 << 20
	before, bytes := runtime.NumGoroutine(), heap()
	for range devices {
		func() {
			dev, err := cutile.Open("cpu", cutile.WithWorkers(3))
			if err != nil {
				t.Fatal(err)
			}
			zeros[int8](t, dev, size)
			x := ramp(t, dev, 1<<10)
			if err := cutile.Launch(t.Context(), dev, add[tile.D16], x, x, ramp(t, dev, 1<<10)); err != nil {
				t.Fatal(err)
			}
			if _, err := dev.NewStream(); err != nil {
				t.Fatal(err)
			}
		}()
	}
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		now := heap()
		if runtime.NumGoroutine() <= before && now < bytes+size {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d goroutines, and %d before the devices; %d bytes, and %d before", runtime.NumGoroutine(), before, now, bytes)
		}
	}
}

// heap collects garbage and gives how many bytes are left.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestCloseTogether: a stream and its device may be closed at once, from two goroutines.
func TestCloseTogether(t *testing.T) {
	for range 100 {
		dev, err := cutile.Open("cpu")
		must(t, err)
		s, err := dev.NewStream()
		must(t, err)
		var both sync.WaitGroup
		both.Go(func() { s.Close() })
		both.Go(func() { dev.Close() })
		both.Wait()
	}
}
