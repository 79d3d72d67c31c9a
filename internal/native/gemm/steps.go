package gemm

import "unsafe"

// steps goes through k.
func (e *kernelEmitter) steps(b block) {
	if e.k > 0 {
		for i := range e.k {
			e.one(b, i)
		}
		return
	}
	loop, single, again, done := e.label(), e.label(), e.label(), e.label()
	e.field(regK, unsafe.Offsetof(frame{}.k))
	e.count(regK, -unroll, negative, single)
	e.alignLoop()
	e.bind(loop)
	for i := range unroll {
		e.one(b, i)
	}
	if e.ahead {
		e.prefetchNext(b)
	}
	e.nextA(unroll)
	e.add(regB, unroll*int(e.bStep))
	e.count(regK, -unroll, notNegative, loop)
	e.bind(single)
	e.count(regK, unroll, zero, done)
	e.bind(again)
	e.one(b, 0)
	e.nextA(1)
	e.add(regB, int(e.bStep))
	e.count(regK, -1, notZero, again)
	e.bind(done)
}

// prefetchNext asks for what the next block of a packed A has at the same steps, and for a line of the next panel of B. Blocks are so
// many that the panel is complete when its turn comes.
func (e *kernelEmitter) prefetchNext(b block) {
	for at := 0; !e.apart && at < b.rows*e.lane*unroll; at += line {
		e.prefetchIndex(regA, regNextA, at, second)
	}
	e.prefetch(regNextB, 0, second)
	e.add(regNextB, line)
}

// prefetchC asks for the place where the sums of a block go, since stores would wait for it.
func (e *kernelEmitter) prefetchC(b block) {
	e.mov(regSpare, regWriteC)
	for range b.rows {
		for at := 0; at < b.vecs*e.vecBytes(); at += line {
			e.prefetch(regSpare, at, second)
		}
		e.addReg(regSpare, regRowC)
	}
}

// line is the bytes of a line of a cache.
const line = 64

// one is one step of k: a row of B times each element of a column of A.
func (e *kernelEmitter) one(b block, ahead int) {
	if e.squares != nil {
		e.square(b, ahead)
		return
	}
	row := e.rowB(b)
	for j := range b.vecs {
		tail := 0
		if e.masked && j == b.vecs-1 {
			tail = b.tail
		}
		e.load(row+j, regB, ahead*int(e.bStep)+j*e.vecBytes(), tail)
	}
	for i := range b.rows {
		a := e.factor(e.factorA(b), i, ahead)
		for j := range b.vecs {
			e.multiply(e.step, e.first+i*b.vecs+j, a, row+j)
		}
	}
}

// walkC does something with each vector of a block of C, whose first row is at a register, and moves this to the next block.
func (e *kernelEmitter) walkC(b block, at, row reg, do func(r int, base reg, disp, lanes int)) {
	e.mask(b.tail)
	for i := range b.rows {
		for j := range b.vecs {
			tail := 0
			if j == b.vecs-1 {
				tail = b.tail
			}
			do(e.first+i*b.vecs+j, at, j*e.vecBytes(), tail)
		}
		e.addReg(at, row)
	}
}
