package spirv

import "fmt"

// widths are the capabilities that numbers of a width need. Where the list has more than one, the others allow only loads, stores and
// conversions.
var widths = map[Op]map[uint32][]Capability{
	OpTypeInt: {
		8: {CapabilityInt8, CapabilityStorageBuffer8BitAccess, CapabilityUniformAndStorageBuffer8BitAccess, CapabilityStoragePushConstant8,
			CapabilityWorkgroupMemoryExplicitLayout8BitAccessKHR},
		16: {CapabilityInt16, CapabilityStorageBuffer16BitAccess, CapabilityUniformAndStorageBuffer16BitAccess, CapabilityStoragePushConstant16,
			CapabilityStorageInputOutput16, CapabilityWorkgroupMemoryExplicitLayout16BitAccessKHR},
		64: {CapabilityInt64},
	},
	OpTypeFloat: {
		16: {CapabilityFloat16, CapabilityStorageBuffer16BitAccess, CapabilityUniformAndStorageBuffer16BitAccess, CapabilityStoragePushConstant16,
			CapabilityStorageInputOutput16, CapabilityWorkgroupMemoryExplicitLayout16BitAccessKHR},
		64: {CapabilityFloat64},
	},
}

// storages are the capabilities to have numbers of 8 and 16 bits in a storage class.
var storages = map[StorageClass]map[uint32][]Capability{
	StorageClassPhysicalStorageBuffer: {
		8:  {CapabilityStorageBuffer8BitAccess, CapabilityUniformAndStorageBuffer8BitAccess},
		16: {CapabilityStorageBuffer16BitAccess, CapabilityUniformAndStorageBuffer16BitAccess},
	},
	StorageClassStorageBuffer: {
		8:  {CapabilityStorageBuffer8BitAccess, CapabilityUniformAndStorageBuffer8BitAccess},
		16: {CapabilityStorageBuffer16BitAccess, CapabilityUniformAndStorageBuffer16BitAccess},
	},
	StorageClassUniform: {
		8: {CapabilityUniformAndStorageBuffer8BitAccess}, 16: {CapabilityUniformAndStorageBuffer16BitAccess},
	},
	StorageClassPushConstant: {8: {CapabilityStoragePushConstant8}, 16: {CapabilityStoragePushConstant16}},
	StorageClassInput:        {16: {CapabilityStorageInputOutput16}},
	StorageClassOutput:       {16: {CapabilityStorageInputOutput16}},
}

// atomics are the capabilities of atomic operations by the width of their numbers.
var atomics = map[Op]map[uint32]Capability{
	OpAtomicFAddEXT: {16: CapabilityAtomicFloat16AddEXT, 32: CapabilityAtomicFloat32AddEXT, 64: CapabilityAtomicFloat64AddEXT},
	OpAtomicFMinEXT: {16: CapabilityAtomicFloat16MinMaxEXT, 32: CapabilityAtomicFloat32MinMaxEXT, 64: CapabilityAtomicFloat64MinMaxEXT},
	OpAtomicFMaxEXT: {16: CapabilityAtomicFloat16MinMaxEXT, 32: CapabilityAtomicFloat32MinMaxEXT, 64: CapabilityAtomicFloat64MinMaxEXT},
}

// matrixElements are the capabilities of cooperative matrices of floats that are not IEEE 754's.
var matrixElements = map[FPEncoding]Capability{
	FPEncodingBFloat16KHR:   CapabilityBFloat16CooperativeMatrixKHR,
	FPEncodingFloat8E4M3EXT: CapabilityFloat8CooperativeMatrixEXT,
	FPEncodingFloat8E5M2EXT: CapabilityFloat8CooperativeMatrixEXT,
}

// typed adds what the types of an instruction need.
func (n *needs) typed(in *Instr) {
	switch in.Op {
	case OpTypeInt, OpTypeFloat:
		if len(in.Operands) == 1 || in.Op == OpTypeInt {
			width := in.Operands[0].Word()
			n.any(fmt.Sprintf("%s of %d bits", in.Op, width), widths[in.Op][width])
		}
	case OpTypePointer:
		class := StorageClass(in.Operands[0].Word())
		for width := uint32(8); width <= 16; width *= 2 {
			if n.held[in.Operands[1].ID()]&width != 0 {
				n.any(fmt.Sprintf("memory with numbers of %d bits", width), storages[class][width])
			}
		}
	case OpTypeCooperativeMatrixKHR:
		if e := n.def(in.Operands[0].ID()); e != nil && e.Op == OpTypeFloat && len(e.Operands) > 1 {
			if k, ok := matrixElements[FPEncoding(e.Operands[1].Word())]; ok {
				n.any("a cooperative matrix of such floats", []Capability{k})
			}
		}
	}
	if in.Op.op().Class == "Atomic" {
		n.atomic(in)
	}
}

// any adds capabilities of which one is needed; an empty list needs nothing.
func (n *needs) any(what string, list []Capability) {
	if len(list) == 0 {
		return
	}
	words := make([]uint32, len(list))
	for i, k := range list {
		words[i] = uint32(k)
	}
	n.capability(what, words...)
}

// atomic adds what an atomic operation needs by the width of its numbers.
func (n *needs) atomic(in *Instr) {
	t := n.def(in.Type)
	if in.Op == OpAtomicStore {
		t = n.def(n.typeOf(in.Operands[3].ID()))
	}
	if t == nil || t.Op != OpTypeInt && t.Op != OpTypeFloat {
		return
	}
	width := t.Operands[0].Word()
	if k, ok := atomics[in.Op][width]; ok {
		n.any(fmt.Sprintf("%s of %d bits", in.Op, width), []Capability{k})
	} else if t.Op == OpTypeInt && width == 64 {
		n.any("an atomic operation of 64 bits", []Capability{CapabilityInt64Atomics})
	}
}
