package device_test

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/limit"
)

func openFake(t *testing.T) (*fake, *device.Device) { return openLimited(t, limit.Default) }

func openLimited(t *testing.T, l limit.Limits) (*fake, *device.Device) {
	t.Helper()
	f := &fake{}
	d, err := device.Open(f, l)
	if err != nil {
		t.Fatal(err)
	}
	return f, d
}

func stream(t *testing.T, d *device.Device) *device.Stream {
	t.Helper()
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func alloc(t *testing.T, d *device.Device) *device.Memory {
	t.Helper()
	m, err := d.Alloc(16)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func run(t *testing.T, s *device.Stream, uses ...device.Use) {
	t.Helper()
	if err := s.Launch(nil, [3]uint32{1, 1, 1}, nil, uses); err != nil {
		t.Fatal(err)
	}
}

// TestOrder: work on several streams waits where it must not meet in a memory, and only there.
func TestOrder(t *testing.T) {
	reads := func(m *device.Memory) device.Use { return device.Use{Memory: m} }
	writes := func(m *device.Memory) device.Use { return device.Use{Memory: m, Writes: true} }
	cases := []struct {
		name string
		work func(t *testing.T, s1, s2 *device.Stream, a, b *device.Memory)
		want []string
	}{
		{"one stream", func(t *testing.T, s1, s2 *device.Stream, a, b *device.Memory) {
			run(t, s1, writes(a))
			run(t, s1, reads(a), writes(b))
		}, []string{"s1 launch", "s1 launch"}},
		{"two memories", func(t *testing.T, s1, s2 *device.Stream, a, b *device.Memory) {
			run(t, s1, writes(a))
			run(t, s2, writes(b))
		}, []string{"s1 launch", "s2 launch"}},
		{"read after write", func(t *testing.T, s1, s2 *device.Stream, a, b *device.Memory) {
			run(t, s1, writes(a))
			run(t, s2, reads(a))
		}, []string{"s1 launch", "s2 after s1", "s2 launch"}},
		{"two reads", func(t *testing.T, s1, s2 *device.Stream, a, b *device.Memory) {
			run(t, s1, reads(a))
			run(t, s2, reads(a))
		}, []string{"s1 launch", "s2 launch"}},
		{"write after read", func(t *testing.T, s1, s2 *device.Stream, a, b *device.Memory) {
			run(t, s1, reads(a))
			run(t, s2, writes(a))
		}, []string{"s1 launch", "s2 after s1", "s2 launch"}},
		{"one wait is enough", func(t *testing.T, s1, s2 *device.Stream, a, b *device.Memory) {
			run(t, s1, writes(a))
			run(t, s1, writes(b))
			run(t, s2, reads(a))
			run(t, s2, reads(b))
			run(t, s1, writes(b))
			run(t, s2, reads(b))
		}, []string{"s1 launch", "s1 launch", "s2 after s1", "s2 launch", "s2 launch", "s1 after s2", "s1 launch", "s2 after s1", "s2 launch"}},
		{"an event is a wait", func(t *testing.T, s1, s2 *device.Stream, a, b *device.Memory) {
			run(t, s1, writes(a))
			e, err := s1.Record()
			if err != nil || s2.Wait(e) != nil {
				t.Fatal("no event")
			}
			run(t, s2, reads(a))
		}, []string{"s1 launch", "s2 after s1", "s2 launch"}},
		{"an old event is none", func(t *testing.T, s1, s2 *device.Stream, a, b *device.Memory) {
			e, err := s1.Record()
			if err != nil {
				t.Fatal(err)
			}
			run(t, s1, writes(a))
			if err := s2.Wait(e); err != nil {
				t.Fatal(err)
			}
			run(t, s2, reads(a))
		}, []string{"s1 launch", "s2 after s1", "s2 after s1", "s2 launch"}},
		{"transfers", func(t *testing.T, s1, s2 *device.Stream, a, b *device.Memory) {
			run(t, s2, writes(a))
			run(t, s1, reads(a))
			a.Read(t.Context(), make([]byte, 4), 0)
			a.Write(make([]byte, 4), 0)
			b.Copy(0, a, 0, 4)
		}, []string{"s2 launch", "s1 after s2", "s1 launch", "s2 read", "s2 after s1", "s2 write", "s1 after s2", "s1 copy"}},
		{"a closed stream has ended", func(t *testing.T, s1, s2 *device.Stream, a, b *device.Memory) {
			run(t, s2, writes(a))
			s2.Close()
			run(t, s1, writes(a))
		}, []string{"s2 launch", "s2 close", "s1 launch"}},
	}
	for _, c := range cases {
		f, d := openFake(t)
		s2 := stream(t, d)
		c.work(t, d.Main(), s2, alloc(t, d), alloc(t, d))
		if got := f.take(); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
	}
}

func TestMemoryIsFreedAfterItsWork(t *testing.T) {
	f, d := openFake(t)
	m, idle := alloc(t, d), alloc(t, d)
	s := stream(t, d)
	run(t, s, device.Use{Memory: m, Writes: true})
	run(t, d.Main(), device.Use{Memory: m})
	if err := errors.Join(m.Close(), idle.Close()); err != nil {
		t.Fatal(err)
	}
	if f.alive() != 1 {
		t.Errorf("%d buffers are alive after Close, want the busy one", f.alive())
	}
	if err := d.Main().Launch(nil, [3]uint32{1, 1, 1}, nil, []device.Use{{Memory: m}}); !errors.Is(err, device.ErrClosed) {
		t.Errorf("a launch on closed memory gave %v", err)
	}
	if err := m.Write(nil, 0); !errors.Is(err, device.ErrClosed) {
		t.Errorf("a write to closed memory gave %v", err)
	}
	f.finish()
	d.Sync(t.Context())
	if f.alive() != 0 {
		t.Errorf("%d buffers are alive after their work", f.alive())
	}
	if err := m.Close(); err != nil {
		t.Errorf("a second Close gave %v", err)
	}
}

func TestFullMemoryWaitsForClosed(t *testing.T) {
	f, d := openFake(t)
	f.room = 1
	m := alloc(t, d)
	run(t, d.Main(), device.Use{Memory: m})
	m.Close()
	go func() {
		time.Sleep(5 * time.Millisecond)
		f.finish()
	}()
	kept := alloc(t, d) // fits when m's work has ended
	defer runtime.KeepAlive(kept)
	if _, err := d.Alloc(16); err == nil || err.Error() != "no memory for 16 bytes: fake: full" {
		t.Errorf("got %v", err)
	}
}

func TestForgottenMemoryIsFreed(t *testing.T) {
	f, d := openFake(t)
	run(t, d.Main(), device.Use{Memory: alloc(t, d)})
	f.finish()
	for i := 0; f.alive() > 0; i++ {
		if i == 1000 {
			t.Fatal("the memory was not freed")
		}
		runtime.GC()
		time.Sleep(time.Millisecond)
		f.finish()
		d.Sync(t.Context())
	}
}

func TestClosedDevice(t *testing.T) {
	f, d := openFake(t)
	m, s := alloc(t, d), stream(t, d)
	freed := 0
	type key struct{}
	for range 2 {
		if got := d.Hold(key{}, func() (any, func()) { return "code", func() { freed++ } }); got != "code" {
			t.Errorf("the device holds %v", got)
		}
	}
	if err := d.Close(); err != nil || freed != 1 {
		t.Fatal(err, freed)
	}
	if got, want := f.take(), []string{"s1 close", "s2 close", "close"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	_, err := d.Alloc(1)
	_, err2 := d.NewStream()
	_, err3 := s.Record()
	_, err4 := d.Compile(t.Context(), nil, "", "")
	for i, err := range []error{err, err2, err3, err4, d.Sync(t.Context()), s.Sync(t.Context()), m.Write(nil, 0),
		s.Launch(nil, [3]uint32{1, 1, 1}, nil, nil)} {
		if !errors.Is(err, device.ErrClosed) {
			t.Errorf("call %d gave %v, want ErrClosed", i, err)
		}
	}
	if err := errors.Join(d.Close(), s.Close(), m.Close()); err != nil || !m.Closed() || !d.Closed() {
		t.Error(err)
	}
}

func TestEvents(t *testing.T) {
	f, d := openFake(t)
	_, other := openFake(t)
	e1, _ := d.Main().Record()
	e2, _ := d.Main().Record()
	far, _ := other.Main().Record()
	if e1.Done() {
		t.Error("done too early")
	}
	f.finish()
	if took, err := e2.Elapsed(e1); took != 1500*time.Nanosecond || err != nil || !e1.Done() || e1.Sync(t.Context()) != nil {
		t.Errorf("elapsed %v, %v", took, err)
	}
	if _, err := e2.Elapsed(far); err == nil || !strings.Contains(err.Error(), "different devices") {
		t.Errorf("got %v", err)
	}
	if err := d.Main().Wait(far); err == nil || !strings.Contains(err.Error(), "another device") {
		t.Errorf("got %v", err)
	}
}

// TestHammer runs everything at once on the CPU; the race detector looks on.
func TestHammer(t *testing.T) {
	d, err := device.Open(cpu.New(cpu.Options{Workers: 2}), limit.Default)
	if err != nil {
		t.Fatal(err)
	}
	shared := alloc(t, d)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for range 200 {
				s, err := d.NewStream()
				if err != nil {
					t.Error(err)
					return
				}
				m, err := d.Alloc(16)
				if err != nil {
					t.Error(err)
					return
				}
				want := []byte{byte(i), 2, 3}
				got := make([]byte, 3)
				if err := errors.Join(m.Write(want, 0), shared.Copy(int64(4*i), m, 0, 3), shared.Read(t.Context(), got, int64(4*i)),
					s.Sync(t.Context()), s.Close(), m.Close()); err != nil || !slices.Equal(got, want) {
					t.Error(got, err)
				}
			}
		})
	}
	wg.Wait()
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
