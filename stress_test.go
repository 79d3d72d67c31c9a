package cutile_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/driver/cudrv"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/tile"
)

// stressLaunches is how many launches TestStress makes; CUTILE_STRESS_LAUNCHES asks for more.
func stressLaunches(t *testing.T) int64 {
	text := os.Getenv("CUTILE_STRESS_LAUNCHES")
	if text == "" {
		return 5_000
	}
	n, err := strconv.ParseInt(text, 10, 64)
	must(t, err)
	return n
}

// runDouble is the kernel double on the fake driver. Now and then it is slow.
func runDouble(l *fake.Launch) error {
	if rand.IntN(500) == 0 {
		time.Sleep(time.Millisecond)
	}
	b, err := l.Memory(l.Args[0])
	if err != nil {
		return err
	}
	for i := range 16 * int(l.Grid[0]) {
		x := math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(2*x))
	}
	return nil
}

// TestStress launches from 64 goroutines on a GPU that is slow at times, has too little memory and refuses calls now and then: every launch that
// was taken happens once, errors are those that were injected, and nothing is left.
func TestStress(t *testing.T) {
	launches := stressLaunches(t)
	drv := fake.New(fake.Options{Quiet: true, Run: runDouble, Devices: []fake.Device{{Name: "small", Major: 9, Memory: 48 << 10}}})
	t.Cleanup(engine.Register(cuda.Kind(cuda.Options{Driver: drv, Assembler: assembler{}})))
	dev, err := cutile.Open("cuda")
	must(t, err)
	for range 40 { // each is met once
		drv.Fail("cuLaunchKernel", 1+rand.IntN(int(launches)), cudrv.LaunchOutOfResource)
		drv.Fail("cuGraphLaunch", 1+rand.IntN(int(launches/20)), cudrv.LaunchOutOfResource)
		drv.Fail("cuMemcpyHtoDAsync", 1+rand.IntN(int(launches/10)), cudrv.LaunchOutOfResource)
		drv.Fail("cuEventCreate", 1+rand.IntN(int(launches/10)), cudrv.LaunchOutOfResource)
		drv.Fail("cuStreamCreate", 1+rand.IntN(64+int(launches/50)), cudrv.LaunchOutOfResource)
	}
	s := &stressRun{dev: dev}
	s.left.Store(launches)
	shared, err := cutile.FromSlice(dev, make([]float32, 16))
	for err != nil {
		shared, err = cutile.FromSlice(dev, make([]float32, 16))
	}
	s.shared = shared
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() { s.goroutine(t, rand.New(rand.NewPCG(uint64(i), 9))) })
	}
	all.Wait()
	t.Logf("%d launches, %d rounds, %d errors, of which %d of memory", launches, s.rounds.Load(), s.errors.Load(), s.full.Load())
	if s.errors.Load() == 0 || s.rounds.Load() < launches/40 {
		t.Error("nothing was injected, or little was done")
	}
	must(t, shared.Close())
	must(t, dev.Sync(t.Context()))
	if st := dev.Stats(); st.Tensors != 0 || st.MemoryBytes != 0 {
		t.Errorf("left: %+v", st)
	}
	must(t, dev.Close())
	if leaks := drv.Leaks(); len(leaks) > 0 {
		t.Errorf("left on the device: %v", leaks)
	}
}

// stressRun is what the goroutines of TestStress share.
type stressRun struct {
	dev                  *cutile.Device
	shared               *cutile.Tensor[float32]
	left                 atomic.Int64
	rounds, errors, full atomic.Int64
}

// met reports whether an error is an injected one.
func (s *stressRun) met(t *testing.T, err error) bool {
	switch code := cudrv.Code(err); {
	case err == nil:
		return false
	case code == cudrv.OutOfMemory:
		s.full.Add(1)
	case code != cudrv.LaunchOutOfResource:
		t.Error(err)
	}
	s.errors.Add(1)
	return true
}

func (s *stressRun) goroutine(t *testing.T, r *rand.Rand) {
	for s.left.Load() > 0 && !t.Failed() {
		on, err := s.dev.NewStream()
		if s.met(t, err) {
			continue
		}
		for range 4 {
			s.met(t, s.round(t, r, on))
		}
		s.met(t, on.Close())
	}
}

// round doubles a tensor of its own some times, and compares it with the number of launches that were taken.
func (s *stressRun) round(t *testing.T, r *rand.Rand, on *cutile.Stream) error {
	ctx := t.Context()
	const n = 512
	x, err := cutile.Full(s.dev, float32(1), n)
	if err != nil {
		return err
	}
	defer x.Close()
	s.rounds.Add(1)
	launch := func() error {
		s.left.Add(-1)
		return cutile.Launch(ctx, on.Grid(n/16), double[tile.D16], x)
	}
	want := float32(1)
	for range 1 + r.IntN(12) {
		if !s.met(t, launch()) {
			want *= 2
		}
		if r.IntN(4) == 0 { // orders the stream after those of others
			s.met(t, cutile.Launch(ctx, on.Grid(1), double[tile.D16], s.shared))
		}
	}
	if r.IntN(3) == 0 {
		g, err := on.Capture(func() error { return errors.Join(launch(), launch()) })
		if err != nil {
			return err
		}
		for range 3 {
			if !s.met(t, g.Replay(on)) {
				want *= 4
			}
		}
		s.met(t, g.Close())
	}
	got, err := x.Slice()
	if err != nil {
		return err
	}
	for i := range got {
		if got[i] != want {
			return fmt.Errorf("element %d is %v, want %v", i, got[i], want)
		}
	}
	return nil
}
