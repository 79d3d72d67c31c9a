package spirv

// decorations collects the decorations and checks them, and the layouts of what hosts see.
func (v *verifier) decorations() {
	v.decorated, v.members = map[ID][]*Instr{}, map[memberOf][]*Instr{}
	v.each(func(in *Instr) {
		switch in.Op {
		case OpDecorate, OpDecorateId, OpDecorateString:
			v.decorated[in.Operands[0].ID()] = append(v.decorated[in.Operands[0].ID()], in)
		case OpMemberDecorate, OpMemberDecorateString:
			m := memberOf{in.Operands[0].ID(), in.Operands[1].Word()}
			v.members[m] = append(v.members[m], in)
		}
	})
	v.each(func(in *Instr) {
		switch in.Op {
		case OpDecorateId:
			v.holds(len(in.Operands) > 2 && in.Operands[2].IsID(), "the decoration has no IDs")
		case OpDecorate:
			v.holds(len(in.Operands) < 3 || !in.Operands[2].IsID(), "the decoration has IDs: expected OpDecorateId")
			v.decorate(in, in.Operands[0].ID(), Decoration(in.Operands[1].Word()))
		case OpMemberName:
			s, n := v.def(in.Operands[0].ID()), in.Operands[1].Word()
			v.holds(s.Op == OpTypeStruct && n < uint32(len(s.Operands)), "%%%d has no member %d", s.Result, n)
		case OpLine:
			file := in.Operands[0].ID()
			v.holds(v.op(file) == OpString, "the file, %%%d, is %s, expected OpString", file, v.op(file))
		case OpMemberDecorate:
			s := v.def(in.Operands[0].ID())
			if v.holds(s.Op == OpTypeStruct, "%%%d is %s, expected a structure", in.Operands[0].ID(), s.Op) {
				v.holds(in.Operands[1].Word() < uint32(len(s.Operands)), "the structure has no member %d", in.Operands[1].Word())
				d := Decoration(in.Operands[2].Word())
				v.holds(!onceOfMembers[d] && !once[d] || v.member(s.Result, in.Operands[1].Word(), d) == in, "the member has the decoration a second time")
			}
		}
	})
	v.roundings()
	if v.found == 0 {
		v.layouts()
	}
}

// roundings checks that a conversion with a rounding mode of its own makes a float of 16 bits that is only stored, where hosts see it.
func (v *verifier) roundings() {
	modes := map[ID]bool{}
	v.each(func(in *Instr) {
		if in.Op == OpDecorate && Decoration(in.Operands[1].Word()) == DecorationFPRoundingMode {
			id := in.Operands[0].ID()
			modes[id] = true
			v.holds(v.op(id) == OpFConvert && v.bits(v.elem(v.typeOf(id))) == 16, "%%%d is %s, expected a conversion to floats of 16 bits", id, v.op(id))
		}
	})
	if len(modes) == 0 {
		return
	}
	v.each(func(in *Instr) {
		for i, o := range in.Operands {
			if !o.IsID() || !modes[o.ID()] || noValues[in.Op.op().Class] {
				continue
			}
			class, _, ok := v.pointee(v.typeOf(in.Operands[0].ID()))
			v.holds(in.Op == OpStore && i == 1 && ok && (explicit[class] || class == StorageClassOutput), "%%%d has a rounding mode, and is used otherwise than stored in a buffer", o.ID())
		}
	})
}

// decoration finds a decoration of an ID.
func (v *verifier) decoration(id ID, d Decoration) *Instr {
	for _, in := range v.decorated[id] {
		if Decoration(in.Operands[1].Word()) == d {
			return in
		}
	}
	return nil
}

// member finds a decoration of a structure's member.
func (v *verifier) member(s ID, i uint32, d Decoration) *Instr {
	for _, in := range v.members[memberOf{s, i}] {
		if Decoration(in.Operands[2].Word()) == d {
			return in
		}
	}
	return nil
}

// once are decorations that nothing has a second time.
var once = map[Decoration]bool{
	DecorationArrayStride: true, DecorationBuiltIn: true, DecorationBinding: true, DecorationDescriptorSet: true, DecorationSpecId: true,
	DecorationLocation: true, DecorationBlock: true, DecorationNoContraction: true, DecorationNonWritable: true, DecorationNonReadable: true,
	DecorationCoherent: true, DecorationVolatile: true, DecorationRestrict: true, DecorationAliased: true,
}

// onceOfMembers are decorations that no member has a second time.
var onceOfMembers = map[Decoration]bool{
	DecorationOffset: true, DecorationMatrixStride: true, DecorationRowMajor: true, DecorationColMajor: true, DecorationNonWritable: true,
	DecorationNonReadable: true, DecorationCoherent: true, DecorationVolatile: true, DecorationRestrict: true,
}

// interpolations are decorations of inputs and outputs.
var interpolations = map[Decoration]bool{
	DecorationNoPerspective: true, DecorationFlat: true, DecorationPatch: true, DecorationCentroid: true, DecorationSample: true, DecorationComponent: true,
}

// decorate checks what a decoration is of.
func (v *verifier) decorate(in *Instr, id ID, d Decoration) {
	of := v.op(id)
	if once[d] {
		v.holds(v.decoration(id, d) == in, "%%%d has the decoration a second time", id)
	}
	switch d {
	case DecorationBlock, DecorationBufferBlock:
		v.holds(of == OpTypeStruct, "%%%d is %s, expected a structure", id, of)
	case DecorationArrayStride:
		v.holds(of == OpTypeArray || of == OpTypeRuntimeArray || of == OpTypePointer, "%%%d is %s, expected an array or a pointer", id, of)
		v.holds(in.Operands[2].Word() > 0, "the stride is 0")
	case DecorationOffset:
		v.add("an offset is that of a structure's member")
	case DecorationMatrixStride, DecorationRowMajor, DecorationColMajor:
		v.add("the decoration is one of members of structures")
	case DecorationSpecId:
		v.holds(of == OpSpecConstant || of == OpSpecConstantTrue || of == OpSpecConstantFalse, "%%%d is %s, expected a scalar specialisation constant", id, of)
	case DecorationBinding, DecorationDescriptorSet:
		class, _, ok := v.pointee(v.typeOf(id))
		v.holds(of == OpVariable && ok && blockClasses[class], "%%%d is %s, expected a variable that a descriptor set has", id, of)
	case DecorationRestrict, DecorationAliased, DecorationVolatile, DecorationCoherent, DecorationNonWritable, DecorationNonReadable,
		DecorationNoPerspective, DecorationFlat, DecorationPatch, DecorationCentroid, DecorationSample, DecorationComponent:
		v.holds(of == OpVariable || of == OpFunctionParameter, "%%%d is %s, expected a variable or parameter", id, of)
		class, _, ok := v.pointee(v.typeOf(id))
		inOut := class == StorageClassInput || class == StorageClassOutput
		v.holds(!ok || inOut || !interpolations[d], "the variable is neither input nor output")
		local := d == DecorationNonWritable && (class == StorageClassFunction || class == StorageClassPrivate)
		buffer := blockClasses[class] || class == StorageClassPhysicalStorageBuffer
		v.holds(d != DecorationNonWritable && d != DecorationNonReadable || !ok || buffer || local, "memory of this storage class has no such decoration")
	case DecorationInvariant, DecorationIndex:
		v.add("the decoration is one of variables of graphics")
	case DecorationGLSLShared, DecorationGLSLPacked, DecorationCPacked:
		v.add("Vulkan has no such decoration")
	case DecorationBuiltIn:
		v.holds(of == OpVariable || v.isConstant(id, true), "%%%d is %s, expected a variable or constant", id, of)
		v.builtIn(id, BuiltIn(in.Operands[2].Word()))
	}
}

// vectorBuiltIns are the built-in inputs of compute kernels that are vectors of three.
var vectorBuiltIns = map[BuiltIn]bool{
	BuiltInGlobalInvocationId: true, BuiltInLocalInvocationId: true, BuiltInNumWorkgroups: true, BuiltInWorkgroupId: true,
}

// builtIn checks a variable's type and storage class against what it holds.
func (v *verifier) builtIn(id ID, b BuiltIn) {
	if b == BuiltInWorkgroupSize {
		v.holds(v.isConstant(id, true), "WorkgroupSize is a constant")
		return
	}
	class, t, ok := v.pointee(v.typeOf(id))
	v.holds(b > BuiltInInstanceIndex || vectorBuiltIns[b] || builtinScalars[b], "compute kernels have no such built-in variable")
	if !vectorBuiltIns[b] && !builtinScalars[b] {
		return
	}
	if !v.holds(v.op(id) == OpVariable && ok && class == StorageClassInput, "a built-in of compute kernels is a variable in storage class Input") {
		return
	}
	n := uint32(1)
	if vectorBuiltIns[b] {
		n = 3
	}
	v.holds(v.count(t) == n && v.op(v.elem(t)) == OpTypeInt && v.bits(v.elem(t)) == 32, "the variable has type %%%d, expected %d integers of 32 bits", t, n)
}

// explicit are the storage classes that hosts and addresses reach, whose types say where each part is.
var explicit = map[StorageClass]bool{
	StorageClassPushConstant: true, StorageClassStorageBuffer: true, StorageClassUniform: true, StorageClassPhysicalStorageBuffer: true,
}

// blockClasses are the storage classes whose variables are blocks, with their numbers in descriptor sets.
var blockClasses = map[StorageClass]bool{StorageClassStorageBuffer: true, StorageClassUniform: true, StorageClassUniformConstant: true}

// layouts checks types by the storage classes that they are used in.
func (v *verifier) layouts() {
	l := &layouts{verifier: v, of: map[ID]layout{}}
	v.each(func(in *Instr) {
		if isType(in.Op) {
			l.of[in.Result] = l.typ(in)
		}
		if in.Op == OpTypeStruct && v.blocks[in.Result] {
			v.explicit(l.of[in.Result])
		}
		if in.Op == OpTypePointer && explicit[StorageClass(in.Operands[0].Word())] && v.place(in.Operands[1].ID()) < v.at {
			v.explicit(l.of[in.Operands[1].ID()])
		}
		if in.Op == OpVariable {
			v.placed(in, l)
		}
	})
}

// explicit notes what is wrong in a layout.
func (v *verifier) explicit(l layout) { v.holds(l.problem == "", "%s", l.problem) }

// placed checks a variable by its storage class: what hosts see is a block, and everything else has no layout.
func (v *verifier) placed(in *Instr, l *layouts) {
	class, t, _ := v.pointee(in.Type)
	for class != StorageClassPushConstant && (v.op(t) == OpTypeArray || v.op(t) == OpTypeRuntimeArray) && blockClasses[class] {
		t = v.elem(t)
	}
	block := v.decoration(t, DecorationBlock) != nil || class == StorageClassUniform && v.decoration(t, DecorationBufferBlock) != nil
	switch {
	case class == StorageClassPushConstant, class == StorageClassStorageBuffer, class == StorageClassUniform:
		v.holds(v.op(t) == OpTypeStruct && block, "the variable is of %s, expected a structure with decoration Block", v.op(t))
	case class == StorageClassWorkgroup && v.capabilities[CapabilityWorkgroupMemoryExplicitLayoutKHR]:
	case class == StorageClassWorkgroup, (class == StorageClassFunction || class == StorageClassPrivate) && v.m.Version >= V1_5:
		v.holds(!l.of[t].laid, "the variable's type has a layout, which its storage class must not have")
	}
	if blockClasses[class] {
		v.holds(v.decoration(in.Result, DecorationBinding) != nil && v.decoration(in.Result, DecorationDescriptorSet) != nil, "the variable has no Binding and DescriptorSet")
	}
}
