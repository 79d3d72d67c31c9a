package cutile_test

import (
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

// BenchmarkLaunch measures what a launch costs beside the kernel, which has one small block.
func BenchmarkLaunch(b *testing.B) {
	dev, err := cutile.Open("cpu", cutile.WithWorkers(2)) // checks would be measured, too
	must(b, err)
	defer dev.Close()
	x, y, z := ramp(b, dev, 16), ramp(b, dev, 16), zeros[float32](b, dev, 16)
	p, err := cutile.Prepare(b.Context(), dev, add[tile.D16], x, y, z)
	must(b, err)
	for _, c := range []struct {
		name   string
		launch func() error
	}{
		{"prepared", func() error { return p.Launch(b.Context()) }},
		{"prepared with arguments", func() error { return p.Launch(b.Context(), x, y, z) }},
		{"plain", func() error { return cutile.Launch(b.Context(), dev, add[tile.D16], x, y, z) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				must(b, c.launch())
				if i%100 == 0 {
					must(b, dev.Sync(b.Context()))
				}
			}
		})
	}
}
