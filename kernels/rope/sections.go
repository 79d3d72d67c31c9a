package rope

import (
	"context"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/tile"
)

// axesMax is how many axes positions may have.
const axesMax = 4

// RotateSections is [Rotate] for positions [axes, tokens]: the pairs from starts[a] to starts[a+1] take the position of axis a, and those
// from the last start on that of the last axis. (P. Wang and others, Qwen2-VL, 2024.)
func RotateSections[E tile.FloatElem, H, D tile.Dim](x tile.InOut[tile.FloatTile4[E, tile.D1, H, tile.D1, D]],
	cos, sin tile.In[tile.F32T2[tile.D1, D]], positions tile.In[tile.I32T2[tile.D1, tile.D1]], starts [axesMax]int) {
	token := tile.BlockID(0)
	col := tile.I32T2[tile.D1, D](tile.Iota[D]())
	var at tile.I32T2[tile.D1, D]
	for a := range axesMax {
		if a < positions.Len(0) {
			at = tile.Where(col >= tile.I32T2[tile.D1, D](starts[a]), tile.I32T2[tile.D1, D](positions.Load(a, token)), at)
		}
	}
	turn(x, token, tile.BlockID(1), tile.GatherAt[tile.F32T2[tile.D1, D]](cos, 0, at, col), tile.GatherAt[tile.F32T2[tile.D1, D]](sin, 0, at, col))
}

// RunSections is [Run] for positions [axes, tokens] along one to four axes, such as time, height and width: the first sections[0] pairs of a
// head turn with the position along the first axis, the next sections[1] with that along the second, and so on. The sections are as many as
// the axes, and their sum is dim/2.
func RunSections[E Float](ctx context.Context, on cutile.Target, x *cutile.Tensor[E], cos, sin *cutile.Tensor[float32],
	positions *cutile.Tensor[int32], sections []int, p Pairs) error {
	const name = "rope.RunSections"
	n, err := shape.Check(name, shape.Of("x", x, "tokens heads dim"), shape.Of("cos", cos, "room half"), shape.Of("sin", sin, "room half"),
		shape.Of("positions", positions, "axes tokens"))
	if err == nil {
		err = check(name, n)
	}
	var starts [axesMax]int
	if err == nil {
		starts, err = startsOf(name, n, sections)
	}
	if err != nil || x.Len() == 0 {
		return err
	}
	d := shape.Fit(n["half"], 1, tileMax)
	h := headsFor(n["heads"], d)
	if on, err = shape.Grid(name, on, n["tokens"], shape.Tiles(n["heads"], h)); err != nil {
		return err
	}
	k := cutile.Sized(RotateSections[E, one, one], h, d)
	return cutile.Launch(ctx, on, k, view(x, p, n["half"]), cos, sin, positions, starts)
}

// startsOf checks sections and says where each begins.
func startsOf(function string, n shape.Extents, sections []int) (starts [axesMax]int, err error) {
	if len(sections) != n["axes"] || len(sections) < 1 || len(sections) > axesMax {
		return starts, shape.Wrong(function, "there are %d sections for positions along %d axes, expected the same number, 1 to %d", len(sections), n["axes"], axesMax)
	}
	sum := 0
	for a, s := range sections {
		if s < 0 {
			return starts, shape.Wrong(function, "section %d has %d pairs, expected 0 or more", a, s)
		}
		starts[a] = sum
		sum += s
	}
	if sum != n["half"] {
		return starts, shape.Wrong(function, "the sections %v have %d pairs, expected %d, half of the %d numbers of a head", sections, sum, n["half"], n["dim"])
	}
	return starts, nil
}
