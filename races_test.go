package cutile_test

import (
	"errors"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

// TestRaces launches kernels that race between blocks, and twins that do not, three times each: forward, backward and
// shuffled. The report names both places in the source, both blocks, the tensor and the element.
func TestRaces(t *testing.T) {
	dev := open(t)
	ints := func(n int) *cutile.Tensor[int32] { return zeros[int32](t, dev, n) }
	floats := func(n ...int) *cutile.Tensor[float32] { return zeros[float32](t, dev, n...) }
	fours := dev.Grid(4)
	cases := []struct {
		name   string
		on     cutile.Target
		kernel any
		args   []any
		want   []string
	}{
		{"histogram", fours, countPlain, []any{ints(16), ints(8)}, []string{"kernels_races_test.go:11:7: kernel cutile_test.countPlain, block (1, 0, 0): data race at element 0 of bins: " +
			"this Gather and the Scatter of block (0, 0, 0) at ", "kernels_races_test.go:12:2: nothing orders the two blocks"}},
		{"histogram with atomics", fours, countAtomic, []any{ints(16), ints(8)}, nil},
		{"plain read beside atomics", fours, countMixed, []any{ints(16), ints(8), ints(16)}, []string{"data race at element 0 of bins: this atomic operation and the Gather of block (0, 0, 0)"}},
		{"atomics within a block", fours, countWithin, []any{ints(16), ints(8)}, []string{"data race at element 0 of bins: this atomic operation and the atomic operation of block (0, 0, 0)"}},
		{"split-k", fours, splitK, []any{floats(16), floats(16), ints(1), floats(4)}, nil},
		{"split-k, relaxed", fours, splitKRelaxed, []any{floats(16), floats(16), ints(1), floats(4)}, []string{"block (3, 0, 0): data race at element (0) of parts: this Load and the Store of block (0, 0, 0) at "}},
		{"flag", fours, relay, []any{ints(1), ints(1)}, nil},
		{"flag, relaxed", fours, relayRelaxed, []any{ints(1), ints(1)}, []string{"block (1, 0, 0): data race at element 0 of value: this Gather and the Scatter of block (0, 0, 0) at "}},
		{"halo in place", fours, smoothInPlace, []any{floats(16)}, []string{"data race at element (4) of x: this Store and the Load of block (0, 0, 0) at "}},
		{"halo", fours, smooth, []any{floats(16), floats(16)}, nil},
		{"one tile of two blocks", fours, sameTile, []any{floats(16), 2}, []string{"block (1, 0, 0): data race at element (0) of z: this Store and the Store of block (0, 0, 0) at "}},
		{"a tile each", fours, sameTile, []any{floats(16), 1}, nil},
		{"slices that overlap", fours, slices4, []any{floats(2, 16), 3}, []string{"block (1, 0, 0): data race at element (1, 3) of z: this Store"}},
		{"slices", fours, slices4, []any{floats(2, 16), 4}, nil},
		{"slices of columns", fours, slices4, []any{floats(16, 2).T(), 4}, nil},
		{"slices of columns that overlap", fours, slices4, []any{floats(16, 2).T(), 2}, []string{"data race at element (1, 2) of z"}},
		{"the last two of a line", dev.Grid(7), lastTwo, []any{floats(4)}, []string{"block (6, 0, 0): data race at element (0) of z: this Store and the Store of block (5, 0, 0) at "}},
		{"the last two of a box", dev.Grid(2, 3, 4), lastTwo, []any{floats(4)}, []string{"block (1, 2, 3): data race at element (0) of z: this Store and the Store of block (0, 2, 3) at "}},
		{"coordinates", fours, meet, []any{floats(8, 4), floats(8, 4), 1}, nil},
		{"coordinates that meet", fours, meet, []any{floats(8, 4), floats(8, 4), 2}, []string{"block (1, 0, 0): data race at element (1, 0) of y: this Scatter and the Scatter of block (0, 0, 0) at "}},
		{"coordinates of columns that meet", fours, meet, []any{floats(8, 4), floats(4, 8).T(), 2}, []string{"data race at element (1, 0) of y"}},
		{"coordinates that are read", fours, readNext, []any{floats(8, 4), floats(16)}, []string{"block (1, 0, 0): data race at element (2, 1) of y: this Scatter and the Gather of block (0, 0, 0) at "}},
		{"accumulate", fours, accumulate, []any{floats(16), floats(4)}, nil},
		{"accumulate and read", fours, accumulateThenRead, []any{floats(16), floats(4), floats(16)}, []string{"data race at element (0) of sum"}},
		{"global", fours, toGlobal, []any{2}, []string{"block (1, 0, 0): data race at byte 0 of global ", ": this Scatter and the Scatter of block (0, 0, 0)"}},
		{"places of a global", fours, toGlobal, []any{1}, nil},
		{"bytes side by side", fours, bytes, []any{zeros[int8](t, dev, 8), 1}, nil},
		{"one byte", fours, bytes, []any{zeros[int8](t, dev, 8), 2}, []string{"data race at element 0 of z"}},
		{"words as bytes", fours, recast, []any{zeros[int8](t, dev, 16), 4}, nil},
		{"another order", fours, outOfOrder, []any{ints(1)}, nil},
	}
	for _, c := range cases {
		for run := range 3 {
			err := cutile.Launch(t.Context(), c.on, c.kernel, c.args...)
			if err == nil {
				err = dev.Sync(t.Context())
			}
			var e *cutile.Error
			switch {
			case c.want == nil && err != nil:
				t.Errorf("%s, run %d: %v", c.name, run, err)
			case c.want != nil && (!errors.As(err, &e) || e.Stage != cutile.StageRun):
				t.Errorf("%s, run %d: got the error %v, want a race", c.name, run, err)
			case c.want != nil && run == 0: // the other blocks come first later
				fails(t, err, c.want...)
			}
			for _, x := range c.args { // flags and counters
				if x, ok := x.(*cutile.Tensor[int32]); ok {
					must(t, x.Write(t.Context(), make([]int32, x.Len())))
				}
			}
		}
	}
}

// TestRacesCostNothingUnasked: without WithChecks nothing is reported.
func TestRacesCostNothingUnasked(t *testing.T) {
	t.Setenv("CUTILE_CHECKS", "off")
	must(t, smoothed(t))
}

// smoothed opens a device as it comes and runs a kernel whose blocks race on it.
func smoothed(t *testing.T, opts ...cutile.Option) error {
	dev, err := cutile.Open("cpu", append(opts, cutile.WithWorkers(1))...)
	must(t, err)
	defer dev.Close()
	x := zeros[float32](t, dev, 16)
	must(t, cutile.Launch(t.Context(), dev.Grid(4), smoothInPlace, x))
	return dev.Sync(t.Context())
}

// TestChecksInTests: where nobody says anything, a test's devices check; CUTILE_CHECKS decides otherwise, and WithChecks in
// any case.
func TestChecksInTests(t *testing.T) {
	fails(t, smoothed(t), "data race at element (4) of x")
	t.Setenv("CUTILE_CHECKS", "off")
	must(t, smoothed(t))
	fails(t, smoothed(t, cutile.WithChecks()), "data race at element (4) of x")
	t.Setenv("CUTILE_CHECKS", "on")
	fails(t, smoothed(t), "data race at element (4) of x")
	t.Setenv("CUTILE_CHECKS", "1")
	_, err := cutile.Open("cpu")
	fails(t, err, `CUTILE_CHECKS is "1": expected on or off`)
}

// TestBlockOrder: with checks blocks run in another order from launch to launch, so that what depends on it shows.
func TestBlockOrder(t *testing.T) {
	dev := open(t, cutile.WithWorkers(1))
	last := zeros[int32](t, dev, 1)
	seen := map[int32]bool{}
	for range 12 {
		must(t, cutile.Launch(t.Context(), dev.Grid(8), outOfOrder, last))
		got, err := last.Slice()
		must(t, err)
		seen[got[0]] = true
	}
	if !seen[7] || !seen[0] || len(seen) < 4 {
		t.Errorf("the last block was one of %v: want 7, 0 and others", seen)
	}
}

// TestOutside: a tile that lies wholly outside its view is reported with checks, unless the kernel means it.
func TestOutside(t *testing.T) {
	dev := open(t)
	x, z := ramp(t, dev, 10), zeros[float32](t, dev, 4)
	run := func(kernel any, at int) error {
		must(t, x.Write(t.Context(), []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}))
		var on cutile.Target = dev
		if _, ok := kernel.(func(tile.In[tile4], int, tile.InOut[tile4])); ok {
			on = dev.Grid(1)
		}
		must(t, cutile.Launch(t.Context(), on, kernel, x, at, z))
		return dev.Sync(t.Context())
	}
	must(t, run(readAt, 2)) // elements 8 and 9
	for _, at := range []int{-3, -1, 3, 7} {
		fails(t, run(readAt, at), "kernel cutile_test.readAt, block (0, 0, 0): Load of a tile wholly outside x: index ", "which a GPU leaves undefined", "//cutile:outside above the kernel")
		must(t, run(readAtMeant, at))
		holds(t, "outside", z, "[0 0 0 0]")
	}
	must(t, run(partAt, 2))
	holds(t, "part", z, "[3 4 5 6]")
	fails(t, run(partAt, -3), "a part of a tensor begins before the tensor", "kernels_races_test.go:")
	fails(t, run(readAt, 3), "index 3 along axis 0 is elements 12 to 15 of 10")
	fails(t, run(readAt, 1<<62), "index 4611686018427387904 along axis 0 is elements 18446744073709551616 to 18446744073709551619 of 10") // more than 64 bits
	fails(t, run(readAt, -1<<63), "index -9223372036854775808 along axis 0 is elements -36893488147419103232 to -36893488147419103229 of 10")
	must(t, run(storeAt, 0))
	fails(t, run(storeAt, 1), "Store of a tile wholly outside z: index 1 along axis 0 is elements 4 to 7 of 4")

	// an empty part has no tile at all, and a message of elements "of 0" would not say why
	for _, at := range []int{0, 3} {
		fails(t, run(readEmpty, at), "Load of a tile of x, which has no elements: its extent along axis 0 is 0", "kernels_races_test.go:")
	}
}

// TestPointerOfView: a tile.Ptr takes no tensor whose elements do not lie one behind another, at every way of launching,
// but its Span, its Contiguous, and views that only cut off rows.
func TestPointerOfView(t *testing.T) {
	dev := open(t)
	m, z := ramp(t, dev, 4, 4), zeros[float32](t, dev, 4)
	wrong := []struct {
		x    *cutile.Tensor[float32]
		want string
	}{
		{m.T(), "argument #1 (x) is a tile.Ptr, which needs contiguous elements in row-major order, but the tensor of shape [4 4] has strides [1 4]: pass its Contiguous, or make the parameter a tile.In or tile.InOut, or pass its Span"},
		{m.Narrow(1, 0, 2), "shape [4 2] has strides [4 1]"},
		{m.Select(1, 2), "shape [4] has strides [4]"},
		{m.Narrow(0, 0, 1).Broadcast(4, 4), "shape [4 4] has strides [0 1]"},
	}
	on := dev.Grid(1)
	prepared, err := cutile.Prepare(t.Context(), on, copyPointers, m, z)
	must(t, err)
	for _, c := range wrong {
		fails(t, cutile.Launch(t.Context(), on, copyPointers, c.x, z), c.want)
		fails(t, cutile.Launch2(t.Context(), on, copyPointers, c.x, z), c.want)
		fails(t, cutile.Launch(t.Context(), on, copyPointers, struct{ X, Z *cutile.Tensor[float32] }{c.x, z}), c.want)
		_, err := cutile.Prepare(t.Context(), on, copyPointers, c.x, z)
		fails(t, err, c.want)
		fails(t, prepared.Launch(t.Context(), c.x, z), c.want)
	}
	must(t, cutile.Launch(t.Context(), on, copyPointers, m.Narrow(0, 1, 2), z))
	holds(t, "a row", z, "[5 6 7 8]")
	must(t, cutile.Launch(t.Context(), on, copyPointers, must1(m.T().Contiguous())(t), z))
	holds(t, "Contiguous", z, "[1 5 9 13]")
	must(t, cutile.Launch(t.Context(), dev, byStrides, m.T().Narrow(0, 1, 3).Narrow(1, 2, 4).Span(), 1, 4, z))
	holds(t, "Span", z, "[10 14 11 15]")
}

func must1[T any](x T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		must(t, err)
		return x
	}
}

// TestPointerBounds: with checks an access through a pointer ends at the tensor that it came from, though the memory goes on.
func TestPointerBounds(t *testing.T) {
	dev := open(t)
	m, z := ramp(t, dev, 4, 4), zeros[float32](t, dev, 8)
	try := func(x, z *cutile.Tensor[float32]) error {
		must(t, cutile.Launch(t.Context(), dev.Grid(1), copyPointers, x, z))
		return dev.Sync(t.Context())
	}
	fails(t, try(m.Select(0, 1).Narrow(0, 0, 3), z), "kernel cutile_test.copyPointers, block (0, 0, 0): element 3: Gather outside the tensor: offset 3 of 3 elements of x")
	fails(t, try(m, z.Narrow(0, 2, 4)), "element 2: Scatter outside the tensor: offset 2 of 2 elements of z")
	fails(t, try(m, z.Narrow(0, 6, 8)), "element 2: Scatter outside the tensor: offset 2 of 2 elements of z")
	for _, empty := range []*cutile.Tensor[float32]{m.Narrow(0, 2, 2), m.Narrow(1, 2, 2)} {
		fails(t, try(empty, z.Narrow(0, 0, 4)), "element 0: Gather outside the tensor: offset 0 of 0 elements of x")
		fails(t, try(z, empty), "element 0: Scatter outside the tensor: offset 0 of 0 elements of z")
	}
	holds(t, "nothing was stored", z, "[0 0 0 0 0 0 0 0]")
}
