package spirv

// reads and writes are the storage classes that compute kernels read and write by loads and stores; Input and the like are only read.
var (
	reads = map[StorageClass]bool{
		StorageClassUniformConstant: true, StorageClassInput: true, StorageClassUniform: true, StorageClassWorkgroup: true,
		StorageClassPrivate: true, StorageClassFunction: true, StorageClassPushConstant: true, StorageClassStorageBuffer: true,
		StorageClassPhysicalStorageBuffer: true,
	}
	writes = map[StorageClass]bool{
		StorageClassUniform: true, StorageClassWorkgroup: true, StorageClassPrivate: true, StorageClassFunction: true,
		StorageClassStorageBuffer: true, StorageClassPhysicalStorageBuffer: true,
	}
	// nonPrivate are those that several invocations see, where the Vulkan memory model wants to know of each access that it is not private.
	nonPrivate = map[StorageClass]bool{
		StorageClassUniform: true, StorageClassWorkgroup: true, StorageClassStorageBuffer: true, StorageClassPhysicalStorageBuffer: true,
		StorageClassUniformConstant: true,
	}
)

// pointers are the instructions that make pointers which loads and stores take.
var pointers = map[Op]bool{
	OpVariable: true, OpAccessChain: true, OpInBoundsAccessChain: true, OpFunctionParameter: true, OpCopyObject: true, OpImageTexelPointer: true,
}

// variablePointers are those that need physical addresses, or else variable pointers.
var variablePointers = map[Op]bool{
	OpPtrAccessChain: true, OpInBoundsPtrAccessChain: true, OpSelect: true, OpPhi: true, OpFunctionCall: true, OpLoad: true, OpConvertUToPtr: true,
	OpBitcast: true, OpConstantNull: true, OpUndef: true,
}

// pointer checks an operand that is a pointer, and gives where it leads.
func (v *flow) pointer(in *Instr, i int) (StorageClass, ID, bool) {
	id := in.Operands[i].ID()
	class, t, ok := v.pointee(v.typeOf(id))
	if !v.holds(ok, "operand %d, %%%d, has type %%%d, expected a pointer", i+1, id, v.typeOf(id)) {
		return 0, 0, false
	}
	op := v.op(id)
	logical := class != StorageClassPhysicalStorageBuffer && !v.capabilities[CapabilityVariablePointersStorageBuffer]
	v.holds(pointers[op] || variablePointers[op] && !logical, "%%%d, which %s makes, is no pointer that memory is accessed by", id, op)
	return class, t, true
}

// logicalUses are the instructions that take pointers which are no addresses, beside atomic operations and those of images and rays.
var logicalUses = map[Op]bool{
	OpLoad: true, OpStore: true, OpAccessChain: true, OpInBoundsAccessChain: true, OpFunctionCall: true, OpImageTexelPointer: true,
	OpCopyMemory: true, OpCopyMemorySized: true, OpCopyObject: true, OpArrayLength: true, OpExtInst: true,
	OpCooperativeMatrixLoadKHR: true, OpCooperativeMatrixStoreKHR: true,
}

// variableUses are those that take them with capability VariablePointers.
var variableUses = map[Op]bool{
	OpPtrAccessChain: true, OpInBoundsPtrAccessChain: true, OpSelect: true, OpPtrEqual: true, OpPtrNotEqual: true, OpPtrDiff: true, OpReturnValue: true,
}

// logical checks that an instruction takes a pointer which is no address. A function gets whole variables.
func (v *flow) logical(in *Instr, id ID) {
	class, _, ok := v.pointee(v.typeOf(id))
	if !ok || class == StorageClassPhysicalStorageBuffer {
		return
	}
	variable := v.capabilities[CapabilityVariablePointersStorageBuffer]
	switch other := in.Op.op().Class; {
	case logicalUses[in.Op] || variable && variableUses[in.Op] || other == "Atomic" || other == "Image" || other == "Reserved":
	default:
		v.add("%%%d is a pointer that is no address, which such an instruction does not take", id)
	}
	if op := v.op(id); in.Op == OpFunctionCall && !variable {
		v.holds(op == OpVariable || op == OpFunctionParameter, "%%%d, which %s makes, is no variable or parameter, which functions get", id, op)
	}
}

// logicalResult checks that an instruction makes such a pointer.
func (v *flow) logicalResult(in *Instr) {
	class, _, ok := v.pointee(in.Type)
	if !ok || class == StorageClassPhysicalStorageBuffer || pointers[in.Op] || in.Op == OpUndef || in.Op.op().Class == "Reserved" {
		return
	}
	made := variablePointers[in.Op] && v.capabilities[CapabilityVariablePointersStorageBuffer]
	v.holds(made, "the result is a pointer that is no address, which such an instruction does not make")
}

func (v *flow) load(in *Instr) {
	class, t, ok := v.pointer(in, 0)
	if !ok {
		return
	}
	v.holds(t == in.Type, "the pointer leads to %%%d, but the result has type %%%d", t, in.Type)
	v.holds(reads[class], "memory of this storage class is not read")
	v.holds(v.op(t) != OpTypeVoid && v.op(t) != OpTypeRuntimeArray, "%s is not loaded", v.op(t))
	v.access(class, in.Operands[1:], MemoryAccessMakePointerAvailable, t)
}

func (v *flow) store(in *Instr) {
	class, t, ok := v.pointer(in, 0)
	if !ok {
		return
	}
	v.same(in, 1, t)
	v.holds(writes[class], "memory of this storage class is not written")
	v.access(class, in.Operands[2:], MemoryAccessMakePointerVisible, t)
}

// access checks the operands that say how memory is accessed, of which one makes no sense for a load or a store.
func (v *flow) access(class StorageClass, operands []Operand, never MemoryAccess, t ID) {
	mask, align := MemoryAccess(0), uint32(0)
	if len(operands) > 0 {
		mask = MemoryAccess(operands[0].Word())
	}
	if mask&MemoryAccessAligned != 0 {
		align = operands[1].Word()
		v.holds(align > 0 && align&(align-1) == 0, "the alignment is %d, expected a power of two", align)
	} else {
		v.holds(class != StorageClassPhysicalStorageBuffer, "an access to PhysicalStorageBuffer says its alignment by Aligned")
	}
	if class == StorageClassPhysicalStorageBuffer && align > 0 {
		largest := uint32(0)
		for _, w := range []uint32{8, 16, 32, 64} {
			if v.held[t]&w != 0 {
				largest = w / 8
			}
		}
		v.holds(align >= largest, "the alignment is %d, expected at least %d, the size of the largest number", align, largest)
	}
	v.holds(mask&never == 0, "a load makes nothing available, and a store makes nothing visible")
	made := mask & (MemoryAccessMakePointerAvailable | MemoryAccessMakePointerVisible)
	v.holds(made == 0 || mask&MemoryAccessNonPrivatePointer != 0, "MakePointerAvailable and MakePointerVisible go with NonPrivatePointer")
	v.holds(mask&MemoryAccessNonPrivatePointer == 0 || nonPrivate[class], "memory of this storage class is always private")
}

// chain checks a pointer to a part of what another one leads to.
func (v *flow) chain(in *Instr) {
	if class, t, ok := v.pointer(in, 0); ok {
		v.path(in, class, t, in.Operands[1:])
	}
}

// pointerChain checks a pointer to an element after the one that another pointer leads to.
func (v *flow) pointerChain(in *Instr) {
	class, t, ok := v.pointer(in, 0)
	if !ok {
		return
	}
	v.is(in, 1, ".int")
	v.holds(class == StorageClassPhysicalStorageBuffer || v.capabilities[CapabilityVariablePointersStorageBuffer], "the pointer needs capability VariablePointers")
	if class == StorageClassPhysicalStorageBuffer || class == StorageClassStorageBuffer {
		v.holds(v.decoration(v.typeOf(in.Operands[0].ID()), DecorationArrayStride) != nil, "the type of the pointer has no ArrayStride")
	}
	v.path(in, class, t, in.Operands[2:])
}

// path walks from a type by indices, and checks the type that the chain gives.
func (v *flow) path(in *Instr, class StorageClass, t ID, indices []Operand) {
	v.holds(len(indices) <= 255, "%d indices, expected at most 255", len(indices))
	for _, o := range indices {
		index := v.typeOf(o.ID())
		if !v.holds(v.op(index) == OpTypeInt, "index %%%d has type %%%d, expected an integer", o.ID(), index) {
			return
		}
		if n, ok := v.constant(o.ID()); ok && v.def(index).Operands[1].Word() != 0 {
			v.holds(int64(n<<(64-v.bits(index))) >= 0, "index %%%d is negative", o.ID())
		}
		switch v.op(t) {
		case OpTypeArray, OpTypeRuntimeArray, OpTypeVector, OpTypeMatrix, OpTypeCooperativeMatrixKHR:
			t = v.elem(t)
		case OpTypeStruct:
			members := v.def(t).Operands
			n, ok := v.constant(o.ID())
			if !v.holds(ok && v.op(o.ID()) == OpConstant && n < uint64(len(members)), "index %%%d of a structure is no constant from 0 to %d", o.ID(), len(members)-1) {
				return
			}
			t = members[n].ID()
		default:
			v.add("%s has no parts", v.op(t))
			return
		}
	}
	got, to, ok := v.pointee(in.Type)
	v.holds(ok && got == class && to == t, "the result has type %%%d, expected a pointer of the same storage class to %%%d", in.Type, t)
}
