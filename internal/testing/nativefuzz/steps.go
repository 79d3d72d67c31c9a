package nativefuzz

import (
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// steps are what a module is made of, with how often each is taken.
type step struct {
	often int
	do    func(g *gen)
}

var steps []step

func init() { // steps of regions take steps
	steps = []step{
		{10, (*gen).elementwise}, {2, (*gen).rare}, {8, (*gen).strand}, {5, (*gen).storeAny}, {3, func(g *gen) { g.inPlace(g.anyShape()) }},
		{4, func(g *gen) { g.make(g.anyElem(), g.anyShape()) }}, {5, (*gen).reduce}, {1, (*gen).scan}, {2, (*gen).product},
		{2, (*gen).reshape}, {2, (*gen).broadcast}, {1, (*gen).permute}, {2, (*gen).turn}, {1, (*gen).cut}, {1, (*gen).join}, {2, (*gen).network}, {2, (*gen).pack}, {1, (*gen).promise},
		{1, func(g *gen) { g.atomic(g.anyShape()) }}, {1, (*gen).tokens}, {2, (*gen).count}, {1, (*gen).loop}, {2, (*gen).branch},
	}
}

// step adds an operation or a few.
func (g *gen) step() {
	total := 0
	for i := range g.steps {
		total += g.steps[i].often
	}
	n := g.r.IntN(total)
	g.left-- // what adds nothing counts, too
	for i := range g.steps {
		if n -= g.steps[i].often; n < 0 {
			g.steps[i].do(g)
			return
		}
	}
}

// liked gives a form, mostly one of the module's element types that rounds to nearest.
func (g *gen) liked() *Form {
	for range 40 {
		f := oneOf(g, oneOf(g, Forms()))
		known := slices.ContainsFunc(f.In, func(e tileir.Elem) bool { return slices.Contains(g.elems, e) }) &&
			!slices.ContainsFunc(f.In, func(e tileir.Elem) bool { return e != tileir.I1 && !slices.Contains(g.elems, e) })
		directed := slices.ContainsFunc(directions, func(mode tileir.Int) bool {
			i := f.Info.AttrIndex("rounding_mode")
			return i >= 0 && f.Attrs[i] == mode
		})
		if (known || g.chance(3)) && !(directed && g.chance(80)) {
			return f
		}
	}
	return oneOf(g, oneOf(g, Forms()))
}

// directions are the rounding modes that are rare.
var directions = []tileir.Int{tileir.RoundingZero, tileir.RoundingNegativeInf, tileir.RoundingPositiveInf}

func (g *gen) elementwise() {
	if f := g.liked(); products[f.Info.Opcode] == nil {
		g.form(f, g.anyShape())
	}
}

// rare adds an elementwise operation with any element types: most forms are conversions.
func (g *gen) rare() {
	if f := oneOf(g, slices.Concat(Forms()...)); products[f.Info.Opcode] == nil {
		g.form(f, g.anyShape())
	}
}

// strand adds elementwise operations on one shape, one after the other.
func (g *gen) strand() {
	shape := g.anyShape()
	for range 2 + g.r.IntN(10) {
		if f := g.liked(); products[f.Info.Opcode] == nil {
			g.form(f, shape)
		}
	}
}

func (g *gen) any() *tileir.Value {
	return g.find(func(*tileir.Value, *tileir.TileType) bool { return true })
}

func (g *gen) storeAny() {
	if v := g.any(); v != nil && tileOf(v).Elem != tileir.I4 {
		g.store(v)
	}
}

func (g *gen) store(v *tileir.Value) {
	if g.chance(85) {
		g.storeView(v)
	} else {
		g.storePointers(v)
	}
}

// keepAll stores what nothing uses, so that each result counts.
func (g *gen) keepAll() {
	n := 0
	for _, v := range slices.Clone(g.pool) {
		if !g.used[v] && tileOf(v).Elem != tileir.I4 && n < 16 {
			g.store(v)
			n++
		}
	}
}

// commutative are forms for the bodies of reductions, by element type.
func (g *gen) combine(a, b *tileir.Value) *tileir.Value {
	e := tileOf(a).Elem
	codes := []int{tileir.OpAddF, tileir.OpMulF, tileir.OpMaxF, tileir.OpMinF, tileir.OpAddF}
	if e.IsInt() {
		codes = []int{tileir.OpAddI, tileir.OpMulI, tileir.OpMaxI, tileir.OpMinI, tileir.OpAndI, tileir.OpOrI, tileir.OpXOrI}
	}
	code := oneOf(g, codes)
	for _, fs := range Forms() {
		if fs[0].Info.Opcode != code {
			continue
		}
		for range 40 {
			if f := oneOf(g, fs); f.In[0] == e {
				return g.emit(code, []values{{a}, {b}}, f.Attrs, nil)[0]
			}
		}
	}
	return a
}

// folded adds a reduction or a scan of operands that fit.
func (g *gen) folded(code int, attrs func(dim int, ids tileir.Numbers) []tileir.Attr) {
	if g.scalar {
		return
	}
	v := g.find(func(_ *tileir.Value, t *tileir.TileType) bool {
		return t.Rank() > 0 && t.Elem != tileir.I4 && t.Elem.PerByte() == 1
	})
	if v == nil {
		return
	}
	t := tileOf(v)
	operands, dim := values{v}, t.Rank()-1
	if g.chance(25) {
		dim = g.r.IntN(t.Rank())
	}
	for len(operands) < 3 && g.chance(20) {
		operands = append(operands, g.need(g.anyElem(), t.Shape))
	}
	var types, results []tileir.Type
	var ids tileir.Numbers
	for _, o := range operands {
		e := tileOf(o).Elem
		types = append(types, tileir.Tile(e), tileir.Tile(e))
		ids = append(ids, tileir.Number{Elem: e, Bits: g.interesting(e)})
		results = append(results, nil)
	}
	body := g.region(types, func(args values) { g.body(args) })
	g.with(code, []values{operands}, attrs(dim, ids), []*tileir.Block{body}, results...)
}

// body makes the body of a reduction: one operation for each operand, or several that use each other's results and scalars
// from outside.
func (g *gen) body(args values) {
	g.scalar = true
	defer func() { g.scalar = false }()
	if g.chance(35) {
		for range 1 + g.r.IntN(4) {
			if f := g.liked(); products[f.Info.Opcode] == nil {
				g.form(f, []int{})
			}
		}
	}
	var out values
	for i := 0; i < len(args); i += 2 {
		a, b := args[i], args[i+1]
		switch e := tileOf(a).Elem; {
		case g.chance(15):
			out = append(out, g.need(e, []int{}))
		case g.chance(15):
			out = append(out, g.emit(tileir.OpSelect, []values{{g.need(tileir.I1, []int{})}, {a}, {b}}, nil, nil)[0])
		case e.IsInt() || slices.Contains([]tileir.Elem{tileir.F16, tileir.BF16, tileir.F32, tileir.F64}, e):
			if g.chance(20) {
				b = g.need(e, []int{})
			}
			out = append(out, g.combine(a, b))
		default:
			out = append(out, oneOf(g, values{a, b}))
		}
	}
	g.emit(tileir.OpYield, []values{out}, nil)
}

func (g *gen) reduce() {
	g.folded(tileir.OpReduce, func(dim int, ids tileir.Numbers) []tileir.Attr { return []tileir.Attr{tileir.Int(dim), ids} })
}

func (g *gen) scan() {
	g.folded(tileir.OpScan, func(dim int, ids tileir.Numbers) []tileir.Attr {
		return []tileir.Attr{tileir.Int(dim), tileir.Bool(g.chance(50)), ids}
	})
}

// product adds a matrix product.
func (g *gen) product() {
	if g.scalar {
		return
	}
	var all []*Form
	for _, fs := range Forms() {
		if products[fs[0].Info.Opcode] != nil {
			all = append(all, oneOf(g, fs), oneOf(g, fs))
		}
	}
	f := oneOf(g, all)
	m, n, k := 1<<g.r.IntN(7), 1<<g.r.IntN(7), 1<<g.r.IntN(7)
	if g.chance(10) {
		m, n, k = 1<<g.r.IntN(9), 1<<g.r.IntN(9), 1<<g.r.IntN(9)
	}
	if m*n*k > 1<<19 {
		return
	}
	shapes := [][]int{{m, k}, {k, n}, {m, n}}
	if f.Info.Opcode == tileir.OpMmaFScaled {
		per := 32
		if f.In[0] == tileir.F4E2M1FN && (f.In[3] == tileir.F8E4M3FN || g.chance(50)) {
			per = 16
		}
		k = max(k, per)
		n = max(n, 2)
		shapes = [][]int{{m, k}, {k, n}, {m, n}, {m, k / per}, {k / per, n}}
	}
	if g.chance(20) {
		batch := 1 << g.r.IntN(3)
		for i, s := range shapes {
			shapes[i] = append([]int{batch}, s...)
		}
	}
	groups := make([]values, len(shapes))
	for i, s := range shapes {
		groups[i] = values{g.need(f.In[i], s)}
	}
	g.emit(f.Info.Opcode, groups, f.Attrs, nil)
}

func (g *gen) reshape() {
	if v := g.any(); v != nil && !g.scalar {
		t := tileOf(v)
		shape := []int{}
		for n, rank := t.Size(), g.r.IntN(4); rank >= 0 && (n > 1 || rank > 0); rank-- {
			d := n
			if rank > 0 {
				for d > 1 && g.chance(50) {
					d /= 2
				}
			}
			shape, n = append(shape, d), n/d
		}
		g.emit(tileir.OpReshape, []values{{v}}, nil, tileir.Tile(t.Elem, shape...))
	}
}

func (g *gen) broadcast() {
	if s := g.anyShape(); len(s) > 0 {
		g.spread(g.anyElem(), s)
	}
}

func (g *gen) ranked() *tileir.Value {
	return g.find(func(_ *tileir.Value, t *tileir.TileType) bool { return t.Rank() > 0 && t.Elem.PerByte() == 1 })
}

func (g *gen) permute() {
	if v := g.ranked(); v != nil && tileOf(v).Rank() > 1 {
		g.emit(tileir.OpPermute, []values{{v}}, []tileir.Attr{tileir.Ints(g.r.Perm(tileOf(v).Rank()))}, nil)
	}
}

// turn permutes what nothing else uses: a tile that it loads, or one that it stores, or both.
func (g *gen) turn() {
	shape, e := g.anyShape(), g.anyElem()
	if len(shape) < 2 || g.scalar || e.PerByte() > 1 {
		return
	}
	var v *tileir.Value
	if g.chance(70) {
		if v = g.loadView(g.mem(e, g.chance(20), g.chance(50)), shape); v != nil {
			v = g.permuted(v)
		}
	}
	if v == nil {
		v = g.need(e, shape)
	}
	for range g.r.IntN(3) {
		f := g.liked()
		if slices.Contains(f.In, e) && products[f.Info.Opcode] == nil {
			if x := g.form(f, tileOf(v).Shape); x != nil {
				v = x
			}
		}
	}
	if g.chance(50) {
		v = g.permuted(v)
	}
	if g.chance(70) && tileOf(v).Elem.PerByte() == 1 {
		g.storeView(v)
		g.spent[v] = true
	}
}

// permuted permutes a tile that is used no more.
func (g *gen) permuted(v *tileir.Value) *tileir.Value {
	g.spent[v] = true
	return g.emit(tileir.OpPermute, []values{{v}}, []tileir.Attr{tileir.Ints(g.r.Perm(tileOf(v).Rank()))}, nil)[0]
}

// cut extracts a part of a tile, and may put it elsewhere.
func (g *gen) cut() {
	v := g.ranked()
	if v == nil {
		return
	}
	t := tileOf(v)
	part := slices.Clone(t.Shape)
	at := func() (out values) {
		for i := range part {
			n := g.r.IntN(t.Shape[i] / part[i])
			out = append(out, g.number(tileir.I32, n))
		}
		return out
	}
	for i := range part {
		for part[i] > 1 && g.chance(50) {
			part[i] /= 2
		}
	}
	r := g.emit(tileir.OpExtract, []values{{v}, at()}, nil, tileir.Tile(t.Elem, part...))[0]
	if g.chance(50) {
		if g.chance(50) {
			r = g.need(t.Elem, part)
		}
		g.emit(tileir.OpInsert, []values{{r}, {v}, at()}, nil, nil)
	}
}

func (g *gen) join() {
	v := g.ranked()
	if v == nil || tileOf(v).Size() > 4096 {
		return
	}
	t := tileOf(v)
	g.emit(tileir.OpCat, []values{{v}, {g.need(t.Elem, t.Shape)}}, []tileir.Attr{tileir.Int(g.r.IntN(t.Rank()))}, nil)
}

// unpacked are the element types that bytes are taken apart to.
var unpacked = []tileir.Elem{tileir.I1, tileir.I4, tileir.F4E2M1FN, tileir.F4E2M1FN, tileir.I16, tileir.I32, tileir.F16, tileir.F64}

// pack sees a row as bytes, and bytes as the row or as another one.
func (g *gen) pack() {
	v := g.find(func(v *tileir.Value, t *tileir.TileType) bool {
		return t.Rank() == 1 && !g.computed[v] && (t.Elem == tileir.I8 || t.Elem.Bits() != 8 && t.Elem != tileir.TF32) && t.Size()*t.Elem.Bits() >= 8
	})
	if v == nil {
		return
	}
	t := tileOf(v)
	b, n := v, t.Size()*t.Elem.Bits()
	if t.Elem != tileir.I8 {
		b = g.emit(tileir.OpPack, []values{{v}}, nil, tileir.Tile(tileir.I8, n/8))[0]
	}
	e := oneOf(g, unpacked)
	if t.Elem != tileir.I8 && g.chance(30) {
		e = t.Elem
	}
	if n >= e.Bits() && n/e.Bits() <= most {
		g.emit(tileir.OpUnpack, []values{{b}}, nil, tileir.Tile(e, n/e.Bits()))
	}
}

// promise adds a promise that always holds.
func (g *gen) promise() {
	if v := g.find(func(_ *tileir.Value, t *tileir.TileType) bool {
		return t.Elem.IsInt() && t.Elem != tileir.I1 && t.Elem != tileir.I4
	}); v != nil {
		g.emit(tileir.OpAssume, []values{{v}}, []tileir.Attr{oneOf(g, []tileir.Attr{tileir.Bounded{}, tileir.DivBy{Divisor: 1}})}, nil)
	}
}

// tokens joins tokens, or checks what is true.
func (g *gen) tokens() {
	if g.chance(50) {
		other := g.emit(tileir.OpMakeToken, nil, nil, tileir.Token)[0]
		g.token = g.emit(tileir.OpJoinTokens, []values{{g.token, other}}, nil, tileir.Token)[0]
		return
	}
	c := g.need(tileir.I1, g.anyShape())
	if g.chance(95) {
		t := tileOf(c)
		c = g.emit(tileir.OpOrI, []values{{c}, {g.emit(tileir.OpConstant, nil, []tileir.Attr{tileir.SplatConstant(t, 1)}, t)[0]}}, nil, nil)[0]
	}
	g.emit(tileir.OpAssert, []values{{c}}, []tileir.Attr{tileir.String("fuzz")})
}
