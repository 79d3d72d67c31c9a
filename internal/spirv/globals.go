package spirv

// builtinScalars are the built-in variables that are one number of 32 bits; the others of compute kernels are vectors of three.
var builtinScalars = map[BuiltIn]bool{
	BuiltInLocalInvocationIndex: true, BuiltInSubgroupLocalInvocationId: true, BuiltInSubgroupSize: true, BuiltInSubgroupId: true,
	BuiltInNumSubgroups: true, BuiltInDeviceIndex: true,
}

// pushBlock is the block of push constants.
type pushBlock struct {
	variable ID
	members  []ID
}

// Global adds a variable of the module.
func (b *Builder) Global(class StorageClass, t ID) ID {
	id, p := b.id(), b.Pointer(class, t)
	b.add(globalSection, OpVariable, uint32(p), uint32(id), uint32(class))
	b.values[id] = p
	b.globals[id] = true
	return id
}

// Shared adds an array in the memory of a workgroup. Its contents are undefined when a workgroup begins.
func (b *Builder) Shared(elem ID, n int) ID { return b.Global(StorageClassWorkgroup, b.Array(elem, n)) }

// BuiltIn reads a built-in variable: a number of 32 bits, or a vector of three such as WorkgroupId.
func (b *Builder) BuiltIn(v BuiltIn) ID {
	t := b.Uint(32)
	if !builtinScalars[v] {
		t = b.Vector(t, 3)
	}
	id, ok := b.builtins[v]
	if !ok {
		id = b.Global(StorageClassInput, t)
		b.Decorate(id, DecorationBuiltIn, uint32(v))
		b.builtins[v] = id
	}
	return b.Load(id)
}

// PushConstants declares the push constants, in the scalar layout: each at the next multiple of its own size. It gives their offsets
// in bytes.
func (b *Builder) PushConstants(types ...ID) []int {
	if b.push.variable != 0 {
		bug("a second block of push constants")
	}
	block := b.id()
	b.add(globalSection, OpTypeStruct, append([]uint32{uint32(block)}, idWords(types)...)...)
	b.types[block] = typeInfo{OpTypeStruct, idWords(types)}
	b.Decorate(block, DecorationBlock)
	offsets, at := make([]int, len(types)), 0
	for i, t := range types {
		size, align := b.size(t)
		at = (at + align - 1) / align * align
		b.DecorateMember(block, i, DecorationOffset, uint32(at))
		offsets[i] = at
		at += size
	}
	b.push = pushBlock{b.Global(StorageClassPushConstant, block), types}
	return offsets
}

// PushConstant reads a push constant.
func (b *Builder) PushConstant(i int) ID {
	if i < 0 || i >= len(b.push.members) {
		bug("push constant %d of %d", i, len(b.push.members))
	}
	p := b.Op(OpAccessChain, b.Pointer(StorageClassPushConstant, b.push.members[i]), b.push.variable, b.ConstUint(uint32(i)))
	return b.Load(p)
}
