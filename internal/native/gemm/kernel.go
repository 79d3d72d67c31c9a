package gemm

import (
	"unsafe"

	"github.com/cutile-go/cutile/internal/native/amd64"
)

// A kernel describes a function that adds products to a part of C, block by block. A block of C stays in registers for all of
// k. B comes in panels, each as wide as a block; for each panel the function goes through the blocks of rows.
type kernel struct {
	target Target
	kind   Kind
	scheme uint8

	rows, vecs int  // of a block: rows and vector registers in a row
	rest       int  // rows of a last block that has fewer, or 0
	edge       int  // vector registers of a last panel that has fewer columns, or 0
	tail       int  // columns in its last vector register, or 0 for all
	masked     bool // the tail of B must not be read beyond
	ahead      bool // A's next block and B's next panel are far away: ask for them early

	aRow, aStep int32 // bytes of A from row to row, and from lane to lane of k
	bStep       int32 // bytes of B from lane to lane of k
	k           int   // lanes of k, where that is known and small; else 0
}

// frame is the frame of a kernel. Its addresses are numbers, since kernels leave in it addresses behind the end of what they
// have done, which a pointer must not be. So the caller of a kernel keeps alive what they refer to.
type frame struct {
	a, b           uintptr
	from, to       part // what the products are added to, and where the sums go
	k              int  // lanes of k
	panels, blocks int  // of full size
	rest, edge     int  // 1 to do the smaller ones, too
	keep           int  // 1 to begin with what is at from, 0 to begin with zeros
	bias           int  // 1 to subtract what the row before each panel of B says
	aBlock, bPanel int  // bytes from block to block of A, from panel to panel of B
}

// A part is where a part of C lies: the bytes from row to row, and from panel to panel.
type part struct {
	at         uintptr
	row, panel int
}

var kernels functions[kernel]

func (k kernel) function() (*function, error) { return kernels.get(k, emitKernel) }

// forBias is the kernel for one row of C that fills the row before each panel of B, whatever the sizes of a block; nil if the
// kind has no such row.
func (k kernel) forBias() (*function, error) {
	if !kinds[k.kind].schemes[k.scheme].bias {
		return nil, nil
	}
	return kernel{target: k.target, kind: k.kind, scheme: k.scheme, rows: 1, vecs: k.vecs, bStep: int32(k.vecs * registerBytes(k.target.Level))}.function()
}

// unroll is how many steps of k a loop does at once.
const unroll = 4

// Registers: RAX, RBX walk through A and B, RCX through the next panel of B; RDX counts k; RSI counts blocks; R8, R15, R10 are
// the block in A and in C, as it is read and written; R9, R13 the panel in B and in C as it is written; R11 is the distance of
// rows there; R12 counts panels; R14 is the distance of blocks in A.
//
// Vector registers: the block; behind it a row of B; then two for an element of A, or one if there are only 16; the last one is
// for masks and steps that need a spare one.
type kernelEmitter struct {
	*emitter
	kernel
	*scheme
	lane int
}

const (
	offsetFrom = unsafe.Offsetof(frame{}.from)
	offsetTo   = unsafe.Offsetof(frame{}.to)
)

func emitKernel(k kernel) (*function, error) {
	s := &kinds[k.kind].schemes[k.scheme]
	e := kernelEmitter{newEmitter(k.target.Level), k, s, loaders[s.b].lane}
	e.field(amd64.R9, unsafe.Offsetof(frame{}.b))
	e.field(amd64.R13, offsetTo+unsafe.Offsetof(part{}.at))
	e.field(amd64.R11, offsetTo+unsafe.Offsetof(part{}.row))
	e.field(amd64.R14, unsafe.Offsetof(frame{}.aBlock))
	e.field(amd64.R12, unsafe.Offsetof(frame{}.panels))
	e.times(amd64.R12, func() {
		e.panel(e.vecs, 0)
		e.Emit(amd64.ADD, amd64.R64(amd64.R9), amd64.At(amd64.RDI, int32(unsafe.Offsetof(frame{}.bPanel))))
		e.Emit(amd64.ADD, amd64.R64(amd64.R13), amd64.At(amd64.RDI, int32(offsetTo+unsafe.Offsetof(part{}.panel))))
		e.field(amd64.RAX, offsetFrom+unsafe.Offsetof(part{}.panel))
		e.Emit(amd64.ADD, amd64.At(amd64.RDI, int32(offsetFrom+unsafe.Offsetof(part{}.at))), amd64.R64(amd64.RAX))
	})
	if e.edge > 0 {
		done := e.Label()
		e.unless(unsafe.Offsetof(frame{}.edge), done)
		if e.wide && e.tail > 0 {
			e.Emit(amd64.MOV, amd64.R32(amd64.RAX), amd64.Imm(1<<e.tail-1))
			e.Emit(amd64.KMOVW, amd64.K(1), amd64.R32(amd64.RAX))
		}
		e.panel(e.edge, e.tail)
		e.Bind(done)
	}
	e.ret()
	return e.finish()
}

// panel goes through the blocks of a panel.
func (e *kernelEmitter) panel(vecs, tail int) {
	e.field(amd64.R8, unsafe.Offsetof(frame{}.a))
	e.mov(amd64.R10, amd64.R13)
	if e.ahead {
		e.mov(amd64.RCX, amd64.R9)
		e.Emit(amd64.ADD, amd64.R64(amd64.RCX), amd64.At(amd64.RDI, int32(unsafe.Offsetof(frame{}.bPanel))))
	}
	e.field(amd64.R15, offsetFrom+unsafe.Offsetof(part{}.at))
	e.field(amd64.RSI, unsafe.Offsetof(frame{}.blocks))
	e.times(amd64.RSI, func() { e.block(block{e.rows, vecs, tail}) })
	if e.rest > 0 {
		done := e.Label()
		e.unless(unsafe.Offsetof(frame{}.rest), done)
		e.block(block{e.rest, vecs, tail})
		e.Bind(done)
	}
}

// A block is the size of a block of C.
type block struct{ rows, vecs, tail int }

// block computes one block and moves R8, R10 and R15 to the next.
func (e *kernelEmitter) block(b block) {
	zero, ready := e.Label(), e.Label()
	e.unless(unsafe.Offsetof(frame{}.keep), zero)
	e.field(amd64.RDX, offsetFrom+unsafe.Offsetof(part{}.row))
	e.walkC(b, amd64.R15, amd64.RDX, e.loadVec)
	e.Emit(amd64.JMP, amd64.To(ready))
	e.Bind(zero)
	for i := range b.rows * b.vecs {
		e.zero(i)
	}
	e.Bind(ready)
	if e.bias {
		e.subtractBias(b)
	}
	e.mov(amd64.RAX, amd64.R8)
	e.mov(amd64.RBX, amd64.R9)
	if e.masked && b.tail > 0 && !e.wide {
		e.Emit(amd64.VMOVUPS, amd64.Y(15), e.firstLanes(b.tail, e.lane))
	}
	if e.ahead {
		e.prefetchC(b)
	}
	e.steps(b)
	e.walkC(b, amd64.R10, amd64.R11, e.storeVec)
	e.Emit(amd64.ADD, amd64.R64(amd64.R8), amd64.R64(amd64.R14))
}

func (e *kernelEmitter) zero(r int) {
	if r < 16 {
		e.Emit(amd64.VXORPS, amd64.X(r), amd64.X(r), amd64.X(r))
	} else {
		e.Emit(amd64.VPXORD, e.v(r), e.v(r), e.v(r))
	}
}

// subtractBias subtracts the row before the panel of B from each row of a block.
func (e *kernelEmitter) subtractBias(b block) {
	done := e.Label()
	e.unless(unsafe.Offsetof(frame{}.bias), done)
	first := b.rows * b.vecs
	for j := range b.vecs {
		e.Emit(amd64.VMOVUPS, e.v(first+j), amd64.At(amd64.R9, int32(j*e.width())-e.bStep))
	}
	for i := range first {
		e.Emit(amd64.VPSUBD, e.v(i), e.v(i), e.v(first+i%b.vecs))
	}
	e.Bind(done)
}

// steps goes through k.
func (e *kernelEmitter) steps(b block) {
	if e.k > 0 {
		for i := range e.k {
			e.one(b, i)
		}
		return
	}
	loop, single, again, done := e.Label(), e.Label(), e.Label(), e.Label()
	k := amd64.R64(amd64.RDX)
	e.field(amd64.RDX, unsafe.Offsetof(frame{}.k))
	e.Emit(amd64.SUB, k, amd64.Imm(unroll))
	e.Emit(amd64.JL, amd64.To(single))
	e.Align(32)
	e.Bind(loop)
	for i := range unroll {
		e.one(b, i)
	}
	if e.ahead {
		e.prefetch(b)
	}
	e.add(amd64.RAX, unroll*int(e.aStep))
	e.add(amd64.RBX, unroll*int(e.bStep))
	e.Emit(amd64.SUB, k, amd64.Imm(unroll))
	e.Emit(amd64.JGE, amd64.To(loop))
	e.Bind(single)
	e.Emit(amd64.ADD, k, amd64.Imm(unroll))
	e.Emit(amd64.JE, amd64.To(done))
	e.Bind(again)
	e.one(b, 0)
	e.add(amd64.RAX, int(e.aStep))
	e.add(amd64.RBX, int(e.bStep))
	e.Emit(amd64.DEC, k)
	e.Emit(amd64.JNE, amd64.To(again))
	e.Bind(done)
}

// prefetch asks for what the next block of A has at the same steps, and for a line of the next panel of B. Blocks are so many
// that the panel is complete when its turn comes.
func (e *kernelEmitter) prefetch(b block) {
	for at := 0; at < b.rows*e.lane*unroll; at += line {
		e.Emit(amd64.PREFETCHT1, amd64.AtIndex(amd64.RAX, amd64.R14, 1, int32(at)))
	}
	e.Emit(amd64.PREFETCHT1, amd64.At(amd64.RCX, 0))
	e.add(amd64.RCX, line)
}

// prefetchC asks for the place where the sums of a block go, since stores would wait for it.
func (e *kernelEmitter) prefetchC(b block) {
	e.mov(amd64.RDX, amd64.R10)
	for range b.rows {
		for at := 0; at < b.vecs*e.width(); at += line {
			e.Emit(amd64.PREFETCHT1, amd64.At(amd64.RDX, int32(at)))
		}
		e.Emit(amd64.ADD, amd64.R64(amd64.RDX), amd64.R64(amd64.R11))
	}
}

// line is the bytes of a line of a cache.
const line = 64

// one is one step of k: a row of B times each element of a column of A.
func (e *kernelEmitter) one(b block, at int) {
	first := b.rows * b.vecs
	for j := range b.vecs {
		from := amd64.At(amd64.RBX, int32(at)*e.bStep+int32(j*e.width()))
		e.loadVec(first+j, from, e.masked && b.tail > 0 && j == b.vecs-1)
	}
	load := amd64.VBROADCASTSS
	if e.lane == 8 {
		load = amd64.VBROADCASTSD
	}
	for i := range b.rows {
		a := first + b.vecs
		if e.wide {
			a += i & 1
		}
		e.Emit(load, e.v(a), amd64.At(amd64.RAX, int32(i)*e.aRow+int32(at)*e.aStep))
		for j := range b.vecs {
			e.step(e.emitter, e.v(i*b.vecs+j), e.v(a), e.v(first+j), e.v(e.spare()))
		}
	}
}

func (e *kernelEmitter) spare() int {
	if e.wide {
		return 31
	}
	return 15
}

// walkC does something with each vector of a block of C, whose first row is at a register, and moves this to the next block.
func (e *kernelEmitter) walkC(b block, at, row amd64.Reg, do func(r int, at amd64.Operand, masked bool)) {
	if b.tail > 0 && !e.wide {
		e.Emit(amd64.VMOVUPS, amd64.Y(15), e.firstLanes(b.tail, e.lane))
	}
	for i := range b.rows {
		for j := range b.vecs {
			do(i*b.vecs+j, amd64.At(at, int32(j*e.width())), b.tail > 0 && j == b.vecs-1)
		}
		e.Emit(amd64.ADD, amd64.R64(at), amd64.R64(row))
	}
}

// maskedMoves are the loads and stores of ymm with a mask in a register, by the bytes of a lane.
var maskedMoves = map[int]amd64.Op{4: amd64.VMASKMOVPS, 8: amd64.VMASKMOVPD}

func (e *kernelEmitter) moves() amd64.Op {
	if e.lane == 8 {
		return amd64.VMOVUPD
	}
	return amd64.VMOVUPS
}

func (e *kernelEmitter) loadVec(r int, from amd64.Operand, masked bool) {
	switch {
	case !masked:
		e.Emit(e.moves(), e.v(r), from)
	case e.wide:
		e.Emit(e.moves(), e.v(r).Zero(1), from)
	default:
		e.Emit(maskedMoves[e.lane], e.v(r), e.v(15), from)
	}
}

func (e *kernelEmitter) storeVec(r int, at amd64.Operand, masked bool) {
	switch {
	case !masked:
		e.Emit(e.moves(), at, e.v(r))
	case e.wide:
		e.Emit(e.moves(), at.Mask(1), e.v(r))
	default:
		e.Emit(maskedMoves[e.lane], at, e.v(15), e.v(r))
	}
}
