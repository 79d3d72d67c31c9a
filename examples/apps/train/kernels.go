package main

import (
	"context"
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

// The kernel compiler reads the kernels' source at run time.
//
//go:embed kernels.go
var source embed.FS
var _ = cutile.Module(source)

type (
	floats = *cutile.Tensor[float32]
	ints   = *cutile.Tensor[int32]
)

// gateGradients computes the gradients of gate and up for silu(gate)·up, given that of the product.
func gateGradients[R, C tile.Dim](gate, up, dy tile.In[tile.F32T2[R, C]], dgate, dup tile.Out[tile.F32T2[R, C]]) {
	i, j := dup.Index(0), dup.Index(1)
	g, u, d := gate.LoadUnpadded(i, j), up.LoadUnpadded(i, j), dy.LoadUnpadded(i, j)
	s := tile.Sigmoid(g)
	dup.Store(d * g * s)
	dgate.Store(d * u * s * (1 + g*(1-s)))
}

// tableGradient adds the rows of dx to those rows of a gradient whose tokens they belong to: the places of token t in dx are
// places[starts[t]] to places[starts[t+1]-1]. A block has one token and adds in that order, so that every run gives the same bits;
// embedding.AddGradient does not promise that.
func tableGradient[C tile.Dim](starts, places tile.In[tile.I32T1[tile.D1]], dx tile.In[tile.F32T2[tile.D1, C]], table tile.Out[tile.F32T2[tile.D1, C]]) {
	t, j := table.Index(0), table.Index(1)
	from, to := int(tile.Reshape[tile.I32](starts.Load(t))), int(tile.Reshape[tile.I32](starts.Load(t+1)))
	sum := table.Load()
	for k := from; k < to; k++ {
		sum = sum + dx.Load(int(tile.Reshape[tile.I32](places.Load(k))), j)
	}
	table.Store(sum)
}

// addTableGradient queues tableGradient for dx [len(ids), dim].
func addTableGradient(ctx context.Context, ids []int32, dx, table floats) error {
	vocab := table.Shape()[0]
	starts, places := make([]int32, vocab+1), make([]int32, len(ids))
	for _, id := range ids {
		starts[id+1]++
	}
	for t := range vocab {
		starts[t+1] += starts[t]
	}
	next := append([]int32(nil), starts...)
	for place, id := range ids {
		places[next[id]] = int32(place)
		next[id]++
	}
	dev := dx.Device()
	s, err := cutile.FromSlice(dev, starts)
	if err != nil {
		return err
	}
	defer s.Close() // after the kernel
	p, err := cutile.FromSlice(dev, places)
	if err != nil {
		return err
	}
	defer p.Close()
	return cutile.Launch(ctx, dev, tableGradient[tile.D128], s, p, dx, table)
}

// squares computes sums of squares of x: block b of the grid has the tiles b, b+blocks and so on.
func squares[B tile.Dim](x tile.In[tile.F32T1[B]], sums tile.Out[tile.F32T1[tile.D1]]) {
	var total tile.F32T1[B]
	for j := sums.Index(0); j < x.Tiles(0); j += sums.Len(0) {
		t := x.Load(j)
		total = tile.FMA(t, t, total)
	}
	sums.Store(total.Sum0())
}

// scale computes x = factor·x.
func scale[B tile.Dim](x tile.Out[tile.F32T1[B]], factor float32) {
	x.Store(x.LoadUnpadded() * tile.F32T1[B](factor))
}
