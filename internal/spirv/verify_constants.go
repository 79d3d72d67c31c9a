package spirv

// constantValue checks a constant.
func (v *verifier) constantValue(in *Instr) {
	t := v.op(in.Type)
	switch in.Op {
	case OpConstantTrue, OpConstantFalse, OpSpecConstantTrue, OpSpecConstantFalse:
		v.holds(t == OpTypeBool, "the type is %s, expected OpTypeBool", t)
	case OpConstant, OpSpecConstant:
		v.number(in)
	case OpConstantComposite, OpSpecConstantComposite:
		for _, o := range in.Operands {
			v.holds(v.isConstant(o.ID(), true) || v.op(o.ID()) == OpUndef, "%%%d is no constant", o.ID())
		}
		v.composite(in)
	case OpConstantNull:
		v.holds(t != OpTypeVoid && t != OpTypeFunction && t != OpTypeRuntimeArray, "%s has no null", t)
	case OpSpecConstantOp:
		op := Op(in.Operands[0].Word())
		v.holds(ofSpecConstants[op], "%s makes no specialisation constant", op)
		for _, o := range in.Operands {
			if o.IsID() {
				v.holds(v.isConstant(o.ID(), true) || v.op(o.ID()) == OpUndef, "%%%d is no constant", o.ID())
			}
		}
	}
}

// ofSpecConstants are the instructions that make specialisation constants of others without capability Kernel.
var ofSpecConstants = map[Op]bool{
	OpSConvert: true, OpUConvert: true, OpFConvert: true, OpSNegate: true, OpNot: true, OpIAdd: true, OpISub: true, OpIMul: true, OpUDiv: true, OpSDiv: true,
	OpUMod: true, OpSRem: true, OpSMod: true, OpShiftRightLogical: true, OpShiftRightArithmetic: true, OpShiftLeftLogical: true, OpBitwiseOr: true,
	OpBitwiseXor: true, OpBitwiseAnd: true, OpVectorShuffle: true, OpCompositeExtract: true, OpCompositeInsert: true, OpLogicalOr: true,
	OpLogicalAnd: true, OpLogicalNot: true, OpLogicalEqual: true, OpLogicalNotEqual: true, OpSelect: true, OpIEqual: true, OpINotEqual: true,
	OpULessThan: true, OpSLessThan: true, OpUGreaterThan: true, OpSGreaterThan: true, OpULessThanEqual: true, OpSLessThanEqual: true,
	OpUGreaterThanEqual: true, OpSGreaterThanEqual: true, OpQuantizeToF16: true, OpCopyLogical: true, OpCooperativeMatrixLengthKHR: true,
}

// number checks that the bits of a number that its type does not have are zeros, or copies of a signed number's sign.
func (v *verifier) number(in *Instr) {
	l, ok := literalOf(v.def(in.Type))
	if !ok || l.width >= 32 {
		return
	}
	bits := in.Operands[0].Word()
	want := bits & (1<<l.width - 1)
	if l.form == signedForm {
		want = uint32(int32(bits<<(32-l.width)) >> (32 - l.width))
	}
	v.holds(bits == want, "the upper bits of a number of %d bits are %#x, expected %#x", l.width, bits>>l.width, want>>l.width)
}

// parts gives the number of parts of a composite type, and a function for their types; 0 parts where it is none.
func (c *context) parts(t ID) (n uint64, part func(i uint64) ID) {
	in := c.def(t)
	if in == nil {
		return 0, nil
	}
	all := func(uint64) ID { return in.Operands[0].ID() }
	switch in.Op {
	case OpTypeVector, OpTypeMatrix:
		return uint64(in.Operands[1].Word()), all
	case OpTypeArray:
		if n, ok := c.constant(in.Operands[1].ID()); ok {
			return n, all
		}
		return 1 << 32, all // set by a specialisation constant
	case OpTypeStruct:
		return uint64(len(in.Operands)), func(i uint64) ID { return in.Operands[i].ID() }
	}
	return 0, nil
}

// composite checks the parts of a constant or value against its type. The parts of a vector may be vectors in turn, if it is no
// constant; a cooperative matrix has one value for all its elements.
func (v *verifier) composite(in *Instr) {
	t := v.op(in.Type)
	if t == OpTypeCooperativeMatrixKHR {
		v.holds(len(in.Operands) == 1 && v.typeOf(in.Operands[0].ID()) == v.elem(in.Type), "expected one element of a cooperative matrix")
		return
	}
	n, part := v.parts(in.Type)
	if !v.holds(part != nil, "the type is %s, expected a vector, matrix, array or structure", t) {
		return
	}
	if t == OpTypeVector && in.Op == OpCompositeConstruct {
		sum := uint32(0)
		for _, o := range in.Operands {
			pt := v.typeOf(o.ID())
			v.holds(pt == part(0) || v.op(pt) == OpTypeVector && v.elem(pt) == part(0), "%%%d has another type than the vector's elements", o.ID())
			sum += v.count(pt)
		}
		v.holds(len(in.Operands) >= 2, "a vector of one part, expected at least 2")
		v.holds(uint64(sum) == n, "the parts have %d elements, expected %d", sum, n)
		return
	}
	if array := t == OpTypeArray && n == 1<<32; !array && !v.holds(uint64(len(in.Operands)) == n, "%d parts, expected %d", len(in.Operands), n) {
		return
	}
	for i, o := range in.Operands {
		v.holds(v.typeOf(o.ID()) == part(uint64(i)), "part %d has type %%%d, expected %%%d", i, v.typeOf(o.ID()), part(uint64(i)))
	}
}

// variable checks a variable.
func (v *verifier) variable(in *Instr) {
	class := StorageClass(in.Operands[0].Word())
	of, t, ok := v.pointee(in.Type)
	if !v.holds(ok && of == class, "the type is not that of a pointer to the variable's storage class") {
		return
	}
	v.holds(v.op(t) != OpTypeVoid, "a variable of nothing")
	switch class {
	case StorageClassPhysicalStorageBuffer:
		v.add("no variable is in storage class PhysicalStorageBuffer: pointers to it come from addresses")
	case StorageClassPushConstant:
		v.holds(v.op(t) == OpTypeStruct, "push constants are %s, expected a structure", v.op(t))
	case StorageClassInput:
		v.holds(len(in.Operands) == 1, "an input has no initial value")
	case StorageClassCrossWorkgroup, StorageClassGeneric, StorageClassAtomicCounter:
		v.add("Vulkan has no such storage class")
	case StorageClassWorkgroup:
		if len(in.Operands) > 1 {
			v.holds(v.op(in.Operands[1].ID()) == OpConstantNull, "workgroup memory begins as null or as nothing")
		}
	}
	if len(in.Operands) > 1 {
		init := in.Operands[1].ID()
		v.holds(v.isConstant(init, true), "the initial value, %%%d, is no constant", init)
		v.holds(v.typeOf(init) == t, "the initial value has type %%%d, expected %%%d", v.typeOf(init), t)
	}
}
