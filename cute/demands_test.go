package cute_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/internal/simt/opt"
	"github.com/cutile-go/cutile/internal/simt/ptx"
)

// TestCompositionOfDynamicExtents: a composition whose numbers do not divide one another is refused where they are static,
// and reported by a launch that is checked where they are dynamic, in kernels and in host functions. Without checks they
// are trusted, as in CuTe. Where they divide, nothing is said.
func TestCompositionOfDynamicExtents(t *testing.T) {
	for _, checks := range []bool{true, false} {
		t.Setenv("CUTILE_CHECKS", map[bool]string{true: "on", false: "off"}[checks])
		dev, err := cutile.Open("cpu")
		check(t, err)
		defer dev.Close()
		data := make([]int32, 18)
		for i := range data {
			data[i] = int32(i%3*10 + i/3)
		}
		whole := must(cutile.FromSlice(dev, data, 6, 3))(t)
		for name, run := range map[string]func(x, z cute.Tensor[int32]) error{"kernel": runFirstSix, "host": runSixOf} {
			call := func(x cute.Tensor[int32]) ([]int32, error) {
				z := must(cutile.NewTensor[int32](dev, 6))(t)
				if err := run(x, cute.Of[int32](z)); err != nil {
					return nil, err
				}
				if err := dev.Sync(t.Context()); err != nil {
					return nil, err
				}
				return z.Slice()
			}
			odd := whole.Narrow(0, 0, 4) // 3 of its 4 rows are no whole part of them
			_, err := call(cute.Of[int32](odd, cute.Static()))
			wantError(t, err, "demands_kernels_test.go:", "3 elements do not divide the 4 that a mode gives")
			_, err = call(cute.Of[int32](odd))
			switch {
			case checks:
				wantError(t, err, "demands_kernels_test.go:", "neither the stride 3 nor the size ? of a mode divides the other")
			case err != nil:
				t.Errorf("%s, without checks: %v", name, err)
			}
			got, err := call(cute.Of[int32](whole.Narrow(0, 0, 3)))
			if want := []int32{0, 1, 2, 10, 11, 12}; err != nil || !slices.Equal(got, want) {
				t.Errorf("%s of 3 rows: %v, %v; want %v", name, got, err, want)
			}
		}
	}
}

// TestRecastOfNarrowPlaces: wider elements begin where the narrow ones do, else a tensor of them would be other memory.
func TestRecastOfNarrowPlaces(t *testing.T) {
	t.Setenv("CUTILE_CHECKS", "on")
	dev, err := cutile.Open("cpu")
	check(t, err)
	defer dev.Close()
	z := must(cutile.NewTensor[int32](dev, 1))(t)
	even := must(cutile.FromSlice(dev, []int16{1, 0, 2, 0, 3, 0, 4, 0}, 2, 4))(t)
	odd := must(cutile.NewTensor[int16](dev, 2, 5))(t).Narrow(1, 0, 4)
	run := func(x cute.Tensor[int16], column int) error {
		if err := runPairs(x, cute.Of[int32](z), column); err != nil {
			return err
		}
		return dev.Sync(t.Context())
	}
	for name, marks := range map[string][]cute.Mark{"static": {cute.Static()}, "dynamic": nil} {
		check(t, run(cute.Of[int16](even, marks...), 0))
		if got := must(z.Item())(t); got != 4 {
			t.Errorf("%s: %d, want 4", name, got)
		}
		check(t, run(cute.Of[int16](even, marks...), 2))
		if got := must(z.Item())(t); got != 6 {
			t.Errorf("%s, the second pair: %d, want 6", name, got)
		}
		wantError(t, run(cute.Of[int16](even, marks...), 1), "demands_kernels_test.go:", "the tensor does not begin with a whole one of the wider elements")
		wantError(t, run(cute.Of[int16](odd, marks...), 0), "demands_kernels_test.go:", "a stride is not a whole number of the wider elements")
	}
}

// TestChecksAreNotInPTX: what checked launches look at is no part of the code for GPUs, which computes the same without checks: it
// may differ in dead code, which the assembler leaves out.
func TestChecksAreNotInPTX(t *testing.T) {
	programs := map[string]func(x, p *cutile.Tensor[int32]) (*cute.Executor, error){
		"an assumption about a layout": func(x, p *cutile.Tensor[int32]) (*cute.Executor, error) {
			return cute.Compile(t.Context(), runFirstSix, x, p)
		},
		"sizes of layouts": func(x, p *cutile.Tensor[int32]) (*cute.Executor, error) {
			return cute.Compile(t.Context(), runTileSize, cute.Of[int32](x), cute.Of[int32](p), 5)
		},
	}
	for name, compile := range programs {
		var text [2]string
		for i, checks := range []string{"off", "on"} {
			t.Setenv("CUTILE_CHECKS", checks)
			dev, err := cutile.Open("cpu")
			check(t, err)
			defer dev.Close()
			m := must(compile(must(cutile.NewTensor[int32](dev, 6, 3))(t), must(cutile.NewTensor[int32](dev, 6))(t)))(t).Module()
			if got := strings.Contains(m.Text(), "check "); got != (checks == "on") {
				t.Errorf("%s, checks %s: the module has checks: %v\n%s", name, checks, got, m.Text())
			}
			alive := must(ptx.Read([]byte(must(m.PTX("sm_90a"))(t))))(t)
			check(t, opt.Module(t.Context(), alive))
			text[i] = string(must(ptx.Write(alive, "sm_90a"))(t))
		}
		if text[0] != text[1] {
			t.Errorf("%s: without checks:\n%s\nwith checks:\n%s", name, text[0], text[1])
		}
	}
}

// TestComputedTruthValues: a host function may pass a truth value that it computes to a kernel.
func TestComputedTruthValues(t *testing.T) {
	dev, _ := open(t)
	for n, want := range map[int][2]int32{0: {9, 7}, 1: {0, 7}, 4: {2, 7}, 5: {4, 7}} {
		x, y := must(cutile.FromSlice(dev, []int32{9}))(t), must(cutile.FromSlice(dev, []int32{9}))(t)
		check(t, runChosen(cute.Of[int32](x), cute.Of[int32](y), n, true))
		if got := [2]int32{must(x.Item())(t), must(y.Item())(t)}; got != want {
			t.Errorf("%d launches: %d, want %d", n, got, want)
		}
		check(t, runChosen(cute.Of[int32](x), cute.Of[int32](y), n, false))
		if got := [2]int32{must(x.Item())(t), must(y.Item())(t)}; got != want {
			t.Errorf("%d launches that are told not to: %d, want %d", n, got, want)
		}
	}
}

// TestLanesAtOnePlace: which lane's value stays, where those of one instruction store to one place, is not defined. That is
// reported unless the values are the same.
func TestLanesAtOnePlace(t *testing.T) {
	t.Setenv("CUTILE_CHECKS", "on")
	dev, err := cutile.Open("cpu")
	check(t, err)
	defer dev.Close()
	x := must(cutile.NewTensor[int32](dev, 1))(t)
	check(t, runEveryLane(cute.Of[int32](x), true))
	if got := must(x.Item())(t); got != 5 {
		t.Errorf("the same values: %d, want 5", got)
	}
	if err = runEveryLane(cute.Of[int32](x), false); err == nil {
		err = dev.Sync(t.Context())
	}
	wantError(t, err, "demands_kernels_test.go:", "lanes of one st.global.b32 write different values to the same address")
}

// TestKnownBits: bits that are known are the number that they are, also one that no conversion gives.
func TestKnownBits(t *testing.T) {
	dev, _ := open(t)
	x := must(cutile.NewTensor[float32](dev, 4))(t)
	check(t, runInfinities(cute.Of[float32](x)))
	inf := float32(math.Inf(1))
	if got := must(x.Slice())(t); !slices.Equal(got, []float32{inf, -inf, inf, 448}) {
		t.Errorf("got %v", got)
	}
}
