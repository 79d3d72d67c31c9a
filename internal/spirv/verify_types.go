package spirv

// scalar reports whether a type is a truth value or a number.
func (c *context) scalar(t ID) bool {
	switch c.op(t) {
	case OpTypeBool, OpTypeInt, OpTypeFloat:
		return true
	}
	return false
}

// elem gives what a vector, matrix, array or cooperative matrix is of, and the type itself where it is none of them.
func (c *context) elem(t ID) ID {
	switch in := c.def(t); c.op(t) {
	case OpTypeVector, OpTypeMatrix, OpTypeArray, OpTypeRuntimeArray, OpTypeCooperativeMatrixKHR:
		return in.Operands[0].ID()
	}
	return t
}

// count gives the elements of a vector; other types have one.
func (c *context) count(t ID) uint32 {
	if in := c.def(t); in != nil && in.Op == OpTypeVector {
		return in.Operands[1].Word()
	}
	return 1
}

// bits gives the width of a number, 0 for other types.
func (c *context) bits(t ID) uint32 {
	switch in := c.def(t); c.op(t) {
	case OpTypeInt, OpTypeFloat:
		return in.Operands[0].Word()
	}
	return 0
}

// pointee gives the storage class and the type that a type of pointers leads to.
func (c *context) pointee(t ID) (StorageClass, ID, bool) {
	in := c.def(t)
	if in == nil || in.Op != OpTypePointer {
		return 0, 0, false
	}
	return StorageClass(in.Operands[0].Word()), in.Operands[1].ID(), true
}

// isConstant reports whether an ID is a constant, and where spec is, perhaps a specialisation constant.
func (c *context) isConstant(id ID, spec bool) bool {
	switch c.op(id) {
	case OpConstant, OpConstantTrue, OpConstantFalse, OpConstantComposite, OpConstantNull:
		return true
	case OpSpecConstant, OpSpecConstantTrue, OpSpecConstantFalse, OpSpecConstantComposite, OpSpecConstantOp:
		return spec
	}
	return false
}

// declarations checks types, constants and variables, and that a type other than a structure or array is declared once.
func (v *verifier) declarations() {
	v.forwards, v.blocks = map[ID]int{}, map[ID]bool{}
	v.each(func(in *Instr) {
		switch in.Op {
		case OpTypeForwardPointer:
			id := in.Operands[0].ID()
			class, _, ok := v.pointee(id)
			v.holds(v.forwards[id] == 0, "%%%d is announced a second time", id)
			v.holds(ok && class == StorageClass(in.Operands[1].Word()), "%%%d is no type of pointers to this storage class", id)
			v.forwards[id] = v.at
		case OpDecorate:
			d := Decoration(in.Operands[1].Word())
			v.blocks[in.Operands[0].ID()] = v.blocks[in.Operands[0].ID()] || d == DecorationBlock || d == DecorationBufferBlock
		}
	})
	seen := map[string]ID{}
	v.each(func(in *Instr) {
		if isType(in.Op) {
			v.typ(in)
			if in.Op != OpTypeStruct && in.Op != OpTypeArray && in.Op != OpTypeRuntimeArray && in.Op != OpTypePointer {
				same := *in
				same.Result = 0
				key := string(Bytes(same.words(nil)))
				v.holds(seen[key] == 0, "%%%d is the same type", seen[key])
				seen[key] = in.Result
			}
		}
		if in.Op.op().Class == "Constant-Creation" {
			v.constantValue(in)
		}
		if in.Op == OpVariable {
			v.variable(in)
		}
	})
}

// typ checks a type.
func (v *verifier) typ(in *Instr) {
	word := func(i int) uint32 { return in.Operands[i].Word() }
	id := func(i int) ID { return in.Operands[i].ID() }
	switch in.Op {
	case OpTypeInt:
		w := word(0)
		v.holds(w == 8 || w == 16 || w == 32 || w == 64, "an integer has %d bits, expected 8, 16, 32 or 64", w)
		v.holds(word(1) <= 1, "signedness is %d, expected 0 or 1", word(1))
	case OpTypeFloat:
		v.floatType(in)
	case OpTypeVector:
		v.holds(v.scalar(id(0)), "a vector of %s, expected numbers or truth values", v.op(id(0)))
		v.holds(word(1) >= 2 && word(1) <= 4, "a vector of %d elements, expected 2 to 4", word(1))
	case OpTypeMatrix:
		v.holds(v.op(id(0)) == OpTypeVector && v.op(v.elem(id(0))) == OpTypeFloat, "a matrix of %s, expected vectors of floats", v.op(id(0)))
		v.holds(word(1) >= 2 && word(1) <= 4, "a matrix of %d columns, expected 2 to 4", word(1))
	case OpTypeArray:
		v.sized(id(0), "an array")
		n, ok := v.constant(id(1))
		v.holds(ok && n > 0 || v.isConstant(id(1), true) && v.op(v.typeOf(id(1))) == OpTypeInt && !ok, "the length of an array is a constant integer above 0")
		if in := v.def(v.typeOf(id(1))); ok && in != nil && in.Operands[1].Word() == 1 {
			v.holds(int64(n<<(64-in.Operands[0].Word())) > 0, "the length of an array is negative")
		}
	case OpTypeRuntimeArray:
		v.sized(id(0), "an array")
	case OpTypeStruct:
		for _, o := range in.Operands {
			v.sized(o.ID(), "a structure")
			v.holds(v.op(o.ID()) != OpTypeRuntimeArray || v.blocks[in.Result], "a structure with an array without a length has decoration Block")
		}
	case OpTypePointer:
		t := v.op(id(1))
		v.holds(isType(t) && t != OpTypeFunction, "a pointer to %s, expected a type of values", t)
		v.holds(t != OpTypeVoid || StorageClass(word(0)) != StorageClassPhysicalStorageBuffer, "a pointer to nothing")
	case OpTypeFunction:
		for i, o := range in.Operands {
			v.holds(isType(v.op(o.ID())) && (i == 0 || v.op(o.ID()) != OpTypeVoid), "a parameter or result is %s, expected a type", v.op(o.ID()))
		}
	case OpTypeCooperativeMatrixKHR:
		v.matrixType(in)
	}
}

// floatType checks a type of floats: without an encoding it is one of IEEE 754's.
func (v *verifier) floatType(in *Instr) {
	w := in.Operands[0].Word()
	if len(in.Operands) == 1 {
		v.holds(w == 16 || w == 32 || w == 64, "a float has %d bits, expected 16, 32 or 64", w)
		return
	}
	want := uint32(8)
	if FPEncoding(in.Operands[1].Word()) == FPEncodingBFloat16KHR {
		want = 16
	}
	v.holds(w == want, "a float of this encoding has %d bits, expected %d", w, want)
}

// sized checks the type of a part of an array or structure.
func (v *verifier) sized(t ID, whole string) {
	switch op := v.op(t); {
	case op == OpTypeVoid || op == OpTypeFunction || !isType(op):
		v.add("%s has %s in it, expected a type of values", whole, op)
	case v.place(t) > v.at && !(op == OpTypePointer && v.forwards[t] > 0 && v.forwards[t] < v.at):
		v.add("%%%d is declared after its use, without OpTypeForwardPointer", t)
	}
}

// matrixType checks a type of cooperative matrices.
func (v *verifier) matrixType(in *Instr) {
	e := v.op(in.Operands[0].ID())
	v.holds(e == OpTypeInt || e == OpTypeFloat, "a cooperative matrix of %s, expected numbers", e)
	for i, name := range []string{"scope", "number of rows", "number of columns", "use"} {
		id := in.Operands[1+i].ID()
		if v.holds(v.isConstant(id, true) && v.op(v.typeOf(id)) == OpTypeInt && v.bits(v.typeOf(id)) == 32, "the %s of a cooperative matrix is a constant of 32 bits", name) && i == 3 {
			n, ok := v.constant(id)
			v.holds(ok && n <= uint64(CooperativeMatrixUseMatrixAccumulatorKHR), "the use of a cooperative matrix is %d, expected 0 to 2", n)
		}
	}
	if s, ok := v.constant(in.Operands[1].ID()); ok {
		v.holds(Scope(s) == ScopeSubgroup || Scope(s) == ScopeWorkgroup, "the scope of a cooperative matrix is %d, expected Subgroup or Workgroup", s)
	}
}
