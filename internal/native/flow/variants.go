package flow

import (
	"github.com/cutile-go/cutile/internal/native/nest"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// variants does the segment by the function, if it can, and else by the caller.
func (g *segment) variants(ops []*tileir.Op, note int32) {
	usual, edges := g.apart()
	results := g.results()
	for _, v := range results {
		g.values[v] = &value{tile: g.Kept(v)}
	}
	if usual == 0 {
		g.take(results, g.emit(note), false)
		return
	}
	g.variables(results)
	g.If(vec.LT, usual, g.Int(0))
	if edges != 0 {
		g.If(vec.LT, edges, g.Int(0))
		g.keepReached()
		g.aside(ops, results)
		g.Else()
		g.atEdges(true)
		g.take(results, g.inParts(note), true)
		g.atEdges(false)
		g.End()
	} else {
		g.keepReached()
		g.aside(ops, results)
	}
	g.Else()
	g.take(results, g.emit(note), true)
	g.End()
	g.settle(results)
}

// take gives the results of a segment, which are known or in the arena, their registers; to those that they have, if they are variables.
func (g *segment) take(results []*tileir.Value, known map[*tileir.Value]vec.Reg, variables bool) {
	for _, v := range results {
		x := known[v]
		switch {
		case x == 0 && !variables:
			g.load(v, g.home(v))
		case x == 0:
			g.fetch(v, g.home(v))
		case !variables:
			g.let(v, x)
		case g.values[v].made:
			g.Set(g.values[v].int, g.first(v, x))
		default:
			g.Set(g.reg(v), x)
		}
	}
}

// atEdges says whether tiles may be at the edges of their tensors.
func (g *segment) atEdges(on bool) {
	for i, p := range g.parts {
		if pl := &g.places[i]; on {
			pl.Width, pl.Height = p.width, p.height
		} else {
			pl.Width, pl.Height = 0, 0
		}
	}
}

// apart gives a scalar that is not negative if all tiles are usual and stores are apart from loads and other stores, and another one
// if that is so but for tiles at the edges of their tensors. A store may be to the very tile that the segment loads, if it does all in
// one pass. The scalars are 0 if there are no tiles, the other one also if no tile can be at an edge.
func (g *segment) apart() (usual, edges vec.Reg) {
	for i := range g.Operands {
		if a := g.tiles[i]; a != nil {
			usual, edges = g.and(usual, g.whole(a)), g.and(edges, g.parts[i].usual)
		}
	}
	for i := range g.Operands {
		if g.tiles[i] == nil || g.Operands[i].Role != nest.Stored {
			continue
		}
		for k := range g.Operands {
			if c := g.tiles[k]; c != nil && k != i && (g.Operands[k].Role == nest.Loaded || k < i) {
				if far := g.distance(i, k); far != 0 {
					usual, edges = g.and(usual, far), g.and(edges, far)
				}
			}
		}
	}
	for _, p := range g.parts {
		if p.width != 0 || p.height != 0 {
			return usual, edges
		}
	}
	return usual, 0
}

// and is negative if one of two scalars is; x may be 0 for none.
func (g *segment) and(x, y vec.Reg) vec.Reg {
	if x == 0 {
		return y
	}
	return g.both(x, y)
}

// distance is not negative if two tiles do not meet, or may be one; 0 if they certainly may.
func (g *segment) distance(store, other int) vec.Reg {
	a, c := g.tiles[store], g.tiles[other]
	far := g.Do(vec.SMax, vec.NoType, g.sub(a.start, c.end), g.sub(c.start, a.end))
	if g.Operands[other].Role != nest.Loaded || g.Passes() > 1 || a.size != c.size {
		return far
	}
	if a.key == c.key {
		return 0
	}
	one := g.none(a.start, c.start)
	if g.Rows > 1 {
		one = g.both(one, g.none(g.places[store].Step, g.places[other].Step))
	}
	return g.Do(vec.SMax, vec.NoType, far, one)
}

// none is 0 if two scalars are equal, and else negative.
func (g *segment) none(x, y vec.Reg) vec.Reg {
	return g.both(g.sub(x, y), g.sub(y, x))
}
