package cutile_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/tile"
)

// TestNoChecks: a kernel with //cutile:nochecks runs where the launch proves that no access leaves its tensor, and is a
// mistake where it does not, with the access and the numbers.
func TestNoChecks(t *testing.T) {
	dev := open(t)
	x, z := ramp(t, dev, 64, 64), zeros[float32](t, dev, 64, 64)
	must(t, cutile.Launch(t.Context(), dev, wholeTiles[tile.D16, tile.D32], x, z))
	holds(t, "whole tiles", z.Select(0, 63).Narrow(0, 62, 64), "[4096 4097]")
	part := x.Narrow(0, 0, 60)
	err := cutile.Launch(t.Context(), dev, wholeTiles[tile.D16, tile.D32], part, z)
	fails(t, err, "kernel cutile_test.wholeTiles[D16, D32]: has //cutile:nochecks, but ", "kernels_prove_test.go:9:10: Load at axis 0 may leave the tensor: indices 0 to 3 of tiles of 16 in an extent of 60")
	fails(t, cutile.Launch(t.Context(), dev, wholeTiles[tile.D16, tile.D32], x.Narrow(0, 0, 32), z), "indices 0 to 3 of tiles of 16 in an extent of 32")
	fails(t, cutile.Launch(t.Context(), dev, wholeTiles[tile.D16, tile.D32], part, z.Narrow(0, 0, 60)), "Load at axis 0", "Store at axis 0")

	v, s, at := ramp(t, dev, 64), zeros[float32](t, dev, 64), zeros[int32](t, dev, 1)
	must(t, cutile.Launch(t.Context(), dev, sums[tile.D16], v, s))
	holds(t, "sums", s.Narrow(0, 0, 2), "[34 36]")
	fails(t, cutile.Launch(t.Context(), dev, sums[tile.D16], v.Narrow(0, 0, 63), s), "in an extent of 63")
	fails(t, cutile.Launch(t.Context(), dev, loaded[tile.D16], v, at, s), "kernels_prove_test.go:27:10: Load at axis 0 may leave the tensor: nothing bounds the index")
}

// TestProofs sees what code a GPU gets: one that relies on what the launch proves, one that does not where it proves
// nothing, and the first again for the first shape. A pointer to a number is proved with the number of the launch.
func TestProofs(t *testing.T) {
	drv := fake.New(fake.Options{Devices: []fake.Device{{Major: 9, Memory: 1 << 24}}, Run: func(l *fake.Launch) error { return nil }})
	asm := &counting{}
	t.Cleanup(engine.Register(cuda.Kind(cuda.Options{Driver: drv, Assembler: asm})))
	dev, err := cutile.Open("cuda")
	must(t, err)
	defer dev.Close()
	x, z := ramp(t, dev, 64), zeros[float32](t, dev, 64)
	launch := func(k any, args ...any) (fresh int) {
		t.Helper()
		before := len(asm.jobs)
		must(t, cutile.Launch(t.Context(), dev, k, args...))
		return len(asm.jobs) - before
	}
	inbounds := func(i int) (n int) {
		for _, o := range asm.jobs[i].Module.Entries[0].Body.Ops {
			if o.Info.AttrIndex("inbounds") >= 0 && o.Attr("inbounds") != nil {
				n++
			}
		}
		return n
	}
	if n := launch(add[tile.D16], x, x, z); n != 1 || inbounds(0) != 3 {
		t.Errorf("whole tiles: %d modules, %d promises, want 1 and 3", n, inbounds(0))
	}
	if n := launch(add[tile.D32], x, x, z.Narrow(0, 0, 48)); n != 1 || inbounds(1) != 2 {
		t.Errorf("a partial tile that is stored: %d modules, %d promises, want 1 and 2", n, inbounds(1))
	}
	if n := launch(add[tile.D32], x.Narrow(0, 0, 16), x.Narrow(0, 0, 16), z.Narrow(0, 0, 16)); n != 1 || inbounds(2) != 0 {
		t.Errorf("nothing is proved: %d modules, %d promises, want 1 and none", n, inbounds(2))
	}
	if n := launch(add[tile.D16], x.Narrow(0, 0, 32), x.Narrow(0, 0, 32), z.Narrow(0, 0, 32)); n != 0 {
		t.Errorf("another shape with the same proof: %d modules", n)
	}
	asm.fail = true
	if n := launch(scale[tile.D16], x, 2, z); n != 2 {
		t.Errorf("where the code with promises cannot be had: %d attempts, want 2", n)
	}
}

// TestProofsHold launches a kernel with indices of many kinds over random shapes on a device that tests each promise.
func TestProofsHold(t *testing.T) {
	checked := open(t)
	plain, err := cutile.Open("cpu")
	must(t, err)
	defer plain.Close()
	rng := rand.New(rand.NewPCG(1, 2))
	before := cutile.CompileStats().Compiled
	for range 150 {
		rows, cols := rng.IntN(40)+1, rng.IntN(40)+1
		if rng.IntN(2) == 0 {
			rows, cols = (rows+3)/4*4, (cols+7)/8*8
		}
		by, lo, hi := rng.IntN(5)-2, rng.IntN(4)-1, rng.IntN(6)-1
		var results [2][]float32
		for i, dev := range []*cutile.Device{checked, plain} {
			x := ramp(t, dev, rows, cols)
			z := zeros[float32](t, dev, rows, cols)
			must(t, cutile.Launch(t.Context(), dev, shifted[tile.D4, tile.D8], x, by, lo, hi, z))
			results[i], err = z.Slice()
			if err != nil {
				t.Fatalf("%dx%d, %d, %d to %d: %v", rows, cols, by, lo, hi, err)
			}
		}
		if !slices.Equal(results[0], results[1]) {
			t.Fatalf("%dx%d, %d, %d to %d: %v, without promises %v", rows, cols, by, lo, hi, results[0], results[1])
		}
	}
	if n := cutile.CompileStats().Compiled - before; n < 20 {
		t.Errorf("only %d kinds of proof", n)
	}
}

// TestSoleBlocks launches a kernel over every small grid on a device that takes what launches prove: the number of a block
// that is alone along an axis is 0 in the code for such launches, and in no other.
func TestSoleBlocks(t *testing.T) {
	dev := open(t)
	before := cutile.CompileStats().Compiled
	for x := range 3 {
		for y := range 3 {
			for w := range 3 {
				z := zeros[int32](t, dev, 3, 3, 3)
				must(t, cutile.Launch(t.Context(), dev.Grid(x+1, y+1, w+1), numbered, z))
				got, err := z.Slice()
				must(t, err)
				for i, v := range got {
					a, b, c := i/9, i/3%3, i%3
					want := int32(100*a + 10*b + c + 1)
					if a > x || b > y || c > w {
						want = 0
					}
					if v != want {
						t.Fatalf("grid (%d, %d, %d), block (%d, %d, %d): %d, want %d", x+1, y+1, w+1, a, b, c, v, want)
					}
				}
			}
		}
	}
	if n := cutile.CompileStats().Compiled - before; n != 1+7 { // without a proof, and with one for each set of axes but all three
		t.Errorf("%d kinds of code", n)
	}
}
