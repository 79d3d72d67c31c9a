package cuda_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/driver/cudrv"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cuda"
)

func TestBuffers(t *testing.T) {
	_, d := open(t, fake.Options{Devices: []fake.Device{{Name: "small", Major: 9, Memory: 5000}}})
	s := newStream(t, d)
	b := alloc(t, d, 1000)
	if b.Size() != 1000 || b.Address()%256 != 0 || b.Host() != nil {
		t.Errorf("size %d, address %#x, host %v", b.Size(), b.Address(), b.Host())
	}
	got := bytes.Repeat([]byte{1}, 1000)
	check(t, s.Read(background, got, b, 0))
	if !bytes.Equal(got, make([]byte, 1000)) {
		t.Error("new memory is not zero")
	}
	check(t, s.Write(b, 990, []byte("0123456789")))
	check(t, s.Copy(b, 0, b, 990, 10))
	check(t, s.Read(background, got[:12], b, 0))
	if string(got[:12]) != "0123456789\x00\x00" {
		t.Errorf("read back %q", got[:12])
	}
	empty := alloc(t, d, 0)
	check(t, s.Write(empty, 0, nil))
	check(t, s.Copy(empty, 0, b, 1000, 0))
	check(t, s.Read(background, nil, empty, 0))
	if empty.Size() != 0 || empty.Address() == 0 {
		t.Errorf("an empty buffer has size %d at %#x", empty.Size(), empty.Address())
	}
	_, other := open(t, fake.Options{})
	foreign := alloc(t, other, 8)
	_, tooLarge := d.Alloc(4500)
	_, negative := d.Alloc(-1)
	for want, err := range map[string]error{
		"cuda:0: write: 11 bytes from offset 990 do not lie in a buffer of 1000 bytes":                                          s.Write(b, 990, make([]byte, 11)),
		"cuda:0: read: 1 bytes from offset -1 do not lie in a buffer of 1000 bytes":                                             s.Read(background, got[:1], b, -1),
		"cuda:0: copy to: 1 bytes from offset 1000 do not lie in a buffer of 1000 bytes":                                        s.Copy(b, 1000, b, 0, 1),
		"cuda:0: copy from: 9 bytes from offset 9223372036854775807 do not lie in a buffer":                                     s.Copy(b, 0, b, 1<<63-1, 9),
		"cuda:0: copy: 10 bytes from offset 0 to offset 9 of one buffer overlap; copy through another":                          s.Copy(b, 9, b, 0, 10),
		"cuda:0: write: the buffer belongs to another device":                                                                   s.Write(foreign, 0, nil),
		"cuda:0: cannot allocate 4.4 KiB (3.9 KiB of 4.9 KiB are free): cuMemAllocFromPoolAsync: CUDA_ERROR_OUT_OF_MEMORY (2):": tooLarge,
		"cuda:0: cannot allocate -1 bytes":                                                                                      negative,
	} {
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error\n%v\nwant\n%s", err, want)
		}
	}
}

// held makes a driver whose kernels wait for the gate.
func held(t *testing.T) (*cuda.Device, chan bool) {
	gate := make(chan bool)
	_, d := open(t, fake.Options{Run: func(l *fake.Launch) error {
		<-gate
		return runVadd(l)
	}})
	return d, gate
}

func TestWaitGivesUp(t *testing.T) {
	d, gate := held(t)
	k, s, b := compile(t, d), newStream(t, d), alloc(t, d, 16)
	check(t, s.Write(b, 0, floats(1, 2, 3, 4)))
	check(t, s.Launch(k, one, vaddArgs(4, b, b, b)))
	ev, err := s.Record()
	check(t, err)
	if ev.Done() {
		t.Error("the event is done before the kernel")
	}
	got := make([]byte, 16)
	for name, wait := range map[string]func(context.Context) error{
		"stream": s.Wait, "event": ev.Wait,
		"read": func(ctx context.Context) error { return s.Read(ctx, got, b, 0) },
	} {
		ctx, cancel := context.WithTimeout(background, 5*time.Millisecond)
		if err := wait(ctx); err != context.DeadlineExceeded {
			t.Errorf("%s: %v, want %v", name, err, context.DeadlineExceeded)
		}
		cancel()
		if err := wait(ctx); err != context.DeadlineExceeded {
			t.Errorf("%s with an ended context: %v", name, err)
		}
	}
	if !bytes.Equal(got, make([]byte, 16)) {
		t.Error("a read that was given up wrote")
	}
	if _, err := ev.Elapsed(ev); err == nil || err.Error() != "cuda:0: elapsed: an event is not done yet: wait for both" {
		t.Errorf("elapsed: %v", err)
	}
	close(gate) // the work goes on
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	check(t, s.Read(ctx, got, b, 0))
	if want := floats(2, 4, 6, 8); !bytes.Equal(got, want) || !ev.Done() {
		t.Errorf("after the wait % x, event done %v", got, ev.Done())
	}
	check(t, ev.Wait(ctx))
}

func TestEvents(t *testing.T) {
	d, gate := held(t)
	k, a, b := compile(t, d), newStream(t, d), newStream(t, d)
	x, y := alloc(t, d, 16), alloc(t, d, 16)
	check(t, a.Write(x, 0, floats(1, 2, 3, 4)))
	check(t, a.Launch(k, one, vaddArgs(4, x, x, x)))
	ev, err := a.Record()
	check(t, err)
	check(t, b.WaitEvent(ev))
	check(t, b.Copy(y, 0, x, 0, 16))
	go func() {
		time.Sleep(time.Millisecond)
		close(gate)
	}()
	got := make([]byte, 16)
	check(t, b.Read(background, got, y, 0))
	if want := floats(2, 4, 6, 8); !bytes.Equal(got, want) {
		t.Errorf("the second stream did not wait: % x", got)
	}
	later, err := a.Record()
	check(t, err)
	check(t, later.Wait(background))
	if ns, err := later.Elapsed(ev); ns <= 0 || ns > int64(time.Minute) || err != nil {
		t.Errorf("elapsed %d ns, %v", ns, err)
	}
	if ns, err := ev.Elapsed(ev); ns != 0 || err != nil {
		t.Errorf("elapsed to itself %d ns, %v", ns, err)
	}
	_, other := open(t, fake.Options{})
	foreign, err := newStream(t, other).Record()
	check(t, err)
	if err := a.WaitEvent(foreign); err == nil || err.Error() != "cuda:0: wait: the event belongs to another engine" {
		t.Errorf("foreign event: %v", err)
	}
	if _, err := ev.Elapsed(foreign); err == nil || err.Error() != "cuda:0: elapsed: the other event belongs to another device" {
		t.Errorf("foreign event: %v", err)
	}
}

// TestWaitEventOfAnotherDevice orders the work of two GPUs of one driver.
func TestWaitEventOfAnotherDevice(t *testing.T) {
	drv := fake.New(fake.Options{Devices: make([]fake.Device, 2), Run: func(*fake.Launch) error { return nil }})
	var streams []engine.Stream
	for i := range 2 {
		d, err := cuda.Open(i, cuda.Options{Driver: drv})
		check(t, err)
		defer d.Close()
		streams = append(streams, newStream(t, d))
	}
	ev, err := streams[0].Record()
	check(t, err)
	check(t, streams[1].WaitEvent(ev))
	check(t, streams[1].Wait(background))
}

func TestLaunchErrors(t *testing.T) {
	drv, d := open(t, fake.Options{})
	k, s, b := compile(t, d), newStream(t, d), alloc(t, d, 16)
	args := vaddArgs(4, b, b, b)
	_, other := open(t, fake.Options{})
	drv.Fail("cuLaunchKernel", 1, cudrv.LaunchOutOfResource)
	for _, c := range []struct {
		want string
		err  error
	}{
		{"cuda:0: kernel vadd_zero, grid (1, 1, 1): cuLaunchKernel: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES (701)", s.Launch(k, one, args)},
		{"cuda:0: kernel vadd_zero takes 9 parameters, but got 8", s.Launch(k, one, args[:8])},
		{"cuda:0: kernel vadd_zero: grid (1, 0, 1): axis 1 must be 1 to 65535", s.Launch(k, [3]uint32{1, 0, 1}, args)},
		{"cuda:0: kernel vadd_zero: grid (1, 1, 65536): axis 2 must be 1 to 65535", s.Launch(k, [3]uint32{1, 1, 65536}, args)},
		{"cuda:0: kernel vadd_zero: grid (2147483648, 1, 1): axis 0 must be 1 to 2147483647", s.Launch(k, [3]uint32{1 << 31, 1, 1}, args)},
		{"cuda:0: launch: the kernel was compiled for another device", s.Launch(compile(t, other), one, args)},
	} {
		if c.err == nil || !strings.HasPrefix(c.err.Error(), c.want) {
			t.Errorf("error\n%v\nwant\n%s", c.err, c.want)
		}
	}
	check(t, s.Launch(k, one, args)) // none of these did harm
	check(t, s.Wait(background))
}

// TestFault lets a kernel trap: the next wait names the kernel, every later call gives the same, and Close frees all.
func TestFault(t *testing.T) {
	for _, c := range []struct {
		err  error
		text string
	}{
		{&cudrv.Error{Code: cudrv.Assert}, "assertion failed; the driver printed it on the standard output (CUDA_ERROR_ASSERT)"},
		{&cudrv.Error{Code: cudrv.IllegalAddress}, "illegal memory access (CUDA_ERROR_ILLEGAL_ADDRESS)"},
		{errors.New("whatever"), "kernel failed (CUDA_ERROR_LAUNCH_FAILED)"},
	} {
		for name, wait := range map[string]func(*cuda.Stream) error{
			"wait":  func(s *cuda.Stream) error { return s.Wait(background) },
			"poll":  func(s *cuda.Stream) error { return s.Wait(t.Context()) },
			"close": func(s *cuda.Stream) error { return s.Close() },
		} {
			t.Run(fmt.Sprint(name, cudrv.Code(c.err)), func(t *testing.T) {
				drv, d := open(t, fake.Options{Run: func(*fake.Launch) error { return c.err }})
				k, s, b := compile(t, d), newStream(t, d), alloc(t, d, 16)
				check(t, s.Launch(k, one, vaddArgs(4, b, b, b)))
				err := wait(s)
				var f *engine.Fault
				if !errors.As(err, &f) || f.Kernel != vaddName || f.Known {
					t.Fatalf("the wait gives %v", err)
				}
				want := "kernel vadd_zero: " + c.text + "; the context of cuda:0 and all its memory are lost: close the device and open it " +
					"again; if that fails, restart the program"
				if !strings.HasSuffix(err.Error(), want) || !strings.HasPrefix(err.Error(), "kernels.py:") {
					t.Errorf("error\n%v\nwant the entry's place, then\n%s", err, want)
				}
				_, later := d.Alloc(8)
				if !errors.As(later, &f) || later.Error() != err.Error() {
					t.Errorf("a later call gives %v", later)
				}
				check(t, b.Free())
				check(t, k.Close())
				drv.ResetTrace()
				check(t, d.Close())
				if calls := drv.Names(); !slices.Equal(calls, []string{"cuDevicePrimaryCtxRelease"}) {
					t.Errorf("closing a lost device calls %v", calls)
				}
			})
		}
	}
}

// TestFaultSuspects: with several kernels queued, nobody knows which one it was.
func TestFaultSuspects(t *testing.T) {
	gate := make(chan bool)
	_, d := open(t, fake.Options{Run: func(*fake.Launch) error {
		<-gate
		return errors.New("trap")
	}})
	image := (&fake.Cubin{Entries: []fake.Entry{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}, {Name: "e"}}}).Encode()
	s := newStream(t, d)
	for _, name := range []string{"a", "b", "a", "c", "d", "e"} {
		k, _, err := d.Load(image, name, 0)
		check(t, err)
		check(t, s.Launch(k, one, nil))
	}
	close(gate)
	err := s.Wait(background)
	var f *engine.Fault
	if !errors.As(err, &f) || f.Kernel != "a or b or c or another" || !f.Loc.IsZero() {
		t.Errorf("the wait gives %v", err)
	}
}

// TestFirstErrorStays: an error of a wait comes back from every later wait of the stream, but not from another stream.
func TestFirstErrorStays(t *testing.T) {
	drv, d := open(t, fake.Options{})
	a, b := newStream(t, d), newStream(t, d)
	drv.Fail("cuStreamSynchronize", 1, cudrv.NotFound)
	for range 2 {
		if err := a.Wait(background); cudrv.Code(err) != cudrv.NotFound {
			t.Errorf("the wait gives %v", err)
		}
	}
	check(t, b.Wait(background))
	if err := a.Close(); cudrv.Code(err) != cudrv.NotFound {
		t.Errorf("Close gives %v", err)
	}
}

func TestUseAfterClose(t *testing.T) {
	_, d := open(t, fake.Options{})
	k, s, b := compile(t, d), newStream(t, d), alloc(t, d, 16)
	args := vaddArgs(4, b, b, b)
	ev, err := s.Record()
	check(t, err)
	closedKernel, closedStream, freed := compile(t, d), newStream(t, d), alloc(t, d, 16)
	closedEvent, err := s.Record()
	check(t, err)
	for range 2 { // closing twice is no error
		check(t, closedKernel.Close())
		check(t, closedStream.Close())
		check(t, closedEvent.Close())
	}
	check(t, freed.Free())
	uses := map[string]func() error{
		"kernel":           func() error { return s.Launch(closedKernel, one, args) },
		"kernel occupancy": func() error { _, err := d.Occupancy(closedKernel, engine.SIMTLaunch{}); return err },
		"stream":           func() error { return closedStream.Launch(k, one, args) },
		"stream wait":      func() error { return closedStream.Wait(background) },
		"stream write":     func() error { return closedStream.Write(b, 0, []byte{1}) },
		"buffer":           func() error { return s.Write(freed, 0, []byte{1}) },
		"buffer free":      func() error { return freed.Free() },
		"event":            func() error { return s.WaitEvent(closedEvent) },
		"event wait":       func() error { return closedEvent.Wait(background) },
	}
	for name, use := range uses {
		what, _, _ := strings.Cut(name, " ")
		if err := use(); !errors.Is(err, cuda.ErrClosed) || err.Error() != "cuda:0: this "+what+" is used after it was closed" {
			t.Errorf("%s: %v", name, err)
		}
	}
	check(t, d.Close())
	check(t, d.Close())
	for name, use := range map[string]func() error{
		"launch":  func() error { return s.Launch(k, one, args) },
		"wait":    func() error { return s.Wait(background) },
		"poll":    func() error { return s.Wait(t.Context()) },
		"event":   func() error { return ev.Wait(background) },
		"alloc":   func() error { _, err := d.Alloc(1); return err },
		"stream":  func() error { _, err := d.NewStream(); return err },
		"record":  func() error { _, err := s.Record(); return err },
		"compile": func() error { _, err := d.Compile(background, vadd(t), vaddName); return err },
	} {
		if err := use(); !errors.Is(err, cuda.ErrClosed) || err.Error() != "cuda:0: this device is used after it was closed" {
			t.Errorf("%s on a closed device: %v", name, err)
		}
	}
	for name, err := range map[string]error{"kernel": k.Close(), "stream": s.Close(), "event": ev.Close(), "buffer": b.Free()} {
		if err != nil {
			t.Errorf("closing the %s after its device: %v", name, err)
		}
	}
	if !ev.Done() {
		t.Error("an event of a closed device is not done")
	}
}

// TestCloseWaits: Close of a device and of a stream wait for queued work.
func TestCloseWaits(t *testing.T) {
	for name, end := range map[string]func(*cuda.Device, *cuda.Stream) error{
		"device": func(d *cuda.Device, _ *cuda.Stream) error { return d.Close() },
		"stream": func(_ *cuda.Device, s *cuda.Stream) error { return s.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			d, gate := held(t)
			k, s, b := compile(t, d), newStream(t, d), alloc(t, d, 16)
			check(t, s.Launch(k, one, vaddArgs(4, b, b, b)))
			done := make(chan error)
			go func() { done <- end(d, s) }()
			select {
			case err := <-done:
				t.Fatalf("Close did not wait: %v", err)
			case <-time.After(10 * time.Millisecond):
			}
			close(gate)
			check(t, <-done)
		})
	}
}

// TestConcurrent closes a device under the hands of goroutines that use it.
func TestConcurrent(t *testing.T) {
	_, d := open(t, fake.Options{Quiet: true})
	k := compile(t, d)
	var wg sync.WaitGroup
	started := make(chan bool, 4)
	for range 4 {
		wg.Go(func() {
			err := work(d, k, started)
			if !errors.Is(err, cuda.ErrClosed) {
				t.Errorf("the work ended with %v", err)
			}
		})
	}
	for range 4 {
		<-started
	}
	check(t, d.Close())
	wg.Wait()
}

// work goes on until an error.
func work(d *cuda.Device, k engine.Kernel, started chan<- bool) error {
	for i := 0; ; i++ {
		s, err := d.NewStream()
		if err != nil {
			return err
		}
		b, err := d.Alloc(16)
		if err != nil {
			return err
		}
		if err := s.Launch(k, one, vaddArgs(4, b, b, b)); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(background, time.Minute)
		err = s.Read(ctx, make([]byte, 16), b, 0)
		cancel()
		if err != nil {
			return err
		}
		if err := errors.Join(s.Close(), b.Free()); err != nil {
			return err
		}
		if i == 3 {
			started <- true
		}
	}
}
