package vulkan_test

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/vulkan"
)

// TestConcurrent has 64 goroutines that share a device and a kernel; half of them share a stream with another.
func TestConcurrent(t *testing.T) {
	everywhere(t, func(t *testing.T, m machine) {
		shared := load(t, m, "copy")
		streams := make([]*vulkan.Stream, 48)
		for i := range streams {
			streams[i] = newStream(t, m)
		}
		var wg sync.WaitGroup
		for g := range 64 {
			wg.Go(func() {
				if err := work(t, m, streams[g%len(streams)], shared, g); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		for _, s := range streams {
			check(t, s.Close())
		}
		check(t, shared.Close())
		if live := m.lib.Live(); live["VkCommandPool"] != 1 || live["VkPipeline"] != 0 { // what the device's own stream has
			t.Errorf("left %v", live)
		}
		before := m.lib.Live()["VkSemaphore"]
		for range 3 {
			check(t, newStream(t, m).Close())
		}
		if after := m.lib.Live()["VkSemaphore"]; after != before {
			t.Errorf("%d semaphores, then %d", before, after)
		}
	})
}

func work(t *testing.T, m machine, s *vulkan.Stream, shared *vulkan.Kernel, g int) error {
	for i := range 5 {
		k, err := m.Load("add", code(t, "add"))
		if err != nil {
			return err
		}
		n := 10 + g + i
		x, err := m.Alloc(4 * int64(n))
		if err != nil {
			return err
		}
		y, err := m.Alloc(4 * int64(n))
		if err != nil {
			return err
		}
		in, want := floats(n, func(j int) float32 { return float32(g + j) }), floats(n, func(j int) float32 { return 2 * float32(g+j) })
		out := make([]byte, 4*n)
		e, err := s.Record()
		err = errors.Join(err, s.Write(x, 0, toBytes(in)),
			s.Launch(shared, [3]uint32{uint32(n), 1, 1}, []uint64{x.Address(), y.Address()}),
			s.Launch(k, [3]uint32{2, 1, 1}, []uint64{x.Address(), y.Address(), y.Address(), uint64(n)}),
			s.Read(background, out, y, 0), e.Wait(background), e.Close(), k.Close(), x.Free(), y.Free())
		if err != nil {
			return err
		}
		if !slices.Equal(out, toBytes(want)) {
			t.Errorf("goroutine %d, turn %d: wrong", g, i)
		}
	}
	return nil
}

// TestCloseWhileUsed closes a device under its users: each call works or says that the device is closed.
func TestCloseWhileUsed(t *testing.T) {
	everywhere(t, func(t *testing.T, m machine) {
		k := load(t, m, "copy")
		var wg sync.WaitGroup
		started := make(chan bool, 64)
		for range 16 {
			wg.Go(func() {
				for i := 0; ; i++ {
					if err := use(m, k); err != nil {
						if !errors.Is(err, vulkan.ErrClosed) {
							t.Error(err)
						}
						return
					}
					if i == 2 {
						started <- true
					}
				}
			})
		}
		for range 16 {
			<-started
		}
		check(t, m.Close())
		wg.Wait()
	})
}

// use does a little of everything until the first error.
func use(m machine, k *vulkan.Kernel) error {
	s, err := m.NewStream()
	if err != nil {
		return err
	}
	b, err := m.Alloc(1 << 10)
	if err != nil {
		return err
	}
	for _, f := range []func() error{
		func() error { return s.Write(b, 8, []byte{1, 2, 3, 4}) },
		func() error { return s.Launch(k, one, []uint64{b.Address(), b.Address() + 4}) },
		func() error { return s.Read(background, make([]byte, 16), b, 0) },
		b.Free, s.Close,
	} {
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}
