package ir

import (
	"slices"

	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// Builder makes a kernel, an instruction at a time, in the block that is open.
type Builder struct {
	Kernel
	Loc *tileir.Loc // of the instructions to come
	// Narrow says that the machine rounds f32 to floats of 16 bits, also two at once, by one instruction.
	Narrow bool
	// Wide says that the machine multiplies i32 to i64, and adds another one, by one instruction.
	Wide bool

	open  []*region
	facts []fact // by value

	held   map[Value]*region // conditions that were asserted, with the region
	values map[key]placed    // what was computed, also in regions that are closed
	names  map[string]int64  // numbers of variables of the module
	instrs slab[Instr]       // room for instructions
	lists  slab[Value]       // and for their operands and results
	args   []Value           // operands of the element operations that are being simplified
}

// fact is what is known of a value.
type fact struct {
	def   *Instr // what computes it
	bits  uint64 // of a constant
	depth int32  // the region that it is of
	known bool   // it is a constant
}

// region is a block that is open.
type region struct {
	block *Block
	loop  bool
	depth int
}

// what is what an instruction does.
type what struct {
	op        Op
	do        vec.Op
	typ, from vec.Type
	cond      vec.Cond
	imm       int64
}

// key is what a pure instruction computes.
type key struct {
	what
	src [4]Value
}

// placed is a value that was computed in a region.
type placed struct {
	v  Value
	in *region
}

// NewBuilder begins a kernel with a number of threads and parameters of types.
func NewBuilder(name string, threads int, params []vec.Type) *Builder {
	b := &Builder{Kernel: Kernel{Name: name, Threads: threads, Params: params, Body: &Block{}}}
	b.Classes, b.Vars = []vec.Class{vec.None}, []vec.Class{vec.None}
	b.values, b.names, b.held = make(map[key]placed, 1<<8), map[string]int64{}, map[Value]*region{}
	b.facts = make([]fact, 1, 1<<8)
	b.push(b.Body, false)
	return b
}

func (b *Builder) push(block *Block, loop bool) {
	b.open = append(b.open, &region{block, loop, len(b.open)})
}

func (b *Builder) pop() { b.open = b.open[:len(b.open)-1] }

// value makes a value of a region.
func (b *Builder) value(c vec.Class, depth int) Value {
	b.Classes = append(b.Classes, c)
	b.facts = append(b.facts, fact{depth: int32(depth)})
	return Value(len(b.Classes) - 1)
}

// add appends an instruction to the open block.
func (b *Builder) add(in *Instr) *Instr {
	in.Loc = b.Loc
	r := b.open[len(b.open)-1]
	r.block.Instrs = append(r.block.Instrs, in)
	for _, v := range in.Dst {
		b.facts[v].def = in
	}
	return in
}

// place is the outermost region that has the operands and is left by loops alone.
func (b *Builder) place(src ...Value) int {
	need := int32(0)
	for _, v := range src {
		need = max(need, b.facts[v].depth)
	}
	d := len(b.open) - 1
	for d > int(need) && b.open[d].loop {
		d--
	}
	return d
}

// pure gives the result of a pure instruction, which it appends where it is not at hand.
func (b *Builder) pure(w what, class vec.Class, src ...Value) Value {
	k := key{what: w}
	copy(k.src[:], src)
	old, ok := b.values[k]
	if ok && old.in.depth < len(b.open) && b.open[old.in.depth] == old.in {
		return old.v
	}
	d := b.place(src...)
	v, r := b.value(class, d), b.open[d]
	in := b.instrs.one()
	in.Op, in.Do, in.Type, in.From, in.Cond, in.Imm, in.Loc = w.op, w.do, w.typ, w.from, w.cond, w.imm, b.Loc
	in.Src, in.Dst = b.lists.copy(src), b.lists.copy([]Value{v})
	r.block.Instrs = append(r.block.Instrs, in)
	b.values[k], b.facts[v].def = placed{v, r}, in
	return v
}

// Class is that of a value; that of 0 is None.
func (b *Builder) Class(v Value) vec.Class { return b.Classes[v] }

// Known gives the bits of a value that is a constant; a mask's are 0 or 1.
func (b *Builder) Known(v Value) (bits uint64, ok bool) { return b.facts[v].bits, b.facts[v].known }

// IsConst reports whether a value is a constant with some bits.
func (b *Builder) IsConst(v Value, bits uint64) bool {
	return b.facts[v].known && b.facts[v].bits == bits
}

// Const is a value with the low bits of a number.
func (b *Builder) Const(t vec.Type, bits uint64) Value {
	if n := 8 * t.Bytes(); n < 64 {
		bits &= 1<<n - 1
	}
	v := b.constant(what{op: Elem, do: vec.Const, typ: vec.IntOf(t.Bytes()), imm: int64(bits)}, t.Class())
	b.facts[v].bits, b.facts[v].known = bits, true
	return v
}

// constant puts a constant at the beginning of the kernel: writers make them where they are used.
func (b *Builder) constant(w what, class vec.Class) Value {
	all := b.open
	b.open = all[:1]
	v := b.pure(w, class)
	b.open = all
	return v
}

// Bool is a mask.
func (b *Builder) Bool(x bool) Value {
	w := what{op: Elem, do: vec.MConst, imm: flag(x)}
	v := b.constant(w, vec.Mask)
	b.facts[v].bits, b.facts[v].known = uint64(w.imm), true
	return v
}

func flag(x bool) int64 {
	if x {
		return 1
	}
	return 0
}

// Int is an integer of 32 bits.
func (b *Builder) Int(n int) Value { return b.Const(vec.I32, uint64(n)) }

// Do computes an element operation.
func (b *Builder) Do(op vec.Op, t vec.Type, src ...Value) Value {
	return b.Elem(vec.Instr{Op: op, Type: t}, src...)
}

// DoImm computes an element operation with an immediate.
func (b *Builder) DoImm(op vec.Op, t vec.Type, imm int64, src ...Value) Value {
	return b.Elem(vec.Instr{Op: op, Type: t, Imm: imm}, src...)
}

// Convert computes a conversion.
func (b *Builder) Convert(op vec.Op, to, from vec.Type, x Value) Value {
	return b.Elem(vec.Instr{Op: op, Type: to, From: from}, x)
}

// Compare computes a mask.
func (b *Builder) Compare(t vec.Type, c vec.Cond, x, y Value) Value {
	op := vec.Cmp
	if t.Float() {
		op = vec.FCmp
	}
	return b.Elem(vec.Instr{Op: op, Type: t, Cond: c}, x, y)
}

// Elem computes an element operation, given without its registers, on values.
func (b *Builder) Elem(in vec.Instr, src ...Value) Value {
	switch in.Op {
	case vec.Const:
		return b.Const(in.Type, uint64(in.Imm))
	case vec.MConst:
		return b.Bool(in.Imm != 0)
	case vec.Move, vec.MMove:
		return src[0]
	}
	w := what{op: Elem, do: in.Op, typ: in.Type, from: in.From, cond: in.Cond, imm: in.Imm}
	first := len(b.args)
	b.args = append(b.args, src...)
	v := b.simplify(w, b.args[first:len(b.args):len(b.args)])
	b.args = b.args[:first]
	if v == 0 {
		v = b.pure(w, in.DstClass(), src...)
	}
	return v
}

// Special gives a pure value that is no operation on others: [Thread], [BlockID], [Grid].
func (b *Builder) Special(op Op, t vec.Type, imm int64) Value {
	return b.constant(what{op: op, typ: t, imm: imm}, t.Class())
}

// Param is a parameter.
func (b *Builder) Param(i int) Value { return b.Special(Param, b.Params[i], int64(i)) }

// Address is that of a variable of the module.
func (b *Builder) Address(name string) Value {
	n, ok := b.names[name]
	if !ok {
		n = int64(len(b.names))
		b.names[name] = n
	}
	v := b.constant(what{op: Address, typ: vec.I64, imm: n}, vec.V64)
	b.facts[v].def.Text = name
	return v
}

// Window is the generic address of a buffer.
func (b *Builder) Window(buf *Buffer) Value {
	v := b.constant(what{op: Window, typ: vec.I64, imm: int64(buf.number)}, vec.V64)
	b.facts[v].def.Buf = buf
	return v
}

// Divide is a [Quotient] or [Remainder].
func (b *Builder) Divide(op Op, t vec.Type, signed bool, x, y Value) Value {
	return b.pure(what{op: op, typ: t, imm: flag(signed)}, t.Class(), x, y)
}

// Extremum is a [MaxNum] or [MinNum].
func (b *Builder) Extremum(op Op, t vec.Type, nan bool, x, y Value) Value {
	return b.pure(what{op: op, typ: t, imm: flag(nan)}, t.Class(), x, y)
}

// Pack joins values of a type to one of a type with more bits, the first in the lowest ones.
func (b *Builder) Pack(to, t vec.Type, src ...Value) Value {
	if len(src) == 1 {
		return src[0]
	}
	if in := b.facts[src[0]].def; in != nil && in.Op == Unpack && in.Type == t && in.From == to && slices.Equal(in.Dst, src) {
		return in.Src[0] // it was taken apart for nothing
	}
	if v := b.narrowPair(to, t, src); v != 0 {
		return v
	}
	x := b.value(to.Class(), len(b.open)-1)
	b.add(&Instr{Op: Pack, Type: t, From: to, Src: src, Dst: []Value{x}})
	return x
}

// Unpack is the reverse of Pack.
func (b *Builder) Unpack(t, from vec.Type, x Value) []Value {
	n := from.Bytes() / t.Bytes()
	if n == 1 {
		return []Value{x}
	}
	in := &Instr{Op: Unpack, Type: t, From: from, Src: []Value{x}}
	for range n {
		in.Dst = append(in.Dst, b.value(t.Class(), len(b.open)-1))
	}
	return b.add(in).Dst
}

// Multiply adds a product to sums. scales are the words of the factors of the elements of x and y, if they have some, and in which byte those are.
func (b *Builder) Multiply(u *Unit, x, y, acc, scales []Value, in byte) []Value {
	product := &Instr{Op: Multiply, Unit: u, Src: slices.Concat(x, y, acc, scales), Imm: int64(in)}
	for _, v := range acc {
		product.Dst = append(product.Dst, b.value(b.Classes[v], len(b.open)-1))
	}
	return b.add(product).Dst
}
