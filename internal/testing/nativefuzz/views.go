package nativefuzz

import (
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// most is the greatest number of elements that a tensor takes.
const most = 1 << 15

// layout is a tensor with tiles.
type layout struct {
	extent, stride []int64 // of the tensor, by dimension
	tile           []int
	dims           []int // dimension of each axis of a tile
	step           []int // from tile to tile, by axis
	count          []int // tiles, by axis
	sparse         int   // the dimension that is indexed by element, or -1
	strided        bool
}

// layout makes a random tensor for tiles of a shape. Tiles of stored tensors do not overlap themselves.
func (g *gen) layout(e tileir.Elem, tile []int, store bool) *layout {
	n := len(tile)
	l := &layout{extent: make([]int64, n), stride: make([]int64, n), tile: tile, dims: g.r.Perm(n), sparse: -1, step: slices.Clone(tile), count: make([]int, n)}
	if g.chance(60) {
		slices.Sort(l.dims)
	}
	packed := e.PerByte() > 1 && g.chance(50) // each row begins with a byte
	switch k := g.r.IntN(10); {
	case k == 0 && !packed:
		l.sparse = g.r.IntN(n)
		slices.Sort(l.dims)
		for i := range l.step {
			l.step[i] = 1
		}
	case k < 3 && !packed:
		l.strided = true
		for i := range l.step {
			l.step[i] = 1 + g.r.IntN(2*tile[i])
		}
	}
	left := max(1, most/size(tile))
	for i, d := range l.dims {
		l.count[i] = 1 + g.r.IntN(min(3, left))
		left /= l.count[i]
		x := tile[i] * l.count[i]
		switch {
		case packed:
		case g.chance(20):
			x -= g.r.IntN(tile[i])
		case g.chance(8):
			x += g.r.IntN(3)
		}
		l.extent[d] = int64(x)
	}
	order := g.r.Perm(n)
	if packed || g.chance(70) {
		slices.Sort(order)
	}
	step := int64(1)
	if g.chance(5) && !packed {
		step = int64(1 + g.r.IntN(3))
	}
	for i := n - 1; i >= 0; i-- {
		d := order[i]
		l.stride[d] = step
		step *= l.extent[d]
		if l.extent[d] == 1 && g.chance(10) { // which nothing is multiplied with but 0, and indices outside
			l.stride[d] = 1 << (10 + g.r.IntN(53))
		}
		if g.chance(15) && !packed {
			step += int64(g.r.IntN(5))
		}
	}
	if !store && g.chance(8) && !packed { // elements that are seen several times
		d := g.r.IntN(n)
		l.stride[d] = g.r.Int64N(l.stride[d] + 1)
	}
	return l
}

// span is how many elements lie from the first to the last.
func (l *layout) span() int {
	n := int64(1)
	for i := range l.extent {
		n += (l.extent[i] - 1) * l.stride[i]
	}
	return int(n)
}

var paddings = []tileir.Padding{tileir.PadZero, tileir.PadZero, tileir.PadNegZero, tileir.PadNaN, tileir.PadPosInf, tileir.PadNegInf, tileir.NoPadding}

// view makes a view with such tiles.
func (g *gen) view(m *memory, l *layout, atomic bool) *tileir.Value {
	off := 0
	if g.chance(20) && m.elem.PerByte() == 1 { // a tensor begins with a byte
		off = g.r.IntN(40)
	}
	return g.viewAt(m, l, off, atomic)
}

// viewAt makes a view of a tensor that begins with an element of memory.
func (g *gen) viewAt(m *memory, l *layout, off int, atomic bool) *tileir.Value {
	base := m.base
	if off > 0 {
		base = g.emit(tileir.OpOffset, []values{{base}, {g.number(tileir.I32, off)}}, nil, base.Type)[0]
	}
	m.size = max(m.size, off+l.span())
	var shape, strides values
	of := oneOf(g, []tileir.Elem{tileir.I32, tileir.I64})
	dynamic := func(list []int64, out *values) []int64 {
		types := slices.Clone(list)
		for i, n := range list {
			if n == 0 || g.chance(30) {
				types[i] = tileir.Dynamic
				*out = append(*out, g.number(of, int(n)))
			}
		}
		return types
	}
	t := &tileir.TensorViewType{Elem: m.elem}
	t.Shape, t.Strides = dynamic(l.extent, &shape), dynamic(l.stride, &strides)
	tensor := g.emit(tileir.OpMakeTensorView, []values{{base}, shape, strides}, nil, t)[0]
	if g.chance(4) {
		g.emit(tileir.OpGetTensorShape, []values{{tensor}}, nil, slices.Repeat([]tileir.Type{tileir.Tile(of)}, len(l.extent))...)
	}
	pad := oneOf(g, paddings)
	if !m.elem.IsFloat() {
		pad = min(pad, tileir.PadZero)
	}
	if atomic {
		pad = tileir.NoPadding
	}
	code, view := tileir.OpMakePartitionView, tileir.Type(&tileir.PartitionViewType{Tile: l.tile, Tensor: t, DimMap: l.dims, Padding: pad})
	switch {
	case l.sparse >= 0:
		code, view = tileir.OpMakeGatherScatterView, &tileir.GatherScatterViewType{Tile: l.tile, Tensor: t, SparseDim: l.sparse, Padding: pad}
	case l.strided:
		code, view = tileir.OpMakeStridedView, &tileir.StridedViewType{Tile: l.tile, Traversal: l.step, Tensor: t, DimMap: l.dims, Padding: pad}
	}
	v := g.emit(code, []values{{tensor}}, nil, view)[0]
	if g.chance(4) && l.sparse < 0 {
		g.emit(tileir.OpGetIndexSpaceShape, []values{{v}}, nil, slices.Repeat([]tileir.Type{tileir.Tile(of)}, len(l.extent))...)
	}
	return v
}

// indices make the index of an access. Elements of stored tiles differ.
func (g *gen) indices(l *layout, store bool) values {
	of := oneOf(g, []tileir.Elem{tileir.I32, tileir.I32, tileir.I64})
	out := make(values, len(l.tile))
	for i := range out {
		if i == l.sparse {
			out[i] = g.sparse(l, store)
			continue
		}
		if of == tileir.I32 && len(g.index) > 0 && g.chance(50) {
			out[i] = oneOf(g, g.index)
			continue
		}
		most := l.count[i]
		if l.step[i] != l.tile[i] {
			most = int(l.extent[l.dims[i]])/l.step[i] + 1
		}
		at := g.r.IntN(most)
		switch {
		case g.chance(2):
			at = most
		case g.chance(1):
			at = -1
		}
		out[i] = g.number(of, at)
	}
	return out
}

// sparse makes the positions of the elements along a sparse dimension.
func (g *gen) sparse(l *layout, store bool) *tileir.Value {
	n, e := l.tile[l.sparse], oneOf(g, []tileir.Elem{tileir.I32, tileir.I64})
	t := tileir.Tile(e, n)
	list := make([]int64, n)
	for i, at := range g.r.Perm(n) {
		list[i] = int64(at)
		if !store {
			list[i] = g.r.Int64N(l.extent[l.sparse])
		}
		if g.chance(2) {
			list[i] = int64(-1 - i)
		}
	}
	constant := func(list []int64) *tileir.Value {
		return g.emit(tileir.OpConstant, nil, []tileir.Attr{tileir.IntConstant(t, list...)}, t)[0]
	}
	if g.chance(50) {
		return constant(list)
	}
	add := make([]int64, n) // they are computed just before
	for i := range add {
		add[i] = int64(g.r.IntN(100))
		list[i] -= add[i]
	}
	return g.emit(tileir.OpAddI, []values{{constant(list), constant(add)}}, []tileir.Attr{tileir.OverflowNone}, t)[0]
}

// access gives the attributes and the token of an access.
func (g *gen) access(strong ...tileir.Int) (attrs []tileir.Attr, order values) {
	attrs = []tileir.Attr{tileir.MemoryWeak, nil, nil, nil}
	if g.chance(3) {
		attrs[0], attrs[1] = oneOf(g, strong), tileir.ScopeDevice
	}
	return attrs, values{g.token}
}

// loadView loads a tile through a view; nil for tiles that no view has.
func (g *gen) loadView(m *memory, shape []int) *tileir.Value {
	if len(shape) == 0 {
		return nil
	}
	l := g.layout(m.elem, shape, false)
	if l.span() > 2*most {
		return nil
	}
	view, index := g.view(m, l, false), g.indices(l, false)
	attrs, token := g.access(tileir.MemoryRelaxed, tileir.MemoryAcquire)
	if !m.written && g.chance(80) {
		token = nil
	}
	r := g.emit(tileir.OpLoadViewTko, []values{{view}, index, token}, attrs, nil, nil)
	g.took(m, r[0], r[1])
	return r[0]
}

// took notes a loaded tile.
func (g *gen) took(m *memory, v, token *tileir.Value) {
	g.computed[v] = m.elem.IsFloat() && !m.exact
	if m.written {
		g.token = token
	}
}

// storeView stores a tile through a view.
func (g *gen) storeView(v *tileir.Value) {
	t := tileOf(v)
	if t.Rank() == 0 {
		g.storePointers(v)
		return
	}
	m := g.mem(t.Elem, true, t.Elem.IsFloat() && !g.computed[v])
	l := g.layout(t.Elem, t.Shape, true)
	for l.span() > 2*most {
		l = g.layout(t.Elem, t.Shape, true)
	}
	view, index := g.view(m, l, false), g.indices(l, true)
	attrs, token := g.access(tileir.MemoryRelaxed, tileir.MemoryRelease)
	g.token = g.emit(tileir.OpStoreViewTko, []values{{v}, {view}, index, token}, attrs, nil)[0]
}

// plain is a tensor of one tile, with the dimensions in an order: of the last one neighbours lie side by side.
func plain(tile, order []int) *layout {
	n := len(tile)
	l := &layout{extent: make([]int64, n), stride: make([]int64, n), tile: tile, step: tile, count: slices.Repeat([]int{1}, n), sparse: -1}
	next := int64(1)
	for d := range n {
		l.dims = append(l.dims, d)
	}
	for _, d := range slices.Backward(order) {
		l.extent[d], l.stride[d] = int64(tile[d]), next
		next *= int64(tile[d])
	}
	return l
}

// loadRows loads a matrix.
func (g *gen) loadRows() *tileir.Value {
	e := oneOf(g, g.elems)
	if e.PerByte() > 1 {
		return nil
	}
	m := g.mem(e, false, true)
	l := plain([]int{8 << g.r.IntN(4), 8 << g.r.IntN(4)}, []int{0, 1})
	r := g.emit(tileir.OpLoadViewTko, []values{{g.view(m, l, false)}, {g.number(tileir.I32, 0), g.number(tileir.I32, 0)}, {g.token}}, []tileir.Attr{tileir.MemoryWeak}, nil, nil)
	g.took(m, r[0], r[1])
	return r[0]
}

// storeAcross stores a matrix by its columns.
func (g *gen) storeAcross(v *tileir.Value) {
	t := tileOf(v)
	m := g.mem(t.Elem, true, t.Elem.IsFloat() && !g.computed[v])
	view := g.view(m, plain(t.Shape, []int{1, 0}), false)
	index := values{g.number(tileir.I32, 0), g.number(tileir.I32, 0)}
	g.token = g.emit(tileir.OpStoreViewTko, []values{{v}, {view}, index, {g.token}}, []tileir.Attr{tileir.MemoryWeak}, nil)[0]
}

// inPlace loads tiles, computes, and stores where they were, or nearly there, so that stores meet loads and other stores.
func (g *gen) inPlace(shape []int) {
	e := g.anyElem()
	if len(shape) == 0 || e.PerByte() > 1 {
		return
	}
	m := g.mem(e, true, false)
	l := g.layout(e, shape, true)
	if l.span() > 2*most {
		return
	}
	type place struct {
		view  *tileir.Value
		index values
	}
	places := []place{{g.viewAt(m, l, 0, false), g.indices(l, true)}}
	for g.chance(60) && len(places) < 4 {
		p := oneOf(g, places)
		if g.chance(60) {
			p.view = g.viewAt(m, l, oneOf(g, []int{1, 2, 3, 8, 16, 31, 64, shape[len(shape)-1]}), false)
		} else {
			p.index = g.indices(l, true)
		}
		places = append(places, p)
	}
	weak := []tileir.Attr{tileir.MemoryWeak}
	var loaded values
	for range 1 + g.r.IntN(2) {
		p := oneOf(g, places)
		r := g.emit(tileir.OpLoadViewTko, []values{{p.view}, p.index, {g.token}}, weak, nil, nil)
		g.took(m, r[0], r[1])
		loaded = append(loaded, r[0])
	}
	for range g.r.IntN(6) {
		f := g.liked()
		if slices.Contains(f.In, e) && products[f.Info.Opcode] == nil {
			if x := g.form(f, shape); x != nil && f.Out == e {
				loaded = append(loaded, x)
			}
		}
	}
	for range 1 + g.r.IntN(2) {
		v, p := loaded[len(loaded)-1], oneOf(g, places)
		if g.chance(30) {
			v = oneOf(g, loaded)
		}
		g.token = g.emit(tileir.OpStoreViewTko, []values{{v}, {p.view}, p.index, {g.token}}, weak, nil)[0]
	}
}

// pointers makes a tile of pointers to elements that differ from one another, if that is asked for.
func (g *gen) pointers(m *memory, shape []int, differ bool) *tileir.Value {
	n := size(shape)
	most := n << g.r.IntN(2)
	list := g.r.Perm(most)[:n]
	for i := range list {
		if !differ && g.chance(50) {
			list[i] = g.r.IntN(most)
		}
	}
	m.size = max(m.size, most)
	if n > 1 && n <= 1024 && g.chance(50) {
		return g.pointersAt(m, shape, g.listed(shape, list))
	}
	return g.pointersAt(m, shape, g.iota(tileir.I32, shape))
}

// listed is a constant of i32.
func (g *gen) listed(shape, list []int) *tileir.Value {
	t := tileir.Tile(tileir.I32, shape...)
	c := &tileir.Constant{Type: t}
	for _, x := range list {
		c.Data = append(c.Data, tileir.IntConstant(tileir.Tile(tileir.I32), int64(x)).Data...)
	}
	return g.emit(tileir.OpConstant, nil, []tileir.Attr{c}, t)[0]
}

// pointersAt makes a tile of pointers to elements at offsets.
func (g *gen) pointersAt(m *memory, shape []int, offsets *tileir.Value) *tileir.Value {
	one := g.emit(tileir.OpReshape, []values{{m.base}}, nil, tileir.PointerTile(m.elem, slices.Repeat([]int{1}, len(shape))...))[0]
	all := g.emit(tileir.OpBroadcast, []values{{one}}, nil, tileir.PointerTile(m.elem, shape...))[0]
	return g.emit(tileir.OpOffset, []values{{all}, {offsets}}, nil, all.Type)[0]
}

// mask gives an optional mask.
func (g *gen) mask(shape []int) values {
	if g.chance(50) {
		return nil
	}
	return values{g.need(tileir.I1, shape)}
}

// loadPointers loads a tile by pointers.
func (g *gen) loadPointers(m *memory, shape []int) *tileir.Value {
	if m.elem.PerByte() > 1 || size(shape) > 4096 {
		return g.fill(tileir.Tile(m.elem, shape...))
	}
	var p *tileir.Value
	var mask, pad values
	if g.chance(60) {
		p, mask = g.reach(m, shape)
	} else {
		p, mask = g.pointers(m, shape, false), g.mask(shape)
	}
	if mask != nil {
		pad = values{g.need(m.elem, shape)}
	}
	attrs, token := g.access(tileir.MemoryRelaxed, tileir.MemoryAcquire)
	r := g.emit(tileir.OpLoadPtrTko, []values{{p}, mask, pad, token}, attrs[:3], tileir.Tile(m.elem, shape...), nil)
	g.took(m, r[0], r[1])
	g.computed[r[0]] = g.computed[r[0]] || pad != nil && g.computed[pad[0]]
	return r[0]
}

// storePointers stores a tile by pointers.
func (g *gen) storePointers(v *tileir.Value) {
	t := tileOf(v)
	if t.Elem.PerByte() > 1 || t.Size() > 4096 {
		return
	}
	m := g.mem(t.Elem, true, t.Elem.IsFloat() && !g.computed[v])
	p, mask := g.pointers(m, t.Shape, true), g.mask(t.Shape)
	attrs, token := g.access(tileir.MemoryRelaxed, tileir.MemoryRelease)
	g.token = g.emit(tileir.OpStorePtrTko, []values{{p}, {v}, mask, token}, attrs[:3], nil)[0]
}

// atomicModes are the updates of integers.
var atomicModes = []tileir.Int{tileir.AtomicAdd, tileir.AtomicAnd, tileir.AtomicOr, tileir.AtomicXor, tileir.AtomicMax, tileir.AtomicMin,
	tileir.AtomicUMax, tileir.AtomicUMin, tileir.AtomicXchg}

// sums adds to few elements of memory of their own, many to each, and uses no old values.
func (g *gen) sums(e tileir.Elem, shape []int) {
	n := size(shape)
	if n > 1024 || n < 2 {
		return
	}
	most := max(1, n>>(1+g.r.IntN(8)))
	list := make([]int, n)
	for i := range list {
		list[i] = g.r.IntN(most)
	}
	m := g.newMemory(e, true, true)
	m.size = most
	p := g.pointersAt(m, shape, g.listed(shape, list))
	r := g.emit(tileir.OpAtomicRMWTko, []values{{p}, {g.need(e, shape)}, g.mask(shape), {g.token}},
		[]tileir.Attr{tileir.MemoryRelaxed, tileir.ScopeDevice, tileir.AtomicAdd}, nil, nil)
	g.spent[r[0]], g.used[r[0]], g.token = true, true, r[1]
}

// addFloats adds floats to elements, of which many are adjacent, or puts them there.
func (g *gen) addFloats(shape []int) {
	e := oneOf(g, []tileir.Elem{tileir.F32, tileir.F32, tileir.F64, tileir.F16, tileir.BF16})
	m := g.mem(e, true, false)
	p := g.pointers(m, shape, g.chance(50))
	mode := tileir.AtomicAddF
	if e.Bytes() > 2 && g.chance(20) {
		mode = tileir.AtomicXchg
	}
	attrs := []tileir.Attr{tileir.MemoryRelaxed, tileir.ScopeDevice, mode}
	r := g.emit(tileir.OpAtomicRMWTko, []values{{p}, {g.need(e, shape)}, g.mask(shape), {g.token}}, attrs, nil, nil)
	g.computed[r[0]], g.token = true, r[1]
	g.mayForget(r[0])
}

// mayForget leaves old values unused at times.
func (g *gen) mayForget(old *tileir.Value) {
	if g.chance(50) {
		g.spent[old], g.used[old] = true, true
	}
}

// atomic updates memory.
func (g *gen) atomic(shape []int) {
	e := oneOf(g, []tileir.Elem{tileir.I32, tileir.I64})
	if size(shape) > 1024 {
		return
	}
	switch g.r.IntN(10) {
	case 0, 1, 2:
		g.sums(e, shape)
		return
	case 3:
		g.addFloats(shape)
		return
	}
	m := g.mem(e, true, true)
	v := g.need(e, shape)
	if len(shape) > 0 && g.chance(30) {
		l := g.layout(e, shape, true)
		if l.sparse < 0 && l.span() <= most {
			view, index := g.view(m, l, true), g.indices(l, true)
			g.token = g.emit(tileir.OpAtomicRedViewTko, []values{{view}, index, {v}, {g.token}}, []tileir.Attr{tileir.MemoryRelaxed, tileir.ScopeDevice, oneOf(g, atomicModes[:6])}, nil)[0]
		}
		return
	}
	p := g.pointers(m, shape, true)
	var r values
	if g.chance(30) {
		r = g.emit(tileir.OpAtomicCASTko, []values{{p}, {g.need(e, shape)}, {v}, g.mask(shape), {g.token}}, []tileir.Attr{tileir.MemoryRelaxed, tileir.ScopeDevice}, nil, nil)
	} else {
		r = g.emit(tileir.OpAtomicRMWTko, []values{{p}, {v}, g.mask(shape), {g.token}}, []tileir.Attr{tileir.MemoryRelaxed, tileir.ScopeDevice, oneOf(g, atomicModes)}, nil, nil)
	}
	g.token = r[1]
	g.mayForget(r[0])
}
