// Command user calls helpers of another module in its kernels: through an alias, under names of its own, and of a package
// below another one.
package main

import (
	"context"
	"embed"
	"fmt"
	"log"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"

	act "example.com/activation"
	. "example.com/activation/deep"
	"example.com/plain"
)

//go:embed main.go
var source embed.FS
var _ = cutile.Module(source)

func clamped[B tile.Dim](x tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) {
	z.Store(act.Clamp(x.Load(0), act.Range[tile.F32T1[B]]{Low: -act.Slope, High: 2}))
}

func leaky[B tile.Dim](x tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) {
	z.Store(Leaky(x.Load(0)) + act.Leaky(x.Load(0)))
}

func lost[B tile.Dim](x tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) {
	z.Store(plain.Double(x.Load(0)))
}

func main() {
	log.SetFlags(0)
	dev, err := cutile.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x, err := cutile.FromSlice(dev, []float32{-8, -1, 1, float32(plain.Double(2.0))})
	if err != nil {
		log.Fatal(err)
	}
	for _, kernel := range []any{clamped[tile.D4], leaky[tile.D4], lost[tile.D4]} {
		z, err := cutile.NewTensor[float32](dev, 4)
		if err != nil {
			log.Fatal(err)
		}
		if err := cutile.Launch(context.Background(), dev, kernel, x, z); err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(z.Slice())
	}
}
