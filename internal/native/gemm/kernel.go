package gemm

import "unsafe"

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
	apart      bool // the rows of A lie where they are in memory, not in panels

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
	return kernel{target: k.target, kind: k.kind, scheme: k.scheme, rows: 1, vecs: k.vecs, bStep: int32(k.vecs * levels[k.target.Level].bytes)}.function()
}

// unroll is how many steps of k a loop does at once.
const unroll = 4

// The registers of a kernel.
const (
	regA      reg    = iota // walk through A and B
	regB                    //
	regNextB                // walks through the next panel of B
	regK                    //
	regBlocks               // that are left
	regBlockA               // the block in A
	regPanelB               // the panel in B
	regWriteC               // the block in C, as it is written
	regRowC                 // the distance of rows there
	regPanels               // that are left
	regPanelC               // the panel in C, as it is written
	regNextA                // the distance of blocks in A
	regReadC                // the block in C, as it is read
	regSpare  = regK        // while no steps are done
)

// A kernelEmitter writes a kernel.
//
// Vector registers: the block; behind it a row of B; then those for elements of A, if they do not come first.
type kernelEmitter struct {
	machine
	kernel
	*scheme
	level *levelRow
	first int // vector register of a block
	lane  int
	tiles *tileEmitter // of a scheme with tiles

	squares *squareEmitter // of a scheme with squares
}

const (
	offsetFrom = unsafe.Offsetof(frame{}.from)
	offsetTo   = unsafe.Offsetof(frame{}.to)
)

func emitKernel(k kernel) (*function, error) {
	s := &kinds[k.kind].schemes[k.scheme]
	lane := loaders[s.b].lane
	level := s.level(k.target)
	e := kernelEmitter{machine: level.machine(k.kind.Acc()), kernel: k, scheme: s, level: level, first: level.first, lane: lane}
	switch {
	case s.tiles:
		e.tiles = &tileEmitter{e.machine.(*x86)}
		e.tiles.Record = interpreter != nil
	case s.squares:
		e.squares = &squareEmitter{e.machine.(*arm)}
	}
	e.field(regPanelB, unsafe.Offsetof(frame{}.b))
	e.field(regPanelC, offsetTo+unsafe.Offsetof(part{}.at))
	e.field(regRowC, offsetTo+unsafe.Offsetof(part{}.row))
	e.field(regNextA, unsafe.Offsetof(frame{}.aBlock))
	e.field(regPanels, unsafe.Offsetof(frame{}.panels))
	times(e, regPanels, func() {
		e.panel(e.vecs, 0)
		e.addField(regPanelB, unsafe.Offsetof(frame{}.bPanel))
		e.addField(regPanelC, offsetTo+unsafe.Offsetof(part{}.panel))
		e.field(regA, offsetFrom+unsafe.Offsetof(part{}.panel))
		e.raise(offsetFrom+unsafe.Offsetof(part{}.at), regA)
	})
	if e.edge > 0 {
		done := e.label()
		e.unless(unsafe.Offsetof(frame{}.edge), done)
		if !s.tiles {
			e.prepareEdge(e.tail)
		}
		e.panel(e.edge, e.tail)
		e.bind(done)
	}
	if s.tiles {
		e.tiles.release()
	}
	e.ret()
	f, err := mapped(e)
	if err != nil {
		return nil, err
	}
	if f.flush = k.target.Flush; s.tiles && interpreter != nil {
		f.instead = interpreter(e.tiles.Lines())
	}
	return f, nil
}

// panel goes through the blocks of a panel.
func (e *kernelEmitter) panel(vecs, tail int) {
	e.field(regBlockA, unsafe.Offsetof(frame{}.a))
	e.mov(regWriteC, regPanelC)
	if e.ahead {
		e.mov(regNextB, regPanelB)
		e.addField(regNextB, unsafe.Offsetof(frame{}.bPanel))
	}
	e.field(regReadC, offsetFrom+unsafe.Offsetof(part{}.at))
	e.field(regBlocks, unsafe.Offsetof(frame{}.blocks))
	e.prepare(block{e.rows, vecs, tail})
	times(e, regBlocks, func() { e.block(block{e.rows, vecs, tail}) })
	if e.rest > 0 {
		done := e.label()
		e.unless(unsafe.Offsetof(frame{}.rest), done)
		e.prepare(block{e.rest, vecs, tail})
		e.block(block{e.rest, vecs, tail})
		e.bind(done)
	}
}

// A block is the size of a block of C.
type block struct{ rows, vecs, tail int }

// prepare is for blocks of a size.
func (e *kernelEmitter) prepare(b block) {
	if e.tiles != nil {
		e.tiles.configure(b)
	}
}

// block computes one block and moves on to the next in A and C.
func (e *kernelEmitter) block(b block) {
	if e.tiles != nil {
		e.tileBlock(b)
		return
	}
	zeros, ready := e.label(), e.label()
	e.unless(unsafe.Offsetof(frame{}.keep), zeros)
	e.field(regSpare, offsetFrom+unsafe.Offsetof(part{}.row))
	e.walkC(b, regReadC, regSpare, e.load)
	e.jump(ready)
	e.bind(zeros)
	for i := range b.rows * b.vecs {
		e.zero(e.first + i)
	}
	e.bind(ready)
	if e.bias {
		e.subtractBias(b)
	}
	e.mov(regA, regBlockA)
	e.mov(regB, regPanelB)
	if e.masked {
		e.mask(b.tail)
	}
	if e.ahead {
		e.prefetchC(b)
	}
	e.startA(regA, b.rows, int(e.aRow), int(e.aStep), max(e.k, unroll))
	if e.squares != nil {
		e.fold(b, e.step.folding().in)
	}
	e.steps(b)
	if e.squares != nil {
		e.fold(b, e.step.folding().out)
	}
	e.walkC(b, regWriteC, regRowC, e.store)
	e.addReg(regBlockA, regNextA)
}

// subtractBias subtracts the row before the panel of B from each row of a block.
func (e *kernelEmitter) subtractBias(b block) {
	done := e.label()
	e.unless(unsafe.Offsetof(frame{}.bias), done)
	row := e.rowB(b)
	for j := range b.vecs {
		e.load(row+j, regPanelB, j*e.vecBytes()-int(e.bStep), 0)
	}
	for i := range b.rows * b.vecs {
		e.subtract(e.first+i, row+i%b.vecs)
	}
	e.bind(done)
}

// vecBytes is the size of a vector register.
func (e *kernelEmitter) vecBytes() int { return e.level.bytes }

// rowB is the first register of a row of B, and factorA that for elements of A.
func (e *kernelEmitter) rowB(b block) int {
	if e.squares != nil {
		return e.first + len(b.pairs())*2*b.vecs
	}
	return e.first + b.rows*b.vecs
}

func (e *kernelEmitter) factorA(b block) int {
	if e.first > 0 {
		return 0
	}
	return e.rowB(b) + b.vecs
}
