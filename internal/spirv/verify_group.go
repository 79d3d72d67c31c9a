package spirv

// groupRule says what types an operation of a subgroup has, in the terms of typing.txt; operands after the scope, and after the group
// operation of reductions.
type groupRule struct {
	result   string
	operands []string
}

// groups are the operations of subgroups. "value" is a number or truth value, and a vector of them.
var groups = map[Op]groupRule{
	OpGroupNonUniformElect:            {".bool", nil},
	OpGroupNonUniformAll:              {".bool", []string{".bool"}},
	OpGroupNonUniformAny:              {".bool", []string{".bool"}},
	OpGroupNonUniformAllEqual:         {".bool", []string{"value"}},
	OpGroupNonUniformBroadcast:        {"value", []string{"=", ".uint"}},
	OpGroupNonUniformBroadcastFirst:   {"value", []string{"="}},
	OpGroupNonUniformBallot:           {"ballot", []string{".bool"}},
	OpGroupNonUniformInverseBallot:    {".bool", []string{"ballot"}},
	OpGroupNonUniformBallotBitExtract: {".bool", []string{"ballot", ".uint"}},
	OpGroupNonUniformBallotFindLSB:    {".uint", []string{"ballot"}},
	OpGroupNonUniformBallotFindMSB:    {".uint", []string{"ballot"}},
	OpGroupNonUniformBallotBitCount:   {".uint", []string{"ballot"}},
	OpGroupNonUniformShuffle:          {"value", []string{"=", ".uint"}},
	OpGroupNonUniformShuffleXor:       {"value", []string{"=", ".uint"}},
	OpGroupNonUniformShuffleUp:        {"value", []string{"=", ".uint"}},
	OpGroupNonUniformShuffleDown:      {"value", []string{"=", ".uint"}},
	OpGroupNonUniformQuadBroadcast:    {"value", []string{"=", ".uint"}},
	OpGroupNonUniformQuadSwap:         {"value", []string{"=", ".uint"}},
	OpGroupNonUniformRotateKHR:        {"value", []string{"=", ".uint"}},
	OpGroupNonUniformIAdd:             {"int", []string{"="}},
	OpGroupNonUniformIMul:             {"int", []string{"="}},
	OpGroupNonUniformSMin:             {"int", []string{"="}},
	OpGroupNonUniformSMax:             {"int", []string{"="}},
	OpGroupNonUniformUMin:             {"uint", []string{"="}},
	OpGroupNonUniformUMax:             {"uint", []string{"="}},
	OpGroupNonUniformBitwiseAnd:       {"int", []string{"="}},
	OpGroupNonUniformBitwiseOr:        {"int", []string{"="}},
	OpGroupNonUniformBitwiseXor:       {"int", []string{"="}},
	OpGroupNonUniformFAdd:             {"float", []string{"="}},
	OpGroupNonUniformFMul:             {"float", []string{"="}},
	OpGroupNonUniformFMin:             {"float", []string{"="}},
	OpGroupNonUniformFMax:             {"float", []string{"="}},
	OpGroupNonUniformLogicalAnd:       {"bool", []string{"="}},
	OpGroupNonUniformLogicalOr:        {"bool", []string{"="}},
	OpGroupNonUniformLogicalXor:       {"bool", []string{"="}},
}

// group checks an operation of a subgroup.
func (v *flow) group(in *Instr) {
	v.executionScope(in, 0, ScopeSubgroup)
	r, ok := groups[in.Op]
	if !ok {
		return
	}
	v.groupType("the result", in.Type, r.result, in.Type)
	operands := in.Operands[1:]
	how, reduces := GroupOperationReduce, false
	if len(operands) > 0 && operands[0].Kind.Name == "GroupOperation" {
		how, reduces = GroupOperation(operands[0].Word()), true
		operands = operands[1:]
	}
	for i, want := range r.operands {
		v.groupType("an operand", v.typeOf(operands[i].ID()), want, in.Type)
	}
	rest := operands[len(r.operands):]
	clustered := reduces && how == GroupOperationClusteredReduce
	if v.holds(!clustered || len(rest) == 1, "a clustered reduction has a size of clusters") && clustered {
		n, ok := v.constant(rest[0].ID())
		v.holds(ok && n > 0 && n&(n-1) == 0, "the size of clusters is no constant power of two")
		v.groupType("the size of clusters", v.typeOf(rest[0].ID()), ".uint", in.Type)
	}
	switch {
	case in.Op == OpGroupNonUniformBroadcast && v.m.Version < V1_5, in.Op == OpGroupNonUniformQuadBroadcast && v.m.Version < V1_5, in.Op == OpGroupNonUniformQuadSwap:
		v.holds(v.isConstant(operands[1].ID(), true), "the number of the invocation is no constant")
	case in.Op == OpGroupNonUniformBallotBitCount:
		v.holds(how <= GroupOperationExclusiveScan, "bits are counted by Reduce, InclusiveScan or ExclusiveScan")
	}
}

// groupType checks a type.
func (v *flow) groupType(what string, t ID, want string, result ID) {
	switch want {
	case "value":
		v.holds(v.scalar(t) || v.op(t) == OpTypeVector, "%s has type %%%d, expected a scalar or vector", what, t)
	case "ballot":
		e := v.def(v.elem(t))
		ok := v.op(t) == OpTypeVector && v.count(t) == 4 && e.Op == OpTypeInt && v.bits(e.Result) == 32 && e.Operands[1].Word() == 0
		v.holds(ok, "%s has type %%%d, expected a vector of 4 unsigned integers of 32 bits", what, t)
	default:
		v.holds(t != 0 && v.fits(t, termOf(want), result), "%s has type %%%d, expected %s", what, t, termOf(want))
	}
}

// matrix gives what a type of cooperative matrices says, nil if it is none.
func (v *flow) matrix(t ID) *Instr {
	if in := v.def(t); in != nil && in.Op == OpTypeCooperativeMatrixKHR {
		return in
	}
	v.add("%%%d is no type of cooperative matrices", t)
	return nil
}

// matrixMemory checks the operands of a load or store of a matrix: the pointer leads to numbers, and the layout is a constant.
func (v *flow) matrixMemory(in *Instr, operands []Operand, never MemoryAccess) {
	class, t, ok := v.pointer(in, 0)
	if !ok {
		return
	}
	e := v.op(v.elem(t))
	v.holds((v.scalar(t) || v.op(t) == OpTypeVector) && e != OpTypeBool, "the pointer leads to %s, expected numbers", v.op(t))
	v.holds(class == StorageClassWorkgroup || class == StorageClassStorageBuffer || class == StorageClassPhysicalStorageBuffer, "a matrix is not in memory of this storage class")
	layout := operands[0].ID()
	n, ok := v.constant(layout)
	v.holds(v.isConstant(layout, true) && v.op(v.typeOf(layout)) == OpTypeInt, "the layout of the matrix is no constant")
	rest := operands[1:]
	strided := len(rest) > 0 && rest[0].Kind.Name == "IdRef"
	v.holds(strided || !ok || CooperativeMatrixLayout(n) > CooperativeMatrixLayoutColumnMajorKHR, "the stride is missing")
	if strided {
		v.holds(v.op(v.typeOf(rest[0].ID())) == OpTypeInt, "the stride is no integer")
		rest = rest[1:]
	}
	v.access(class, rest, never, t)
}

func (v *flow) matrixLoad(in *Instr) {
	if v.matrix(in.Type) != nil {
		v.matrixMemory(in, in.Operands[1:], MemoryAccessMakePointerAvailable)
	}
}

func (v *flow) matrixStore(in *Instr) {
	if v.matrix(v.operandType(in, 1)) != nil {
		v.matrixMemory(in, in.Operands[2:], MemoryAccessMakePointerVisible)
	}
}

func (v *flow) matrixLength(in *Instr) {
	v.gives(in, ".uint32")
	v.matrix(in.Operands[0].ID())
}

// mulAdd checks a product of cooperative matrices.
func (v *flow) mulAdd(in *Instr) {
	a, b, c, r := v.matrix(v.operandType(in, 0)), v.matrix(v.operandType(in, 1)), v.matrix(v.operandType(in, 2)), v.matrix(in.Type)
	if a == nil || b == nil || c == nil || r == nil {
		return
	}
	agree := func(x *Instr, i int, y *Instr, j int, what string) {
		p, ok := v.constant(x.Operands[i].ID())
		q, ok2 := v.constant(y.Operands[j].ID())
		v.holds(!ok || !ok2 || p == q, "%s of %%%d and %%%d are %d and %d", what, x.Result, y.Result, p, q)
	}
	agree(a, 2, r, 2, "the rows")
	agree(b, 3, r, 3, "the columns")
	agree(a, 3, b, 2, "columns and rows")
	agree(c, 2, r, 2, "the rows")
	agree(c, 3, r, 3, "the columns")
	for i, m := range []*Instr{a, b, c, r} {
		agree(a, 1, m, 1, "the scopes")
		use, ok := v.constant(m.Operands[4].ID())
		v.holds(!ok || use == uint64(min(i, 2)), "%%%d has use %d, expected %d", m.Result, use, min(i, 2))
	}
}
