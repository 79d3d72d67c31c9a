package spirv

import "math/bits"

// storageSemantics are the bits of memory semantics that name memory; orders are those that order accesses.
const (
	storageSemantics = MemorySemanticsUniformMemory | MemorySemanticsSubgroupMemory | MemorySemanticsWorkgroupMemory |
		MemorySemanticsCrossWorkgroupMemory | MemorySemanticsAtomicCounterMemory | MemorySemanticsImageMemory | MemorySemanticsOutputMemory
	orders   = MemorySemanticsAcquire | MemorySemanticsRelease | MemorySemanticsAcquireRelease | MemorySemanticsSequentiallyConsistent
	acquires = MemorySemanticsAcquire | MemorySemanticsAcquireRelease
	releases = MemorySemanticsRelease | MemorySemanticsAcquireRelease
)

// vulkanStorage are the storages that Vulkan knows.
const vulkanStorage = MemorySemanticsUniformMemory | MemorySemanticsWorkgroupMemory | MemorySemanticsImageMemory | MemorySemanticsOutputMemory

// scope gives the value of a scope, which Vulkan wants to be a constant.
func (v *flow) scope(in *Instr, i int) (Scope, bool) {
	id := in.Operands[i].ID()
	t := v.typeOf(id)
	if !v.holds(v.op(t) == OpTypeInt && v.bits(t) == 32 && v.known(id), "the scope, %%%d, is no OpConstant of 32 bits", id) {
		return 0, false
	}
	n, ok := v.constant(id)
	return Scope(n), ok
}

// known reports whether an ID is a constant that nobody sets later, as scopes and memory semantics have to be.
func (v *flow) known(id ID) bool { return v.op(id) == OpConstant }

// memoryScope checks the scope of memory, and that an invocation alone has no order.
func (v *flow) memoryScope(in *Instr, i int) {
	s, ok := v.scope(in, i)
	if !ok {
		return
	}
	if s == ScopeInvocation {
		n, ok := v.constant(in.Operands[i+1].ID())
		v.holds(!ok || MemorySemantics(n)&orders == 0, "an order of accesses for scope Invocation")
	}
	switch s {
	case ScopeDevice, ScopeWorkgroup, ScopeSubgroup, ScopeInvocation, ScopeShaderCallKHR:
	case ScopeQueueFamily:
		v.holds(v.model == MemoryModelVulkan, "scope QueueFamily needs the Vulkan memory model")
	default:
		v.add("Vulkan has no memory scope %d here, expected Device, Workgroup, Subgroup or Invocation", s)
	}
}

// executionScope checks the scope of invocations that wait or work together.
func (v *flow) executionScope(in *Instr, i int, allowed ...Scope) {
	if s, ok := v.scope(in, i); ok {
		for _, a := range allowed {
			if s == a {
				return
			}
		}
		v.add("Vulkan has no execution scope %d here, expected Subgroup%s", s, map[bool]string{true: " or Workgroup"}[len(allowed) > 1])
	}
}

// semantics checks memory semantics and gives them.
func (v *flow) semantics(in *Instr, i int) (MemorySemantics, bool) {
	id := in.Operands[i].ID()
	t := v.typeOf(id)
	if !v.holds(v.op(t) == OpTypeInt && v.bits(t) == 32 && v.known(id), "the memory semantics, %%%d, are no OpConstant of 32 bits", id) {
		return 0, false
	}
	n, ok := v.constant(id)
	if !ok {
		return 0, false
	}
	s := MemorySemantics(n)
	v.holds(bits.OnesCount32(uint32(s&orders)) <= 1, "memory semantics %#x have more than one order", s)
	v.holds(s&MemorySemanticsSequentiallyConsistent == 0 || v.model != MemoryModelVulkan, "the Vulkan memory model has no SequentiallyConsistent")
	v.holds(s&orders == 0 || s&vulkanStorage != 0, "memory semantics %#x name an order, but no memory", s)
	v.holds(s&vulkanStorage == 0 || s&orders != 0, "memory semantics %#x name memory, but no order", s)
	v.holds(s&MemorySemanticsMakeAvailable == 0 || s&releases != 0, "MakeAvailable goes with Release or AcquireRelease")
	v.holds(s&MemorySemanticsMakeVisible == 0 || s&acquires != 0, "MakeVisible goes with Acquire or AcquireRelease")
	v.holds(s&(MemorySemanticsMakeAvailable|MemorySemanticsMakeVisible) == 0 || s&storageSemantics != 0, "MakeAvailable and MakeVisible name memory")
	v.holds(s&MemorySemanticsVolatile == 0 || v.model == MemoryModelVulkan && in.Op.op().Class == "Atomic", "Volatile is for atomic operations of the Vulkan memory model")
	return s, true
}

func (v *flow) controlBarrier(in *Instr) {
	v.executionScope(in, 0, ScopeSubgroup, ScopeWorkgroup)
	v.memoryScope(in, 1)
	v.semantics(in, 2)
}

func (v *flow) memoryBarrier(in *Instr) {
	v.memoryScope(in, 0)
	if s, ok := v.semantics(in, 1); ok {
		v.holds(s&orders != 0, "a memory barrier has an order: Acquire, Release or AcquireRelease")
	}
}

// atomicKinds are the numbers that atomic operations take; those that are not here take integers.
var atomicKinds = map[Op]string{
	OpAtomicLoad: ".number", OpAtomicStore: ".number", OpAtomicExchange: ".number", OpAtomicFAddEXT: "float", OpAtomicFMinEXT: "float", OpAtomicFMaxEXT: "float",
}

// atomic checks an atomic operation: result and value have the type that the pointer leads to.
func (v *flow) atomic(in *Instr) {
	class, t, ok := v.pointer(in, 0)
	if !ok || in.Op == OpAtomicFlagTestAndSet || in.Op == OpAtomicFlagClear {
		return
	}
	switch class {
	case StorageClassWorkgroup, StorageClassStorageBuffer, StorageClassPhysicalStorageBuffer, StorageClassUniform, StorageClassImage, StorageClassTaskPayloadWorkgroupEXT:
	default:
		v.add("memory of this storage class has no atomic operations")
	}
	kind, ok := atomicKinds[in.Op]
	if !ok {
		kind = ".int"
	}
	v.holds(v.fits(t, termOf(kind), t), "the pointer leads to %%%d, expected %s", t, termOf(kind))
	if v.op(t) == OpTypeInt {
		v.holds(v.bits(t) >= 32, "an atomic operation of integers of %d bits, expected 32 or 64", v.bits(t))
	}
	if in.Type != 0 {
		v.holds(in.Type == t, "the result has type %%%d, but the pointer leads to %%%d", in.Type, t)
	}
	v.memoryScope(in, 1)
	s, ok := v.semantics(in, 2)
	if !ok {
		return
	}
	switch in.Op {
	case OpAtomicLoad:
		v.holds(s&(releases|MemorySemanticsSequentiallyConsistent) == 0, "an atomic load does not release")
	case OpAtomicStore:
		v.holds(s&(acquires|MemorySemanticsSequentiallyConsistent) == 0, "an atomic store does not acquire")
	case OpAtomicCompareExchange:
		if u, ok := v.semantics(in, 3); ok {
			v.holds(u&releases == 0, "nothing is released where the values are unequal")
			v.holds(u&acquires == 0 || s&acquires != 0, "the order where the values are unequal is stronger than where they are equal")
			v.holds(u&^s&(storageSemantics|MemorySemanticsMakeVisible) == 0, "the semantics where the values are unequal name more than where they are equal")
			v.holds((s^u)&MemorySemanticsVolatile == 0, "Volatile is in both memory semantics or in none")
		}
		v.same(in, 4, t)
		v.same(in, 5, t)
		return
	}
	if len(in.Operands) > 3 {
		v.same(in, 3, t)
	}
}
