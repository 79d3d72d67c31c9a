package spirv

import "slices"

// limitedUses are the instructions that take numbers of a width that the module may only have in memory.
var limitedUses = map[Op]bool{OpStore: true, OpCopyObject: true, OpFConvert: true, OpUConvert: true, OpSConvert: true, OpFunctionEnd: true}

// limits finds the types of numbers which the module declares for memory alone, by StorageBuffer8BitAccess without Int8 and the like,
// and the types that have such numbers in them.
func (v *verifier) limits() {
	v.limited = map[ID]bool{}
	v.each(func(in *Instr) {
		switch in.Op {
		case OpTypeInt, OpTypeFloat:
			list := widths[in.Op][in.Operands[0].Word()]
			ieee := in.Op == OpTypeInt || len(in.Operands) == 1
			v.limited[in.Result] = ieee && len(list) > 1 && !v.capabilities[list[0]]
		case OpTypeVector, OpTypeMatrix, OpTypeArray, OpTypeRuntimeArray, OpTypeStruct, OpTypeCooperativeMatrixKHR:
			v.limited[in.Result] = slices.ContainsFunc(in.Operands, func(o Operand) bool { return o.IsID() && v.limited[o.ID()] })
		}
	})
	v.each(v.limit)
}

// limit checks what an instruction does with such numbers.
func (v *verifier) limit(in *Instr) {
	const only = "the module declares such numbers of 8 or 16 bits for memory alone"
	switch class := in.Op.op().Class; {
	case class == "Constant-Creation":
		v.holds(!v.limited[in.Type], "%s: a constant needs more", only)
	case class == "Annotation" || class == "Debug":
	case in.Op == OpVariable:
		of, t, ok := v.pointee(in.Type)
		memory := of == StorageClassWorkgroup || of == StorageClassFunction || of == StorageClassPrivate
		v.holds(!ok || !memory || !v.limited[t] || v.capabilities[CapabilityWorkgroupMemoryExplicitLayoutKHR], "%s: a variable needs more", only)
	case in.Op == OpLoad || in.Op == OpStore:
		t := in.Type
		if in.Op == OpStore {
			t = v.typeOf(in.Operands[1].ID())
		}
		whole := v.op(t) == OpTypeStruct || v.op(t) == OpTypeArray
		v.holds(!v.limited[t] || !whole, "%s: they are loaded and stored as scalars, vectors or matrices", only)
	case !limitedUses[in.Op]:
		for _, o := range in.Operands {
			v.holds(!o.IsID() || !v.limited[v.typeOf(o.ID())] || isType(v.op(o.ID())), "%s: %%%d has no other use than stores and conversions", only, o.ID())
		}
	}
}
