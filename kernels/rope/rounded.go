package rope

import (
	"context"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/tile"
)

// RotateRounded rotates x like [Rotate], and rounds each head to y, floats of 8 bits like x, times a scale [tokens, heads], which brings the
// greatest magnitude of the head to 448, the greatest number of the format.
func RotateRounded[E tile.FloatElem, H, D tile.Dim](x tile.In[tile.FloatTile4[E, tile.D1, H, tile.D1, D]], cos, sin tile.In[tile.F32T2[tile.D1, D]],
	positions tile.In[tile.I32T1[tile.D1]], y tile.InOut[tile.F8E4M3T4[tile.D1, H, tile.D1, D]], scales tile.InOut[tile.F32T2[tile.D1, H]]) {
	token, h := tile.BlockID(0), tile.BlockID(1)
	at := int(tile.Reshape[tile.I32](positions.Load(token)))
	c, s := tile.F32T2[H, D](angles(cos, at)), tile.F32T2[H, D](angles(sin, at))
	a := tile.F32T2[H, D](tile.Reshape[tile.FloatTile2[E, H, D]](x.Load(token, h, 0, 0)))
	b := tile.F32T2[H, D](tile.Reshape[tile.FloatTile2[E, H, D]](x.Load(token, h, 1, 0)))
	a, b = tile.FMA(a, c, -(b*s)), tile.FMA(b, c, a*s)
	scale := max(tile.Abs(a), tile.Abs(b)).Max1() / mostE4M3
	unit := tile.F32T2[H, D](scale)
	y.Store(tile.Reshape[tile.F8E4M3T4[tile.D1, H, tile.D1, D]](tile.F8E4M3T2[H, D](tile.Where(unit == 0, 0, a/unit))), token, h, 0, 0)
	y.Store(tile.Reshape[tile.F8E4M3T4[tile.D1, H, tile.D1, D]](tile.F8E4M3T2[H, D](tile.Where(unit == 0, 0, b/unit))), token, h, 1, 0)
	scales.Store(tile.Reshape[tile.F32T2[tile.D1, H]](scale), token, h)
}

// mostE4M3 is the greatest number of floats of 8 bits.
const mostE4M3 = 448

// RunRounded queues y·scales = the rotation of x [tokens, heads, dim], which stays as it is, by angles as for [Run]: y has the shape of x, and
// scales [tokens, heads] bring the greatest magnitude of a head to 448, the greatest number of the elements of y. It runs on GPUs from
// sm_90 on and on the CPU.
func RunRounded[E Float](ctx context.Context, on cutile.Target, x *cutile.Tensor[E], cos, sin *cutile.Tensor[float32], positions *cutile.Tensor[int32],
	y *cutile.Tensor[dtype.Float8E4M3FN], scales *cutile.Tensor[float32], p Pairs) error {
	const name = "rope.RunRounded"
	n, err := shape.Check(name, shape.Of("x", x, "tokens heads dim"), shape.Of("cos", cos, "room half"), shape.Of("sin", sin, "room half"),
		shape.Of("positions", positions, "tokens"), shape.Of("y", y, "tokens heads dim"), shape.Of("scales", scales, "tokens heads"))
	if err == nil {
		err = check(name, n)
	}
	if err != nil || n["tokens"]*n["heads"] == 0 {
		return err
	}
	if n["dim"] == 0 {
		return scales.Fill(ctx, 0)
	}
	d := shape.Fit(n["half"], 1, tileMax)
	h := headsFor(n["heads"], d)
	if on, err = shape.Grid(name, on, n["tokens"], shape.Tiles(n["heads"], h)); err != nil {
		return err
	}
	k := cutile.Sized(RotateRounded[E, one, one], h, d)
	return cutile.Launch(ctx, on, k, view(x, p, n["half"]), cos, sin, positions, view(y, p, n["half"]), scales)
}
