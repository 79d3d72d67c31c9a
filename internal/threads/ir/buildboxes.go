package ir

// StoreBox copies shared memory to a box of a tensor, given by its number, from a position on. order is the access to global memory. The place in
// shared memory must stay until a [WaitBoxes].
func (b *Builder) StoreBox(tensor int, from, order Access, position ...Value) {
	b.add(&Instr{Op: StoreBox, Imm: int64(tensor), Mem: &from, Other: &order, Src: position})
}

// CommitBoxes makes a group of boxes that are stored.
func (b *Builder) CommitBoxes() { b.add(&Instr{Op: CommitBoxes}) }

// WaitBoxes waits until the boxes of the thread's groups have been written to memory, or only until they have been read, and lie in buffers no more.
func (b *Builder) WaitBoxes(read bool, bufs ...*Buffer) {
	b.add(&Instr{Op: WaitBoxes, Imm: flag(read), Bufs: bufs})
}

// FenceMemory is [Builder.FenceAsync] for what the thread has written to any memory.
func (b *Builder) FenceMemory() { b.add(&Instr{Op: FenceAsync, Imm: 1}) }
