package vulkan_test

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	driver "github.com/cutile-go/cutile/internal/driver/vulkan"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/vulkan"
)

var one = [3]uint32{1, 1, 1}

// TestStop ends a kernel that would run for ever.
func TestStop(t *testing.T) {
	everywhere(t, func(t *testing.T, m machine) {
		s := newStream(t, m)
		x, y, z := alloc(t, m, s, 2), alloc(t, m, s, 4, ramp(4)...), alloc(t, m, s, 4)
		endless, k := load(t, m, "endless"), load(t, m, "copy") // lavapipe makes no pipeline while a kernel runs
		check(t, s.Launch(endless, one, []uint64{x.Address()}))
		check(t, s.Launch(k, [3]uint32{4, 1, 1}, []uint64{y.Address(), z.Address()}))
		if err := s.Wait(soon(t)); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("the wait ended with %v", err)
		}
		runs := turning(t, x)
		s.Stop()
		err := s.Wait(background)
		var f *engine.Fault
		if !errors.As(err, &f) || f.Text != "stopped" || f.Kernel != "copy or endless" {
			t.Errorf("error %v", err)
		}
		check(t, s.Wait(background))
		if got := read(t, s, x, 2); runs && got[1] == 0 || got[1] > 0 && got[0] != 1 {
			t.Errorf("the kernel did not come to its end: %v", got)
		}
		if got := read(t, s, z, 4); !slices.Equal(got, make([]uint32, 4)) {
			t.Errorf("what was queued has run: %v", got)
		}
		check(t, s.Launch(k, [3]uint32{4, 1, 1}, []uint64{y.Address(), z.Address()}))
		if got := read(t, s, z, 4); !slices.Equal(got, ramp(4)) {
			t.Errorf("got %v after the stop", got)
		}
	})
}

// turning waits until the endless kernel runs. On a busy machine that takes a while, and a kernel that is stopped before does
// nothing. It reports whether the program sees that it runs.
func turning(t *testing.T, x engine.Buffer) bool {
	t.Helper()
	bytes := x.Host()
	if bytes == nil {
		return false
	}
	for start := time.Now(); binary.LittleEndian.Uint32(bytes[4:]) == 0; time.Sleep(time.Millisecond) {
		if time.Since(start) > time.Minute {
			t.Fatal("the kernel does not run")
		}
	}
	return true
}

// TestStopCloses stops what a Close waits for.
func TestStopCloses(t *testing.T) {
	everywhere(t, func(t *testing.T, m machine) {
		k := load(t, m, "endless")
		for _, c := range []func(s *vulkan.Stream) error{
			(*vulkan.Stream).Close,
			func(s *vulkan.Stream) error { return errors.Join(s.Wait(background), s.Close()) },
		} {
			s := newStream(t, m)
			x := alloc(t, m, s, 2)
			check(t, s.Launch(k, one, []uint64{x.Address()}))
			wants(t, stopped(s, func() error { return c(s) }), "kernel endless: stopped")
			s.Stop() // which does nothing
		}
		s := newStream(t, m)
		check(t, s.Launch(k, one, []uint64{alloc(t, m, s, 2).Address()}))
		wants(t, stopped(s, m.Close), "kernel endless: stopped")
	})
}

// stopped calls a function and stops a stream while it waits.
func stopped(s *vulkan.Stream, f func() error) error {
	ended := make(chan error)
	go func() { ended <- f() }()
	select {
	case err := <-ended:
		return errors.Join(errors.New("it did not wait"), err)
	case <-time.After(20 * time.Millisecond):
	}
	s.Stop()
	return <-ended
}

// TestFault: a fault is told by the next wait, what is queued behind it does not run, and what is queued later does.
func TestFault(t *testing.T) {
	everywhere(t, func(t *testing.T, m machine) {
		s, k, c := newStream(t, m), load(t, m, "fault"), load(t, m, "copy")
		x := alloc(t, m, s, 4, 5, 1, 9, 0)
		y, z := alloc(t, m, s, 4, ramp(4)...), alloc(t, m, s, 4)
		check(t, s.Launch(k, [3]uint32{4, 1, 1}, []uint64{x.Address(), 100}))
		if got := read(t, s, x, 4); !slices.Equal(got, []uint32{6, 2, 10, 1}) || m.out.Len() > 0 {
			t.Errorf("without a fault: %v, printed %q", got, m.out)
		}
		check(t, s.Launch(k, [3]uint32{4, 1, 1}, []uint64{x.Address(), 11}))
		check(t, s.Wait(background))
		if m.out.String() != "x is 10\n" {
			t.Errorf("printed %q", m.out)
		}
		check(t, s.Launch(k, [3]uint32{4, 1, 1}, []uint64{x.Address(), 10}))
		check(t, s.Launch(c, [3]uint32{4, 1, 1}, []uint64{y.Address(), z.Address()}))
		err := s.Read(background, make([]byte, 16), z, 0)
		var f *engine.Fault
		if !errors.As(err, &f) || err.Error() != "k.go:7:3: kernel fault, block (2, 0, 0): assertion failed: x is 10" {
			t.Errorf("error %v", err)
		}
		if got := read(t, s, z, 4); !slices.Equal(got, make([]uint32, 4)) {
			t.Errorf("what was queued behind the fault has run: %v", got)
		}
		check(t, s.Launch(c, [3]uint32{4, 1, 1}, []uint64{y.Address(), z.Address()}))
		if got := read(t, s, z, 4); !slices.Equal(got, ramp(4)) {
			t.Errorf("got %v after the fault", got)
		}

		check(t, s.Launch(k, [3]uint32{4, 1, 1}, []uint64{x.Address(), 1}))
		wants(t, s.Close(), "assertion failed: x is ")
		s = newStream(t, m)
		check(t, s.Launch(k, [3]uint32{4, 1, 1}, []uint64{x.Address(), 1}))
		wants(t, m.Close(), "assertion failed: x is ")
	})
}

// TestManyRecords makes more records than there is room for, and records that make no sense.
func TestManyRecords(t *testing.T) {
	in, list := instance(t)
	for i := range list {
		m := openOn(t, in, i, vulkan.Options{Records: 40})
		s, k := newStream(t, m), load(t, m, "fault")
		x := alloc(t, m, s, 100, slices.Repeat([]uint32{7}, 100)...)
		check(t, s.Launch(k, [3]uint32{100, 1, 1}, []uint64{x.Address(), 8}))
		check(t, s.Wait(background))
		if want := strings.Repeat("x is 7\n", 5) + "(more was printed than there is room for between two waits: 660 words are left out)\n"; m.out.String() != want {
			t.Errorf("printed %q", m.out)
		}
		m.out.Reset()
		check(t, s.Launch(k, [3]uint32{100, 1, 1}, []uint64{x.Address(), 8}))
		check(t, s.Launch(k, [3]uint32{100, 1, 1}, []uint64{x.Address(), 7}))
		wants(t, s.Wait(background), "kernel fault: it failed, and left no record of where: there were more records than there is room for")
		check(t, s.Wait(background))

		c := code(t, "fault")
		c.Sites = c.Sites[:1]
		k, err := m.Load("siteless", c)
		check(t, err)
		check(t, s.Launch(k, one, []uint64{x.Address(), 8}))
		wants(t, s.Wait(background), "BUG: a record of kernel 2 at site 1, which there is not")
	}
}

// TestEvents orders two streams and takes the time.
func TestEvents(t *testing.T) {
	everywhere(t, func(t *testing.T, m machine) {
		a, b := newStream(t, m), newStream(t, m)
		x, y, z := alloc(t, m, a, 2), alloc(t, m, a, 4, ramp(4)...), alloc(t, m, a, 4)
		endless, k := load(t, m, "endless"), load(t, m, "copy")
		first, err := a.Record()
		check(t, err)
		check(t, a.Launch(endless, one, []uint64{x.Address()}))
		second, err := a.Record()
		check(t, err)
		check(t, first.Wait(background))
		if !first.Done() || second.Done() {
			t.Errorf("done: %v, %v", first.Done(), second.Done())
		}
		if err := second.Wait(soon(t)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the wait ended with %v", err)
		}
		_, err = second.Elapsed(first)
		wants(t, err, "an event is not done yet: wait for both")
		check(t, b.WaitEvent(second))
		check(t, b.Launch(k, [3]uint32{4, 1, 1}, []uint64{y.Address(), z.Address()}))
		if err := b.Wait(soon(t)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the other stream's wait ended with %v", err)
		}
		a.Stop()
		check(t, second.Wait(background))
		wants(t, a.Close(), "stopped")
		check(t, b.WaitEvent(second)) // its stream is closed
		if got := read(t, b, z, 4); !slices.Equal(got, ramp(4)) {
			t.Errorf("got %v", got)
		}
		ns, err := second.Elapsed(first)
		check(t, err)
		if ns < int64(50*time.Millisecond) || ns > int64(time.Minute) {
			t.Errorf("took %d ns, which was at least 60 ms", ns)
		}
		back, err := first.Elapsed(second)
		check(t, err)
		if back != -ns {
			t.Errorf("%d ns back, %d ns forth", back, ns)
		}
		check(t, first.Close())
		check(t, second.Close())
		if err := first.Wait(background); !errors.Is(err, vulkan.ErrClosed) || !first.Done() {
			t.Errorf("error %v", err)
		}
	})
}

// TestNoTimes: a device that takes no times has events all the same.
func TestNoTimes(t *testing.T) {
	in, _ := instance(t)
	m := openOn(t, in, 0, vulkan.Options{Adjust: func(i *driver.Info) { i.Families[0].TimestampBits = 0 }})
	s := newStream(t, m)
	a, err := s.Record()
	check(t, err)
	b, err := s.Record()
	check(t, err)
	check(t, s.WaitEvent(a)) // of its own
	check(t, b.Wait(background))
	_, err = b.Elapsed(a)
	wants(t, err, "vulkan:0: elapsed: the device takes no times")
	check(t, a.Close())
	check(t, a.Close())
	wants(t, s.WaitEvent(a), "this event is used after it was closed")
	_, err = b.Elapsed(a)
	wants(t, err, "this event is used after it was closed")
}

// TestFreeWhileQueued gives back a buffer, a kernel and a stream that queued work uses: it may go on.
func TestFreeWhileQueued(t *testing.T) {
	everywhere(t, func(t *testing.T, m machine) {
		s, other := newStream(t, m), newStream(t, m)
		x, y, z := alloc(t, m, s, 2), alloc(t, m, s, 1<<16, ramp(1<<10)...), alloc(t, m, s, 1<<16)
		endless, k := load(t, m, "endless"), load(t, m, "copy")
		check(t, s.Launch(endless, one, []uint64{x.Address()}))
		e, err := s.Record()
		check(t, err)
		check(t, other.WaitEvent(e))
		check(t, other.Launch(k, [3]uint32{1 << 10, 1, 1}, []uint64{y.Address(), z.Address()}))
		check(t, y.Free())
		check(t, z.Free())
		check(t, k.Close())
		check(t, e.Close())
		if n := m.lib.Live()["VkPipeline"]; n != 2 {
			t.Errorf("%d pipelines are there, want 2", n)
		}
		s.Stop()
		wants(t, s.Wait(background), "stopped")
		check(t, other.Wait(background))
		before := m.lib.Live()
		check(t, alloc(t, m, s, 1).Free()) // gives back what it can
		if after := m.lib.Live(); after["VkPipeline"] != 1 || after["VkBuffer"] != before["VkBuffer"]-2 {
			t.Errorf("left %v of %v", after, before)
		}
	})
}
