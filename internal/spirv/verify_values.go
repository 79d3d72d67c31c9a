package spirv

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
