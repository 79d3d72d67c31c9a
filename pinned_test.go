package cutile_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/driver/cudrv"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/testing/simttest"
	"github.com/cutile-go/cutile/tile"
)

// patience is how long tests wait for what never comes.
const patience = 20 * time.Second

func pinned(t testing.TB, dev *cutile.Device, n int) *cutile.Pinned[float32] {
	t.Helper()
	p, err := cutile.NewPinned[float32](dev, n)
	must(t, err)
	return p
}

// fillPinned writes numbers from a first one on to pinned memory.
func fillPinned(t testing.TB, p *cutile.Pinned[float32], first int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	must(t, p.Use(ctx, func(data []float32) error {
		for i := range data {
			data[i] = float32(first + i)
		}
		return nil
	}))
}

// holdsPinned checks that pinned memory has multiples of the numbers from a first one on.
func holdsPinned(t testing.TB, p *cutile.Pinned[float32], first, times int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	must(t, p.Use(ctx, func(data []float32) error {
		for i, v := range data {
			if want := float32(times * (first + i)); v != want {
				return fmt.Errorf("element %d is %v, want %v", i, v, want)
			}
		}
		return nil
	}))
}

// onPinnedDevices is onGraphDevices with a driver that has no pinned memory, and with devices that compare launches.
func onPinnedDevices(t *testing.T, test func(*testing.T, *cutile.Device)) {
	onGraphDevices(t, test)
	t.Run("no pinned memory", func(t *testing.T) {
		drv := ptxGPU(t, &simttest.GPU{Device: fake.Device{Major: 9}, CUDA: 13040})
		for range 100 {
			drv.Fail("cuMemHostAlloc", 1, cudrv.NotFound)
		}
		dev, err := cutile.Open("cuda")
		must(t, err)
		test(t, dev)
		must(t, dev.Close())
	})
	t.Run("shadow", func(t *testing.T) {
		ptxGPU(t, &simttest.GPU{Device: fake.Device{Major: 9}, CUDA: 13040})
		dev, err := cutile.Open("cuda", cutile.WithShadow(cutile.Shadow{}))
		must(t, err)
		test(t, dev)
		must(t, dev.Close())
	})
}

// TestPinned: what goes through pinned memory is what was written there, though the program writes the next as soon as it may. Two streams take
// turns with two buffers each.
func TestPinned(t *testing.T) {
	onPinnedDevices(t, func(t *testing.T, dev *cutile.Device) {
		const n, rounds = 3000, 12
		copies, err := dev.NewStream()
		must(t, err)
		x := [2]*cutile.Tensor[float32]{zeros[float32](t, dev, n), zeros[float32](t, dev, n+8).Narrow(0, 8, n+8)}
		in := [2]*cutile.Pinned[float32]{pinned(t, dev, n), pinned(t, dev, n)}
		out := [2]*cutile.Pinned[float32]{pinned(t, dev, n), pinned(t, dev, n)}
		for r := range rounds {
			k := r % 2
			if r >= 2 {
				holdsPinned(t, out[k], 100*(r-2), 2)
			}
			fillPinned(t, in[k], 100*r)
			must(t, in[k].CopyTo(t.Context(), copies, x[k]))
			must(t, cutile.Launch(t.Context(), dev.Grid((n+15)/16), double[tile.D16], x[k]))
			must(t, out[k].CopyFrom(t.Context(), []*cutile.Stream{copies, dev.Stream()}[r/2%2], x[k]))
			fillPinned(t, in[k], -1) // when the copy has ended
		}
		holdsPinned(t, out[0], 100*(rounds-2), 2)
		holdsPinned(t, out[1], 100*(rounds-1), 2)
		for _, p := range append(in[:], out[:]...) {
			must(t, p.Close())
		}
		must(t, dev.Sync(t.Context()))
		if s := dev.Stats(); s.PinnedBytes != 0 {
			t.Errorf("%d bytes are left", s.PinnedBytes)
		}
	})
}

// blockPinned queues work on a stream that ends when the channel is closed: a function on the CPU, a kernel on the driver of onBlocking.
func blockPinned(t *testing.T, s *cutile.Stream, until chan struct{}) {
	t.Helper()
	if s.Device().Name() == "cpu" {
		must(t, s.Internal().Host(t.Context(), "wait", nil, func([][]byte) error { <-until; return nil }))
		return
	}
	must(t, cutile.Launch(t.Context(), s.Grid(1), nothing, zeros[float32](t, s.Device(), 16), 1))
}

// onBlocking runs a test on the CPU and on a driver that runs kernels when the channel is closed, by release.
func onBlocking(t *testing.T, test func(t *testing.T, dev *cutile.Device, until chan struct{}, release func())) {
	for _, name := range []string{"cpu", "cuda"} {
		t.Run(name, func(t *testing.T) {
			until := make(chan struct{})
			release := sync.OnceFunc(func() { close(until) })
			dev := open(t)
			if name == "cuda" {
				dev = fakeGPU(t, fake.Options{Run: func(*fake.Launch) error { <-until; return nil }})
			}
			t.Cleanup(release) // before the device is closed
			test(t, dev, until, release)
		})
	}
}

// TestPinnedBesideWork: Use waits for the copies of its memory, and for nothing else that is queued.
func TestPinnedBesideWork(t *testing.T) {
	onBlocking(t, func(t *testing.T, dev *cutile.Device, until chan struct{}, release func()) {
		copies, err := dev.NewStream()
		must(t, err)
		x, in, out := zeros[float32](t, dev, 5000), pinned(t, dev, 5000), pinned(t, dev, 5000)
		blockPinned(t, dev.Stream(), until) // in front of nothing
		fillPinned(t, in, 1)
		must(t, in.CopyTo(t.Context(), copies, x))
		must(t, out.CopyFrom(t.Context(), copies, x))
		blockPinned(t, copies, until) // behind the copies
		holdsPinned(t, out, 1, 1)
		fillPinned(t, in, 7)
		must(t, in.CopyTo(t.Context(), copies, x)) // behind the work that waits
		short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		if err := in.Use(short, func([]float32) error { return errors.New("it is called") }); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Use in front of a copy gives %v", err)
		}
		release()
		must(t, out.CopyFrom(t.Context(), dev.Stream(), x))
		holdsPinned(t, out, 7, 1)
	})
}

// TestPinnedGraph: a graph copies what is in pinned memory when it is replayed, and Use waits for replays.
func TestPinnedGraph(t *testing.T) {
	onGraphDevices(t, func(t *testing.T, dev *cutile.Device) {
		x, in, out := zeros[float32](t, dev, 64), pinned(t, dev, 64), pinned(t, dev, 64)
		s, err := dev.NewStream()
		must(t, err)
		capture := func() (*cutile.LaunchGraph, error) {
			return s.Capture(func() error {
				return errors.Join(in.CopyTo(t.Context(), s, x), cutile.Launch(t.Context(), s.Grid(4), double[tile.D16], x), out.CopyFrom(t.Context(), s, x))
			})
		}
		g, err := capture()
		if strings.HasPrefix(dev.Name(), "vulkan") {
			if err == nil || !strings.Contains(err.Error(), "cannot be captured") {
				t.Errorf("the capture gives %v", err)
			}
			return
		}
		must(t, err)
		if g.Len() != 3 {
			t.Errorf("the graph has %d parts", g.Len())
		}
		for r := range 5 {
			fillPinned(t, in, 10*r)
			must(t, g.Replay(s))
			if r%2 == 0 {
				fillPinned(t, in, -5) // after the copy
			}
			holdsPinned(t, out, 10*r, 2)
		}
		must(t, in.Close()) // the graph keeps it
		must(t, g.Replay(s))
		holdsPinned(t, out, -5, 2)
		must(t, errors.Join(g.Close(), out.Close(), s.Close(), dev.Sync(t.Context())))
		if s := dev.Stats(); s.PinnedBytes != 0 {
			t.Errorf("%d bytes are left", s.PinnedBytes)
		}
	})
}

// TestPinnedTogether: goroutines with buffers and streams of their own copy, capture nothing of each other, close, and drop.
func TestPinnedTogether(t *testing.T) {
	for _, dev := range []*cutile.Device{open(t), fakeGPU(t, fake.Options{Quiet: true})} {
		var all sync.WaitGroup
		for g := range 8 {
			all.Go(func() {
				s, err := dev.NewStream()
				if err != nil {
					t.Error(err)
					return
				}
				for r := range 40 {
					n := 1 + (g*31+r*977)%5000
					p, err := cutile.NewPinned[float32](dev, n)
					x, err2 := cutile.NewTensor[float32](dev, n)
					if err := errors.Join(err, err2); err != nil {
						t.Error(err)
						return
					}
					want := make([]float32, n)
					for i := range want {
						want[i] = float32(i * (r + 1))
					}
					var got []float32
					err = errors.Join(
						p.Use(t.Context(), func(data []float32) error { copy(data, want); return nil }), p.CopyTo(t.Context(), s, x),
						p.Use(t.Context(), func(data []float32) error { clear(data); return nil }), p.CopyFrom(t.Context(), s, x),
						p.Use(t.Context(), func(data []float32) error { got = slices.Clone(data); return nil }))
					if r%3 > 0 {
						err = errors.Join(err, p.CopyTo(t.Context(), s, x), p.Close(), x.Close())
					}
					if err != nil || !slices.Equal(got, want) {
						t.Errorf("goroutine %d, round %d: %v, or other elements", g, r, err)
						return
					}
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		must(t, dev.Sync(t.Context()))
	}
}
