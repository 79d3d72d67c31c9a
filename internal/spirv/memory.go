package spirv

// pointee gives the storage class and the type that a pointer leads to.
func (b *Builder) pointee(p ID) (StorageClass, ID) {
	info := b.types[b.TypeOf(p)]
	if info.op != OpTypePointer {
		bug("%%%d is no pointer", p)
	}
	return StorageClass(info.words[0]), ID(info.words[1])
}

// access gives the words that follow a load's or store's operands: how memory is accessed, and the alignment.
func (b *Builder) access(class StorageClass, align int, more []MemoryAccess) []uint32 {
	var mask MemoryAccess
	for _, m := range more {
		mask |= m
	}
	if b.options.Vulkan && nonPrivate[class] {
		mask |= MemoryAccessNonPrivatePointer
	}
	if align > 0 {
		return []uint32{uint32(mask | MemoryAccessAligned), uint32(align)}
	}
	if mask == 0 {
		return nil
	}
	return []uint32{uint32(mask)}
}

// Load reads what a pointer leads to; in device memory it has the alignment of its elements. More may be [MemoryAccessVolatile] or [MemoryAccessNontemporal].
func (b *Builder) Load(p ID, more ...MemoryAccess) ID {
	class, t := b.pointee(p)
	return b.With(OpLoad, t, []ID{p}, b.access(class, b.natural(class, t), more)...)
}

// Store writes what a pointer leads to.
func (b *Builder) Store(p, v ID, more ...MemoryAccess) {
	class, t := b.pointee(p)
	b.use(p, v)
	b.emit(OpStore, append([]uint32{uint32(p), uint32(v)}, b.access(class, b.natural(class, t), more)...)...)
}

// natural gives the alignment of a value of a type, which accesses to device memory have to say; 0 for other memory.
func (b *Builder) natural(class StorageClass, t ID) int {
	if class != StorageClassPhysicalStorageBuffer {
		return 0
	}
	_, align := b.size(t)
	return align
}

// Element gives a pointer to the element that comes index elements after the one in device memory that a pointer leads to. With it,
// and with pointers as push constants, a kernel reaches device memory without integers of 64 bits, which some devices lack.
func (b *Builder) Element(p, index ID) ID {
	_, t := b.pointee(p)
	size, _ := b.size(t)
	b.Decorate(b.TypeOf(p), DecorationArrayStride, uint32(size))
	return b.Op(OpPtrAccessChain, b.TypeOf(p), p, index)
}

// Index gives a pointer to an element of the array that a pointer leads to.
func (b *Builder) Index(p ID, index ID) ID {
	class, t := b.pointee(p)
	return b.Op(OpAccessChain, b.Pointer(class, b.elem(t)), p, index)
}

// Address gives base + index * size, in 64 bits. A narrower index is extended without a sign.
func (b *Builder) Address(base, index ID, size int) ID {
	t := b.TypeOf(base)
	at := b.Convert(OpUConvert, t, index)
	if size != 1 {
		at = b.Op(OpIMul, t, at, b.Const(t, uint64(size)))
	}
	return b.Op(OpIAdd, t, base, at)
}

// At gives a pointer to a value of a type at an address of device memory: an integer of 64 bits or, for devices that have none, a vector of
// its two words, the lower one first.
func (b *Builder) At(t, address ID) ID {
	op := OpConvertUToPtr
	if b.types[b.TypeOf(address)].op == OpTypeVector {
		op = OpBitcast
	}
	return b.Op(op, b.Pointer(StorageClassPhysicalStorageBuffer, t), address)
}

// LoadAt reads a value of a type at an address of device memory, which is a multiple of align.
func (b *Builder) LoadAt(t, address ID, align int, more ...MemoryAccess) ID {
	return b.With(OpLoad, t, []ID{b.At(t, address)}, b.access(StorageClassPhysicalStorageBuffer, align, more)...)
}

// StoreAt writes a value at an address of device memory, which is a multiple of align.
func (b *Builder) StoreAt(address, v ID, align int, more ...MemoryAccess) {
	p := b.At(b.TypeOf(v), address)
	b.emit(OpStore, append([]uint32{uint32(p), uint32(v)}, b.access(StorageClassPhysicalStorageBuffer, align, more)...)...)
}

// Barrier waits for all invocations of the workgroup, which see afterwards what any of them wrote to memory of the given classes
// before: [MemorySemanticsWorkgroupMemory], [MemorySemanticsUniformMemory] for device memory. It stands where the control flow of the
// workgroup is uniform.
func (b *Builder) Barrier(classes MemorySemantics) {
	s := b.ConstUint(uint32(ScopeWorkgroup))
	b.Do(OpControlBarrier, s, s, b.semantics(MemorySemanticsAcquireRelease|classes))
}

// SubgroupBarrier is [Builder.Barrier] for the invocations of a subgroup.
func (b *Builder) SubgroupBarrier(classes MemorySemantics) {
	s := b.ConstUint(uint32(ScopeSubgroup))
	b.Do(OpControlBarrier, s, s, b.semantics(MemorySemanticsAcquireRelease|classes))
}

// Fence orders accesses to memory of the given classes for the invocations of a scope.
func (b *Builder) Fence(scope Scope, semantics MemorySemantics) {
	b.Do(OpMemoryBarrier, b.ConstUint(uint32(scope)), b.semantics(semantics))
}

// semantics gives the constant of memory semantics. In the Vulkan memory model, what is acquired is made visible and what is released
// is made available, as GLSL450's model always does.
func (b *Builder) semantics(s MemorySemantics) ID {
	if b.options.Vulkan {
		if s&(MemorySemanticsAcquire|MemorySemanticsAcquireRelease) != 0 {
			s |= MemorySemanticsMakeVisible
		}
		if s&(MemorySemanticsRelease|MemorySemanticsAcquireRelease) != 0 {
			s |= MemorySemanticsMakeAvailable
		}
	}
	return b.ConstUint(uint32(s))
}

// Atomic adds an atomic operation with a result, such as OpAtomicIAdd or OpAtomicLoad, and gives the value before it. A relaxed one has
// [MemorySemanticsRelaxed]; one that acquires or releases names the classes of memory, too.
func (b *Builder) Atomic(op Op, p ID, scope Scope, semantics MemorySemantics, v ...ID) ID {
	_, t := b.pointee(p)
	return b.Op(op, t, append([]ID{p, b.ConstUint(uint32(scope)), b.semantics(semantics)}, v...)...)
}

// AtomicStore writes a value atomically.
func (b *Builder) AtomicStore(p ID, scope Scope, semantics MemorySemantics, v ID) {
	b.Do(OpAtomicStore, p, b.ConstUint(uint32(scope)), b.semantics(semantics), v)
}

// CompareExchange stores replace where the value is expected, and gives the value before it.
func (b *Builder) CompareExchange(p ID, scope Scope, semantics MemorySemantics, replace, expected ID) ID {
	unequal := semantics
	switch {
	case semantics&MemorySemanticsAcquireRelease != 0:
		unequal = semantics&^MemorySemanticsAcquireRelease | MemorySemanticsAcquire
	case semantics&MemorySemanticsRelease != 0:
		unequal = MemorySemanticsRelaxed
	}
	_, t := b.pointee(p)
	return b.Op(OpAtomicCompareExchange, t, p, b.ConstUint(uint32(scope)), b.semantics(semantics), b.semantics(unequal), replace, expected)
}
