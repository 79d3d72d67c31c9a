package main

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
)

// contender is one way to compute a workload.
type contender struct {
	name string
	run  func() error
}

// session is a workload whose inputs lie ready in this process.
type session struct {
	dev        *cutile.Device
	contenders []contender
	clear      func()        // zeroes the result
	result     func() digest // of the run before
	err        error         // of the first step that failed
}

// The names of the contenders in this process: the engine, and loops in Go.
const engine, loops = "cutile", "go"

// before is the engine of another build of this program.
const before = "before"

// begin prepares a workload.
func begin(dev *cutile.Device, kind string, dims []int, tile int) (*session, error) {
	k, ok := kinds[kind]
	if !ok {
		return nil, fmt.Errorf("there is no workload of the kind %q", kind)
	}
	if len(dims) != len(k.tiny) {
		return nil, fmt.Errorf("%s has %d extents, not %d", kind, len(k.tiny), len(dims))
	}
	for _, d := range dims {
		if d < 0 {
			return nil, fmt.Errorf("%s has an extent of %d", kind, d)
		}
	}
	s := &session{dev: dev}
	k.prepare(s, dims, tile)
	return s, s.err
}

// wrap makes a tensor of data, without a copy.
func wrap[E dtype.Elem](s *session, data []E, shape ...int) *cutile.Tensor[E] {
	t, err := cutile.Wrap(s.dev, data, shape...)
	if err != nil && s.err == nil {
		s.err = err
	}
	return t
}

// cutile adds the engine; launch queues its kernels.
func (s *session) cutile(launch func(ctx context.Context, dev *cutile.Device) error) {
	ctx := context.Background()
	s.contenders = append(s.contenders, contender{engine, func() error {
		if err := launch(ctx, s.dev); err != nil {
			return err
		}
		return s.dev.Sync(ctx)
	}})
}

// kernel adds the engine with one kernel, which is prepared. on is the device, or one with a grid.
func (s *session) kernel(on cutile.Target, kernel any, args ...any) {
	if s.err != nil {
		return
	}
	p, err := cutile.Prepare(context.Background(), on, kernel, args...)
	if err != nil {
		s.err = err
		return
	}
	s.cutile(func(ctx context.Context, _ *cutile.Device) error { return p.Launch(ctx) })
}

// plain adds loops in Go.
func (s *session) plain(run func()) {
	s.contenders = append(s.contenders, contender{loops, func() error { run(); return nil }})
}

// output names the slice with the result.
func output[E dtype.Elem](s *session, data []E) []E {
	s.clear = func() { clear(data) }
	s.result = func() digest { return digestOf(len(data), reader(data)) }
	return data
}

// reader returns a function that reads the elements of a slice of any type that workloads write.
func reader(data any) func(i int) float64 {
	switch data := data.(type) {
	case []float32:
		return func(i int) float64 { return float64(data[i]) }
	case []float64:
		return func(i int) float64 { return data[i] }
	case []int32:
		return func(i int) float64 { return float64(data[i]) }
	case []dtype.BFloat16:
		return func(i int) float64 { return data[i].Float64() }
	}
	panic(fmt.Sprintf("BUG: results of type %T are not read", data))
}

// digest is what is compared of a result: some elements, and the sums of all elements and of their absolute values.
type digest struct {
	Sample []float64 `json:"sample"`
	Sum    float64   `json:"sum"`
	Abs    float64   `json:"abs"`
}

// sampled is how many elements are compared one by one; they lie at the places that bits gives.
const sampled = 2048

func digestOf(n int, at func(i int) float64) digest {
	var d digest
	for i := range min(n, sampled) {
		if n > sampled {
			i = int(bits(99, i) % uint32(n))
		}
		d.Sample = append(d.Sample, finite(at(i)))
	}
	for i := range n {
		d.Sum += at(i)
		d.Abs += math.Abs(at(i))
	}
	d.Sum, d.Abs = finite(d.Sum), finite(d.Abs)
	return d
}

// finite replaces what JSON cannot express by a number that no right result has.
func finite(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 1e300
	}
	return x
}

// compare reports how a result differs from another by more than tol, relative to the greatest sampled element.
func (d digest) compare(want digest, tol float64) error {
	if len(d.Sample) != len(want.Sample) {
		return fmt.Errorf("%d elements were sampled, not %d", len(d.Sample), len(want.Sample))
	}
	var scale, worst float64
	for i, w := range want.Sample {
		scale = max(scale, math.Abs(w))
		worst = max(worst, math.Abs(w-d.Sample[i]))
	}
	if scale == 0 || scale >= 1e300 || worst > tol*scale {
		return fmt.Errorf("an element differs by %.3g; the greatest is %.3g", worst, scale)
	}
	if math.Abs(d.Sum-want.Sum) > tol*want.Abs || math.Abs(d.Abs-want.Abs) > tol*want.Abs {
		return fmt.Errorf("the sum of all elements is %.9g instead of %.9g, that of their absolute values %.9g instead of %.9g", d.Sum, want.Sum, d.Abs, want.Abs)
	}
	return nil
}

// share divides n rows among GOMAXPROCS goroutines, as plain loops in Go would.
func share(n int, f func(from, to int)) {
	workers := runtime.GOMAXPROCS(0)
	if workers == 1 {
		f(0, n)
		return
	}
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() { f(n*w/workers, n*(w+1)/workers) })
	}
	wg.Wait()
}

// each runs f once for each core that this process uses.
func each(f func()) {
	share(runtime.GOMAXPROCS(0), func(_, _ int) { f() })
}
