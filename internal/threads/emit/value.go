package emit

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/linear"
	"github.com/cutile-go/cutile/tileir"
)

func typeOf(v *tileir.Value) *tileir.TileType { return v.Type.(*tileir.TileType) }

// form is the type of an element in registers.
func (e *emitter) form(t *tileir.TileType) vec.Type {
	f, ok := lane.Form(t)
	if !ok {
		e.refuse("elements of type %v", t)
	}
	return f
}

// class is that of the registers of a tile.
func (e *emitter) class(t *tileir.TileType) vec.Class { return lane.Class(e.form(t)) }

// set says what the registers of a value are.
func (e *emitter) set(v *tileir.Value, l *linear.Layout, regs []ir.Value) {
	e.vals[v] = &tile{t: typeOf(v), lay: l, regs: regs}
}

// generate says how the registers of a value are made.
func (e *emitter) generate(v *tileir.Value, gen func(l *linear.Layout) []ir.Value) {
	e.vals[v] = &tile{t: typeOf(v), gen: gen}
}

// known is what is known of a value.
func (e *emitter) known(v *tileir.Value) *tile {
	x := e.vals[v]
	if x == nil {
		panic(fmt.Sprintf("BUG: threads: a value of type %v is missing", v.Type))
	}
	return x
}

// scalar is the only element of a value.
func (e *emitter) scalar(v *tileir.Value) ir.Value { return e.get(v, e.p.Block.Uniform())[0] }

// get gives the registers of a value in a layout.
func (e *emitter) get(v *tileir.Value, l *linear.Layout) []ir.Value {
	x := e.known(v)
	switch {
	case x.gen != nil:
		return x.gen(l)
	case x.t.Size() == 1:
		return slices.Repeat(x.regs[:1], l.Regs())
	}
	return e.convert(x, l)
}

// wanted is the layout in which the plan wants a value.
func (e *emitter) wanted(v *tileir.Value) *linear.Layout { return e.p.Layout(v) }

// current is the layout in which a value is at hand, or wanted if it can be made in any.
func (e *emitter) current(v *tileir.Value) *linear.Layout {
	if x := e.known(v); x.gen == nil && x.t.Size() > 1 {
		return x.lay
	}
	return e.wanted(v)
}

// same is for operations that change neither elements nor their numbers.
func (e *emitter) same(op *tileir.Op) {
	v, r := op.Operands[0], op.Results[0]
	if _, ok := v.Type.(*tileir.TileType); !ok { // a view
		e.views[r] = e.views[v]
		return
	}
	x := *e.known(v)
	x.t = typeOf(r)
	e.vals[r] = &x
}

func (e *emitter) special(op *tileir.Op, kind ir.Op) {
	for axis, r := range op.Results {
		e.set(r, e.p.Block.Uniform(), []ir.Value{e.Special(kind, vec.I32, int64(axis))})
	}
}

// thread is the number of the thread in its block.
func (e *emitter) thread() ir.Value { return e.Special(ir.Thread, vec.I32, 0) }

// splat is a register with an element of a constant.
func (e *emitter) splat(t *tileir.TileType, bits uint64) ir.Value {
	return e.inline(e.move(move{kind: constantMove, elem: t.Elem, pointer: t.Pointer, bits: bits}))
}

func (e *emitter) constant(op *tileir.Op) {
	c := op.Attr("value").(*tileir.Constant)
	t := typeOf(op.Results[0])
	e.form(t)
	if bits, ok := c.Splat(); ok {
		x := e.splat(t, bits)
		e.generate(op.Results[0], func(l *linear.Layout) []ir.Value { return slices.Repeat([]ir.Value{x}, l.Regs()) })
		return
	}
	e.generate(op.Results[0], func(l *linear.Layout) []ir.Value { return e.table(op, c, l) })
}

// table reads a constant whose elements differ. What is the same for all threads needs no memory.
func (e *emitter) table(op *tileir.Op, c *tileir.Constant, l *linear.Layout) []ir.Value {
	t := c.Type
	out := make([]ir.Value, l.Regs())
	if l.Thread().Span() == 0 {
		for r := range out {
			out[r] = e.splat(t, c.Element(l.Reg.Apply(r)))
		}
		return out
	}
	base, ok := e.dense[op]
	size := lane.Stored(t).Bytes()
	if !ok {
		v := &Variable{Name: fmt.Sprintf("%s_constant%d", e.Name, len(e.vars)), Data: Memory(c)}
		e.vars = append(e.vars, v)
		base = e.Address(v.Name)
		e.dense[op] = base
	}
	at := e.add64(base, e.scaled(e.linear(e.thread(), l.Thread()), size))
	for r := range out {
		// Thread and register have different bits of the element's number in layouts that permute bits.
		x := e.Load(lane.Stored(t), 1, ir.Access{Space: ir.Global, At: at, Disp: int64(l.Reg.Apply(r) * size), Align: size, Constant: true})
		out[r] = e.fromMemory(t, x[0])
	}
	return out
}

// Memory is a constant as memory has its elements.
func Memory(c *tileir.Constant) []byte {
	t := c.Type
	size := lane.Stored(t).Bytes()
	data := make([]byte, size*t.Size())
	for i := range t.Size() {
		bits := c.Element(i)
		if t.Elem == tileir.TF32 {
			bits <<= 13
		}
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], bits)
		copy(data[i*size:(i+1)*size], word[:size])
	}
	return data
}

// scaled is a number that is not negative, times a size, in 64 bits.
func (e *emitter) scaled(n ir.Value, size int) ir.Value {
	x := e.Convert(vec.SignExtend, vec.I64, vec.I32, n)
	return e.Do(vec.Mul, vec.I64, x, e.Const(vec.I64, uint64(size)))
}

func (e *emitter) add(a, b ir.Value) ir.Value   { return e.Do(vec.Add, vec.I32, a, b) }
func (e *emitter) add64(a, b ir.Value) ir.Value { return e.Do(vec.Add, vec.I64, a, b) }

func (e *emitter) iota(op *tileir.Op) {
	form := e.form(typeOf(op.Results[0]))
	e.generate(op.Results[0], func(l *linear.Layout) []ir.Value {
		thread := e.linear(e.thread(), l.Thread())
		out := make([]ir.Value, l.Regs())
		for r := range out {
			x := e.add(thread, e.Int(l.Reg.Apply(r)))
			switch n := form.Bytes(); {
			case form == vec.NoType:
				x = e.Compare(vec.I32, vec.NE, e.Do(vec.And, vec.I32, x, e.Int(1)), e.Int(0))
			case n < 4:
				x = e.Convert(vec.Truncate, form, vec.I32, x)
			case n > 4:
				x = e.Convert(vec.ZeroExtend, form, vec.I32, x)
			}
			out[r] = x
		}
		return out
	})
}

func (e *emitter) global(op *tileir.Op) {
	e.set(op.Results[0], e.p.Block.Uniform(), []ir.Value{e.Address(string(op.Attr("name").(tileir.String)))})
}

// alloca gets memory of the block, which all its threads share, for as long as the kernel runs.
func (e *emitter) alloca(op *tileir.Op) {
	t := typeOf(op.Results[0])
	if op.Int("global") != 0 {
		e.refuse("there is no such memory that other blocks see: pass a tensor instead")
	}
	bytes := (int64(t.Elem.Bytes())*op.Int("num_elem") + int64(t.Elem.PerByte()) - 1) / int64(t.Elem.PerByte())
	if bytes > int64(e.target.Shared) {
		e.refuse("%d bytes have to lie in shared memory, of which there are %d: ask for less", bytes, e.target.Shared)
	}
	if e.Looping() { // the memory of the turn before was other memory
		e.Barrier()
	}
	buf := e.NewBuffer("alloca", int(bytes), max(16, int(op.Int("alignment"))))
	buf.Pinned = true
	e.set(op.Results[0], e.p.Block.Uniform(), []ir.Value{e.Window(buf)})
}

// linear computes a linear map of a number: bits that move equally far go together.
func (e *emitter) linear(x ir.Value, m linear.Map) ir.Value {
	type term struct{ mask, by int }
	var terms []term
	for i, b := range m {
		for t := 0; b>>t != 0; t++ {
			if b>>t&1 == 0 {
				continue
			}
			k := slices.IndexFunc(terms, func(o term) bool { return o.by == t-i })
			if k < 0 {
				k, terms = len(terms), append(terms, term{by: t - i})
			}
			terms[k].mask |= 1 << i
		}
	}
	join := vec.Xor
	if m.Disjoint() {
		join = vec.Or
	}
	out := e.Int(0)
	all := 1<<len(m) - 1
	for _, t := range terms {
		v := x
		if t.by < 0 {
			v = e.DoImm(vec.ShrUImm, vec.I32, int64(-t.by), v)
			if mask := t.mask >> -t.by; mask != all>>-t.by {
				v = e.Do(vec.And, vec.I32, v, e.Int(mask))
			}
		} else {
			if t.mask != all {
				v = e.Do(vec.And, vec.I32, v, e.Int(t.mask))
			}
			v = e.DoImm(vec.ShlImm, vec.I32, int64(t.by), v)
		}
		out = e.Do(join, vec.I32, out, v)
	}
	return out
}

// first is a mask that one of the threads has that hold the same; 0 if all hold something of their own.
func (e *emitter) first(l *linear.Layout) ir.Value {
	same := l.Duplicates()
	if same == 0 {
		return 0
	}
	return e.Compare(vec.I32, vec.EQ, e.Do(vec.And, vec.I32, e.thread(), e.Int(same)), e.Int(0))
}

// alone reports whether that thread is the first one of the block.
func (e *emitter) alone(l *linear.Layout) bool { return l.Duplicates() == e.p.Block.Threads()-1 }

// both is the conjunction of masks, of which 0 is true.
func (e *emitter) both(a, b ir.Value) ir.Value {
	switch {
	case a == 0:
		return b
	case b == 0:
		return a
	}
	return e.Do(vec.MAnd, vec.NoType, a, b)
}
