package cutile_test

import (
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/tile"
)

// onShadows runs a test on a CPU and on a GPU that compare launches.
func onShadows(t *testing.T, test func(t *testing.T, dev *cutile.Device)) {
	t.Run("cpu", func(t *testing.T) {
		t.Setenv("CUTILE_CHECKS", "off") // by which a tile outside of its tensor is an error
		dev, err := cutile.Open("cpu", cutile.WithShadow(cutile.Shadow{}))
		must(t, err)
		defer dev.Close()
		test(t, dev)
	})
	t.Run("cuda", func(t *testing.T) { test(t, shadowed(t, &faulty{}, cutile.Shadow{})) })
}

// TestShadowEmpty: launches with tensors without elements are compared, wherever their views begin.
func TestShadowEmpty(t *testing.T) {
	ctx := t.Context()
	onShadows(t, func(t *testing.T, dev *cutile.Device) {
		full, other, none := ramp(t, dev, 9), ramp(t, dev, 9), zeros[float32](t, dev, 9, 0)
		for name, x := range map[string]*cutile.Tensor[float32]{
			"of its own":          zeros[float32](t, dev, 0),
			"row of no columns":   none.Select(0, 8),
			"end of a tensor":     full.Narrow(0, 9, 9),
			"middle of a tensor":  full.Narrow(0, 4, 4),
			"part of a transpose": none.T().Select(1, 7),
		} {
			for kind, launch := range map[string]func() error{
				"view":    func() error { return cutile.Launch(ctx, dev.Grid(2), double[tile.D16], x) },
				"both":    func() error { return cutile.Launch(ctx, dev.Grid(2), readBeside, other, x) },
				"pointer": func() error { return cutile.Launch(ctx, dev.Grid(2), put[tile.D16], other, x.Span(), 0) },
			} {
				before := dev.Stats()
				must(t, launch())
				must(t, dev.Sync(ctx))
				if now := dev.Stats(); now.Compared != before.Compared+1 || now.NotCompared != before.NotCompared {
					t.Errorf("%s, %s: %d launches are compared and %d not", name, kind, now.Compared-before.Compared, now.NotCompared-before.NotCompared)
				}
			}
		}
		holds(t, "the rest", full, "[1 2 3 4 5 6 7 8 9]")
	})
}

// TestShadowShares: a device that compares launches shares no memory, and says why.
func TestShadowShares(t *testing.T) {
	onShadows(t, func(t *testing.T, dev *cutile.Device) {
		x := ramp(t, dev, 16)
		const why = "in shadow mode, which compares launches with the CPU: open the device without WithShadow, and run the program without CUTILE_SHADOW"
		_, err := cutile.Share(t.Context(), x)
		fails(t, err, "device "+dev.Name()+": ", "cannot give its memory to other libraries "+why+"; or copy the elements with Slice")
		_, err = cutile.FromForeign(dev, cutile.Foreign{Address: 1 << 12, Type: dtype.F32, Shape: []int{4}})
		fails(t, err, "device "+dev.Name()+": ", "cannot use memory of others "+why+"; or copy it with FromSlice")
	})
	t.Run("vulkan", func(t *testing.T) {
		dev := onVulkan(t, cutile.WithShadow(cutile.Shadow{})) // which does neither anyhow
		_, shared := cutile.Share(t.Context(), ramp(t, dev, 16))
		_, taken := cutile.FromForeign(dev, cutile.Foreign{Address: 1 << 12, Type: dtype.F32, Shape: []int{4}})
		for _, err := range []error{shared, taken} {
			fails(t, err, "cannot ")
			if err != nil && strings.Contains(err.Error(), "shadow") {
				t.Errorf("it is not for shadow mode: %v", err)
			}
		}
	})
}
