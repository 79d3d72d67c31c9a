package spirv

// checks are the instructions that typing.txt cannot describe.
var checks map[Op]func(v *flow, in *Instr)

func init() {
	checks = map[Op]func(v *flow, in *Instr){
		OpSelect: (*flow).selects, OpBitcast: (*flow).bitcast, OpFConvert: (*flow).fconvert, OpConvertUToPtr: (*flow).toPointer,
		OpConvertPtrToU: (*flow).fromPointer, OpCopyObject: (*flow).copies, OpDot: (*flow).dot, OpAny: (*flow).anyAll, OpAll: (*flow).anyAll,
		OpIAddCarry: (*flow).wide, OpISubBorrow: (*flow).wide, OpUMulExtended: (*flow).wide, OpSMulExtended: (*flow).wide,
		OpCompositeConstruct: (*flow).construction, OpCompositeExtract: (*flow).extract, OpCompositeInsert: (*flow).insert,
		OpVectorShuffle: (*flow).shuffleVector, OpVectorExtractDynamic: (*flow).extractDynamic, OpVectorInsertDynamic: (*flow).insertDynamic,
		OpExtInst: (*flow).extended, OpVariable: (*flow).local,
		OpBranchConditional: (*flow).branch, OpSwitch: (*flow).selector, OpReturn: (*flow).returns, OpReturnValue: (*flow).returnsValue,
		OpFunctionCall: (*flow).call,
		OpLoad:         (*flow).load, OpStore: (*flow).store, OpAccessChain: (*flow).chain, OpInBoundsAccessChain: (*flow).chain,
		OpPtrAccessChain: (*flow).pointerChain, OpInBoundsPtrAccessChain: (*flow).pointerChain,
		OpControlBarrier: (*flow).controlBarrier, OpMemoryBarrier: (*flow).memoryBarrier,
		OpCooperativeMatrixLoadKHR: (*flow).matrixLoad, OpCooperativeMatrixStoreKHR: (*flow).matrixStore,
		OpCooperativeMatrixMulAddKHR: (*flow).mulAdd, OpCooperativeMatrixLengthKHR: (*flow).matrixLength,
		OpArrayLength: (*flow).arrayLength, OpPtrEqual: (*flow).pointerCompare, OpPtrNotEqual: (*flow).pointerCompare, OpPtrDiff: (*flow).pointerCompare,
		OpTranspose: (*flow).matrices, OpOuterProduct: (*flow).matrices, OpMatrixTimesScalar: (*flow).matrices, OpVectorTimesMatrix: (*flow).matrices,
		OpMatrixTimesVector: (*flow).matrices, OpMatrixTimesMatrix: (*flow).matrices, OpCopyLogical: (*flow).copyLogical,
		OpKill: (*flow).notCompute, OpTerminateInvocation: (*flow).notCompute,
	}
}

// instr checks an instruction of a function.
func (v *flow) instr(in *Instr) {
	if r := rules()[ruleKey{false, uint32(in.Op)}]; r != nil {
		v.rule(in, r, in.Operands)
		return
	}
	switch check := checks[in.Op]; {
	case check != nil:
		check(v, in)
	case in.Op.op().Class == "Derivative":
		v.add("a compute kernel has no derivatives")
	case in.Op.op().Class == "Atomic":
		v.atomic(in)
	case in.Op.op().Class == "Non-Uniform":
		v.group(in)
	}
}

// operandType gives the type of an operand that is an ID.
func (v *flow) operandType(in *Instr, i int) ID { return v.typeOf(in.Operands[i].ID()) }

// same checks that an operand has a type.
func (v *flow) same(in *Instr, i int, want ID) {
	t := v.operandType(in, i)
	v.holds(t == want, "operand %d, %%%d, has type %%%d, expected %%%d", i+1, in.Operands[i].ID(), t, want)
}

// is checks an operand against a term of typing.txt.
func (v *flow) is(in *Instr, i int, want string) {
	t := v.operandType(in, i)
	v.holds(t != 0 && v.fits(t, termOf(want), in.Type), "operand %d, %%%d, has type %%%d, expected %s", i+1, in.Operands[i].ID(), t, termOf(want))
}

// gives checks the result's type against a term of typing.txt.
func (v *flow) gives(in *Instr, want string) bool {
	return v.holds(v.fits(in.Type, termOf(want), in.Type), "the result has type %%%d, expected %s", in.Type, termOf(want))
}

func (v *flow) selects(in *Instr) {
	cond := v.operandType(in, 0)
	one := v.op(cond) == OpTypeBool
	each := v.op(cond) == OpTypeVector && v.op(v.elem(cond)) == OpTypeBool && v.op(in.Type) == OpTypeVector && v.count(cond) == v.count(in.Type)
	v.holds(each || one && (v.m.Version >= 0x10400 || v.count(in.Type) == 1), "the condition has type %%%d, expected a truth value for each element", cond)
	switch v.op(in.Type) {
	case OpTypeVoid, OpTypeCooperativeMatrixKHR:
		v.add("the result is %s, expected a scalar, vector, pointer or composite", v.op(in.Type))
	case OpTypeStruct, OpTypeArray, OpTypeMatrix:
		v.holds(v.m.Version >= 0x10400, "a composite is selected, which SPIR-V 1.4 allows first")
	}
	v.same(in, 1, in.Type)
	v.same(in, 2, in.Type)
}

func (v *flow) bitcast(in *Instr) {
	from := v.operandType(in, 0)
	bits := func(t ID) uint32 {
		if _, _, ok := v.pointee(t); ok {
			return 64
		}
		if v.op(t) == OpTypeCooperativeMatrixKHR {
			return v.bits(v.elem(t))
		}
		return v.bits(v.elem(t)) * v.count(t)
	}
	if from, to := v.op(from) == OpTypePointer, v.op(in.Type) == OpTypePointer; from != to {
		other := in.Type
		if to {
			other = v.operandType(in, 0)
		}
		pair := v.m.Version >= V1_5 && v.op(other) == OpTypeVector && v.op(v.elem(other)) == OpTypeInt && v.count(other) == 2
		v.holds(v.op(other) == OpTypeInt || pair, "a bitcast of a pointer and %%%d, expected an integer, or since SPIR-V 1.5 a vector of two", other)
	}
	x, y := bits(from), bits(in.Type)
	v.holds(x > 0 && y > 0 && (v.arithmetic(from) || v.op(from) == OpTypePointer) && (v.arithmetic(in.Type) || v.op(in.Type) == OpTypePointer),
		"a bitcast of %s to %s, expected numbers", v.op(from), v.op(in.Type))
	v.holds(x == y, "a bitcast of %d bits to %d", x, y)
}

func (v *flow) fconvert(in *Instr) {
	from, a, b := v.operandType(in, 0), v.elem(in.Type), v.elem(v.operandType(in, 0))
	ok := v.op(a) == OpTypeFloat && v.op(b) == OpTypeFloat && v.arithmetic(in.Type) && v.arithmetic(from) && v.sameShape(in.Type, from)
	v.holds(ok && a != b, "a conversion of %%%d to %%%d, expected as many floats of another type", from, in.Type)
}

func (v *flow) toPointer(in *Instr) {
	class, _, ok := v.pointee(in.Type)
	v.holds(ok && class == StorageClassPhysicalStorageBuffer, "the result has type %%%d, expected a pointer to PhysicalStorageBuffer", in.Type)
	v.is(in, 0, ".int64")
}

func (v *flow) fromPointer(in *Instr) {
	class, _, ok := v.pointee(v.operandType(in, 0))
	v.holds(ok && class == StorageClassPhysicalStorageBuffer, "the operand has type %%%d, expected a pointer to PhysicalStorageBuffer", v.operandType(in, 0))
	v.gives(in, ".uint64")
}

func (v *flow) copies(in *Instr) { v.same(in, 0, in.Type) }

func (v *flow) dot(in *Instr) {
	for i := range in.Operands[:2] {
		t := v.operandType(in, i)
		v.holds(v.op(t) == OpTypeVector && v.elem(t) == in.Type && v.op(in.Type) == OpTypeFloat, "operand %d has type %%%d, expected a vector of the result's type", i+1, t)
	}
	v.same(in, 1, v.operandType(in, 0))
}

func (v *flow) anyAll(in *Instr) {
	t := v.operandType(in, 0)
	v.gives(in, ".bool")
	v.holds(v.op(t) == OpTypeVector && v.op(v.elem(t)) == OpTypeBool, "the operand has type %%%d, expected a vector of truth values", t)
}

// wide checks an operation with two results: a structure of two integers.
func (v *flow) wide(in *Instr) {
	s := v.def(in.Type)
	if !v.holds(s.Op == OpTypeStruct && len(s.Operands) == 2 && s.Operands[0].ID() == s.Operands[1].ID(), "the result has type %%%d, expected a structure of two integers of one type", in.Type) {
		return
	}
	t := s.Operands[0].ID()
	want := "uint"
	if in.Op == OpSMulExtended {
		want = "int"
	}
	v.holds(v.fits(t, termOf(want), t), "the results have type %%%d, expected %s", t, want)
	v.same(in, 0, t)
	v.same(in, 1, t)
}

func (v *flow) construction(in *Instr) { v.composite(in) }

// walk gives the type of a part of a composite.
func (v *flow) walk(t ID, path []Operand) (ID, bool) {
	v.holds(len(path) > 0, "expected the number of a part")
	for _, o := range path {
		if v.op(t) == OpTypeCooperativeMatrixKHR {
			t = v.elem(t)
			continue
		}
		n, part := v.parts(t)
		if !v.holds(part != nil && uint64(o.Word()) < n, "%%%d has no part %d", t, o.Word()) {
			return 0, false
		}
		t = part(uint64(o.Word()))
	}
	return t, true
}

func (v *flow) extract(in *Instr) {
	if t, ok := v.walk(v.operandType(in, 0), in.Operands[1:]); ok {
		v.holds(t == in.Type, "the part has type %%%d, but the result has %%%d", t, in.Type)
	}
}

func (v *flow) insert(in *Instr) {
	v.same(in, 1, in.Type)
	if t, ok := v.walk(in.Type, in.Operands[2:]); ok {
		v.same(in, 0, t)
	}
}

func (v *flow) shuffleVector(in *Instr) {
	x, y := v.operandType(in, 0), v.operandType(in, 1)
	if !v.holds(v.op(x) == OpTypeVector && v.op(y) == OpTypeVector && v.op(in.Type) == OpTypeVector, "expected vectors") {
		return
	}
	v.holds(v.elem(x) == v.elem(in.Type) && v.elem(y) == v.elem(in.Type), "the vectors' elements have other types than the result's")
	v.holds(uint32(len(in.Operands)-2) == v.count(in.Type), "%d elements, expected %d", len(in.Operands)-2, v.count(in.Type))
	for _, o := range in.Operands[2:] {
		v.holds(o.Word() < v.count(x)+v.count(y) || o.Word() == 1<<32-1, "there is no element %d", o.Word())
	}
}

func (v *flow) extractDynamic(in *Instr) {
	t := v.operandType(in, 0)
	v.holds(v.op(t) == OpTypeVector && v.elem(t) == in.Type, "the operand has type %%%d, expected a vector of the result's type", t)
	v.is(in, 1, ".int")
}

func (v *flow) insertDynamic(in *Instr) {
	v.holds(v.op(in.Type) == OpTypeVector, "the result has type %%%d, expected a vector", in.Type)
	v.same(in, 0, in.Type)
	v.same(in, 1, v.elem(in.Type))
	v.is(in, 2, ".int")
}

func (v *flow) extended(in *Instr) {
	set := v.def(in.Operands[0].ID())
	if set.Operands[0].Text() != "GLSL.std.450" {
		return
	}
	for _, o := range in.Operands[2:] {
		v.holds(!o.IsID() || v.typeOf(o.ID()) != 0, "%%%d is %s, expected a value", o.ID(), v.op(o.ID()))
	}
	if r := rules()[ruleKey{true, in.Operands[1].Word()}]; r != nil {
		v.rule(in, r, in.Operands[2:])
	}
}

func (v *flow) local(in *Instr) {
	class := StorageClass(in.Operands[0].Word())
	v.holds(class == StorageClassFunction, "a variable of a function is in storage class Function")
}

func (v *flow) branch(in *Instr) {
	t := v.operandType(in, 0)
	v.holds(v.op(t) == OpTypeBool, "the condition has type %%%d, expected OpTypeBool", t)
	n := len(in.Operands)
	v.holds(n == 3 || n == 5, "%d operands, expected a condition and two blocks, and perhaps two weights", n)
	if v.m.Version >= V1_6 {
		v.holds(in.Operands[1].ID() != in.Operands[2].ID(), "both targets are the same block")
	}
}

func (v *flow) selector(in *Instr) {
	t := v.operandType(in, 0)
	v.holds(v.op(t) == OpTypeInt, "the selector has type %%%d, expected an integer", t)
}

func (v *flow) result() ID { return v.m.Instrs[v.f.first].Type }

func (v *flow) returns(in *Instr) {
	v.holds(v.op(v.result()) == OpTypeVoid, "the function has a result: expected OpReturnValue")
}

func (v *flow) returnsValue(in *Instr) {
	v.holds(v.op(v.result()) != OpTypeVoid, "the function has no result")
	v.same(in, 0, v.result())
}

func (v *flow) notCompute(in *Instr) { v.add("a compute kernel has no such end") }

func (v *flow) call(in *Instr) {
	f := v.def(in.Operands[0].ID())
	if !v.holds(f.Op == OpFunction, "%%%d is no function", in.Operands[0].ID()) {
		return
	}
	v.holds(f.Type == in.Type, "the function gives %%%d, but the result has type %%%d", f.Type, in.Type)
	t := v.def(f.Operands[1].ID())
	if !v.holds(len(in.Operands) == len(t.Operands), "%d arguments, expected %d", len(in.Operands)-1, len(t.Operands)-1) {
		return
	}
	for i := range in.Operands[1:] {
		v.same(in, i+1, t.Operands[i+1].ID())
	}
}

func (v *flow) pointerCompare(in *Instr) {
	v.holds(v.capabilities[CapabilityVariablePointersStorageBuffer], "pointers are compared by capability VariablePointers")
	v.holds(v.op(v.operandType(in, 0)) == OpTypePointer, "the operands are no pointers")
	v.same(in, 1, v.operandType(in, 0))
	if in.Op != OpPtrDiff {
		v.gives(in, ".bool")
	} else {
		v.gives(in, ".int")
	}
}

// matrices checks that an operation of matrices has one.
func (v *flow) matrices(in *Instr) {
	any := v.op(in.Type) == OpTypeMatrix
	for i := range in.Operands {
		any = any || v.op(v.operandType(in, i)) == OpTypeMatrix
	}
	v.holds(any || v.op(in.Type) == OpTypeCooperativeMatrixKHR, "neither result nor operands are matrices")
}

func (v *flow) copyLogical(in *Instr) {
	from := v.operandType(in, 0)
	v.holds(from != in.Type && v.op(from) == v.op(in.Type) && (v.op(from) == OpTypeStruct || v.op(from) == OpTypeArray), "a copy of %%%d to %%%d, expected structures or arrays", from, in.Type)
}

// arrayLength checks the question for the length of a block's last member.
func (v *flow) arrayLength(in *Instr) {
	_, t, ok := v.pointee(v.operandType(in, 0))
	s := v.def(t)
	v.gives(in, ".uint32")
	if v.holds(ok && s != nil && s.Op == OpTypeStruct, "the operand is no pointer to a structure") {
		n := uint64(in.Operands[1].Word())
		v.holds(n+1 == uint64(len(s.Operands)) && v.op(s.Operands[n].ID()) == OpTypeRuntimeArray, "member %d is not the last one, or has a length", n)
	}
}
