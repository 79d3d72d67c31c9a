package ir

import (
	"math"
	"slices"

	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// Builder makes a kernel, an instruction at a time, in the block that is open.
type Builder struct {
	Kernel
	Loc tileir.Loc // of the instructions to come

	open   []*region
	depth  []int32  // by value: the region that it is of
	consts []uint64 // by value of a constant: its bits
	known  []bool   // by value: it is a constant
}

// region is a block that is open, with what was computed in it.
type region struct {
	block  *Block
	loop   bool
	values map[key]Value
}

// key is what a pure instruction computes.
type key struct {
	op         Op
	do         vec.Op
	typ, from  vec.Type
	cond       vec.Cond
	imm        int64
	a, b, c, d Value
	text       string
}

// NewBuilder begins a kernel with a number of threads and parameters of types.
func NewBuilder(name string, threads int, params []vec.Type) *Builder {
	b := &Builder{Kernel: Kernel{Name: name, Threads: threads, Params: params, Body: &Block{}}}
	b.Classes, b.Vars = []vec.Class{vec.None}, []vec.Class{vec.None}
	b.depth, b.consts, b.known = []int32{0}, []uint64{0}, []bool{false}
	b.push(b.Body, false)
	return b
}

func (b *Builder) push(block *Block, loop bool) {
	b.open = append(b.open, &region{block, loop, map[key]Value{}})
}

func (b *Builder) pop() { b.open = b.open[:len(b.open)-1] }

// value makes a value of a region.
func (b *Builder) value(c vec.Class, depth int) Value {
	b.Classes = append(b.Classes, c)
	b.depth = append(b.depth, int32(depth))
	b.consts, b.known = append(b.consts, 0), append(b.known, false)
	return Value(len(b.Classes) - 1)
}

// add appends an instruction to the open block.
func (b *Builder) add(in *Instr) *Instr {
	in.Loc = b.Loc
	r := b.open[len(b.open)-1]
	r.block.Instrs = append(r.block.Instrs, in)
	return in
}

// place is the outermost region that has the operands and is left by loops alone.
func (b *Builder) place(src ...Value) int {
	need := int32(0)
	for _, v := range src {
		need = max(need, b.depth[v])
	}
	d := len(b.open) - 1
	for d > int(need) && b.open[d].loop {
		d--
	}
	return d
}

// pure gives the result of a pure instruction, which it appends where it is not at hand.
func (b *Builder) pure(in Instr, class vec.Class, src ...Value) Value {
	k := key{op: in.Op, do: in.Do, typ: in.Type, from: in.From, cond: in.Cond, imm: in.Imm, text: in.Text}
	for i, p := range []*Value{&k.a, &k.b, &k.c, &k.d}[:len(src)] {
		*p = src[i]
	}
	d := b.place(src...)
	for i := d; i >= 0; i-- {
		if v, ok := b.open[i].values[k]; ok {
			return v
		}
	}
	v := b.value(class, d)
	in.Src, in.Dst, in.Loc = append([]Value(nil), src...), []Value{v}, b.Loc
	r := b.open[d]
	r.block.Instrs = append(r.block.Instrs, &in)
	r.values[k] = v
	return v
}

// Class is that of a value; that of 0 is None.
func (b *Builder) Class(v Value) vec.Class { return b.Classes[v] }

// Known gives the bits of a value that is a constant; a mask's are 0 or 1.
func (b *Builder) Known(v Value) (bits uint64, ok bool) { return b.consts[v], b.known[v] }

// IsConst reports whether a value is a constant with some bits.
func (b *Builder) IsConst(v Value, bits uint64) bool { return b.known[v] && b.consts[v] == bits }

// Const is a value with the low bits of a number.
func (b *Builder) Const(t vec.Type, bits uint64) Value {
	if n := 8 * t.Bytes(); n < 64 {
		bits &= 1<<n - 1
	}
	v := b.constant(Instr{Op: Elem, Do: vec.Const, Type: vec.IntOf(t.Bytes()), Imm: int64(bits)}, t.Class())
	b.consts[v], b.known[v] = bits, true
	return v
}

// constant puts a constant at the beginning of the kernel: writers make them where they are used.
func (b *Builder) constant(in Instr, class vec.Class) Value {
	all := b.open
	b.open = all[:1:1]
	v := b.pure(in, class)
	b.open = all
	return v
}

// Bool is a mask.
func (b *Builder) Bool(x bool) Value {
	in := Instr{Op: Elem, Do: vec.MConst}
	if x {
		in.Imm = 1
	}
	v := b.constant(in, vec.Mask)
	b.consts[v], b.known[v] = uint64(in.Imm), true
	return v
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
	if v := b.simplify(&in, src); v != 0 {
		return v
	}
	return b.pure(Instr{Op: Elem, Do: in.Op, Type: in.Type, From: in.From, Cond: in.Cond, Imm: in.Imm}, in.DstClass(), src...)
}

// Special gives a pure value that is no operation on others: [Thread], [BlockID], [Grid].
func (b *Builder) Special(op Op, t vec.Type, imm int64) Value {
	return b.constant(Instr{Op: op, Type: t, Imm: imm}, t.Class())
}

// Param is a parameter.
func (b *Builder) Param(i int) Value { return b.Special(Param, b.Params[i], int64(i)) }

// Address is that of a variable of the module.
func (b *Builder) Address(name string) Value {
	return b.constant(Instr{Op: Address, Type: vec.I64, Text: name}, vec.V64)
}

// Window is the generic address of a buffer.
func (b *Builder) Window(buf *Buffer) Value {
	return b.constant(Instr{Op: Window, Type: vec.I64, Imm: int64(buf.number), Buf: buf}, vec.V64)
}

// Divide is a [Quotient] or [Remainder].
func (b *Builder) Divide(op Op, t vec.Type, signed bool, x, y Value) Value {
	in := Instr{Op: op, Type: t}
	if signed {
		in.Imm = 1
	}
	return b.pure(in, t.Class(), x, y)
}

// Extremum is a [MaxNum] or [MinNum].
func (b *Builder) Extremum(op Op, t vec.Type, nan bool, x, y Value) Value {
	in := Instr{Op: op, Type: t}
	if nan {
		in.Imm = 1
	}
	return b.pure(in, t.Class(), x, y)
}

// NewVar makes a variable.
func (b *Builder) NewVar(c vec.Class) Var {
	b.Vars = append(b.Vars, c)
	return Var(len(b.Vars) - 1)
}

// Get reads a variable.
func (b *Builder) Get(v Var) Value {
	x := b.value(b.Vars[v], len(b.open)-1)
	b.add(&Instr{Op: Get, Vars: []Var{v}, Dst: []Value{x}})
	return x
}

// Set assigns variables, all at once.
func (b *Builder) Set(vars []Var, src []Value) {
	if len(vars) > 0 {
		b.add(&Instr{Op: Set, Vars: vars, Src: src})
	}
}

// Load reads n neighbours.
func (b *Builder) Load(t vec.Type, n int, m Access) []Value {
	if !b.taken(&m) {
		if m.Else != nil {
			return m.Else
		}
		return slices.Repeat([]Value{b.Const(t, 0)}, n)
	}
	in := &Instr{Op: Load, Type: t, Mem: &m}
	for range n {
		in.Dst = append(in.Dst, b.value(t.Class(), len(b.open)-1))
	}
	return b.add(in).Dst
}

// Store writes neighbours.
func (b *Builder) Store(t vec.Type, m Access, src ...Value) {
	if !b.taken(&m) {
		return
	}
	b.add(&Instr{Op: Store, Type: t, Mem: &m, Src: src})
}

// taken drops a guard that is always true, and reports false if it is always false.
func (b *Builder) taken(m *Access) bool {
	switch {
	case !b.known[m.Guard]:
		return true
	case b.consts[m.Guard] == 0:
		return false
	}
	m.Guard = 0
	return true
}

// otherwise is what an access gives whose guard is always false.
func (b *Builder) otherwise(t vec.Type, m *Access) Value {
	if m.Else != nil {
		return m.Else[0]
	}
	return b.Const(t, 0)
}

// effect appends an instruction with one result that is no pure one.
func (b *Builder) effect(in *Instr, c vec.Class) Value {
	v := b.value(c, len(b.open)-1)
	in.Dst = []Value{v}
	b.add(in)
	return v
}

// Update changes an element of memory and gives what it was.
func (b *Builder) Update(t vec.Type, c Change, m Access, arg Value) Value {
	if !b.taken(&m) {
		return b.otherwise(t, &m)
	}
	return b.effect(&Instr{Op: Update, Type: t, Change: c, Mem: &m, Src: []Value{arg}}, t.Class())
}

// Reduce changes an element of memory.
func (b *Builder) Reduce(t vec.Type, c Change, m Access, arg Value) {
	if b.taken(&m) {
		b.add(&Instr{Op: Update, Type: t, Change: c, Mem: &m, Src: []Value{arg}})
	}
}

// Swap replaces an element of memory that has certain bits and gives what it was.
func (b *Builder) Swap(t vec.Type, m Access, expected, by Value) Value {
	if !b.taken(&m) {
		return b.otherwise(t, &m)
	}
	return b.effect(&Instr{Op: Swap, Type: t, Mem: &m, Src: []Value{expected, by}}, t.Class())
}

// Shuffle is the value of another lane.
func (b *Builder) Shuffle(t vec.Type, x Value, xor int) Value {
	return b.effect(&Instr{Op: Shuffle, Type: t, Imm: int64(xor), Src: []Value{x}}, t.Class())
}

// From is the value of the lane with a number.
func (b *Builder) From(t vec.Type, x, lane Value) Value {
	return b.effect(&Instr{Op: From, Type: t, Src: []Value{x, lane}}, t.Class())
}

// Fence orders memory.
func (b *Builder) Fence(scope tileir.Int) { b.add(&Instr{Op: Fence, Scope: scope}) }

// Barrier lets the threads of the block meet.
func (b *Builder) Barrier() { b.add(&Instr{Op: Barrier}) }

// If runs one of two functions' instructions. otherwise may be nil.
func (b *Builder) If(cond Value, uniform bool, then, otherwise func()) {
	if b.known[cond] {
		if b.consts[cond] == 0 {
			then = otherwise
		}
		if then != nil {
			then()
		}
		return
	}
	in := &Instr{Op: If, Src: []Value{cond}, Body: []*Block{{}, {}}, Uniform: uniform, Loc: b.Loc}
	for i, f := range []func(){then, otherwise} {
		if f != nil {
			b.push(in.Body[i], false)
			f()
			b.pop()
		}
	}
	b.add(in)
}

// Loop runs a function's instructions until they leave.
func (b *Builder) Loop(body func()) {
	in := &Instr{Op: Loop, Body: []*Block{{}}, Loc: b.Loc}
	b.push(in.Body[0], true)
	body()
	b.pop()
	b.add(in)
}

// Break leaves the loop that so many others around this place lie in, if cond holds; 0 stands for always.
func (b *Builder) Break(others int, cond Value) { b.jump(Break, others, cond) }

// Continue goes on with such a loop's next turn.
func (b *Builder) Continue(others int) { b.jump(Continue, others, 0) }

func (b *Builder) jump(op Op, others int, cond Value) {
	in := &Instr{Op: op, Imm: int64(others)}
	if cond != 0 && b.known[cond] {
		if b.consts[cond] == 0 {
			return
		}
		cond = 0
	}
	if cond != 0 {
		in.Src = []Value{cond}
	}
	b.add(in)
}

// Return ends the thread's program.
func (b *Builder) Return() { b.add(&Instr{Op: Return}) }

// Print prints.
func (b *Builder) Print(format string, src ...Value) {
	b.add(&Instr{Op: Print, Text: format, Src: src})
}

// Assert ends the launch if a condition is false.
func (b *Builder) Assert(cond Value, message string) {
	b.add(&Instr{Op: Assert, Text: message, Src: []Value{cond}})
}

// NewBuffer makes a part of shared memory.
func (b *Builder) NewBuffer(name string, bytes, align int) *Buffer {
	buf := &Buffer{Name: name, Bytes: bytes, Align: max(16, align), number: len(b.Buffers), first: math.MaxInt}
	b.Buffers = append(b.Buffers, buf)
	return buf
}

// Looping reports whether the open block lies in a loop.
func (b *Builder) Looping() bool {
	for _, r := range b.open {
		if r.loop {
			return true
		}
	}
	return false
}

// Region identifies the open block.
func (b *Builder) Region() any { return b.open[len(b.open)-1] }

// Within reports whether a block is open still, so that values that were computed in it are at hand.
func (b *Builder) Within(region any) bool {
	for _, r := range b.open {
		if r == region {
			return true
		}
	}
	return false
}

// Pack joins values of a type to one of a type with more bits, the first in the lowest ones.
func (b *Builder) Pack(to, t vec.Type, src ...Value) Value {
	if len(src) == 1 {
		return src[0]
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

// Depth tells how deep in blocks a value was computed; 0 for the value that stands for none.
func (b *Builder) Depth(v Value) int { return int(b.depth[v]) }

// Multiply adds a product to sums.
func (b *Builder) Multiply(u *Unit, x, y, acc []Value) []Value {
	in := &Instr{Op: Multiply, Unit: u, Src: slices.Concat(x, y, acc)}
	for _, v := range acc {
		in.Dst = append(in.Dst, b.value(b.Classes[v], len(b.open)-1))
	}
	return b.add(in).Dst
}

// LoadMatrix reads a word of each of four fragments.
func (b *Builder) LoadMatrix(m Access, turned bool) []Value {
	in := &Instr{Op: LoadMatrix, Type: vec.I32, Mem: &m}
	if turned {
		in.Imm = 1
	}
	for range 4 {
		in.Dst = append(in.Dst, b.value(vec.V32, len(b.open)-1))
	}
	return b.add(in).Dst
}

// CopyAsync copies 16 bytes from global to shared memory.
func (b *Builder) CopyAsync(to, from Access) { b.add(&Instr{Op: CopyAsync, Mem: &to, Other: &from}) }

// Commit makes a group of copies.
func (b *Builder) Commit() { b.add(&Instr{Op: Commit}) }

// WaitGroup waits for copies to buffers.
func (b *Builder) WaitGroup(left int, bufs ...*Buffer) {
	b.add(&Instr{Op: WaitGroup, Imm: int64(left), Bufs: bufs})
}
