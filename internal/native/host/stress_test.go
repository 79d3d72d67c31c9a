package host

import (
	"bytes"
	"io"
	"math/rand/v2"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/cutile-go/cutile/internal/testing/pauses"
	"github.com/cutile-go/cutile/internal/testing/stress"
)

// TestStress calls generated code while everything that interrupts Go code is at work: garbage collections without a
// pause, preemption, the CPU profiler, the execution tracer, growing stacks. Each call is on a new goroutine.
func TestStress(t *testing.T) {
	needsCode(t)
	length, goroutines := stress.Length(t)
	var profile bytes.Buffer
	if err := pprof.StartCPUProfile(&profile); err != nil {
		t.Logf("another profile is on: %v", err)
	}
	if err := trace.Start(io.Discard); err != nil {
		t.Logf("another trace is on: %v", err)
	}
	s := newCalls(t)
	end := time.Now().Add(length)
	collections := s.collect(end)
	for i := range goroutines {
		s.work(end, rand.New(rand.NewPCG(1, uint64(i))))
	}
	s.running.Wait()
	trace.Stop()
	pprof.StopCPUProfile()
	t.Logf("%d calls on %d goroutines in %v, %d collections, %d bytes of profile", s.calls.Load(), goroutines, length, collections.Load(), profile.Len())
	if n := s.wrong.Load(); n > 0 || s.calls.Load() < int64(goroutines) || collections.Load() == 0 {
		t.Errorf("%d of %d calls are wrong, %d collections", n, s.calls.Load(), collections.Load())
	}
}

type calls struct {
	adders       []adder
	code         []*Code // of the adders
	spin         *Code
	running      sync.WaitGroup
	calls, wrong atomic.Int64
}

func newCalls(t *testing.T) *calls {
	s := &calls{adders: adders(), spin: mapped(t, spin)}
	for _, a := range s.adders {
		s.code = append(s.code, mapped(t, a.code))
	}
	return s
}

// collect collects garbage until a time.
func (s *calls) collect(end time.Time) *atomic.Int64 {
	var n atomic.Int64
	s.running.Go(func() {
		for time.Now().Before(end) {
			runtime.GC()
			n.Add(1)
		}
	})
	return &n
}

// work starts one goroutine after the other, each with a stack of another depth. Every 16th call is long enough that
// collections and profiling signals meet it.
func (s *calls) work(end time.Time, r *rand.Rand) {
	s.running.Go(func() {
		done := make(chan bool)
		for time.Now().Before(end) {
			depth, which, vectors, seed := r.IntN(64), r.IntN(len(s.adders)), 1+r.IntN(2000), r.IntN(1000)
			go func() { done <- s.under(depth, which, vectors, seed) }()
			if !<-done {
				s.wrong.Add(1)
			}
			s.calls.Add(1)
		}
	})
}

// under calls code below some frames of a kilobyte each.
func (s *calls) under(depth, which, vectors, seed int) bool {
	var space [128]int
	if depth > 0 {
		space[depth] = depth
		return s.under(depth-1, which, vectors, seed) && space[depth] == depth
	}
	if seed%16 == 0 {
		return waste(s.spin, 100_000+vectors*100)
	}
	return s.adders[which].run(s.code[which].Addr(), vectors, seed)
}

// waste counts down n rounds.
func waste(spin *Code, n int) bool {
	rounds := uint64(n)
	return Call(spin.Addr(), unsafe.Pointer(&rounds)) == 7
}

// BenchmarkPause shows for how long a garbage collection stops the program while calls of a length run one after the
// other on all processors but one: the median, and the longest pause as a bound.
func BenchmarkPause(b *testing.B) {
	needsCode(b)
	for _, length := range []time.Duration{0, 100 * time.Microsecond, time.Millisecond} {
		b.Run(length.String(), func(b *testing.B) {
			rounds := calibrate(b, length)
			c := mapped(b, spin)
			var stop atomic.Bool
			var running sync.WaitGroup
			for range max(1, runtime.GOMAXPROCS(0)-1) {
				running.Go(func() {
					for length > 0 && !stop.Load() {
						waste(c, rounds)
					}
				})
			}
			before := pauses.Read()
			for b.Loop() {
				runtime.GC()
			}
			_, median, longest := pauses.Read().Since(before)
			stop.Store(true)
			running.Wait()
			b.ReportMetric(median.Seconds()*1e6, "µs-median")
			b.ReportMetric(longest.Seconds()*1e6, "µs-longest")
		})
	}
}

// calibrate says how many rounds of spin take a time.
func calibrate(b *testing.B, length time.Duration) int {
	const rounds = 10_000_000
	c := mapped(b, spin)
	start := time.Now()
	waste(c, rounds)
	return max(1, int(rounds*length/time.Since(start)))
}
