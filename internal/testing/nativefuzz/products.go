package nativefuzz

import (
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// productLoop adds a loop that adds products of tiles, which mostly follow one another along k: a matrix product as kernels have it, wherever
// the step is taken.
func (g *gen) productLoop() {
	if g.deep() {
		return
	}
	f := oneOf(g, oneOf(g, Forms()))
	for f.Info.Opcode != tileir.OpMmaF && f.Info.Opcode != tileir.OpMmaI || f.In[0].PerByte() > 1 || f.In[1].PerByte() > 1 {
		f = oneOf(g, oneOf(g, Forms()))
	}
	p := &productLoop{gen: g, form: f, m: 1 << g.r.IntN(6), n: 1 << g.r.IntN(6), k: 1 << g.r.IntN(5), turns: 1 + g.r.IntN(5)}
	p.counter, p.index = oneOf(g, []tileir.Elem{tileir.I32, tileir.I32, tileir.I64, tileir.I16, tileir.I8}), oneOf(g, []tileir.Elem{tileir.I32, tileir.I64})
	p.factors = [2]func() *tileir.Value{p.factor(f.In[0], p.m, p.k, 1), p.factor(f.In[1], p.k, p.n, 0)}
	p.emit()
}

// productLoop is such a loop.
type productLoop struct {
	*gen
	form           *Form
	m, n, k        int // of a tile
	turns          int
	counter, index tileir.Elem
	at             *tileir.Value           // the counter, in the body
	factors        [2]func() *tileir.Value // make the factors in the body
}

// emit adds the loop, and at times a store of the sums right behind it.
func (p *productLoop) emit() {
	g := p.gen
	sum := tileir.Tile(p.form.In[2], p.m, p.n)
	first := g.need(sum.Elem, sum.Shape)
	if g.chance(60) {
		first = g.emit(tileir.OpConstant, nil, []tileir.Attr{tileir.SplatConstant(sum, 0)}, sum)[0]
	}
	types, values0 := []tileir.Type{sum}, values{first}
	if g.chance(10) { // which is carried and not changed
		other := g.need(sum.Elem, sum.Shape)
		types, values0 = append(types, other.Type), append(values0, other)
	}
	types, values0 = append(types, tileir.Token), append(values0, g.token)
	from := g.r.IntN(4) - 1
	bounds := []values{{g.number(p.counter, from)}, {g.number(p.counter, from+p.turns+g.r.IntN(3)-1)}, {g.number(p.counter, 1+g.r.IntN(21)/20)}}
	var attrs []tileir.Attr
	if from >= 0 && g.chance(10) {
		attrs = []tileir.Attr{tileir.Bool(true)}
	}
	body := g.region(append([]tileir.Type{tileir.Tile(p.counter)}, types...), func(args values) {
		p.at, g.token = args[0], args[len(args)-1]
		x, y := p.factors[0](), p.factors[1]()
		r := g.emit(p.form.Info.Opcode, []values{{x}, {y}, {args[1]}}, p.form.Attrs, nil)
		next := append(slices.Clone(r), args[2:]...)
		next[len(next)-1] = g.token
		g.emit(tileir.OpContinue, []values{next}, nil)
	})
	r := g.with(tileir.OpFor, append(bounds, values0), attrs, []*tileir.Block{body}, types...)
	g.results(r)
	if g.chance(60) {
		g.storeView(r[0])
		g.spent[r[0]] = true
	}
}

// factor decides on the tensor that a factor of so many rows and columns comes from, with k along an axis, and gives the function that loads
// a tile of it. The view is made before the loop or in it.
func (p *productLoop) factor(e tileir.Elem, rows, columns, k int) func() *tileir.Value {
	g := p.gen
	tile, dims := []int{rows, columns}, []int{0, 1}
	turned, permuted := g.chance(30), g.chance(15)
	if permuted { // the load's tile is the other way round
		tile, k = []int{columns, rows}, 1-k
	}
	if turned {
		dims = []int{1, 0}
	}
	l := &layout{extent: make([]int64, 2), stride: make([]int64, 2), tile: tile, dims: dims, step: tile, count: []int{1, 1}, sparse: -1}
	for i := range tile {
		if l.count[i] = 1 + g.r.IntN(2); i == k {
			l.count[i] = p.turns
		}
		l.extent[dims[i]] = int64(max(1, tile[i]*l.count[i]-max(0, g.r.IntN(2*tile[i])-tile[i])))
	}
	l.stride[1], l.stride[0] = 1, l.extent[1]+int64(max(0, g.r.IntN(8)-4))
	if g.chance(30) {
		l.stride[0], l.stride[1] = 1, l.extent[0]
	}
	m := g.mem(e, g.chance(5), false)
	view := func() *tileir.Value { return g.view(m, l, false) }
	if g.chance(75) {
		before := view()
		view = func() *tileir.Value { return before }
	}
	return func() *tileir.Value {
		index := values{nil, nil}
		index[k], index[1-k] = p.along(), p.small(p.index, l.count[1-k])
		r := g.emit(tileir.OpLoadViewTko, []values{{view()}, index, {g.token}}, []tileir.Attr{tileir.MemoryWeak}, nil, nil)
		g.took(m, r[0], r[1])
		if !permuted {
			return r[0]
		}
		return g.emit(tileir.OpPermute, []values{{r[0]}}, []tileir.Attr{tileir.Ints{1, 0}}, nil)[0]
	}
}

// small gives an index below a number, or one of the loops around.
func (p *productLoop) small(e tileir.Elem, below int) *tileir.Value {
	if g := p.gen; len(g.index) > 0 && g.chance(50) {
		return p.as(e, oneOf(g, g.index))
	}
	return p.number(e, p.r.IntN(below))
}

// as makes an integer of another type.
func (p *productLoop) as(e tileir.Elem, v *tileir.Value) *tileir.Value {
	switch t := tileOf(v); {
	case t.Elem.Bits() < e.Bits():
		return p.gen.emit(tileir.OpExtI, []values{{v}}, []tileir.Attr{oneOf(p.gen, []tileir.Attr{tileir.Signed, tileir.Signed, tileir.Unsigned})}, tileir.Tile(e))[0]
	case t.Elem.Bits() > e.Bits():
		return p.gen.emit(tileir.OpTruncI, []values{{v}}, []tileir.Attr{tileir.OverflowNone}, tileir.Tile(e))[0]
	}
	return v
}

// along is the index along k: mostly the counter and a number.
func (p *productLoop) along() *tileir.Value {
	v := p.moved(p.at, 30)
	v = p.moved(p.as(p.index, v), 30)
	if !p.chance(10) {
		return v
	}
	n := p.number(p.index, 1+p.r.IntN(3))
	switch p.r.IntN(4) {
	case 0:
		return p.binary(tileir.OpMulI, v, n)
	case 1: // backwards
		return p.binary(tileir.OpSubI, n, v)
	case 2:
		return p.gen.emit(tileir.OpMinI, []values{{v}, {n}}, []tileir.Attr{tileir.Signed}, nil)[0]
	}
	return p.binary(tileir.OpAddI, v, v)
}

// moved adds a number to an index, at times one that the loop computes from those around.
func (p *productLoop) moved(v *tileir.Value, percent int) *tileir.Value {
	if !p.chance(percent) {
		return v
	}
	e := tileOf(v).Elem
	by := p.small(e, 3)
	if p.chance(30) {
		by = p.binary(tileir.OpMulI, by, p.number(e, p.turns))
	}
	switch p.r.IntN(3) {
	case 0:
		return p.binary(tileir.OpAddI, by, v)
	case 1:
		return p.binary(tileir.OpSubI, v, by)
	}
	return p.binary(tileir.OpAddI, v, by)
}

func (p *productLoop) binary(code int, x, y *tileir.Value) *tileir.Value {
	return p.gen.emit(code, []values{{x}, {y}}, []tileir.Attr{tileir.OverflowNone}, nil)[0]
}
