package ir

import (
	"math"
	"slices"

	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

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
	case !b.facts[m.Guard].known:
		return true
	case b.facts[m.Guard].bits == 0:
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

// Fence orders memory.
func (b *Builder) Fence(scope tileir.Int) { b.add(&Instr{Op: Fence, Scope: scope}) }

// Barrier lets the threads of the block meet.
func (b *Builder) Barrier() { b.add(&Instr{Op: Barrier}) }

// NewBuffer makes a part of shared memory.
func (b *Builder) NewBuffer(name string, bytes, align int) *Buffer {
	buf := &Buffer{Name: name, Bytes: bytes, Align: max(16, align), number: len(b.Buffers), first: math.MaxInt}
	b.Buffers = append(b.Buffers, buf)
	return buf
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

// InitCounters makes counters, whose turns take so many arrivals. From there on buffers are in use for the copies.
func (b *Builder) InitCounters(n, arrivals int, m Access, bufs ...*Buffer) {
	b.add(&Instr{Op: InitCounters, Imm: int64(n), Arrivals: arrivals, Mem: &m, Bufs: bufs})
}

// Arrive tells a counter that the warp is here.
func (b *Builder) Arrive(counter Access) { b.add(&Instr{Op: Arrive, Mem: &counter}) }

// DropCounters ends the use of counters.
func (b *Builder) DropCounters(n int, m Access) {
	b.add(&Instr{Op: DropCounters, Imm: int64(n), Mem: &m})
}

// ExpectBytes tells a counter how many bytes its turn brings.
func (b *Builder) ExpectBytes(n int, counter Access) {
	b.add(&Instr{Op: ExpectBytes, Imm: int64(n), Mem: &counter})
}

// CopyBox copies a box of a tensor, given by its number, from a position on.
func (b *Builder) CopyBox(tensor int, to, counter Access, position ...Value) {
	b.add(&Instr{Op: CopyBox, Imm: int64(tensor), Mem: &to, Other: &counter, Src: position})
}

// AwaitBytes waits for the turn of a counter, whose bytes lie in buffers.
func (b *Builder) AwaitBytes(counter Access, parity Value, bufs ...*Buffer) {
	b.add(&Instr{Op: AwaitBytes, Mem: &counter, Src: []Value{parity}, Bufs: bufs})
}

// MultiplyGroup begins to add products to variables. left is nil where words has the first factor's fragments.
func (b *Builder) MultiplyGroup(u *Unit, sums []Var, words []Value, left, right *Matrix, steps []Step) {
	in := &Instr{Op: MultiplyGroup, Unit: u, Vars: sums, Src: words, Left: left, Right: right, Steps: steps, Bufs: []*Buffer{right.Buffer}}
	if left != nil && left.Buffer != right.Buffer {
		in.Bufs = append(in.Bufs, left.Buffer)
	}
	b.add(in)
}

// WaitMultiply waits for products, which have read buffers.
func (b *Builder) WaitMultiply(left int, bufs ...*Buffer) {
	b.add(&Instr{Op: WaitMultiply, Imm: int64(left), Bufs: bufs})
}

// FenceAsync shows products what the thread has written to shared memory.
func (b *Builder) FenceAsync() { b.add(&Instr{Op: FenceAsync}) }

// WaitGroup waits for copies to buffers, by accesses of Tile IR.
func (b *Builder) WaitGroup(left int, by []*Turn, bufs ...*Buffer) {
	b.add(&Instr{Op: WaitGroup, Imm: int64(left), Turns: by, Bufs: bufs})
}

// NewColumns names columns of tensor memory.
func (b *Builder) NewColumns(name string, first, count int) *Buffer {
	return &Buffer{Name: name, Tensor: true, Offset: first, Bytes: count}
}

// TensorInit gets columns of tensor memory, and makes barriers of 8 bytes each. It gives the columns' address.
func (b *Builder) TensorInit(columns int, address *Buffer, barriers []*Buffer) Value {
	m := Access{Space: Shared, Buffer: address, Align: 4}
	b.add(&Instr{Op: TensorInit, Imm: int64(columns), Mem: &m, Bufs: barriers})
	return b.Load(vec.I32, 1, m)[0]
}

// TensorFree gives columns of tensor memory back.
func (b *Builder) TensorFree(at Value, columns *Buffer) {
	b.add(&Instr{Op: TensorFree, Src: []Value{at}, Imm: int64(columns.Bytes), Tensor: columns})
}

// MultiplyTensor begins to add products to sums in tensor memory, or to overwrite these unless adds. scales are the factors of the elements of
// left and right, nil for none. It waits for the turn of a counter first, if ready is not nil.
func (b *Builder) MultiplyTensor(u *Unit, sums *Buffer, at, adds Value, left, right *Matrix, scales *Scales, steps []Step, barrier Access, ready *Turning) {
	in := &Instr{Op: MultiplyTensor, Unit: u, Tensor: sums, Src: []Value{at, adds}, Left: left, Right: right, Scales: scales, Steps: steps, Mem: &barrier,
		Bufs: []*Buffer{left.Buffer}}
	if ready != nil {
		in.Other, in.Src = &ready.Counter, append(in.Src, ready.Parity)
	}
	if left.Buffer != right.Buffer {
		in.Bufs = append(in.Bufs, right.Buffer)
	}
	b.add(in)
}

// CommitTensor tells a barrier when the products that were begun have ended.
func (b *Builder) CommitTensor(barrier Access) { b.add(&Instr{Op: CommitTensor, Mem: &barrier}) }

// WaitTensor waits for a phase of a barrier, which a product ends that has read buffers.
func (b *Builder) WaitTensor(barrier Access, parity Value, bufs ...*Buffer) {
	b.add(&Instr{Op: WaitTensor, Mem: &barrier, Src: []Value{parity}, Bufs: bufs})
}

// TensorLoad reads n registers of sums at an address, which has the lanes of the warp.
func (b *Builder) TensorLoad(u *Unit, sums *Buffer, at Value, n int) []Value {
	in := &Instr{Op: TensorLoad, Unit: u, Tensor: sums, Src: []Value{at}}
	for range n {
		in.Dst = append(in.Dst, b.value(vec.V32, len(b.open)-1))
	}
	return b.add(in).Dst
}

// TensorStore writes them. It may write factors of elements in their place, a register for each column.
func (b *Builder) TensorStore(u *Unit, sums *Buffer, at Value, regs []Value) {
	b.add(&Instr{Op: TensorStore, Unit: u, Tensor: sums, Src: append([]Value{at}, regs...)})
}
