package vulkan_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/vulkan"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// pattern is bytes that do not repeat soon.
func pattern(n, seed int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(i*7 + i>>8 + seed)
	}
	return out
}

func TestCopies(t *testing.T) {
	everywhere(t, func(t *testing.T, m machine) {
		s := newStream(t, m)
		const n = 1000
		a, err := m.Alloc(n)
		check(t, err)
		b, err := m.Alloc(n)
		check(t, err)
		host := make([]byte, n)
		for i, c := range []struct{ at, n int }{{0, n}, {1, 3}, {997, 3}, {5, 0}, {13, 700}} {
			p := pattern(c.n, i)
			check(t, s.Write(a, int64(c.at), p))
			copy(host[c.at:], p)
			got := make([]byte, n)
			check(t, s.Read(background, got, a, 0))
			if !bytes.Equal(got, host) {
				t.Fatalf("write %d", i)
			}
		}
		check(t, s.Copy(b, 3, a, 10, 501))
		got, want := make([]byte, 700), make([]byte, 700)
		copy(want[2:], host[10:511])
		check(t, s.Read(background, got, b, 1))
		if !bytes.Equal(got, want) {
			t.Errorf("copy: got %v", got)
		}
		if h := a.Host(); m.Info().Device.Memory[0].Flags == 1 { // as a GPU with memory of its own
			if h != nil {
				t.Error("the program sees memory that it should not")
			}
		} else if !bytes.Equal(h, host) {
			t.Error("the program sees something else")
		}
	})
}

// TestBigCopies go in chunks, also behind work that has not ended.
func TestBigCopies(t *testing.T) {
	testenv.Alone(t)
	everywhere(t, func(t *testing.T, m machine) {
		if m.Info().Device.Limits.Grid[0] == 3 { // copies have no grid
			return
		}
		s := newStream(t, m)
		const n = 33<<20 + 7
		p, got := pattern(n, 3), make([]byte, n)
		x := alloc(t, m, s, 2)
		a, err := m.Alloc(n)
		check(t, err)
		endless := load(t, m, "endless")
		check(t, s.Launch(endless, one, []uint64{x.Address()}))
		check(t, s.Write(a, 0, p[:100]))
		p = append(p[:0:0], p...)
		s.Stop()
		check(t, s.Write(a, 100, p[100:]))
		wants(t, s.Wait(background), "stopped")
		check(t, s.Read(background, got, a, 0))
		if !bytes.Equal(got, p) {
			t.Error("got something else")
		}
		check(t, s.Launch(endless, one, []uint64{x.Address()}))
		if err := s.Read(soon(t), got, a, 0); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the read ended with %v", err)
		}
		s.Stop()
	})
}

func TestMistakes(t *testing.T) {
	in, _ := instance(t)
	m, other := openOn(t, in, 0, vulkan.Options{}), openOn(t, in, 0, vulkan.Options{})
	s, strange := newStream(t, m), newStream(t, other)
	a, b, k := alloc(t, m, s, 10), alloc(t, other, strange, 10), load(t, m, "copy")
	gone := alloc(t, m, s, 1)
	check(t, gone.Free())
	e, err := strange.Record()
	check(t, err)
	mine, err := s.Record()
	check(t, err)
	small := load(t, openOn(t, in, 0, vulkan.Options{Adjust: smallGrid}), "copy")
	_, elapsed := mine.Elapsed(e)
	_, negative := m.Alloc(-1)
	_, ordinal := vulkan.Open(99, vulkan.Options{Instance: in})
	ended, cancel := context.WithCancel(background)
	cancel()
	for _, c := range []struct {
		err  error
		want string
	}{
		{s.Write(b, 0, nil), "vulkan:0: write: the buffer belongs to another device"},
		{s.Write(a, 39, []byte{1, 2}), "vulkan:0: write: 2 bytes from offset 39 do not lie in a buffer of 40 bytes"},
		{s.Read(background, make([]byte, 1), a, -1), "vulkan:0: read: 1 bytes from offset -1 do not lie in a buffer of 40 bytes"},
		{s.Copy(a, 0, a, 4, 5), "vulkan:0: copy: 5 bytes from offset 4 to offset 0 of one buffer overlap"},
		{s.Copy(a, 0, b, 0, 4), "vulkan:0: copy from: the buffer belongs to another device"},
		{s.Write(gone, 0, []byte{1}), "vulkan:0: this buffer is used after it was closed"},
		{s.Launch(k, one, nil), "vulkan:0: kernel copy takes 2 parameters, but got 0"},
		{s.Launch(k, [3]uint32{1, 0, 1}, []uint64{1, 2}), "vulkan:0: kernel copy: grid (1, 0, 1): axis 1 must be 1 or more"},
		{s.Launch(small, one, []uint64{1, 2}), "vulkan:0: launch: the kernel was compiled for another device"},
		{s.Launch(k, [3]uint32{1 << 31, 1 << 31, 1 << 31}, []uint64{1, 2}), "grid (2147483648, 2147483648, 2147483648) takes more than 65536 dispatches: launch parts of it"},
		{s.WaitEvent(e), "vulkan:0: wait: the event belongs to another device"},
		{elapsed, "vulkan:0: elapsed: the other event belongs to another device"},
		{negative, "vulkan:0: cannot allocate -1 bytes"},
		{ordinal, "no such device: there"},
		{s.Wait(ended), "context canceled"},
	} {
		wants(t, c.err, c.want)
	}
	check(t, k.Close())
	check(t, k.Close())
	wants(t, s.Launch(k, one, []uint64{1, 2}), "this kernel is used after it was closed")
	check(t, s.Close())
	check(t, s.Close())
	wants(t, s.Wait(background), "this stream is used after it was closed")
	check(t, m.Close())
	check(t, m.Close())
	for _, err := range []error{a.Free(), mine.Close()} { // with their device
		check(t, err)
	}
	_, err = m.Alloc(1)
	if !errors.Is(err, vulkan.ErrClosed) {
		t.Errorf("error %v", err)
	}
	var _ engine.Stopping = s
}
