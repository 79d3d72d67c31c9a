package cute_test

import (
	"slices"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
)

// TestGraph captures functions with launches in order by tokens, and replays them, on the CPU and on GPUs whose drivers have graphs or not.
func TestGraph(t *testing.T) {
	devices := map[string]*cutile.Device{}
	devices["cpu"], _ = open(t)
	_, devices["CUDA 13.4"] = openFake(t, 13040)
	_, devices["CUDA 11.0"] = openFake(t, 11000)
	for name, dev := range devices {
		t.Run(name, func(t *testing.T) {
			stream := must(dev.NewStream())(t)
			x, y := vector(t, dev, 4), vector(t, dev, 4)
			call, scale := cute.Jit(chained), cute.Jit(runScale)
			on := cute.StreamOf(stream)
			g := must(stream.Capture(func() error {
				return call(cute.Of[float32](x), cute.Of[float32](y), on, on)
			}))(t)
			first := must(x.Slice())(t)
			for range 3 {
				check(t, g.Replay(stream))
			}
			check(t, scale(cute.Of[float32](x), 10)) // on the device's own stream, after the work on x
			want := slices.Clone(first)
			for i := range want {
				want[i] *= 2 * 2 * 2 * 10
			}
			if got := must(x.Slice())(t); !slices.Equal(got, want) {
				t.Errorf("x is %v, want %v", got, want)
			}
			if got := must(y.Slice())(t); got[1] != 27*first[1] {
				t.Errorf("y is %v, want 27 times %v", got, first)
			}
			if g.Len() != 2 {
				t.Errorf("the graph has %d launches", g.Len())
			}
			check(t, g.Close())
		})
	}
}
