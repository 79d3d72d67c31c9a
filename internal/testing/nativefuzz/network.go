package nativefuzz

import "github.com/cutile-go/cutile/tileir"

// network exchanges elements of a row with partners, as networks that sort do: it takes the halves of each run, combines them, at
// times by a condition on their numbers, and joins the results. What it makes on the way is mostly used no more.
func (g *gen) network() {
	v := g.find(func(_ *tileir.Value, t *tileir.TileType) bool {
		return t.Elem.PerByte() == 1 && t.Elem != tileir.I4 && t.Size() >= 4 && t.Size() <= 4096
	})
	if v == nil || g.scalar {
		return
	}
	for range 1 + g.r.IntN(5) {
		v = g.exchange(v)
	}
}

func (g *gen) exchange(v *tileir.Value) *tileir.Value {
	from, e, n := len(g.pool), tileOf(v).Elem, tileOf(v).Size()
	run := 1
	for 4*run < n && g.chance(60) {
		run *= 2
	}
	p, half := n/(2*run), tileir.Tile(e, n/(2*run), 1, run)
	y := g.emit(tileir.OpReshape, []values{{v}}, nil, tileir.Tile(e, p, 2, run))[0]
	zero, one := g.number(tileir.I32, 0), g.number(tileir.I32, 1)
	a := g.emit(tileir.OpExtract, []values{{y}, {zero, zero, zero}}, nil, half)[0]
	b := g.emit(tileir.OpExtract, []values{{y}, {zero, one, zero}}, nil, half)[0]
	low, high := g.meet(a, b), g.meet(b, a)
	if g.chance(50) && p > 1 {
		m := g.falling(p, run)
		low, high = g.emit(tileir.OpSelect, []values{{m}, {low}, {high}}, nil, half)[0], g.emit(tileir.OpSelect, []values{{m}, {high}, {low}}, nil, half)[0]
	}
	c := g.emit(tileir.OpCat, []values{{low}, {high}}, []tileir.Attr{tileir.Int(1)}, tileir.Tile(e, p, 2, run))[0]
	for _, x := range g.pool[from:] {
		g.spent[x] = g.chance(97)
	}
	return g.emit(tileir.OpReshape, []values{{c}}, nil, tileir.Tile(e, n))[0]
}

// meet combines two tiles.
func (g *gen) meet(a, b *tileir.Value) *tileir.Value {
	e := tileOf(a).Elem
	switch {
	case g.chance(10):
		return b
	case g.chance(10):
		return g.need(e, tileOf(a).Shape)
	case e != tileir.I1 && (e.IsInt() || e == tileir.F16 || e == tileir.BF16 || e == tileir.F32 || e == tileir.F64):
		return g.combine(a, b)
	}
	return a
}

// falling is a condition on the numbers of pairs of runs, for each element of one of them.
func (g *gen) falling(p, run int) *tileir.Value {
	line, bit := tileir.Tile(tileir.I32, p), 1
	for 2*bit < p && g.chance(50) {
		bit *= 2
	}
	n := g.emit(tileir.OpIota, nil, nil, line)[0]
	n = g.emit(tileir.OpAndI, []values{{n}, {g.emit(tileir.OpConstant, nil, []tileir.Attr{tileir.SplatConstant(line, uint64(bit))}, line)[0]}}, nil, nil)[0]
	zero := g.emit(tileir.OpConstant, nil, []tileir.Attr{tileir.SplatConstant(line, 0)}, line)[0]
	m := g.emit(tileir.OpCmpI, []values{{n}, {zero}}, []tileir.Attr{tileir.CompareNotEqual, tileir.Signed}, nil)[0]
	m = g.emit(tileir.OpReshape, []values{{m}}, nil, tileir.Tile(tileir.I1, p, 1, 1))[0]
	return g.emit(tileir.OpBroadcast, []values{{m}}, nil, tileir.Tile(tileir.I1, p, 1, run))[0]
}
