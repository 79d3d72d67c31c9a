package cutile_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tile"
)

// TestPersistent launches persistent kernels without a grid: there are as many blocks as the device runs at once by the hints of
// the kernel, and no more than tiles.
func TestPersistent(t *testing.T) {
	five, err := cutile.Open("cpu", cutile.WithWorkers(5))
	must(t, err)
	defer five.Close()
	var grid [3]uint32 // of the last launch on the GPU
	gpu := fakeGPU(t, fake.Options{Devices: []fake.Device{{Major: 9, Memory: 1 << 20, Multiprocessors: 7}},
		Run: func(l *fake.Launch) error { grid = l.Grid; return nil }})
	for _, c := range []struct {
		name   string
		dev    *cutile.Device
		kernel any
		tiles  int
		want   int32
	}{
		{"a block for each worker", five, countBlocks[tile.D4], 30, 5},
		{"no more than tiles", five, countBlocks[tile.D4], 3, 3},
		{"the hint of the kernel", five, countMore[tile.D4], 30, 15},
		{"a block for each multiprocessor", gpu, countBlocks[tile.D4], 30, 7},
		{"no more than tiles on a GPU", gpu, countBlocks[tile.D4], 3, 3},
		{"the hint for the GPU", gpu, countMore[tile.D4], 30, 14},
		{"blocks of two", gpu, countPairs[tile.D4], 30, 14},
	} {
		z, err := cutile.NewTensor[int32](c.dev, 4*c.tiles-1)
		must(t, err)
		if err := cutile.Launch(t.Context(), c.dev, c.kernel, z); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		got, err := z.Slice()
		must(t, err)
		if c.dev == gpu {
			got = []int32{int32(grid[0] * grid[1] * grid[2])}
		}
		if slices.ContainsFunc(got, func(n int32) bool { return n != c.want }) {
			t.Errorf("%s: %v, want %d", c.name, got, c.want)
		}
	}
}

// TestPersistentTyped launches by the typed form, with a grid and without, and by a grid of two axes, which is refused.
func TestPersistentTyped(t *testing.T) {
	dev := open(t)
	z, err := cutile.NewTensor[int32](dev, 9)
	must(t, err)
	for _, on := range []cutile.Target{dev, dev.Grid(2)} {
		must(t, cutile.Launch1(t.Context(), on, countBlocks[tile.D2], z))
	}
	if got, err := z.Slice(); err != nil || got[8] != 2 {
		t.Errorf("%v, %v", got, err)
	}
	err = cutile.Launch1(t.Context(), dev.Grid(2, 2), countBlocks[tile.D2], z)
	if want := "argument #1 (z), a tile.Persistent, is written by blocks along the first axis"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestPersistentNumbers: a block has only its own tiles.
func TestPersistentNumbers(t *testing.T) {
	dev, err := cutile.Open("cpu", cutile.WithChecks())
	must(t, err)
	defer dev.Close()
	z, err := cutile.NewTensor[int32](dev, 16)
	must(t, err)
	for _, n := range []int{-1, 4, 1 << 31, 1 << 32, 1<<32 + 1, 1 << 62, -1 << 63} {
		must(t, cutile.Launch(t.Context(), dev.Grid(1), storeTile, z, n))
		if err := dev.Sync(t.Context()); err == nil || !strings.Contains(err.Error(), "the block does not have this tile") || !strings.Contains(err.Error(), "kernels_persistent_test.go:") {
			t.Errorf("tile %d: %v", n, err)
		}
	}
	if got, err := z.Slice(); err != nil || slices.Max(got) != 0 {
		t.Errorf("%v, %v", got, err)
	}
	must(t, cutile.Launch(t.Context(), dev.Grid(1), storeTile, z, 3))
	if got, err := z.Slice(); err != nil || got[12] != 77 || got[11] != 0 {
		t.Errorf("%v, %v", got, err)
	}
	for kernel, want := range map[string]error{
		"kernels_persistent_test.go:27:57: the number of a tile is 1099511627776": cutile.Launch(t.Context(), dev, storeFar, z),
		"the order of the tiles, which Grouped returns, must be known": func() error {
			m, err := cutile.NewTensor[int32](dev, 8, 8)
			must(t, err)
			return cutile.Launch(t.Context(), dev, inBranch, m, true)
		}(),
	} {
		if want == nil || !strings.Contains(want.Error(), kernel) {
			t.Errorf("%v, want %s", want, kernel)
		}
	}
}

// TestPersistentInside: of tensors of whole tiles, all tiles are known to lie inside, with any number of blocks.
func TestPersistentInside(t *testing.T) {
	dev := open(t)
	for blocks := 1; blocks < 40; blocks++ {
		z, err := cutile.NewTensor[int32](dev, 16, 32)
		must(t, err)
		must(t, cutile.Launch(t.Context(), dev.Grid(blocks), insideRows, z))
		must(t, cutile.Launch(t.Context(), dev.Grid(blocks), insideGroups, z))
		if got, err := z.Slice(); err != nil || slices.Min(got) != 2 || slices.Max(got) != 2 {
			t.Fatalf("%d blocks: %v, %v", blocks, got, err)
		}
	}
}

// TestOccupancy asks what kernels take of devices.
func TestOccupancy(t *testing.T) {
	five, err := cutile.Open("cpu", cutile.WithWorkers(5))
	must(t, err)
	defer five.Close()
	gpu := fakeGPU(t, fake.Options{Devices: []fake.Device{{Major: 9, Memory: 1 << 20, Multiprocessors: 7}}})
	for dev, want := range map[*cutile.Device]cutile.Occupancy{
		five: {Blocks: 1, Multiprocessors: 5, Threads: 1},
		gpu:  {Blocks: 2, Multiprocessors: 7, Threads: 1024, Registers: 32},
	} {
		z, err := cutile.NewTensor[int32](dev, 9)
		must(t, err)
		p, err := cutile.Prepare(t.Context(), dev, countBlocks[tile.D4], z)
		must(t, err)
		if got, err := p.Occupancy(); err != nil || got != want || got.Resident() != want.Blocks*want.Multiprocessors {
			t.Errorf("%v: %+v, %v; want %+v", dev, got, err, want)
		}
		if err := p.Launch(t.Context(), 7); err == nil {
			t.Error("a number was taken for a tensor")
		}
		if _, err := p.Occupancy(); err == nil || !strings.Contains(err.Error(), "the last arguments did not fit") {
			t.Errorf("after wrong arguments: %v", err)
		}
	}
	vulkan := onVulkan(t)
	z, err := cutile.NewTensor[int32](vulkan, 9)
	must(t, err)
	p, err := cutile.Prepare(t.Context(), vulkan, countBlocks[tile.D4], z)
	must(t, err)
	if _, err := p.Occupancy(); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("Vulkan: %v", err)
	}
}

// TestNestedProducts: kernels whose loop over k stands in other loops and branches give the bits of the plain one, at edges, too; interpreted
// and at each level of machine code.
func TestNestedProducts(t *testing.T) {
	defer func(f func(*cpu.Options)) { cpu.Adjust = f }(cpu.Adjust)
	cpu.Adjust = func(o *cpu.Options) { o.Twins = true }
	dev := open(t)
	type one = tile.D1
	for _, x := range []struct{ m, n, k int }{{64, 48, 80}, {70, 50, 75}, {16, 16, 5}, {100, 3, 33}, {1, 100, 200}} {
		a, err := cutile.Uniform[float32](dev, 1, -1, 1, x.m, x.k)
		must(t, err)
		b, err := cutile.Uniform[float32](dev, 2, -1, 1, x.k, x.n)
		must(t, err)
		result := func(on cutile.Target, kernel any, more ...any) []float32 {
			c, err := cutile.NewTensor[float32](dev, x.m, x.n)
			must(t, err)
			must(t, cutile.Launch(t.Context(), on, cutile.Sized(kernel, 16, 16, 16), append([]any{a, b, c}, more...)...))
			list, err := c.Slice()
			must(t, err)
			return list
		}
		want := result(dev, plainProduct[one, one, one])
		for name, got := range map[string][]float32{
			"resident":    result(dev.Grid(3), residentProduct[one, one, one]),
			"turns":       result(dev.Grid(3), turnsProduct[one, one, one], 1),
			"three parts": result(dev.Grid(2), turnsProduct[one, one, one], 3),
			"sliced":      result(dev.Grid((x.m+15)/16), slicedProduct[one, one, one]),
		} {
			if !slices.Equal(got, want) {
				t.Errorf("%s, %v: the result differs from that of the plain kernel", name, x)
			}
		}
	}
}

// TestEmptyOutBesidePersistent: an Out without elements launches nothing, without an error, whatever is beside it; with some, each tile is
// written once.
func TestEmptyOutBesidePersistent(t *testing.T) {
	dev := open(t)
	for _, c := range []struct{ rows, cols, want int }{{0, 0, 0}, {0, 4, 0}, {9, 0, 0}, {0, 40, 0}, {9, 4, 1}, {1, 1, 1}} {
		o, err := cutile.NewTensor[int32](dev, c.rows, c.cols)
		must(t, err)
		z, err := cutile.NewTensor[int32](dev, 13)
		must(t, err)
		must(t, cutile.Launch(t.Context(), dev, besideOut, o, z))
		p, err := cutile.Prepare(t.Context(), dev, besideOut, o, z)
		must(t, err)
		must(t, p.Launch(t.Context(), o, z))
		got, err := z.Slice()
		must(t, err)
		if slices.ContainsFunc(got, func(n int32) bool { return n != int32(2*c.want) }) {
			t.Errorf("an Out of %d x %d: %v, want %d", c.rows, c.cols, got, 2*c.want)
		}
	}
}
