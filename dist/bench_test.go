package dist_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dist"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/driver/shlib"
	"github.com/cutile-go/cutile/internal/testing/mpitest"
)

// besideEnv names the library of testdata/beside.c.
const besideEnv = "CUTILE_DIST_BESIDE"

// BenchmarkBeside compares collectives on tensors with the same calls of MPI from C, in turn, in the same processes and on the same memory. It
// prints the bytes of the tensor over the least time, and what part of C's that is, also of the medians:
//
//	go test ./dist -run '^$' -bench Beside -benchtime 1x
//
// The memory is written first: pages that nobody has written are all one page of zeros, which the cache holds, so that reading them
// takes half the time. Each process has its share of the processors, as with dist.Spawn: threads of the runtime that look for work on a processor that
// another process polls on would be measured, too.
func BenchmarkBeside(b *testing.B) {
	for _, l := range mpitest.Installed() {
		b.Run(l.Name, func(b *testing.B) {
			cc, err := exec.LookPath("mpicc." + l.Name)
			if err != nil {
				b.Skip(err)
			}
			library := filepath.Join(b.TempDir(), "beside.so")
			if out, err := exec.Command(cc, "-O2", "-shared", "-fPIC", "-o", library, filepath.Join("testdata", "beside.c")).CombinedOutput(); err != nil {
				b.Fatalf("%v\n%s", err, out)
			}
			program, err := os.Executable()
			if err != nil {
				b.Fatal(err)
			}
			for range b.N {
				out, code := l.Run(b, 2, []string{caseEnv + "=beside", besideEnv + "=" + library, fmt.Sprintf("GOMAXPROCS=%d", max(1, runtime.NumCPU()/2))}, program)
				if code != 0 {
					b.Fatalf("code %d\n%s", code, out)
				}
				fmt.Printf("%s:\n%s", l.Name, out)
			}
		})
	}
}

// besides are the collectives of the benchmark, in the order of the C file.
var besides = []struct {
	name     string
	dst, src int // elements for each of n
	do       func(r *rank, dst, src *cutile.Tensor[float32]) error
}{
	{"AllReduce", 1, 1, func(r *rank, dst, _ *cutile.Tensor[float32]) error { return dist.AllReduce(r, r.g, dist.Sum, dst, dst) }},
	{"AllGather", 2, 1, func(r *rank, dst, src *cutile.Tensor[float32]) error { return dist.AllGather(r, r.g, dst, src) }},
	{"ReduceScatter", 1, 2, func(r *rank, dst, src *cutile.Tensor[float32]) error {
		return dist.ReduceScatter(r, r.g, dist.Sum, dst, src)
	}},
	{"AllToAll", 2, 2, func(r *rank, dst, src *cutile.Tensor[float32]) error { return dist.AllToAll(r, r.g, dst, src) }},
	{"Broadcast", 1, 1, func(r *rank, dst, _ *cutile.Tensor[float32]) error { return dist.Broadcast(r, r.g, 0, dst) }},
	{"Reduce", 1, 1, func(r *rank, dst, src *cutile.Tensor[float32]) error {
		return dist.Reduce(r, r.g, dist.Sum, 0, dst, src)
	}},
	{"Gather", 2, 1, func(r *rank, dst, src *cutile.Tensor[float32]) error { return dist.Gather(r, r.g, 0, dst, src) }},
	{"Scatter", 1, 2, func(r *rank, dst, src *cutile.Tensor[float32]) error { return dist.Scatter(r, r.g, 0, dst, src) }},
	{"SendRecv", 1, 1, func(r *rank, dst, src *cutile.Tensor[float32]) error {
		return dist.SendRecv(r, r.g, 1-r.g.Rank(), src, 1-r.g.Rank(), dst)
	}},
}

// beside measures in the processes of the benchmark.
func (r *rank) beside() error {
	h, err := shlib.Open(os.Getenv(besideEnv))
	if err != nil {
		return err
	}
	c := shlib.Symbol(h, "beside")
	for kind, b := range besides {
		for _, l := range sizes {
			n := l.n
			dst, to, err := r.written(n * b.dst)
			if err != nil {
				return err
			}
			src, from, err := r.written(n * b.src)
			if err != nil {
				return err
			}
			inC := func() (time.Duration, error) {
				return time.Duration(shlib.Call(c, uintptr(kind), to, from, uintptr(n))), nil
			}
			here := func() (time.Duration, error) {
				return r.timed(r.g, func() error { return b.do(r, dst, src) })
			}
			times, err := r.inTurn(l.rounds, here, inC)
			if err != nil {
				return err
			}
			r.compare(fmt.Sprintf("%-13s %10d float32", b.name, n), 4*n*max(b.dst, b.src), times[0], times[1])
			if err := errors.Join(dst.Close(), src.Close()); err != nil {
				return err
			}
		}
	}
	return r.others()
}

// sizes has how often the collectives of a length are measured: the least of few rounds is that of other work on the machine.
var sizes = []struct{ n, rounds int }{{1, 300}, {1 << 20, 300}, {1 << 24, 30}}

// written makes a tensor of ones, and says where it lies.
func (r *rank) written(n int) (*cutile.Tensor[float32], uintptr, error) {
	t, err := cutile.Full(r.dev, float32(1), n)
	if err != nil {
		return nil, 0, err
	}
	f, err := cutile.Share(r, t)
	return t, f.Address, err
}

// timed measures a collective in this process, from a barrier on.
func (r *rank) timed(g *dist.Group, do func() error) (time.Duration, error) {
	if err := g.Barrier(r); err != nil {
		return 0, err
	}
	start := time.Now()
	if err := do(); err != nil {
		return 0, err
	}
	err := g.Sync(r)
	return time.Since(start), err
}

// inTurn measures several works in turn, each as often first as any other, and gives the times of the last process to end, round by round.
func (r *rank) inTurn(rounds int, works ...func() (time.Duration, error)) ([][]time.Duration, error) {
	times := make([][]time.Duration, len(works))
	for round := range rounds {
		for i := range works {
			i = (i + round) % len(works)
			took, err := works[i]()
			if err != nil {
				return nil, err
			}
			times[i] = append(times[i], took)
		}
	}
	for _, own := range times {
		latest := make([]int64, len(own))
		for i, took := range own {
			latest[i] = int64(took)
		}
		t, err := cutile.Wrap(r.dev, latest)
		if err != nil {
			return nil, err
		}
		if err := errors.Join(dist.AllReduce(r, r.g, dist.Max, t, t), r.g.Sync(r)); err != nil {
			return nil, err
		}
		for i, took := range latest {
			own[i] = time.Duration(took)
		}
		slices.Sort(own)
	}
	return times, nil
}

// compare prints a row: the same work here and beside it.
func (r *rank) compare(what string, bytes int, in, out []time.Duration) {
	here, there := in[0], out[0]
	if r.g.Rank() == 0 {
		fmt.Printf("%s: %8v here, %8v beside, %6.2f GB/s, %.2f of it (median %.2f)\n", what, here, there,
			float64(bytes)/float64(here), float64(there)/float64(here), float64(out[len(out)/2])/float64(in[len(in)/2]))
	}
}

// others measures sums of other kinds beside the sum of as many float32.
func (r *rank) others() error {
	ordered, err := dist.Join(r, r.dev, dist.WithOrder())
	if err != nil {
		return err
	}
	defer ordered.Close()
	const n = 1 << 22
	x, err := cutile.Full(r.dev, float32(1), n)
	if err != nil {
		return err
	}
	y, err := cutile.Full(r.dev, dtype.BFloat16FromFloat32(1), n)
	if err != nil {
		return err
	}
	sum := func(g *dist.Group) func() (time.Duration, error) {
		return func() (time.Duration, error) {
			return r.timed(g, func() error { return dist.AllReduce(r, g, dist.Sum, x, x) })
		}
	}
	halves := func() (time.Duration, error) {
		return r.timed(r.g, func() error { return dist.AllReduce(r, r.g, dist.Sum, y, y) })
	}
	times, err := r.inTurn(100, sum(r.g), sum(ordered), halves)
	if err != nil {
		return err
	}
	r.compare(fmt.Sprintf("AllReduce     %10d float32, in order", n), 4*n, times[1], times[0])
	r.compare(fmt.Sprintf("AllReduce     %10d bfloat16", n), 2*n, times[2], times[0])
	return nil
}
