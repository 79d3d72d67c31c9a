package nativefuzz

import (
	"math/rand/v2"
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// Program is a module with what it is launched with.
type Program struct {
	Seed   uint64 // of what memory holds
	Module *tileir.Module
	Grid   [3]uint32
	Params []Param
}

// Param is a parameter: a number, or memory of so many elements.
type Param struct {
	Elem  tileir.Elem
	Elems int    // of the memory; -1 for a number
	Exact bool   // the memory holds only bits that were moved, so that numbers that are NaN have the same bits, too
	Bits  uint64 // of a number
}

// gen makes a random module.
type gen struct {
	r        *rand.Rand
	block    *tileir.Block
	prologue *tileir.Block
	pool     []*tileir.Value        // tiles that may be used
	index    []*tileir.Value        // small scalars of i32 that are no less than 0
	computed map[*tileir.Value]bool // floats, of which the bits of a NaN are not known
	used     map[*tileir.Value]bool
	spent    map[*tileir.Value]bool // nothing more uses them
	memory   []*memory
	params   []*tileir.Value
	numbers  []Param // by parameter
	token    *tileir.Value
	blocks   int
	id       *tileir.Value // of the block, in a row, as i64
	elems    []tileir.Elem // that the module prefers
	shapes   [][]int       // likewise
	scalar   bool          // inside the body of a reduction: scalars only, no memory
	depth    int           // of regions
	making   int           // depth of need
	left     int           // operations
	steps    []step
}

// memory is a parameter for a tensor.
type memory struct {
	elem    tileir.Elem
	param   int
	base    *tileir.Value
	size    int // elements of a block
	written bool
	exact   bool
	each    *tileir.Constant // the elements of a block, known in the end
}

// Generate makes the program of a seed. What the verifier refuses, one module in a hundred, is made anew.
func Generate(seed uint64) *Program { return generateOf(seed, steps) }

// GenerateProducts is Generate for programs with loops of matrix products, many of them in other loops and branches.
func GenerateProducts(seed uint64) *Program {
	more := []step{{30, (*gen).productLoop}, {8, (*gen).count}, {4, (*gen).loop}, {4, (*gen).branch}}
	return generateOf(seed, append(more, steps...))
}

func generateOf(seed uint64, steps []step) *Program {
	for try := uint64(0); ; try++ {
		if p := generate(seed, try, steps); p.fits() && tileir.Verify(p.Module, tileir.Newest) == nil {
			return p
		}
	}
}

// fits reports whether a runner has enough memory.
func (p *Program) fits() bool {
	return !slices.ContainsFunc(p.Params, func(q Param) bool { return q.bytes() > region })
}

func generate(seed, try uint64, steps []step) *Program {
	g := &gen{r: rand.New(rand.NewPCG(seed, try)), computed: map[*tileir.Value]bool{}, used: map[*tileir.Value]bool{}, spent: map[*tileir.Value]bool{}, blocks: 1, steps: steps}
	p := &Program{Seed: seed, Grid: [3]uint32{1, 1, 1}}
	if g.chance(30) {
		p.Grid = [3]uint32{uint32(1 + g.r.IntN(4)), uint32(1 + g.r.IntN(2)), uint32(1 + g.r.IntN(2))}
		g.blocks = int(p.Grid[0] * p.Grid[1] * p.Grid[2])
	}
	g.prologue, g.block = &tileir.Block{}, &tileir.Block{}
	g.plan()
	g.inPrologue(func() {
		g.token = g.emit(tileir.OpMakeToken, nil, nil, tileir.Token)[0]
		g.blockID(p.Grid)
	})
	g.left = 5 + g.r.IntN(40)
	for g.left > 0 {
		g.step()
	}
	g.keepAll()
	g.emit(tileir.OpReturn, nil, nil)
	e := &tileir.Entry{Name: "fuzz", Params: g.params, Body: g.prologue}
	e.Body.Ops = append(e.Body.Ops, g.block.Ops...)
	p.Module, p.Params = &tileir.Module{Entries: []*tileir.Entry{e}}, g.numbers
	g.settle(p)
	return p
}

// settle decides the sizes of memory. Some have too few elements, so that kernels fault.
func (g *gen) settle(p *Program) {
	for _, m := range g.memory {
		n := m.size + g.r.IntN(3)
		if per := m.elem.PerByte(); per > 1 { // an even number of bytes: GPUs exchange no less than two at once
			n += -n & (2*per - 1)
		}
		if m.each != nil {
			m.each.Data = tileir.IntConstant(m.each.Type, int64(n)).Data
			n *= g.blocks
		}
		if g.chance(1) {
			n -= g.r.IntN(min(n, 64))
		}
		p.Params[m.param].Elems, p.Params[m.param].Exact = n, m.exact || !m.elem.IsFloat()
	}
}

// common are element types that modules have more often than others.
var common = []tileir.Elem{tileir.F32, tileir.F32, tileir.F32, tileir.I32, tileir.I32, tileir.F16, tileir.BF16, tileir.F64, tileir.I8, tileir.I16, tileir.I64, tileir.I1}

// plan chooses element types and shapes that the module prefers.
func (g *gen) plan() {
	for range 1 + g.r.IntN(3) {
		g.elems = append(g.elems, common[g.r.IntN(len(common))])
	}
	if g.chance(15) {
		g.elems = append(g.elems, tileir.Elems()[g.r.IntN(len(tileir.Elems()))])
	}
	main := g.shape(12)
	for size(main) < 16 && g.chance(80) {
		main = g.shape(12)
	}
	g.shapes = [][]int{main, main, main, main}
	if n := len(main); n > 0 {
		row, column := slices.Clone(main), slices.Repeat([]int{1}, n)
		row[n-1], column[n-1] = 1, main[n-1]
		g.shapes = append(g.shapes, row, row[:n-1], column, column[n-1:])
	}
	g.shapes = append(g.shapes, []int{}, []int{size(main)}, g.shape(10))
}

// shape makes a shape of up to 1<<most elements.
func (g *gen) shape(most int) []int {
	left := g.r.IntN(most + 1)
	shape := []int{}
	for rank := g.r.IntN(5); rank > 0; rank-- {
		n := left
		if rank > 1 {
			n = g.r.IntN(left + 1)
		}
		shape, left = append(shape, 1<<n), left-n
	}
	if g.chance(50) {
		slices.Sort(shape)
	}
	return shape
}

func size(shape []int) int { return tileir.Tile(tileir.I8, shape...).Size() }

func (g *gen) chance(percent int) bool { return g.r.IntN(100) < percent }

func oneOf[T any](g *gen, list []T) T { return list[g.r.IntN(len(list))] }

type values = []*tileir.Value

// emit adds an operation. Its results join the pool; a type of nil follows from the operands.
func (g *gen) emit(code int, groups []values, attrs []tileir.Attr, types ...tileir.Type) values {
	return g.add(tileir.NewOp(tileir.LookupOpcode(code), groups, attrs, nil, nil, tileir.Loc{}), types)
}

// with adds an operation with a region.
func (g *gen) with(code int, groups []values, attrs []tileir.Attr, regions []*tileir.Block, types ...tileir.Type) values {
	op := tileir.NewOp(tileir.LookupOpcode(code), groups, attrs, nil, regions, tileir.Loc{})
	return g.add(op, types)
}

func (g *gen) add(op *tileir.Op, types []tileir.Type) values {
	for i, t := range types {
		if t == nil {
			t = op.Inferred(i)
		}
		v := &tileir.Value{Type: t, Def: op}
		op.Results = append(op.Results, v)
		if tile, ok := t.(*tileir.TileType); ok && !tile.Pointer {
			g.pool = append(g.pool, v)
			g.computed[v] = tile.Elem.IsFloat() && !g.moves(op)
		}
	}
	for _, v := range op.Operands {
		g.used[v] = true
	}
	g.block.Ops = append(g.block.Ops, op)
	g.left--
	return op.Results
}

// moved are the operations that only move bits.
var moved = map[int]bool{tileir.OpConstant: true, tileir.OpReshape: true, tileir.OpBroadcast: true, tileir.OpPermute: true, tileir.OpCat: true,
	tileir.OpExtract: true, tileir.OpInsert: true, tileir.OpSelect: true, tileir.OpAssume: true, tileir.OpBitcast: true, tileir.OpUnpack: true}

// moves reports whether the bits of an operation's result are those of its operands.
func (g *gen) moves(op *tileir.Op) bool {
	return moved[op.Info.Opcode] && !slices.ContainsFunc(op.Operands, func(v *tileir.Value) bool { return g.computed[v] })
}

// inPrologue adds operations before all others.
func (g *gen) inPrologue(f func()) {
	block, n := g.block, len(g.pool)
	g.block = g.prologue
	f()
	g.block, g.pool = block, g.pool[:n]
}

// region makes a block. What is made in it is unknown outside.
func (g *gen) region(args []tileir.Type, f func(args values)) *tileir.Block {
	outer, pool, index := g.block, len(g.pool), len(g.index)
	g.block = &tileir.Block{}
	for _, t := range args {
		v := &tileir.Value{Type: t}
		g.block.Args = append(g.block.Args, v)
		if tile, ok := t.(*tileir.TileType); ok {
			g.pool = append(g.pool, v)
			g.computed[v] = tile.Elem.IsFloat()
		}
	}
	g.depth++
	f(g.block.Args)
	g.depth--
	b := g.block
	g.block, g.pool, g.index = outer, g.pool[:pool], g.index[:index]
	return b
}

// constant makes a scalar.
func (g *gen) number(e tileir.Elem, n int) *tileir.Value {
	t := tileir.Tile(e)
	return g.emit(tileir.OpConstant, nil, []tileir.Attr{tileir.IntConstant(t, int64(n))}, t)[0]
}

// blockID computes the number of the block.
func (g *gen) blockID(grid [3]uint32) {
	if g.blocks == 1 {
		return
	}
	s := tileir.Tile(tileir.I32)
	id := g.emit(tileir.OpGetTileBlockId, nil, nil, s, s, s)
	n := id[2]
	for i := 1; i >= 0; i-- {
		n = g.emit(tileir.OpMulI, []values{{n}, {g.number(tileir.I32, int(grid[i]))}}, nil, nil)[0]
		n = g.emit(tileir.OpAddI, []values{{n}, {id[i]}}, nil, nil)[0]
	}
	g.id = g.emit(tileir.OpExtI, []values{{n}}, []tileir.Attr{tileir.Unsigned}, tileir.Tile(tileir.I64))[0]
	g.index = append(g.index, n)
}

// param adds a parameter.
func (g *gen) param(t tileir.Type, p Param) *tileir.Value {
	v := &tileir.Value{Type: t}
	g.params, g.numbers = append(g.params, v), append(g.numbers, p)
	return v
}

// mem finds or makes memory.
func (g *gen) mem(e tileir.Elem, written, exact bool) *memory {
	exact = exact || !e.IsFloat() || !written
	var found []*memory
	for _, m := range g.memory {
		if m.elem == e && m.written == written && m.exact == exact {
			found = append(found, m)
		}
	}
	if len(found) > 2 || len(found) > 0 && g.chance(70) {
		return oneOf(g, found)
	}
	return g.newMemory(e, written, exact)
}

// newMemory makes memory.
func (g *gen) newMemory(e tileir.Elem, written, exact bool) *memory {
	m := &memory{elem: e, param: len(g.params), written: written, exact: exact, size: 1}
	m.base = g.param(tileir.PointerTile(e), Param{Elem: e})
	if written && g.blocks > 1 {
		t := tileir.Tile(tileir.I64)
		m.each = tileir.IntConstant(t, 1)
		g.inPrologue(func() {
			each := g.emit(tileir.OpConstant, nil, []tileir.Attr{m.each}, t)[0]
			off := g.emit(tileir.OpMulI, []values{{g.id}, {each}}, nil, nil)[0]
			m.base = g.emit(tileir.OpOffset, []values{{m.base}, {off}}, nil, m.base.Type)[0]
		})
	}
	g.memory = append(g.memory, m)
	return m
}

// anyElem gives an element type for new tiles.
func (g *gen) anyElem() tileir.Elem {
	if g.chance(85) {
		return oneOf(g, g.elems)
	}
	for {
		if e := oneOf(g, tileir.Elems()); e != tileir.I4 {
			return e
		}
	}
}

// anyShape gives a shape for new tiles.
func (g *gen) anyShape() []int {
	switch {
	case g.scalar:
		return []int{}
	case g.chance(90):
		return oneOf(g, g.shapes)
	}
	return g.shape(10)
}

func tileOf(v *tileir.Value) *tileir.TileType {
	t, _ := v.Type.(*tileir.TileType)
	return t
}

// find gives a value of the pool for which ok, nil if there is none. What is new is used more often.
func (g *gen) find(ok func(v *tileir.Value, t *tileir.TileType) bool) *tileir.Value {
	var found values
	for _, v := range g.pool {
		if t := tileOf(v); !g.spent[v] && (!g.scalar || t.Rank() == 0) && ok(v, t) {
			found = append(found, v)
		}
	}
	switch n := len(found); {
	case n == 0:
		return nil
	case g.chance(50):
		return found[n-1-g.r.IntN(min(n, 3))]
	}
	return oneOf(g, found)
}

// need gives a tile of a type.
func (g *gen) need(e tileir.Elem, shape []int) *tileir.Value {
	if g.chance(85) {
		if v := g.find(func(_ *tileir.Value, t *tileir.TileType) bool { return t.Elem == e && slices.Equal(t.Shape, shape) }); v != nil {
			return v
		}
	}
	return g.make(e, shape)
}

// make makes a new tile.
func (g *gen) make(e tileir.Elem, shape []int) *tileir.Value {
	g.making++
	defer func() { g.making-- }()
	t := tileir.Tile(e, shape...)
	if e == tileir.I4 {
		return g.emit(tileir.OpTruncI, []values{{g.need(tileir.I8, shape)}}, nil, t)[0]
	}
	if g.making > 4 || g.scalar {
		return g.fill(t)
	}
	for {
		switch n := g.r.IntN(10); {
		case n < 3 && len(shape) > 0:
			if v := g.loadView(g.mem(e, g.chance(20), g.chance(50)), shape); v != nil {
				return v
			}
		case n < 4:
			return g.loadPointers(g.mem(e, g.chance(20), g.chance(50)), shape)
		case n < 5 && e.IsInt() && e != tileir.I1 && len(shape) > 0:
			return g.iota(e, shape)
		case n < 6:
			return g.fill(t)
		case n < 7:
			from := g.find(func(v *tileir.Value, x *tileir.TileType) bool { return x.Elem == e && x.Size() == size(shape) })
			if from != nil {
				return g.emit(tileir.OpReshape, []values{{from}}, nil, t)[0]
			}
		case n < 8 && len(shape) > 0:
			return g.spread(e, shape)
		default:
			if v := g.into(e, shape); v != nil {
				return v
			}
		}
	}
}

// fill makes a constant: of one value, or of as many as it has elements.
func (g *gen) fill(t *tileir.TileType) *tileir.Value {
	c := tileir.SplatConstant(t, g.interesting(t.Elem))
	if t.Size() <= 1024 && g.chance(30) {
		bits := make([]uint64, t.Size())
		for i := range bits {
			bits[i] = g.interesting(t.Elem)
		}
		c = &tileir.Constant{Type: t, Data: tileir.ElementData(t.Elem, bits...)}
	}
	return g.emit(tileir.OpConstant, nil, []tileir.Attr{c}, t)[0]
}

func (g *gen) interesting(e tileir.Elem) uint64 {
	return content(g.r, e, moodOf(g.r))
}

func (g *gen) iota(e tileir.Elem, shape []int) *tileir.Value {
	n := size(shape)
	if e == tileir.I8 && n > 256 || e == tileir.I16 && n > 1<<16 {
		return g.fill(tileir.Tile(e, shape...))
	}
	v := g.emit(tileir.OpIota, nil, nil, tileir.Tile(e, n))[0]
	if len(shape) != 1 {
		v = g.emit(tileir.OpReshape, []values{{v}}, nil, tileir.Tile(e, shape...))[0]
	}
	return v
}

// spread broadcasts.
func (g *gen) spread(e tileir.Elem, shape []int) *tileir.Value {
	from := slices.Clone(shape)
	switch n := len(shape); g.r.IntN(4) {
	case 0:
		from = slices.Repeat([]int{1}, n)
	case 1:
		from[n-1] = 1
	case 2:
		for i := range n - 1 {
			from[i] = 1
		}
	default:
		for i := range from {
			if g.chance(50) {
				from[i] = 1
			}
		}
	}
	return g.emit(tileir.OpBroadcast, []values{{g.need(e, from)}}, nil, tileir.Tile(e, shape...))[0]
}

// into makes an element type by an elementwise operation, nil if the forms that were tried have none.
func (g *gen) into(e tileir.Elem, shape []int) *tileir.Value {
	for range 20 {
		f := oneOf(g, oneOf(g, Forms()))
		if f.Out == e && products[f.Info.Opcode] == nil {
			return g.form(f, shape)
		}
	}
	return nil
}

// form adds an elementwise operation; nil if it would show the bits of a NaN.
func (g *gen) form(f *Form, shape []int) *tileir.Value {
	groups := make([]values, len(f.In))
	for i, e := range f.In {
		groups[i] = values{g.need(e, shape)}
		if i > 0 && e == f.In[0] && g.chance(8) {
			groups[i] = groups[0] // one tile twice
		}
	}
	if f.Info.Opcode == tileir.OpBitcast && f.In[0].IsFloat() && g.computed[groups[0][0]] {
		return nil
	}
	return g.emit(f.Info.Opcode, groups, f.Attrs, tileir.Tile(f.Out, shape...))[0]
}
