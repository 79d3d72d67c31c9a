package spirv

// group adds an operation of the invocations of a subgroup.
func (b *Builder) group(op Op, t ID, args ...ID) ID {
	return b.Op(op, t, append([]ID{b.ConstUint(uint32(ScopeSubgroup))}, args...)...)
}

// Shuffle gives the value of another invocation of the subgroup, by OpGroupNonUniformShuffle (which: its number), ShuffleXor (a mask of
// numbers), ShuffleUp or ShuffleDown (a distance).
func (b *Builder) Shuffle(op Op, v, which ID) ID { return b.group(op, b.TypeOf(v), v, which) }

// Broadcast gives the value of the invocation with a number, which is a constant.
func (b *Builder) Broadcast(v ID, lane int) ID {
	return b.group(OpGroupNonUniformBroadcast, b.TypeOf(v), v, b.ConstUint(uint32(lane)))
}

// BroadcastFirst gives the value of the first active invocation.
func (b *Builder) BroadcastFirst(v ID) ID {
	return b.group(OpGroupNonUniformBroadcastFirst, b.TypeOf(v), v)
}

// Ballot gives a vector of four words with a bit for each invocation of the subgroup: whether it is active and cond is true.
func (b *Builder) Ballot(cond ID) ID {
	return b.group(OpGroupNonUniformBallot, b.Vector(b.Uint(32), 4), cond)
}

// Vote is OpGroupNonUniformAll, OpGroupNonUniformAny or OpGroupNonUniformAllEqual: whether the condition holds.
func (b *Builder) Vote(op Op, v ID) ID { return b.group(op, b.Bool(), v) }

// Elect is true in one active invocation of the subgroup.
func (b *Builder) Elect() ID { return b.group(OpGroupNonUniformElect, b.Bool()) }

// Reduce combines the values of all active invocations, or with another [GroupOperation] those up to each, by an operation such as
// OpGroupNonUniformFAdd.
func (b *Builder) Reduce(op Op, how GroupOperation, v ID) ID {
	t := b.TypeOf(v)
	return b.value(op, t, uint32(b.ConstUint(uint32(ScopeSubgroup))), uint32(how), uint32(v))
}

// Matrix is the type of cooperative matrices that the invocations of a subgroup hold together.
func (b *Builder) Matrix(elem ID, rows, columns int, use CooperativeMatrixUse) ID {
	return b.typ(OpTypeCooperativeMatrixKHR, uint32(elem), uint32(b.ConstUint(uint32(ScopeSubgroup))),
		uint32(b.ConstUint(uint32(rows))), uint32(b.ConstUint(uint32(columns))), uint32(b.ConstUint(uint32(use))))
}

// MatrixLoad reads a cooperative matrix from memory, whose rows or columns are stride elements apart. The pointer leads to the first
// element; one to device memory is a multiple of align.
func (b *Builder) MatrixLoad(t, p ID, layout CooperativeMatrixLayout, stride ID, align int) ID {
	class, _ := b.pointee(p)
	return b.With(OpCooperativeMatrixLoadKHR, t, []ID{p, b.ConstUint(uint32(layout)), stride}, b.access(class, align, nil)...)
}

// MatrixStore writes a cooperative matrix to memory.
func (b *Builder) MatrixStore(p, m ID, layout CooperativeMatrixLayout, stride ID, align int) {
	class, _ := b.pointee(p)
	args := []ID{p, m, b.ConstUint(uint32(layout)), stride}
	b.use(args...)
	b.emit(OpCooperativeMatrixStoreKHR, append(idWords(args), b.access(class, align, nil)...)...)
}

// MulAdd gives x * y + z for cooperative matrices. Flags say which matrices of integers are signed.
func (b *Builder) MulAdd(x, y, z ID, flags CooperativeMatrixOperands) ID {
	var literals []uint32
	if flags != 0 {
		literals = []uint32{uint32(flags)}
	}
	return b.With(OpCooperativeMatrixMulAddKHR, b.TypeOf(z), []ID{x, y, z}, literals...)
}

// MatrixLength gives how many elements of a cooperative matrix each invocation holds.
func (b *Builder) MatrixLength(t ID) ID {
	return b.Op(OpCooperativeMatrixLengthKHR, b.Uint(32), t)
}
