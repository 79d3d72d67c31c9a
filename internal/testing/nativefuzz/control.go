package nativefuzz

import (
	"github.com/cutile-go/cutile/tileir"
)

// carried chooses the tiles that a region carries or gives; their number is small.
func (g *gen) carried() (types []tileir.Type) {
	for range g.r.IntN(4) {
		types = append(types, tileir.Tile(g.anyElem(), g.anyShape()...))
	}
	return append(types, tileir.Token)
}

// initial gives values of the types, of which the last is the token.
func (g *gen) initial(types []tileir.Type) (vs values) {
	for _, t := range types[:len(types)-1] {
		tile := t.(*tileir.TileType)
		vs = append(vs, g.need(tile.Elem, tile.Shape))
	}
	return append(vs, g.token)
}

// inside adds some operations inside a region that begins with a token and gives what it ends with.
func (g *gen) inside(token *tileir.Value, types []tileir.Type) values {
	g.token = token
	for range 1 + g.r.IntN(6) {
		g.step()
	}
	return g.initial(types)
}

// deep reports whether there is no room for another region.
func (g *gen) deep() bool { return g.depth >= 3 || g.scalar || g.making > 0 }

// results makes what a region gives known outside; the last is the token.
func (g *gen) results(vs values) {
	g.token = vs[len(vs)-1]
}

// count adds a counted loop.
func (g *gen) count() {
	if g.deep() {
		return
	}
	types := g.carried()
	first := g.initial(types)
	from, step := g.r.IntN(3), 1+g.r.IntN(2)
	e := tileir.I32
	lo, hi, by := g.number(e, from), g.number(e, from+g.r.IntN(6)), g.number(e, step)
	var attrs []tileir.Attr
	if g.chance(20) {
		attrs = []tileir.Attr{tileir.Bool(true)}
	}
	body := g.region(append([]tileir.Type{tileir.Tile(e)}, types...), func(args values) {
		g.index = append(g.index, args[0])
		g.emit(tileir.OpContinue, []values{g.inside(args[len(args)-1], types)}, nil)
	})
	g.results(g.with(tileir.OpFor, []values{{lo}, {hi}, {by}, first}, attrs, []*tileir.Block{body}, types...))
}

// loop adds a loop that a condition leaves.
func (g *gen) loop() {
	if g.deep() {
		return
	}
	types := g.carried()
	s := tileir.Tile(tileir.I32)
	first := append(values{g.number(tileir.I32, 0)}, g.initial(types)...)
	last := g.number(tileir.I32, g.r.IntN(4))
	body := g.region(append([]tileir.Type{s}, types...), func(args values) {
		end := g.emit(tileir.OpCmpI, []values{{args[0]}, {last}}, []tileir.Attr{tileir.CompareGreaterThanOrEqual, tileir.Signed}, nil)[0]
		leave := g.region(nil, func(values) { g.emit(tileir.OpBreak, []values{g.initialAt(types, args[len(args)-1])}, nil) })
		stay := g.region(nil, func(values) { g.emit(tileir.OpYield, nil, nil) })
		g.with(tileir.OpIf, []values{{end}}, nil, []*tileir.Block{leave, stay})
		g.index = append(g.index, args[0])
		next := g.inside(args[len(args)-1], types)
		n := g.emit(tileir.OpAddI, []values{{args[0]}, {g.number(tileir.I32, 1)}}, nil, nil)[0]
		g.emit(tileir.OpContinue, []values{append(values{n}, next...)}, nil)
	})
	g.results(g.with(tileir.OpLoop, []values{first}, nil, []*tileir.Block{body}, types...))
}

// initialAt is initial with another token.
func (g *gen) initialAt(types []tileir.Type, token *tileir.Value) values {
	g.token = token
	return g.initial(types)
}

// branch adds a choice. At times a tile is stored across in the arms and behind them: each time it is needed in the layout of the store.
func (g *gen) branch() {
	if g.deep() {
		return
	}
	types, c := g.carried(), g.need(tileir.I1, []int{})
	var v *tileir.Value
	if g.chance(30) {
		v = g.loadRows()
	}
	before := g.token // the condition may have been loaded just now
	arm := func() *tileir.Block {
		return g.region(nil, func(values) {
			g.token = before
			if v != nil && g.chance(70) {
				g.storeAcross(v)
			}
			g.emit(tileir.OpYield, []values{g.inside(g.token, types)}, nil)
		})
	}
	r := g.with(tileir.OpIf, []values{{c}}, nil, []*tileir.Block{arm(), arm()}, types...)
	g.results(r)
	if v != nil {
		g.storeAcross(v)
	}
}
