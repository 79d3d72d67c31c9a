package vulkan_test

import (
	"slices"
	"testing"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/vulkan"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

func TestAdd(t *testing.T) {
	everywhere(t, func(t *testing.T, m machine) {
		const n = 1000
		s, k := newStream(t, m), load(t, m, "add")
		x := alloc(t, m, s, n, floats(n, func(i int) float32 { return float32(i) / 4 })...)
		y := alloc(t, m, s, n, floats(n, func(i int) float32 { return -float32(i) })...)
		z := alloc(t, m, s, n+24)
		if got := read(t, s, z, n+24); slices.ContainsFunc(got, func(w uint32) bool { return w != 0 }) {
			t.Errorf("new memory holds %v", got)
		}
		for range 3 {
			check(t, s.Launch(k, [3]uint32{(n + 63) / 64, 1, 1}, []uint64{x.Address(), y.Address(), z.Address(), n}))
		}
		want := append(floats(n, func(i int) float32 { return float32(i)/4 - float32(i) }), make([]uint32, 24)...)
		if got := read(t, s, z, n+24); !slices.Equal(got, want) {
			t.Errorf("got %v", got)
		}
		check(t, s.Close())
		check(t, k.Close())
		for _, b := range []engine.Buffer{x, y, z} {
			check(t, b.Free())
		}
		wants(t, x.Free(), "this buffer is used after it was closed")
	})
}

// TestGrids launches grids that the device takes in parts only.
func TestGrids(t *testing.T) {
	everywhere(t, func(t *testing.T, m machine) {
		s, k := newStream(t, m), load(t, m, "copy")
		grids := [][3]uint32{{7, 5, 3}, {1, 1, 1}, {1, 1, 9}, {2, 9, 1}}
		if m.Info().Device.Limits.Grid[0] > 3 {
			grids = append(grids, [3]uint32{m.Info().Device.Limits.Grid[0] + 1000, 1, 1})
		}
		for _, g := range grids {
			n := int(g[0] * g[1] * g[2])
			x, y := alloc(t, m, s, n, ramp(n)...), alloc(t, m, s, n+5)
			check(t, s.Launch(k, g, []uint64{x.Address(), y.Address()}))
			if got := read(t, s, y, n+5); !slices.Equal(got, append(ramp(n), 0, 0, 0, 0, 0)) {
				t.Errorf("grid %v: got %v", g, got[:min(n, 100)])
			}
		}
	})
}

// TestKernels runs the kernels whose results are a few words.
func TestKernels(t *testing.T) {
	everywhere(t, func(t *testing.T, m machine) {
		s := newStream(t, m)
		x := alloc(t, m, s, 2)
		check(t, s.Launch(load(t, m, "atomics"), [3]uint32{20, 1, 1}, []uint64{x.Address()}))
		if got := read(t, s, x, 2); got[0] != 1280 || got[1] != 1280*1279/2 {
			t.Errorf("atomics: got %v", got)
		}

		y, args := alloc(t, m, s, 20), []uint64{0}
		for i := range 19 {
			args = append(args, uint64(100+i))
		}
		args[0] = y.Address()
		check(t, s.Launch(load(t, m, "many"), [3]uint32{19, 1, 1}, args))
		if got := read(t, s, y, 20); got[0] != 100 || got[18] != 118 || got[19] != 0 {
			t.Errorf("many parameters: got %v", got)
		}

		for size := m.Caps().Subgroup.Min; size <= m.Caps().Subgroup.Max; size *= 2 {
			c := code(t, "subgroup")
			c.Subgroup, c.Full = size, m.Caps().Features.FullSubgroups
			k, err := m.Load("subgroup", c)
			check(t, err)
			check(t, s.Launch(k, [3]uint32{1, 1, 1}, []uint64{x.Address()}))
			if got := read(t, s, x, 1); got[0] != size {
				t.Errorf("subgroups of %d, want %d", got[0], size)
			}
		}
	})
}

// TestScratch: blocks have memory of their own, in grids of any size.
func TestScratch(t *testing.T) {
	everywhere(t, func(t *testing.T, m machine) {
		s, k := newStream(t, m), load(t, m, "scratch")
		for _, g := range [][3]uint32{{2, 1, 1}, {7, 5, 3}, {100, 1, 1}} {
			n := int(g[0] * g[1] * g[2])
			x := alloc(t, m, s, n)
			check(t, s.Launch(k, g, []uint64{x.Address()}))
			got := read(t, s, x, n)
			for i := range got {
				if got[i] != uint32(64*i) {
					t.Fatalf("grid %v: block %d found %d, want %d", g, i, got[i], 64*i)
				}
			}
		}
		c := code(t, "scratch")
		c.Scratch = 64 << 20 // four blocks at a time
		big, err := m.Load("scratch", c)
		check(t, err)
		_ = big
	})
}

// TestLaunchDoesNotAllocate: launches are to cost as little as they can.
func TestLaunchDoesNotAllocate(t *testing.T) {
	in, _ := instance(t)
	m := openOn(t, in, 0, vulkan.Options{})
	s, k := newStream(t, m), load(t, m, "add")
	x := alloc(t, m, s, 64)
	args := []uint64{x.Address(), x.Address(), x.Address(), 64}
	launch := func() { check(t, s.Launch(k, [3]uint32{1, 1, 1}, args)) }
	for range 100 { // all slots
		launch()
	}
	if n := testing.AllocsPerRun(100, launch); n != 0 && !testenv.Race() {
		t.Errorf("%v allocations", n)
	}
	check(t, s.Wait(background))
}
