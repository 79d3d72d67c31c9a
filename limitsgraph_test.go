package cutile_test

import (
	"testing"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

// TestRunLimitGraph: Limits.Run bounds each launch of a graph, not all of them together.
func TestRunLimitGraph(t *testing.T) {
	t.Setenv("CUTILE_CHECKS", "off")
	dev, err := cutile.Open("cpu", cutile.WithLimits(cutile.Limits{Run: time.Second}))
	must(t, err)
	defer dev.Close()
	ctx := t.Context()
	x, z := ramp(t, dev, 1<<16), zeros[float32](t, dev, 1<<16)
	start, n := time.Now(), 0
	for ; time.Since(start) < 1200*time.Millisecond; n++ { // as many as take longer than the limit
		must(t, cutile.Launch(ctx, dev, tripleSlowly[tile.D64], x, z))
		must(t, dev.Sync(ctx))
	}
	g, err := dev.Stream().Capture(func() error {
		for range n {
			if err := cutile.Launch(ctx, dev, tripleSlowly[tile.D64], x, z); err != nil {
				return err
			}
		}
		return nil
	})
	must(t, err)
	must(t, g.Replay(dev.Stream()))
	must(t, dev.Sync(ctx))
}
