package interop_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/interop"
)

// cooperative is a launch whose blocks, of 64 threads, all run at once.
func cooperative(blocks int) interop.Config {
	return interop.Config{Grid: [3]int{blocks}, Block: [3]int{64}, Cooperative: true}
}

// grids runs a test on each device with what NVRTC made of grid.cu: for sm_70 and later it waits by acquiring loads, before by fences.
func grids(t *testing.T, test func(*testing.T, *cutile.Device, *interop.Module)) {
	for _, name := range []string{"grid", "grid60"} {
		t.Run(name, func(t *testing.T) { onEach(t, name, test) })
	}
}

// rotated is what rotate makes of the numbers from 0, in plain Go.
func rotated(n, block, rounds int) []int32 {
	x, y := make([]int32, n), make([]int32, n)
	for i := range x {
		x[i] = int32(i)
	}
	for range rounds {
		for i := range y {
			y[i] = x[(i+block)%n] + 1
		}
		x, y = y, x
	}
	return x
}

// TestGridSync: blocks wait for each other with grid.sync() of CUDA's cooperative groups, again and again, and in launch after launch. There are
// more blocks than threads of the machine.
func TestGridSync(t *testing.T) {
	grids(t, func(t *testing.T, dev *cutile.Device, m *interop.Module) {
		const blocks, rounds = 40, 6
		x, err := cutile.Arange[int32](dev, 0, 64*blocks, 1)
		need(t, err)
		y := empty[int32](t, dev, 64*blocks)
		for range 2 {
			need(t, kernel(t, m, "rotate").Launch(dev.Stream(), cooperative(blocks), x, y, int32(rounds)))
		}
		if got := elements(t, x); !slices.Equal(got, rotated(64*blocks, 64, 2*rounds)) {
			t.Errorf("%d", got)
		}
		u, v := empty[int32](t, dev, 64*blocks), empty[int32](t, dev, 64*blocks)
		need(t, kernel(t, m, "split").Launch(dev.Stream(), cooperative(blocks), u, v))
		for i, got := range elements(t, v) {
			if want := int32(100*i + 3*(64*blocks-1-i)); got != want {
				t.Fatalf("element %d is %d, want %d", i, got, want)
			}
		}
	})
}

// TestGridSyncReplay: a graph of launches repeats a cooperative one.
func TestGridSyncReplay(t *testing.T) {
	grids(t, func(t *testing.T, dev *cutile.Device, m *interop.Module) {
		x, err := cutile.Arange[int32](dev, 0, 256, 1)
		need(t, err)
		y, k := empty[int32](t, dev, 256), kernel(t, m, "rotate")
		s, err := dev.NewStream()
		need(t, err)
		g, err := s.Capture(func() error { return k.Launch(s, cooperative(4), x, y, int32(2)) })
		need(t, err)
		for range 3 {
			need(t, g.Replay(s))
		}
		if got := elements(t, x); !slices.Equal(got, rotated(256, 64, 6)) {
			t.Errorf("%d", got)
		}
		need(t, g.Close())
		need(t, s.Close())
	})
}

// TestGridValid: a kernel learns whether its grid can wait. On a launch that is not cooperative it cannot, and grid.sync() is an error that says so.
func TestGridValid(t *testing.T) {
	for _, name := range []string{"grid.ptx", "grid60.ptx"} {
		dev := onCPU(t)
		m, err := interop.LoadModule(t.Context(), dev, file(t, name))
		need(t, err)
		y := empty[int32](t, dev, 3*64)
		for want, config := range map[int32]interop.Config{1: cooperative(3), 2: {Grid: [3]int{3}, Block: [3]int{64}}} {
			need(t, kernel(t, m, "valid").Launch(dev.Stream(), config, y))
			if got := elements(t, y); slices.Min(got) != want || slices.Max(got) != want {
				t.Errorf("%d, want %d everywhere", got, want)
			}
		}
		need(t, kernel(t, m, "rotate").Launch(dev.Stream(), interop.Config{Grid: [3]int{3}, Block: [3]int{64}}, y, y, int32(1)))
		want := "trap: grid.sync() needs a cooperative launch, in which all blocks run at once: set Cooperative for this launch"
		if err := dev.Sync(t.Context()); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "kernel rotate") {
			t.Errorf("%s: error %v, want %s", name, err, want)
		}
	}
}

// TestGridDeadlock: blocks that wait for one that has ended are found at once, with the line on which they wait, and so is a launch of too many blocks.
func TestGridDeadlock(t *testing.T) {
	for name, line := range map[string]string{"grid.ptx": "ld.acquire.gpu.u32", "grid60.ptx": "ld.volatile.u32"} {
		dev := onCPU(t, cutile.WithLimits(cutile.Limits{Run: time.Minute}))
		text := file(t, name)
		m, err := interop.LoadModule(t.Context(), dev, text)
		need(t, err)
		y := empty[int32](t, dev, 64)
		need(t, kernel(t, m, "lonely").Launch(dev.Stream(), cooperative(5), y))
		err = dev.Sync(t.Context())
		want := ": deadlock: 4 of 5 blocks wait until all have called grid.sync(), here or elsewhere, and the others have ended: every thread of every block must call it, equally often"
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", name, err, want)
		}
		var e *cutile.Error
		if !errors.As(err, &e) || !strings.Contains(strings.Split(string(text), "\n")[max(e.Pos.Line, 1)-1], line) {
			t.Errorf("%s: the line of %v has no %s", name, err, line)
		}
		need(t, kernel(t, m, "lonely").Launch(dev.Stream(), cooperative(1025), y))
		want = "a cooperative launch runs all blocks at once, which are 1025 blocks, but the most are 1024"
		if err := dev.Sync(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", name, err, want)
		}
	}
}

// TestGridRace: the race detector knows what grid.sync() orders, and finds a kernel that forgets it.
func TestGridRace(t *testing.T) {
	for _, name := range []string{"grid.ptx", "grid60.ptx"} {
		dev := onCPU(t, cutile.WithChecks())
		m, err := interop.LoadModule(t.Context(), dev, file(t, name))
		need(t, err)
		x, y := empty[int32](t, dev, 8*64), empty[int32](t, dev, 8*64)
		need(t, kernel(t, m, "split").Launch(dev.Stream(), cooperative(8), x, y))
		need(t, dev.Sync(t.Context()))
		need(t, kernel(t, m, "racy").Launch(dev.Stream(), cooperative(8), x, y))
		if err := dev.Sync(t.Context()); err == nil || !strings.Contains(err.Error(), "data race in global memory") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestOccupancy: a cooperative grid may have as many blocks as run at once, and not one more.
func TestOccupancy(t *testing.T) {
	cpu := onCPU(t, cutile.WithWorkers(4))
	gpu, _ := onGPU(t)
	for dev, want := range map[*cutile.Device]cutile.Occupancy{
		cpu: {Blocks: 256, Multiprocessors: 4, Threads: 96, Shared: 1000},
		gpu: {Blocks: 21, Multiprocessors: 4, Threads: 96, Registers: 32, Shared: 1000},
	} {
		m, err := interop.LoadModule(t.Context(), dev, file(t, "grid.ptx"))
		need(t, err)
		k, config := kernel(t, m, "valid"), interop.Config{Block: [3]int{32, 3}, Shared: 1000, Cooperative: true}
		o, err := k.Occupancy(config)
		need(t, err)
		if o != want {
			t.Errorf("%s: %+v, want %+v", dev.Name(), o, want)
		}
		y := empty[int32](t, dev, 96*(o.Resident()+1))
		config.Grid[0] = o.Resident()
		need(t, k.Launch(dev.Stream(), config, y))
		need(t, dev.Sync(t.Context()))
		config.Grid[0]++
		if err := errors.Join(k.Launch(dev.Stream(), config, y), dev.Sync(t.Context())); err == nil || !strings.Contains(err.Error(), "all blocks") {
			t.Errorf("%s: one block more gives %v", dev.Name(), err)
		}
		if _, err := k.Occupancy(interop.Config{}); !errors.Is(err, cutile.ErrMismatch) {
			t.Errorf("%s: without a block: %v", dev.Name(), err)
		}
		config.Block = [3]int{1}
		if o, err = k.Occupancy(config); err != nil || o.Threads != 1 {
			t.Errorf("%s: %+v, %v for one thread", dev.Name(), o, err)
		}
		need(t, m.Close())
		if _, err := k.Occupancy(config); !errors.Is(err, cutile.ErrClosed) {
			t.Errorf("%s: after Close: %v", dev.Name(), err)
		}
	}
	if _, err := (*interop.Kernel)(nil).Occupancy(interop.Config{}); err == nil {
		t.Error("a nil kernel gives no error")
	}
}
