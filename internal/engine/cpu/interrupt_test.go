package cpu_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/testing/pauses"
	"github.com/cutile-go/cutile/internal/testing/stress"
	"github.com/cutile-go/cutile/tileir"
)

// TestEndlessStops: kernels that never end are stopped within 10 ms, interpreted and at each level, whether a turn of their loop does
// nothing or works on a large tile.
func TestEndlessStops(t *testing.T) {
	const most = 10 * time.Millisecond
	kernels := map[string]func(*testing.T) *kernel{"empty": endless, "tiles": endlessTiles, "products": endlessProducts}
	for name, build := range kernels {
		for _, l := range cpu.NativeLevels() {
			t.Run(fmt.Sprintf("%s/%v", name, l), func(t *testing.T) {
				d := newDevice(t, cpu.Options{Workers: 2})
				cpu.SetLevel(d, l)
				s, k := newStream(t, d), build(t).compile(d)
				best := time.Hour
				for range 20 { // the machine may be busy: once is enough
					s.Launch(k, [3]uint32{2, 1, 1}, nil)
					short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
					if err := s.Wait(short); err == nil {
						t.Fatal("the kernel ended")
					}
					cancel()
					start := time.Now()
					s.(*cpu.Stream).Stop()
					if err := s.Wait(t.Context()); !isStopped(err) {
						t.Fatal(err)
					}
					if best = min(best, time.Since(start)); best < most {
						t.Logf("it stopped after %v", best)
						return
					}
				}
				t.Errorf("it stopped after %v", best)
			})
		}
	}
}

// forever makes a kernel whose loop carries a value and never ends.
func forever(t *testing.T, first func(k *kernel) *tileir.Value, turn func(k *kernel, v *tileir.Value) *tileir.Value) *kernel {
	k := newKernel(t)
	v := first(k)
	body := k.region([]tileir.Type{v.Type}, func(carried vals) {
		k.opGroups("continue", []vals{{turn(k, carried[0])}}, nil, nil)
	})
	k.opGroups("loop", []vals{{v}}, nil, []*tileir.Block{body}, v.Type)
	k.ret()
	return k
}

// endlessTiles computes on a tile of 256 Ki numbers in each turn.
func endlessTiles(t *testing.T) *kernel {
	return forever(t, func(k *kernel) *tileir.Value { return counted(k, 1<<18) }, func(k *kernel, v *tileir.Value) *tileir.Value {
		s := k.one("addf", vals{v, v}, attrs{"rounding_mode": tileir.RoundingNearestEven}, v.Type)
		return k.one("exp", vals{s}, nil, v.Type)
	})
}

// endlessProducts multiplies matrices in each turn.
func endlessProducts(t *testing.T) *kernel {
	m := tileir.Tile(tileir.F32, 1024, 1024)
	return forever(t, func(k *kernel) *tileir.Value { return constant(k, m, float32(1)) }, func(k *kernel, v *tileir.Value) *tileir.Value {
		return k.one("mmaf", vals{v, v, v}, nil, m)
	})
}

// TestPauses prints for how long garbage collections stop the program while kernels run, and while none does. The goal is less than
// 0.5 ms; in the test it holds for one of some tries, since the machine may be busy.
func TestPauses(t *testing.T) {
	measure := func() time.Duration {
		before := pauses.Read()
		for range 50 {
			runtime.GC()
		}
		n, median, longest := pauses.Read().Since(before)
		t.Logf("%d stops, median %v, longest %v", n, median, longest)
		return median
	}
	idle := measure()
	for name, build := range map[string]func(*testing.T) *kernel{"tiles": endlessTiles, "products": endlessProducts} {
		t.Run(name, func(t *testing.T) {
			d := newDevice(t, cpu.Options{Workers: max(1, runtime.GOMAXPROCS(0)-1)})
			s, k := newStream(t, d), build(t).compile(d)
			s.Launch(k, [3]uint32{64, 1, 1}, nil)
			best := time.Hour
			for try := 0; try < 20 && best > 500*time.Microsecond; try++ {
				best = min(best, measure()-idle)
			}
			s.(*cpu.Stream).Stop()
			if err := s.Wait(t.Context()); !isStopped(err) {
				t.Error(err)
			}
			if best > 500*time.Microsecond {
				t.Errorf("kernels add %v to the median", best)
			}
		})
	}
}

// TestProfile: a profile of the program names the kernel whose machine code took the time.
func TestProfile(t *testing.T) {
	var profile bytes.Buffer
	if err := pprof.StartCPUProfile(&profile); err != nil {
		t.Skipf("go test -cpuprofile takes the profile: %v", err)
	}
	d := newDevice(t, cpu.Options{})
	s := newStream(t, d)
	s.Launch(endlessProducts(t).compile(d), [3]uint32{8, 1, 1}, nil)
	short, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	s.Wait(short)
	s.(*cpu.Stream).Stop()
	s.Wait(t.Context())
	pprof.StopCPUProfile()
	z, err := gzip.NewReader(&profile)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"kernel", "k"} { // the key and the value of a label, in the table of strings, field 6 of the profile
		if !bytes.Contains(content, append([]byte{6<<3 | 2, byte(len(text))}, text...)) {
			t.Errorf("no sample has the label %q", text)
		}
	}
}

// TestStress launches kernels from many goroutines, of stacks of many depths, while garbage is collected and the profiler interrupts.
func TestStress(t *testing.T) {
	length, goroutines := stress.Length(t)
	var profile bytes.Buffer
	if err := pprof.StartCPUProfile(&profile); err != nil {
		t.Logf("another profile is on: %v", err)
	}
	defer pprof.StopCPUProfile()
	const n = 1<<16 - 7
	d := newDevice(t, cpu.Options{})
	k := double(t, n, n).compile(d)
	end := time.Now().Add(length)
	var running sync.WaitGroup
	var launches atomic.Int64
	defer debug.SetGCPercent(debug.SetGCPercent(5))
	before := collected()
	for i := range goroutines {
		running.Go(func() {
			r := rand.New(rand.NewPCG(2, uint64(i)))
			x, y := upload(t, d, make([]float32, n)), upload(t, d, make([]float32, n))
			s := newStream(t, d)
			for time.Now().Before(end) {
				if err := doubles(r.IntN(64), s, k, r.Float32(), x, y); err != nil {
					t.Error(err)
					return
				}
				launches.Add(1)
			}
		})
	}
	running.Wait()
	collections := collected() - before
	t.Logf("%d launches from %d goroutines, %d collections", launches.Load(), goroutines, collections)
	if launches.Load() < int64(goroutines) || collections < 2 {
		t.Error("the test did nothing")
	}
}

// garbage keeps what the compiler would not allocate otherwise.
var garbage atomic.Pointer[[1 << 14]byte]

// collected counts the collections of garbage so far.
func collected() uint32 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.NumGC
}

// doubles launches the kernel of [double] below some frames of a kilobyte each, and looks at its results.
func doubles(depth int, s engine.Stream, k engine.Kernel, v float32, x, y engine.Buffer) error {
	var space [128]int
	if depth > 0 {
		space[depth] = depth
		err := doubles(depth-1, s, k, v, x, y)
		if err == nil && space[depth] != depth {
			err = fmt.Errorf("the stack holds %d, want %d", space[depth], depth)
		}
		return err
	}
	garbage.Store(new([1 << 14]byte))
	in, out := elems[float32](x), elems[float32](y)
	for i := range in {
		in[i], out[i] = v+float32(i), 0
	}
	if err := s.Launch(k, [3]uint32{uint32(len(in)+63) / 64, 1, 1}, []uint64{x.Address(), y.Address()}); err != nil {
		return err
	}
	if err := s.Wait(context.Background()); err != nil {
		return err
	}
	for i, got := range out {
		if want := (v + float32(i)) * 2; got != want {
			return fmt.Errorf("element %d is %v, want %v", i, got, want)
		}
	}
	return nil
}
