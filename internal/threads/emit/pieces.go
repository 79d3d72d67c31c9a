package emit

import (
	"slices"

	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/linear"
	"github.com/cutile-go/cutile/internal/threads/plan"
	"github.com/cutile-go/cutile/tileir"
)

// piece is one access of a thread: n registers from the first one on, side by side in memory at at+disp, where ok holds; 0 stands
// for always. half says for elements of half a byte whether the first lies in the upper half: 0 where both are there.
type piece struct {
	first, n int
	at       ir.Value
	disp     int64
	ok       ir.Value
	half     ir.Value
	solo     bool // the first thread alone takes part
}

// pieces are the accesses of a load.
func (e *emitter) pieces(load *tileir.Op, l *linear.Layout) []piece {
	if load.Info.Opcode == tileir.OpLoadPtrTko {
		return e.pointerPieces(load, load.Operand("source"), l)
	}
	return e.viewPieces(load, load.Operand("view"), l)
}

// access is the access of a piece by an operation.
func (e *emitter) access(op *tileir.Op, p piece, align int) ir.Access {
	m := ir.Access{Space: ir.Global, At: p.at, Disp: p.disp, Guard: e.both(p.ok, e.only), Align: align, Order: orderOf(op), Turn: e.turns[op], Solo: p.solo}
	if op.Info.AttrIndex("memory_scope") >= 0 {
		m.Scope = tileir.Int(op.Int("memory_scope"))
	}
	if e.p.Info.Scratch(e.p.Info.Access(op)) {
		m.Space = ir.Generic
	}
	return m
}

// loadPieces reads a tile. padding gives what elements are that no piece reads. Each thread reads what it holds, also elements that others hold
// too, by weak accesses: these promise that nobody writes there meanwhile, and the block's own stores wait where tokens say so.
func (e *emitter) loadPieces(op *tileir.Op, t *tileir.TileType, l *linear.Layout, pieces []piece, padding func(r int) ir.Value) []ir.Value {
	once, solo := e.first(l), e.alone(l)
	if orderOf(op) == tileir.MemoryWeak || once == 0 {
		return e.loadAll(op, t, l, pieces, padding)
	}
	// Others may write an element meanwhile: one thread reads it, and those with the same element get what it has seen.
	for i := range pieces {
		pieces[i].ok, pieces[i].solo = e.both(pieces[i].ok, once), solo
	}
	return e.exchange("load", e.form(t), e.loadAll(op, t, l, pieces, padding), l, l)
}

// loadAll reads a tile, each thread what it holds.
func (e *emitter) loadAll(op *tileir.Op, t *tileir.TileType, l *linear.Layout, pieces []piece, padding func(r int) ir.Value) []ir.Value {
	out := make([]ir.Value, l.Regs())
	stored := lane.Stored(t)
	for _, p := range pieces {
		var pad []ir.Value
		if p.ok != 0 {
			for k := range p.n {
				pad = append(pad, padding(p.first+k))
			}
		}
		if t.Elem.PerByte() > 1 && !t.Pointer {
			copy(out[p.first:], e.loadHalves(op, p, pad))
			continue
		}
		for k := range pad {
			pad[k] = e.toMemory(t, pad[k])
		}
		for k, x := range e.loadRun(stored, p.n, e.access(op, p, p.n*stored.Bytes()), pad) {
			out[p.first+k] = e.fromMemory(t, x)
		}
	}
	return out
}

// loadHalves reads the two elements of a byte, or one of them.
func (e *emitter) loadHalves(op *tileir.Op, p piece, pad []ir.Value) []ir.Value {
	m := e.access(op, p, 1)
	if p.n == 1 && m.Order == tileir.MemoryWeak { // other threads may write the other half meanwhile
		m.Order, m.Scope = tileir.MemoryRelaxed, tileir.ScopeDevice
	}
	x := e.Load(vec.I8, 1, m)[0]
	upper := e.DoImm(vec.ShrUImm, vec.I8, 4, x)
	low := e.Do(vec.And, vec.I8, x, e.Const(vec.I8, 15))
	got := []ir.Value{low, upper}
	if p.n == 1 {
		got = []ir.Value{e.Do(vec.Select, vec.I8, p.half, upper, low)}
	}
	for k := range got {
		if p.ok != 0 {
			got[k] = e.Do(vec.Select, vec.I8, p.ok, got[k], pad[k])
		}
	}
	return got
}

// storePieces writes a tile, each element once.
func (e *emitter) storePieces(op *tileir.Op, t *tileir.TileType, l *linear.Layout, pieces []piece, regs []ir.Value) {
	stored, once := lane.Stored(t), e.first(l)
	for _, p := range pieces {
		p.ok, p.solo = e.both(p.ok, once), e.alone(l)
		if t.Elem.PerByte() > 1 && !t.Pointer {
			if p.n == 1 {
				e.storeHalf(op, p, regs[p.first])
				continue
			}
			upper := e.DoImm(vec.ShlImm, vec.I8, 4, regs[p.first+1])
			x := e.Do(vec.Or, vec.I8, e.Do(vec.And, vec.I8, regs[p.first], e.Const(vec.I8, 15)), upper)
			e.Store(vec.I8, e.access(op, p, 1), x)
			continue
		}
		src := make([]ir.Value, p.n)
		for k := range src {
			src[k] = e.toMemory(t, regs[p.first+k])
		}
		e.storeRun(stored, e.access(op, p, p.n*stored.Bytes()), src)
	}
}

// storeHalf writes one half of a byte, of which another thread may write the other meanwhile: it exchanges the 16 bits that the byte is in.
func (e *emitter) storeHalf(op *tileir.Op, p piece, x ir.Value) {
	one := e.Const(vec.I64, 1)
	m := e.access(op, p, 2)
	if m.Order == tileir.MemoryWeak {
		m.Order, m.Scope = tileir.MemoryRelaxed, tileir.ScopeDevice
	}
	m.At, m.Disp, m.Guard = e.Do(vec.AndNot, vec.I64, e.add64(p.at, e.Const(vec.I64, uint64(p.disp))), one), 0, 0
	upper := e.Convert(vec.Truncate, vec.I32, vec.I64, e.Do(vec.And, vec.I64, p.at, one))
	by := e.add(e.DoImm(vec.ShlImm, vec.I32, 3, upper), e.Do(vec.Select, vec.I32, p.half, e.Int(4), e.Int(0)))
	mask := e.Do(vec.Shl, vec.I32, e.Int(15), by)
	bits := e.Do(vec.Shl, vec.I32, e.Do(vec.And, vec.I32, e.Convert(vec.ZeroExtend, vec.I32, vec.I8, x), e.Int(15)), by)
	e.swapping(vec.I16, m, p.ok, func(was ir.Value) ir.Value {
		wide := e.Do(vec.AndNot, vec.I32, e.Convert(vec.ZeroExtend, vec.I32, vec.I16, was), mask)
		return e.Convert(vec.Truncate, vec.I16, vec.I32, e.Do(vec.Or, vec.I32, wide, bits))
	})
}

// vector is how many registers in a row an access moves at once in a layout.
func (e *emitter) vector(op *tileir.Op, shape linear.Shape, l *linear.Layout) int {
	v := e.p.Vector(op)
	if v.Dim < 0 || len(shape) == 0 {
		return 1
	}
	return l.Run(1<<shape.Shift(v.Dim), v.Elems)
}

// loadView reads a tile through a view.
func (e *emitter) loadView(op *tileir.Op) {
	if f := e.fetches[op]; f != nil && !e.producing {
		e.fetchTile(f)
		return
	}
	v, r := op.Operand("view"), op.Results[0]
	t := typeOf(r)
	l := e.wanted(r)
	bits, ok := lane.Padding(t.Elem, v.Type.(tileir.ViewType).PaddingValue())
	if !ok {
		e.refuse("%v has no such padding value", t.Elem)
	}
	pad := e.padding(t, bits)
	regs := e.loadPieces(op, t, l, e.pieces(op, l), func(int) ir.Value { return pad })
	e.set(r, l, regs)
}

// padding is an element with bits as memory has them.
func (e *emitter) padding(t *tileir.TileType, bits uint64) ir.Value {
	return e.fromMemory(t, e.Const(lane.Stored(t), bits))
}

// storeView writes a tile through a view, in the layout that it has or in the one that suits memory.
func (e *emitter) storeView(op *tileir.Op) {
	if tensor := e.p.Stores[op]; tensor != nil {
		e.storeBox(op, tensor)
		return
	}
	v, value := op.Operand("view"), op.Operand("tile")
	l := e.storing(op, value)
	e.storePieces(op, typeOf(value), l, e.viewPieces(op, v, l), e.get(value, l))
}

// sector is how many bytes of memory are written at once, if all of them are there.
const sector = 32

// together is how many bytes side by side a warp writes at once in a layout.
func (e *emitter) together(op *tileir.Op, t *tileir.TileType, l *linear.Layout) int {
	n := e.vector(op, t.Shape, l)
	if v := e.p.Vector(op); v.Dim >= 0 && t.Rank() > 0 {
		for unit := linear.Shape(t.Shape).Shift(v.Dim); slices.Contains(l.Lane, n<<unit); {
			n *= 2
		}
	}
	return n * t.Elem.Bytes()
}

// storing is the layout in which a tile is stored: another than the one that it has only if its accesses get wider, or warps write whole
// sectors of memory, unless that takes more registers than there are.
func (e *emitter) storing(op *tileir.Op, value *tileir.Value) *linear.Layout {
	t := typeOf(value)
	best := e.p.Memory(op, t)
	x := e.known(value)
	if x.gen != nil || t.Size() == 1 {
		return best
	}
	v := e.p.Vector(op)
	wider := e.vector(op, t.Shape, x.lay) < min(v.Elems, e.vector(op, t.Shape, best))
	whole := e.together(op, t, x.lay) < min(sector, e.together(op, t, best)) && x.lay.Regs()*t.Elem.Bytes() <= 4*plan.MostSums
	if (wider || whole) && best.Regs() <= x.lay.Regs() || t.Elem.PerByte() > 1 {
		return best
	}
	return x.lay
}

// loadPtr reads elements through pointers.
func (e *emitter) loadPtr(op *tileir.Op) {
	r := op.Results[0]
	t := typeOf(r)
	l := e.wanted(r)
	pad := func(int) ir.Value { return e.padding(t, 0) }
	if v := op.Operand("paddingValue"); v != nil {
		regs := e.get(v, l)
		pad = func(r int) ir.Value { return regs[r] }
	}
	e.set(r, l, e.loadPieces(op, t, l, e.pieces(op, l), pad))
}

func (e *emitter) storePtr(op *tileir.Op) {
	value, to := op.Operand("value"), op.Operand("destination")
	l := e.current(to)
	e.storePieces(op, typeOf(value), l, e.pointerPieces(op, to, l), e.get(value, l))
}

// pointerPieces are the accesses through a tile of pointers.
func (e *emitter) pointerPieces(op *tileir.Op, pointers *tileir.Value, l *linear.Layout) (out []piece) {
	t := typeOf(pointers)
	at := e.get(pointers, l)
	var ok []ir.Value
	if m := op.Operand("mask"); m != nil {
		ok = e.get(m, l)
	}
	n := 1
	if !e.p.Info.Access(op).Atomic() {
		n = e.vector(op, t.Shape, l)
	}
	halves := t.Elem.PerByte() > 1
	for r := 0; r < l.Regs(); r += n {
		p := piece{first: r, n: n, at: at[r]}
		if ok != nil {
			p.ok = ok[r]
		}
		if halves { // the highest bit of an address says which half it means
			top := e.Const(vec.I64, upperHalf)
			p.half = e.Compare(vec.I64, vec.LT, p.at, e.Const(vec.I64, 0))
			p.at = e.Do(vec.AndNot, vec.I64, p.at, top)
		}
		out = append(out, p)
	}
	return out
}
