package emit

import (
	"slices"

	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/linear"
	"github.com/cutile-go/cutile/tileir"
)

// permute gives elements other numbers: nothing moves.
func (e *emitter) permute(op *tileir.Op) {
	v, p := op.Operands[0], op.Attr("permutation").(tileir.Ints)
	x := e.known(v)
	if x.gen != nil || x.t.Size() == 1 {
		from := linear.Shape(x.t.Shape)
		e.generate(op.Results[0], func(l *linear.Layout) []ir.Value {
			return e.get(v, l.Permuted(from.Permuted(p), linear.InverseOrder(p)))
		})
		return
	}
	e.set(op.Results[0], x.lay.Permuted(x.t.Shape, p), x.regs)
}

// broadcast repeats elements. The source is taken in the layout in which each thread has what it repeats.
func (e *emitter) broadcast(op *tileir.Op) {
	v := op.Operands[0]
	from, to := linear.Shape(typeOf(v).Shape), linear.Shape(typeOf(op.Results[0]).Shape)
	e.generate(op.Results[0], func(l *linear.Layout) []ir.Value {
		source := l.Unbroadcast(from, to)
		at := map[int]ir.Value{}
		for r, x := range e.get(v, source) {
			at[source.Reg.Apply(r)] = x
		}
		out := make([]ir.Value, l.Regs())
		for r := range out {
			out[r] = at[linear.Source(from, to, l.Reg.Apply(r))]
		}
		return out
	})
}

// cat has both tiles in registers of the same threads: which one it is is one more bit of the register's number.
func (e *emitter) cat(op *tileir.Op) {
	a, b := op.Operands[0], op.Operands[1]
	shape, dim := linear.Shape(typeOf(op.Results[0]).Shape), int(op.Int("dim"))
	bit := 1 << (shape.Shift(dim) + linear.Log2(shape[dim]) - 1)
	l := e.current(a)
	if e.known(a).gen != nil {
		l = e.current(b)
	}
	if typeOf(a).Size() == 1 {
		l = e.p.Block.Uniform()
	}
	out := l.Mapped(func(n int) int { return linear.Spread(n, bit) })
	out.Reg = append(out.Reg, bit)
	e.set(op.Results[0], out, slices.Concat(e.get(a, l), e.get(b, l)))
}

// block is the part of a tile that extract or insert means: where its first element is, as a number of bits that the numbers of the
// part's elements do not have.
func (e *emitter) part(part, whole linear.Shape, indices []*tileir.Value) ir.Value {
	at := e.Int(0)
	for d, v := range indices {
		if whole[d] == part[d] {
			continue
		}
		n := e.Do(vec.And, vec.I32, e.scalar(v), e.Int(whole[d]/part[d]-1))
		at = e.Do(vec.Or, vec.I32, at, e.DoImm(vec.ShlImm, vec.I32, int64(whole.Shift(d)+linear.Log2(part[d])), n))
	}
	return at
}

// within gives the number that an element of the part of a tile has in the tile, if the part is the first one.
func within(part, whole linear.Shape) func(n int) int {
	return func(n int) (out int) {
		for d := range part {
			out |= part.Coord(d, n) << whole.Shift(d)
		}
		return out
	}
}

// extract takes a part of a tile: registers where it is known which, else by way of shared memory.
func (e *emitter) extract(op *tileir.Op) {
	v, r := op.Operands[0], op.Results[0]
	part, whole := linear.Shape(typeOf(r).Shape), linear.Shape(typeOf(v).Shape)
	at := e.part(part, whole, op.Group(1))
	in := within(part, whole)
	l := e.wanted(r)
	if first, ok := e.Known(at); ok {
		if regs := e.renamed(v, part, whole, int(first)); regs != nil {
			e.set(r, regs.lay, regs.regs)
			return
		}
	}
	form := e.form(typeOf(v))
	size := e.inShared(form).Bytes()
	from := e.current(v)
	if whole.Size()*size > e.target.Shared {
		e.refuse("a tile of %d bytes has to go through shared memory, of which there are %d bytes: use a smaller tile", whole.Size()*size, e.target.Shared)
	}
	s := &staged{buf: e.NewBuffer("extract", whole.Size()*size, 16), form: form, offset: func(n int) int { return n * size }}
	e.write(s, e.get(v, from), from, e.first(from), all)
	if !e.IsConst(at, 0) {
		s.plus = e.DoImm(vec.ShlImm, vec.I32, int64(linear.Log2(size)), at)
	}
	s.offset = func(n int) int { return in(n) * size }
	regs := make([]ir.Value, l.Regs())
	e.read(s, regs, l, all)
	e.set(r, l, regs)
}

// renamed is the part of a tile in the registers where it lies; nil if other threads have it.
func (e *emitter) renamed(v *tileir.Value, part, whole linear.Shape, first int) *tile {
	x := e.known(v)
	sliced := (whole.Size() - 1) &^ mapOf(part.Size(), within(part, whole)).Span()
	if x.gen != nil || x.t.Size() == 1 || x.lay.Thread().Span()&sliced != 0 || !x.lay.Permutes() {
		return nil
	}
	out := &tile{lay: x.lay.Mapped(func(n int) int { return linear.Squeeze(n, sliced) }).Compact()}
	for r := range x.regs {
		if x.lay.Reg.Apply(r)&sliced == first {
			out.regs = append(out.regs, x.regs[r])
		}
	}
	return out
}

// mapOf is a linear function of the numbers below a power of two as a map.
func mapOf(n int, f func(int) int) linear.Map { return linear.Identity(linear.Log2(n)).Mapped(f) }

// insert replaces a part of a tile: each element of it is chosen where it lies in the part.
func (e *emitter) insert(op *tileir.Op) {
	src, dst, r := op.Operand("source"), op.Operand("destination"), op.Results[0]
	part, whole := linear.Shape(typeOf(src).Shape), linear.Shape(typeOf(dst).Shape)
	form := e.form(typeOf(r))
	if typeOf(r).Size() == 1 {
		e.set(r, e.p.Block.Uniform(), []ir.Value{e.scalar(src)})
		return
	}
	l := e.current(dst)
	if e.known(dst).gen != nil {
		l = e.wanted(r)
	}
	at := e.part(part, whole, op.Named("indices"))
	inner := mapOf(part.Size(), within(part, whole)).Span()
	outer := (whole.Size() - 1) &^ inner
	pack := func(n int) int { return linear.Squeeze(n&inner, ^inner) }
	from := l.Mapped(pack).Compact()
	have := map[int]ir.Value{}
	for k, x := range e.get(src, from) {
		have[from.Reg.Apply(k)] = x
	}
	thread := e.linear(e.thread(), l.Thread().Mapped(func(n int) int { return n & outer }))
	out := slices.Clone(e.get(dst, l))
	for k := range out {
		n := l.Reg.Apply(k)
		here := e.Compare(vec.I32, vec.EQ, e.Do(vec.Xor, vec.I32, thread, e.Int(n&outer)), at)
		out[k] = e.pick(form, here, have[pack(n)], out[k])
	}
	e.set(r, l, out)
}

// packing is pack or unpack: bytes are parts of elements, or elements parts of bytes, and both in registers of one thread.
func (e *emitter) packing(op *tileir.Op) {
	v, r := op.Operands[0], op.Results[0]
	elems, bytes := v, r
	if op.Info.Opcode == tileir.OpUnpack {
		elems, bytes = r, v
	}
	t := typeOf(elems)
	if typeOf(bytes).Size() == 1 && t.Size() == 1 && t.Elem.Bits() == 8 {
		e.set(r, e.p.Block.Uniform(), []ir.Value{e.scalar(v)})
		return
	}
	if t.Elem.Bits() >= 8 {
		e.packWhole(op, t, v, r)
		return
	}
	e.packParts(op, t, v, r)
}

// finer is the layout of a tile whose elements n of a thread become count parts each.
func finer(l *linear.Layout, count int) *linear.Layout {
	k := linear.Log2(count)
	out := l.Mapped(func(n int) int { return n << k })
	out.Reg = append(linear.Identity(k), out.Reg...)
	return out
}

// packWhole takes elements of whole bytes apart, or joins them.
func (e *emitter) packWhole(op *tileir.Op, t *tileir.TileType, v, r *tileir.Value) {
	stored := lane.Stored(t)
	count := stored.Bytes()
	if op.Info.Opcode == tileir.OpPack {
		l := e.current(v)
		var out []ir.Value
		for _, x := range e.get(v, l) {
			out = append(out, e.Unpack(vec.I8, stored, e.toMemory(t, x))...)
		}
		e.set(r, finer(l, count), out)
		return
	}
	l := e.wanted(r)
	var out []ir.Value
	for part := range slices.Chunk(e.get(v, finer(l, count)), count) {
		out = append(out, e.fromMemory(t, e.pack(stored, vec.I8, part)))
	}
	e.set(r, l, out)
}

// packParts joins elements of a few bits to bytes, or takes these apart.
func (e *emitter) packParts(op *tileir.Op, t *tileir.TileType, v, r *tileir.Value) {
	bits := t.Elem.Bits()
	count := 8 / bits
	form := e.form(t)
	mask := e.Const(vec.I8, 1<<bits-1)
	var out []ir.Value
	if op.Info.Opcode == tileir.OpUnpack {
		l := e.current(v)
		for _, x := range e.get(v, l) {
			for k := range count {
				y := e.Do(vec.And, vec.I8, e.DoImm(vec.ShrUImm, vec.I8, int64(k*bits), x), mask)
				if form == vec.NoType {
					y = e.Compare(vec.I8, vec.NE, y, e.Const(vec.I8, 0))
				}
				out = append(out, y)
			}
		}
		e.set(r, finer(l, count), out)
		return
	}
	l := e.wanted(r)
	for part := range slices.Chunk(e.get(v, finer(l, count)), count) {
		all := e.Const(vec.I8, 0)
		for k, x := range part {
			if form == vec.NoType {
				x = e.Do(vec.Select, vec.I8, x, e.Const(vec.I8, 1), e.Const(vec.I8, 0))
			}
			x = e.Do(vec.And, vec.I8, x, mask)
			all = e.Do(vec.Or, vec.I8, all, e.DoImm(vec.ShlImm, vec.I8, int64(k*bits), x))
		}
		out = append(out, all)
	}
	e.set(r, l, out)
}
