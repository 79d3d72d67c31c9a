package dist_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dist"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/driver/shlib"
	"github.com/cutile-go/cutile/internal/testing/mpitest"
)

// besideEnv names the library of testdata/beside.c.
const besideEnv = "CUTILE_DIST_BESIDE"

// BenchmarkBeside compares collectives on tensors with the same calls of MPI from C, in turn, in the same processes. It prints the bytes of
// the tensor over the least time, and what part of C's that is:
//
//	go test ./dist -run '^$' -bench Beside -benchtime 1x
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
				out, code := l.Run(b, 2, []string{caseEnv + "=beside", besideEnv + "=" + library}, program)
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
}

// beside measures in the processes of the benchmark.
func (r *rank) beside() error {
	h, err := shlib.Open(os.Getenv(besideEnv))
	if err != nil {
		return err
	}
	c := shlib.Symbol(h, "beside")
	for kind, b := range besides {
		for _, n := range []int{1, 1 << 20, 1 << 24} {
			here, there := make([]float32, n*b.dst), make([]float32, n*b.src)
			dst, src := tensors(r, n*b.dst, n*b.src)
			if dst == nil {
				return fmt.Errorf("no memory for %d elements", n)
			}
			var in, out []time.Duration
			for range rounds {
				ns := shlib.Call(c, uintptr(kind), uintptr(unsafe.Pointer(&here[0])), uintptr(unsafe.Pointer(&there[0])), uintptr(n))
				out = append(out, time.Duration(ns))
				if err := r.g.Barrier(r); err != nil {
					return err
				}
				start := time.Now()
				if err := b.do(r, dst, src); err != nil {
					return err
				}
				if err := r.g.Sync(r); err != nil {
					return err
				}
				in = append(in, time.Since(start))
			}
			r.compare(fmt.Sprintf("%-13s %10d float32", b.name, n), 4*n*max(b.dst, b.src), in, out)
		}
	}
	return r.others()
}

// rounds is how often each collective is measured.
const rounds = 25

// tensors makes two tensors; nil if it cannot.
func tensors(r *rank, n, m int) (a, b *cutile.Tensor[float32]) {
	a, err := cutile.NewTensor[float32](r.dev, n)
	if err != nil {
		return nil, nil
	}
	if b, err = cutile.NewTensor[float32](r.dev, m); err != nil {
		return nil, nil
	}
	return a, b
}

// compare prints a row: the same work here and beside it.
func (r *rank) compare(what string, bytes int, in, out []time.Duration) {
	here, there := slices.Min(in), slices.Min(out)
	if r.g.Rank() == 0 {
		fmt.Printf("%s: %8v here, %8v beside, %6.2f GB/s, %.2f of it\n", what, here, there, float64(bytes)/float64(here), float64(there)/float64(here))
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
	x, _ := tensors(r, n, 1)
	y, err := cutile.NewTensor[dtype.BFloat16](r.dev, n)
	if err != nil {
		return err
	}
	var plain, order, halves []time.Duration
	for range rounds {
		for _, m := range []struct {
			to *[]time.Duration
			g  *dist.Group
			do func() error
		}{
			{&plain, r.g, func() error { return dist.AllReduce(r, r.g, dist.Sum, x, x) }},
			{&order, ordered, func() error { return dist.AllReduce(r, ordered, dist.Sum, x, x) }},
			{&halves, r.g, func() error { return dist.AllReduce(r, r.g, dist.Sum, y, y) }},
		} {
			if err := m.g.Barrier(r); err != nil {
				return err
			}
			start := time.Now()
			if err := m.do(); err != nil {
				return err
			}
			if err := m.g.Sync(r); err != nil {
				return err
			}
			*m.to = append(*m.to, time.Since(start))
		}
	}
	r.compare(fmt.Sprintf("AllReduce     %10d float32, in order", n), 4*n, order, plain)
	r.compare(fmt.Sprintf("AllReduce     %10d bfloat16", n), 2*n, halves, plain)
	return nil
}
