package cutile_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/tile"
)

func TestLaunch(t *testing.T) {
	dev := open(t)
	x, m := ramp(t, dev, 10), ramp(t, dev, 5, 6)
	z, zm := zeros[float32](t, dev, 10), zeros[float32](t, dev, 6, 5)
	mm := zeros[float32](t, dev, 5, 6)
	by := float32(3)
	cases := []struct {
		name   string
		on     cutile.Target
		kernel any
		args   []any
		out    *cutile.Tensor[float32]
		want   string
	}{
		{"add", dev, add[tile.D4], []any{x, x, z}, z, "[2 4 6 8 10 12 14 16 18 20]"},
		{"larger than the tensor", dev, add[tile.D64], []any{x, x, z}, z, "[2 4 6 8 10 12 14 16 18 20]"},
		{"views", dev, add[tile.D4], []any{x.Narrow(0, 1, 4), m.Select(1, 2).Narrow(0, 0, 3), z.Narrow(0, 7, 10)}, z.Narrow(0, 6, 10), "[14 5 12 19]"},
		{"transposed", dev, addMatrix[tile.D4, tile.D2], []any{m.T(), m.Select(0, 0).Reshape(6, 1).Broadcast(6, 5), zm}, zm.Select(0, 1), "[4 10 16 22 28]"},
		{"transposed Out", dev, addMatrix[tile.D4, tile.D2], []any{m, m, zm.T()}, zm.Select(0, 1), "[4 16 28 40 52]"},
		{"int constant", dev, scale[tile.D4], []any{x, 2, z}, z, "[2 4 6 8 10 12 14 16 18 20]"},
		{"float constant", dev, scale[tile.D4], []any{x, 0.5, z}, z, "[0.5 1 1.5 2 2.5 3 3.5 4 4.5 5]"},
		{"pointer to scalar", dev, scale[tile.D4], []any{x, &by, z}, z.Narrow(0, 0, 3), "[3 6 9]"},
		{"function", dev, apply[tile.D4], []any{x, z, square[tile.F32T1[tile.D4]]}, z.Narrow(0, 0, 3), "[1 4 9]"},
		{"another function", dev, apply[tile.D4], []any{x, z, negate[tile.F32T1[tile.D4]]}, z.Narrow(0, 0, 3), "[-1 -2 -3]"},
		{"given grid", dev.Grid(3), double[tile.D4], []any{z}, z.Narrow(0, 0, 3), "[-2 -4 -6]"},
		{"given grid on a stream", dev.Stream().Grid(1), double[tile.D4], []any{z}, z.Narrow(0, 3, 5), "[-16 -10]"},
		{"rank 0 of a Ptr", dev, take[tile.D4], []any{x, 9, z}, z.Narrow(0, 7, 10), "[8 9 -1]"},
		{"offset of a Ptr", dev, take[tile.D4], []any{x.Narrow(0, 2, 10), int32(7), z}, z.Narrow(0, 4, 10), "[7 8 9 -1 -1 -1]"},
		{"written Ptr", dev.Grid(3), put[tile.D4], []any{x, z, 2}, z.Narrow(0, 0, 4), "[1 2 5 6]"},
		{"foreign tensor", dev, add[tile.D4], []any{foreign{x}, x, &foreign{z}}, z.Narrow(0, 0, 3), "[2 4 6]"},
		{"Permute that keeps the order", dev, turns[tile.D2, tile.D4], []any{m, m.Select(0, 0), float32(10), mm}, mm.Select(0, 1), "[17 28 39 50 61 72]"},
		{"struct", dev, add[tile.D4], []any{struct{ X, Y *cutile.Tensor[float32] }{x, x}, z}, z.Narrow(0, 0, 3), "[2 4 6]"},
		{"hidden numbers of a struct", dev, scaleLast[tile.D4], []any{struct {
			X, Z *cutile.Tensor[float32]
			by   struct{ v [1]float32 }
		}{x, z, struct{ v [1]float32 }{[1]float32{3}}}}, z.Narrow(0, 0, 3), "[3 6 9]"},
	}
	for _, c := range cases {
		if err := cutile.Launch(t.Context(), c.on, c.kernel, c.args...); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		holds(t, c.name, c.out, c.want)
	}
}

// foreign is a type of another package that stands for a tensor.
type foreign struct{ t *cutile.Tensor[float32] }

func (f foreign) Tensor() *cutile.Tensor[float32] { return f.t }

func TestElementAndRank(t *testing.T) {
	dev := open(t)
	half := zeros[dtype.Float16](t, dev, 2, 3)
	must(t, cutile.Launch(t.Context(), dev, toHalf[tile.D2, tile.D2], ramp(t, dev, 2, 3), half))
	holds(t, "float16", half, "[1 2 3 4 5 6]")
	four, out := ramp(t, dev, 2, 3, 4, 5), zeros[float32](t, dev, 2, 3, 4, 5)
	must(t, cutile.Launch(t.Context(), dev, extents, four, out))
	got, err := out.Slice()
	must(t, err)
	for i, v := range got {
		if want := float32(2345 + i + 1); v != want {
			t.Fatalf("element %d is %v, want %v", i, v, want)
		}
	}
	numbers := zeros[int32](t, dev, 4)
	must(t, cutile.Launch(t.Context(), dev.Grid(1), sized[tile.D4], numbers.Narrow(0, 0, 4)))
	holds(t, "Size", numbers, "[0 1 2 3]")
}

func TestTwoOutsAndNothing(t *testing.T) {
	dev := open(t)
	x, y, z := ramp(t, dev, 5), zeros[float32](t, dev, 5), zeros[float32](t, dev, 5)
	must(t, cutile.Launch(t.Context(), dev, twoOuts[tile.D2], x, y, z))
	holds(t, "first", y, "[1 2 3 4 5]")
	holds(t, "second", z, "[-1 -2 -3 -4 -5]")
	must(t, cutile.Launch(t.Context(), dev, add[tile.D2], x, x, y.Narrow(0, 1, 1)))
	must(t, cutile.Launch(t.Context(), dev.Grid(0), double[tile.D2], y))
	holds(t, "nothing ran", y, "[1 2 3 4 5]")
}

func TestLaunchMistakes(t *testing.T) {
	dev, away := open(t), open(t)
	x, m, z := ramp(t, dev, 10), ramp(t, dev, 5, 6), zeros[float32](t, dev, 10)
	h := zeros[dtype.Float16](t, dev, 10)
	var none *cutile.Device
	cases := []struct {
		name   string
		on     cutile.Target
		kernel any
		args   []any
		want   []string
	}{
		{"element and rank", dev, add[tile.D4], []any{h, m, z}, []string{
			"kernel cutile_test.add[D4]: expects argument #1 (x) to be a rank-1 tensor of float32, but got *cutile.Tensor[float16] of rank 1\n",
			"kernel cutile_test.add[D4]: expects argument #2 (y) to be a rank-1 tensor of float32, but got *cutile.Tensor[float32] of rank 2"}},
		{"count", dev, add[tile.D4], []any{x, z}, []string{"kernel cutile_test.add[D4]: expects 3 arguments (x, y, z), but got 2"}},
		{"nil", dev, add[tile.D4], []any{x, nil, z}, []string{"expects argument #2 (y) to be a rank-1 tensor of float32, but got nil"}},
		{"nil tensor", dev, add[tile.D4], []any{x, (*cutile.Tensor[float32])(nil), z}, []string{"but got a nil *cutile.Tensor[float32]"}},
		{"scalar", dev, scale[tile.D4], []any{x, "2", z}, []string{"expects argument #2 (by) to be a float32, but got string"}},
		{"scalar out of range", dev, take[tile.D4], []any{x, 1 << 40, z}, []string{"expects argument #2 (n) to be an int32, but got 1099511627776, which does not fit"}},
		{"function", dev, apply[tile.D4], []any{x, z, square[tile.F32T1[tile.D8]]}, []string{"expects argument #3 (f) to be a func(", "but got func("}},
		{"other device", dev, add[tile.D4], []any{x, ramp(t, away, 10), z}, []string{"expects argument #2 (y) to be on device cpu, but it is on another one"}},
		{"in and out", dev, add[tile.D4], []any{x, z, z}, []string{"argument #3 (z) is written, but shares memory with argument #2 (y)"}},
		{"written Ptr", dev.Grid(1), put[tile.D4], []any{x, x, 2}, []string{"argument #2 (z) is written, but shares memory with argument #1 (x)"}},
		{"broadcast Out", dev, add[tile.D4], []any{x, x, z.Narrow(0, 0, 1).Broadcast(10)}, []string{"argument #3 (z) is written, but two of its indices are one element, as in a broadcast view"}},
		{"broken view", dev, add[tile.D4], []any{x, x, z.Narrow(0, 0, 11)}, []string{"argument #3 (z): cutile: Narrow of Tensor[float32]: range [0, 11) is not within"}},
		{"two grids", dev, twoOuts[tile.D2], []any{x, z, zeros[float32](t, dev, 5)}, []string{"argument #2 (y) needs the grid (5, 1, 1), but argument #3 (z) needs (3, 1, 1)"}},
		{"given grid", dev.Grid(4), add[tile.D4], []any{x, x, z}, []string{"the grid (4, 1, 1) was given, but argument #3 (z), of shape [10] in tiles of [4], needs (3, 1, 1)"}},
		{"no grid", dev, double[tile.D4], []any{x}, []string{"has no Out that says how many blocks to run: give the grid"}},
		{"bad grid", dev.Grid(-1), double[tile.D4], []any{x}, []string{"the grid (-1, 1, 1) is out of range"}},
		{"grid of four numbers", dev.Grid(1, 2, 3, 4), double[tile.D4], []any{x}, []string{"a grid has at most three axes, but Grid was given 4 numbers"}},
		{"nil device", none, add[tile.D4], []any{x, x, z}, []string{"cutile: launch on a nil device or stream"}},
		{"grid of a nil device", none.Grid(1), add[tile.D4], []any{x, x, z}, []string{"cutile: launch on a nil device or stream"}},
		{"nil target", nil, add[tile.D4], []any{x, x, z}, []string{"cutile: launch on a nil device or stream"}},
		{"function of nil", dev, apply[tile.D4], []any{x, z, nil}, []string{
			"expects argument #3 (f) to be a func(tile.FloatTile1[float32,tile.D4]) tile.FloatTile1[float32,tile.D4], but got nil"}},
		{"tensor for a function", dev, apply[tile.D4], []any{x, z, x}, []string{"but got *cutile.Tensor[float32] of rank 1"}},
		{"truth value for a number", dev, take[tile.D4], []any{x, true, z}, []string{"expects argument #2 (n) to be an int32, but got bool"}},
		{"fraction for an integer", dev, take[tile.D4], []any{x, 1.5, z}, []string{"expects argument #2 (n) to be an int32, but got float64"}},
		{"element of a Ptr", dev, take[tile.D4], []any{h, 1, z}, []string{"expects argument #1 (x) to be a tensor of float32, but got *cutile.Tensor[float16] of rank 1"}},
		{"tensor for a number", dev, scale[tile.D4], []any{x, x, z}, []string{"expects argument #2 (by) to be a float32, but got *cutile.Tensor[float32] of rank 1"}},
		{"nil pointer to a number", dev, scale[tile.D4], []any{x, (*float32)(nil), z}, []string{"expects argument #2 (by) to be a float32, but got a nil *float32"}},
		{"number too large", dev, scale[tile.D4], []any{x, 1e300, z}, []string{"expects argument #2 (by) to be a float32, but got 1e+300, which does not fit"}},
		{"number for a tensor", dev, add[tile.D4], []any{1, x, z}, []string{"expects argument #1 (x) to be a rank-1 tensor of float32, but got int"}},
		{"slice for a tensor", dev, add[tile.D4], []any{[]float32{1}, x, z}, []string{"expects argument #1 (x) to be a rank-1 tensor of float32, but got []float32"}},
		{"pointer to a tensor", dev, add[tile.D4], []any{x, &x, z}, []string{"expects argument #2 (y) to be a rank-1 tensor of float32, but got **cutile.Tensor[float32]"}},
		{"rank of an Out", dev, add[tile.D4], []any{x, x, m}, []string{"expects argument #3 (z) to be a rank-1 tensor of float32, but got *cutile.Tensor[float32] of rank 2"}},
		{"too many", dev, add[tile.D4], []any{x, x, z, z}, []string{"expects 3 arguments (x, y, z), but got 4"}},
		{"none", dev, add[tile.D4], nil, []string{"expects 3 arguments (x, y, z), but got 0"}},
		{"fields of a struct", dev, add[tile.D4], []any{struct {
			X *cutile.Tensor[float32]
			N int
		}{x, 1}, z}, []string{"expects argument #2 (y) to be a rank-1 tensor of float32, but got int"}},
		{"hidden fields", dev, add[tile.D4], []any{struct{ x, y *cutile.Tensor[float32] }{x, x}, z}, []string{"field by field: x is not exported"}},
		{"a text as kernel", dev, "add", []any{x}, []string{"cutile: a kernel is a Go function, not string"}},
		{"nothing as kernel", dev, nil, []any{x}, []string{"cutile: a kernel is a Go function, not nil"}},
		{"no function", dev, 3, []any{x}, []string{"cutile: a kernel is a Go function, not int"}},
		{"nil function", dev, (func())(nil), nil, []string{"cutile: a kernel is a Go function, not a nil func()"}},
	}
	for _, c := range cases {
		err := cutile.Launch(t.Context(), c.on, c.kernel, c.args...)
		fails(t, err, c.want...)
		if !errors.Is(err, cutile.ErrMismatch) && c.name != "broken view" {
			t.Errorf("%s: %v is not ErrMismatch", c.name, err)
		}
	}
	holds(t, "nothing ran", z, "[0 0 0 0 0 0 0 0 0 0]")
	var e *cutile.Error
	if err := cutile.Launch(t.Context(), dev, add[tile.D4], x, z); !errors.As(err, &e) || e.Stage != cutile.StageLaunch ||
		e.Kernel != "cutile_test.add[D4]" || e.Message != "expects 3 arguments (x, y, z), but got 2" {
		t.Errorf("%+v", e)
	}
}

// TestCompileErrors: all mistakes of a kernel at once, each with its place.
func TestCompileErrors(t *testing.T) {
	dev := open(t)
	z := zeros[float32](t, dev, 4)
	for range 2 { // the second time the error comes out of the cache
		err := cutile.Launch(t.Context(), dev, wrong, z)
		fails(t, err, "kernels_test.go:", "\n    ")
		var e *cutile.Error
		if !errors.As(err, &e) || e.Stage != cutile.StageLower || e.Pos.Line == 0 || !strings.HasSuffix(e.Pos.Filename, "kernels_test.go") {
			t.Errorf("%+v", e)
		}
	}
	fails(t, cutile.Launch(t.Context(), dev, hidden[tile.D4], z), "kernels_test.go:", "add a parameter of type tile.Size[B]")
	fails(t, cutile.Launch(t.Context(), dev, strings.ToUpper, z), "strings")
}

func TestFault(t *testing.T) {
	dev := open(t)
	x, z := ramp(t, dev, 10), zeros[float32](t, dev, 10)
	must(t, x.Narrow(0, 6, 7).Fill(t.Context(), -1))
	for _, wait := range []func() error{
		func() error { _, err := z.Slice(); return err },
		func() error { return z.Read(t.Context(), make([]float32, 10)) },
		func() error { return dev.Sync(t.Context()) },
		func() error { return dev.Stream().Sync(t.Context()) },
		func() error { _, err := z.T().Slice(); return errors.Join(err, dev.Sync(t.Context())) },
	} {
		must(t, cutile.Launch(t.Context(), dev, positive[tile.D2], x, z))
		err := wait()
		fails(t, err, "x must not be negative", "kernels_test.go:", "kernel cutile_test.positive[D2], block (3, 0, 0)")
		var e *cutile.Error
		if !errors.As(err, &e) || e.Stage != cutile.StageRun || e.Block != [3]int{3, 0, 0} || e.Pos.Line == 0 {
			t.Errorf("%+v", e)
		}
	}
	s, err := dev.NewStream()
	must(t, err)
	must(t, cutile.Launch(t.Context(), s, positive[tile.D2], x, z))
	_, err = z.Slice() // goes through the stream that wrote z
	fails(t, err, "x must not be negative")
	must(t, cutile.Launch(t.Context(), s, positive[tile.D2], x, z))
	fails(t, s.Close(), "x must not be negative")
}

func TestPrepared(t *testing.T) {
	dev := open(t)
	x, y, z := ramp(t, dev, 64), ramp(t, dev, 64), zeros[float32](t, dev, 64)
	by := float32(2)
	p, err := cutile.Prepare(t.Context(), dev, scale[tile.D16], x, &by, z)
	must(t, err)
	holds(t, "Prepare launches nothing", z.Narrow(0, 0, 2), "[0 0]")
	must(t, p.Launch(t.Context()))
	holds(t, "first", z.Narrow(0, 0, 2), "[2 4]")
	by = 10
	must(t, p.Launch(t.Context()))
	holds(t, "another scalar", z.Narrow(0, 0, 2), "[10 20]")
	must(t, p.Launch(t.Context(), x.Narrow(0, 1, 4), 0.5, y.Narrow(0, 2, 5)))
	holds(t, "other facts", y.Narrow(0, 0, 6), "[1 2 1 1.5 2 6]")
	must(t, p.Launch(t.Context()))
	fails(t, p.Launch(t.Context(), x, 1, x), "argument #3 (z) is written, but shares memory with argument #1 (x)")
	fails(t, p.Launch(t.Context()), "the last arguments did not fit the kernel: set others")
	must(t, p.Launch(t.Context(), x, 1, z))
	holds(t, "after a mistake", z.Narrow(0, 62, 64), "[63 64]")
}

func TestPreparedDoesNotAllocate(t *testing.T) {
	t.Setenv("CUTILE_CHECKS", "off")
	dev, err := cutile.Open("cpu", cutile.WithWorkers(2)) // checks would allocate
	must(t, err)
	defer dev.Close()
	x, y, z := ramp(t, dev, 64), zeros[float32](t, dev, 64), zeros[float32](t, dev, 64)
	by := float32(2)
	p, err := cutile.Prepare(t.Context(), dev, scale[tile.D64], x, &by, z)
	must(t, err)
	ctx := t.Context()
	const runs = 50
	settle(t, dev, runs, func() { p.Launch(ctx) })
	for name, launch := range map[string]func() error{
		"as before":       func() error { return p.Launch(ctx) },
		"other arguments": func() error { y, z = z, y; return p.Launch(ctx, x, &by, y) },
		"a constant":      func() error { return p.Launch(ctx, x, 0.5, z) },
	} {
		n := testing.AllocsPerRun(runs, func() {
			if err := launch(); err != nil {
				t.Fatal(err)
			}
		})
		if n != 0 {
			t.Errorf("%s: %v allocations a launch, want 0", name, n)
		}
		must(t, dev.Sync(ctx))
	}
	must(t, dev.Sync(ctx))
}

// settle repeats rounds of launches until in ten rounds, one after the other, no launch has allocated, and gives the number of launches.
// Before that, the stream's queue grows to the length that it has in a round, and the machine code of the kernel is made in the background,
// which takes long on a busy machine: until it is there, launches are interpreted.
func settle(t *testing.T, dev *cutile.Device, runs int, launch func()) (launches int) {
	t.Helper()
	start := time.Now()
	for quiet := 0; quiet < 10; quiet++ {
		n := testing.AllocsPerRun(1, func() { // to the end of the launches, as theirs count, too
			for range runs + 1 {
				launch()
			}
			must(t, dev.Sync(t.Context()))
			launches += runs + 1
		})
		if n >= float64(runs) {
			quiet = -1
		}
		if time.Since(start) > time.Minute {
			t.Fatalf("after a minute, %d launches still allocate %v times", runs+1, n)
		}
	}
	return launches
}

var compiledBefore bool

// TestCompiledOnce: a kernel is compiled once for each set of facts, on all devices and for all goroutines together.
func TestCompiledOnce(t *testing.T) {
	t.Setenv("CUTILE_CHECKS", "off")
	var devs [2]*cutile.Device // without checks, which would compile once more for what a launch proves
	for i := range devs {
		var err error
		devs[i], err = cutile.Open("cpu")
		must(t, err)
		defer devs[i].Close()
	}
	one, two := devs[0], devs[1]
	before := cutile.CompileStats()
	fresh := int64(1) // compilations that a set of facts needs: none when the process runs the test again
	if compiledBefore {
		fresh = 0
	}
	compiledBefore = true
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			dev := []*cutile.Device{one, two}[i%2]
			x, z := ramp(t, dev, 48), zeros[float32](t, dev, 48)
			for n := range 20 {
				by := float32(n)
				if err := cutile.Launch(t.Context(), dev, scaleLast[tile.D16], x, z, by); err != nil {
					t.Error(err)
					return
				}
				if got, err := z.Select(0, 47).Item(); got != 48*by || err != nil {
					t.Errorf("got %v, %v; want %v", got, err, 48*by)
				}
			}
		})
	}
	wg.Wait()
	if after := cutile.CompileStats(); after.Compiled-before.Compiled != fresh || after.Hits-before.Hits < 8*20-fresh { // a device looks twice for what it loads
		t.Errorf("compiled %d times and found %d times, want %d and at least the rest of 160", after.Compiled-before.Compiled, after.Hits-before.Hits, fresh)
	}
	odd := ramp(t, one, 49)
	must(t, cutile.Launch(t.Context(), one, scaleLast[tile.D16], odd, zeros[float32](t, one, 49), 2))
	if n := cutile.CompileStats().Compiled - before.Compiled; n != 2*fresh {
		t.Errorf("compiled %d times, want as often again for other facts", n)
	}
	for range 2 {
		cutile.Launch(t.Context(), one, wrong, zeros[float32](t, one, 4))
	}
	if n := cutile.CompileStats().Failed - before.Failed; n > 1 {
		t.Errorf("%d failures, want at most one: mistakes are kept", n)
	}
}

type celsiusRow struct{ values []float32 }

func TestAdapter(t *testing.T) {
	dev := open(t)
	calls := 0
	must(t, cutile.RegisterAdapter(func(r celsiusRow) (any, error) {
		calls++
		if r.values == nil {
			return nil, errors.New("the row is empty")
		}
		return cutile.FromSlice(dev, r.values)
	}))
	z := zeros[float32](t, dev, 2)
	row := celsiusRow{[]float32{3, 4}}
	must(t, cutile.Launch(t.Context(), dev, add[tile.D2], row, row, z))
	holds(t, "adapted", z, "[6 8]")
	err := cutile.Launch(t.Context(), dev, add[tile.D2], row, celsiusRow{}, z)
	fails(t, err, "argument #2 (y): the row is empty")
	err = cutile.RegisterAdapter(func(celsiusRow) (any, error) { return nil, nil })
	fails(t, err, "cutile: there is an adapter for cutile_test.celsiusRow already")
	fails(t, cutile.RegisterAdapter[int8](nil), "cutile: the adapter for int8 is nil")
	fails(t, cutile.RegisterAdapter(func(any) (any, error) { return 1, nil }), "cutile: an adapter must be for a concrete type, not for interface {}")
	if calls != 4 {
		t.Errorf("%d calls of the adapter, want one an argument", calls)
	}
}

func ExampleLaunch() {
	dev, err := cutile.Open("cpu")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer dev.Close()
	ctx := context.Background()
	x, _ := cutile.FromSlice(dev, []float32{1, 2, 3})
	y, _ := cutile.FromSlice(dev, []float32{4, 5, 6})
	z, _ := cutile.NewTensor[float32](dev, 3)
	if err := cutile.Launch(ctx, dev, add[tile.D1024], x, y, z); err != nil {
		fmt.Println(err)
	}
	fmt.Println(z.Slice())
	// Output: [5 7 9] <nil>
}

// TestNilReceivers: methods with pointer receivers run on nil in kernels, too, and a nil pointer in an interface is not nil.
func TestNilReceivers(t *testing.T) {
	dev := open(t)
	z := zeros[int32](t, dev, 4)
	must(t, cutile.Launch(t.Context(), dev, sumsLists, z))
	holds(t, "sums", z, "[12121 12121 12121 12121]")
}
