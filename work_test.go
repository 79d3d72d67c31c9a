package cutile_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/bench"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/kernels/gemm"
	"github.com/cutile-go/cutile/tile"
)

// TestWorkCost: bytes of tensors count once, however often blocks load them; bytes that blocks skip do not count.
func TestWorkCost(t *testing.T) {
	dev := open(t)
	type one = tile.D1
	const n = 128
	a, b, c := ramp(t, dev, n*n), ramp(t, dev, n*n), ramp(t, dev, n*n)
	square := func(x *cutile.Tensor[float32]) *cutile.Tensor[float32] { return x.Reshape(n, n) }
	product := func(size int) cutile.Work {
		return cutile.Work{On: dev.Grid(n / size * n / size), Kernel: cutile.Sized(gemm.Grouped[float32, float32, float32, one, one, one], size, size, size),
			Args: []any{square(a), square(b), square(c), gemm.Identity[tile.F32T2[one, one]]}}
	}
	row := a.Narrow(0, 0, 1).Broadcast(1000)
	for _, x := range []struct {
		name     string
		work     cutile.Work
		bytes    int64
		accessed int64
		ops      string
	}{
		{"product", product(32), 3 * 4 * n * n, (4 + 4 + 1) * 4 * n * n, "[{matrix f32 4194304}]"}, // each block loads a row and a column of tiles
		{"product of larger tiles", product(64), 3 * 4 * n * n, (2 + 2 + 1) * 4 * n * n, "[{matrix f32 4194304}]"},
		{"sums", cutile.Work{On: dev, Kernel: add[tile.D16], Args: []any{a.Narrow(0, 0, 1000), b.Narrow(0, 0, 1000), c.Narrow(0, 0, 1000)}}, 12000, 12000, "[{arithmetic f32 1008}]"},
		{"sums with one element", cutile.Work{On: dev, Kernel: add[tile.D16], Args: []any{row, b.Narrow(0, 0, 1000), c.Narrow(0, 0, 1000)}}, 8004, 12000, "[{arithmetic f32 1008}]"},
	} {
		got, err := x.work.Cost(t.Context())
		must(t, err)
		if got.Bytes != x.bytes || got.Accessed != x.accessed || fmt.Sprint(got.Ops) != x.ops || !got.Exact {
			t.Errorf("%s: %+v, want %d and %d bytes and %s", x.name, got, x.bytes, x.accessed, x.ops)
		}
	}
	_, err := cutile.Work{On: dev, Run: func() error { return nil }}.Cost(t.Context())
	fails(t, err, "the cost of work with Run is not known")
	_, err = cutile.Work{On: dev, Kernel: add[tile.D16], Args: []any{a, b, 3}}.Cost(t.Context())
	fails(t, err, "argument #3")
}

// TestWorkPrepare: what it gives queues the work, with everything compiled before.
func TestWorkPrepare(t *testing.T) {
	dev := open(t)
	x, z := ramp(t, dev, 100), zeros[float32](t, dev, 100)
	launch, err := cutile.Work{On: dev, Kernel: scale[tile.D32], Args: []any{x, 2, z}}.Prepare(t.Context())
	must(t, err)
	before := cutile.CompileStats().Compiled
	holds(t, "before", z.Narrow(0, 98, 100), "[0 0]")
	must(t, launch())
	holds(t, "after", z.Narrow(0, 98, 100), "[198 200]")
	if n := cutile.CompileStats().Compiled - before; n != 0 {
		t.Errorf("compiled %d times after Prepare", n)
	}
	ran := 0
	launch, err = cutile.Work{On: dev, Run: func() error { ran++; return nil }}.Prepare(t.Context())
	must(t, err)
	if must(t, launch()); ran != 1 {
		t.Errorf("it ran %d times", ran)
	}
}

// TestMeasureOnGPU: package bench takes times from the events of a GPU, and a fault of one case, which makes the device useless, is the error of both.
func TestMeasureOnGPU(t *testing.T) {
	launches := map[string]int{}
	dev := fakeGPU(t, fake.Options{Run: func(l *fake.Launch) error {
		if launches[l.Kernel]++; strings.Contains(l.Kernel, "add") && launches[l.Kernel] > 20 {
			return errors.New("trapped")
		}
		time.Sleep(100 * time.Microsecond)
		return nil
	}})
	x, z := ramp(t, dev, 100), zeros[float32](t, dev, 100)
	cases := []bench.Case{
		{Name: "scale", Work: cutile.Work{On: dev, Kernel: scale[tile.D32], Args: []any{x, 2, z}}},
		{Name: "scale on a stream", Work: cutile.Work{On: dev.Stream(), Kernel: scale[tile.D64], Args: []any{x, 2, z}}},
	}
	o := bench.Options{Rounds: 5, Sample: time.Microsecond, Warm: time.Microsecond}
	r, err := bench.Compare(t.Context(), cases, o)
	must(t, err)
	for _, x := range r.Rows[0].Results {
		if x.Device != "cuda:0" || x.Error != "" || x.Samples != 5 || x.Time.Min < 1e-4 || x.Bytes != 800 {
			t.Errorf("%+v", x)
		}
	}
	cases[1] = bench.Case{Name: "add", Work: cutile.Work{On: dev, Kernel: add[tile.D16], Args: []any{x, x, z}}}
	o.Rounds, o.Precision = 50, 1e-9 // no early end
	r, err = bench.Compare(t.Context(), cases, o)
	must(t, err)
	if x := r.Rows[0].Results; !strings.Contains(x[1].Error, "trapped") && !strings.Contains(x[1].Error, "lost") || !strings.Contains(x[0].Error, "lost") {
		t.Errorf("%+v\n%+v", x[0], x[1])
	}
}
