package cutile_test

import (
	"fmt"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

// TestPromisesOfForeignMemory: checks find no false promise in what the launcher promised about memory of others, whatever the alignments of the
// memory and of a view in it are, and the results are those of memory of the device.
func TestPromisesOfForeignMemory(t *testing.T) {
	const n, most = 48, 8 // elements of a view, and of the offsets in 4 bytes each: more than what is promised
	ctx := t.Context()
	shared := func(data []float32) func(*testing.T, *cutile.Device) *cutile.Tensor[float32] {
		return func(t *testing.T, dev *cutile.Device) *cutile.Tensor[float32] {
			owner := open(t)
			x, err := cutile.Wrap(owner, data)
			must(t, err)
			f, err := cutile.Share(ctx, x)
			must(t, err)
			y, err := cutile.FromForeign(dev, f)
			must(t, err)
			return y.(*cutile.Tensor[float32])
		}
	}
	wrapped := func(data []float32) func(*testing.T, *cutile.Device) *cutile.Tensor[float32] {
		return func(t *testing.T, dev *cutile.Device) *cutile.Tensor[float32] {
			x, err := cutile.Wrap(dev, data)
			must(t, err)
			return x
		}
	}
	for _, c := range []struct {
		name string
		opts []cutile.Option
		of   func(data []float32) func(*testing.T, *cutile.Device) *cutile.Tensor[float32]
	}{
		{"wrap", nil, wrapped},
		{"foreign", nil, shared},
		{"wrap, shadow", []cutile.Option{cutile.WithShadow(cutile.Shadow{})}, wrapped},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "foreign" {
				t.Setenv("CUTILE_SHADOW", "off")
			}
			dev := open(t, c.opts...)
			for skew := range most {
				data := make([]float32, n+2*most)
				x := c.of(data[skew:])(t, dev)
				for offset := range most {
					for i := range data {
						data[i] = float32(i)
					}
					view := x.Narrow(0, offset, offset+n)
					if err := doublesEverywhere(t, dev, view); err != nil {
						t.Errorf("memory %d elements and a view %d elements behind an alignment: %v", skew, offset, err)
					}
					for i, v := range data {
						want := float32(i)
						if k := i - skew - offset; k >= 0 && k < n {
							want *= 8
						}
						if v != want {
							t.Fatalf("memory at %d, view at %d: element %d is %v, want %v", skew, offset, i, v, want)
						}
					}
				}
				must(t, x.Close())
			}
		})
	}
}

// doublesEverywhere doubles x in place three times: by views, by a pointer, and by a graph.
func doublesEverywhere(t *testing.T, dev *cutile.Device, x *cutile.Tensor[float32]) error {
	ctx, blocks := t.Context(), x.Len()/16
	z := zeros[float32](t, dev, x.Len())
	s, err := dev.NewStream()
	must(t, err)
	defer s.Close()
	if err := cutile.Launch(ctx, dev.Grid(blocks), double[tile.D16], x); err != nil {
		return fmt.Errorf("views: %w", err)
	}
	must(t, cutile.Launch(ctx, dev, add[tile.D16], x, x, z))
	if err := cutile.Launch(ctx, dev.Grid(1), put[tile.D64], z, x, x.Len()); err != nil {
		return fmt.Errorf("pointers: %w", err)
	}
	if err := dev.Sync(ctx); err != nil {
		return err
	}
	g, err := s.Capture(func() error { return cutile.Launch(ctx, s.Grid(blocks), double[tile.D16], x) })
	if err != nil {
		return fmt.Errorf("capture: %w", err)
	}
	defer g.Close()
	if err := g.Replay(s); err != nil {
		return fmt.Errorf("graph: %w", err)
	}
	return s.Sync(ctx)
}
