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

func (v *flow) extended(in *Instr) {
	set := v.def(in.Operands[0].ID())
	if set.Operands[0].Text() != "GLSL.std.450" {
		return
	}
	for _, o := range in.Operands[2:] {
		v.holds(!o.IsID() || v.typeOf(o.ID()) != 0, "%%%d is %s, expected a value", o.ID(), v.op(o.ID()))
	}
	v.holds(GLSL(in.Operands[1].Word()) != GLSLIMix, "there is no IMix: GLSL.std.450 reserves it")
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
