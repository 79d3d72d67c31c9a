package spirv

// inexact are the operations that NoContraction keeps apart.
var inexact = map[Op]bool{
	OpFNegate: true, OpFAdd: true, OpFSub: true, OpFMul: true, OpFDiv: true, OpFRem: true, OpFMod: true, OpVectorTimesScalar: true, OpDot: true,
}

// current gives the function that is being written.
func (b *Builder) current() *function {
	if b.f == nil {
		bug("an instruction outside of a function")
	}
	return b.f
}

// emit adds an instruction to the current block, where code can be reached, and notes the globals among its words, of which ids are
// the numbers of results.
func (b *Builder) emit(op Op, words ...uint32) {
	f := b.current()
	if f.block == 0 {
		return
	}
	if f.line != f.written {
		if f.line.line == 0 {
			f.body = write(f.body, OpNoLine)
		} else {
			f.body = write(f.body, OpLine, uint32(f.line.file), f.line.line, f.line.column)
		}
		f.written = f.line
	}
	f.body = write(f.body, op, words...)
}

// use notes the globals among operands.
func (b *Builder) use(ids ...ID) {
	for _, id := range ids {
		if b.globals[id] && b.current().block != 0 {
			b.f.uses[id] = true
		}
	}
}

// value adds an instruction with a result.
func (b *Builder) value(op Op, t ID, words ...uint32) ID {
	id := b.id()
	b.values[id] = t
	b.emit(op, append([]uint32{uint32(t), uint32(id)}, words...)...)
	if b.options.Exact && inexact[op] && b.f.block != 0 {
		b.Decorate(id, DecorationNoContraction)
	}
	return id
}

// Op adds an instruction with a result of a type, whose operands are all IDs.
func (b *Builder) Op(op Op, t ID, args ...ID) ID {
	b.use(args...)
	return b.value(op, t, idWords(args)...)
}

// Do adds an instruction without a result, whose operands are all IDs.
func (b *Builder) Do(op Op, args ...ID) {
	b.use(args...)
	b.emit(op, idWords(args)...)
}

// With adds an instruction with a result, whose operands are IDs and then numbers: literals, or the bits of enumerants.
func (b *Builder) With(op Op, t ID, args []ID, literals ...uint32) ID {
	b.use(args...)
	return b.value(op, t, append(idWords(args), literals...)...)
}

// Unary adds an operation whose result has its operand's type, such as OpFNegate.
func (b *Builder) Unary(op Op, x ID) ID { return b.Op(op, b.TypeOf(x), x) }

// Binary adds an operation whose result has its first operand's type, such as OpIAdd.
func (b *Builder) Binary(op Op, x, y ID) ID { return b.Op(op, b.TypeOf(x), x, y) }

// Compare adds a comparison, which gives a truth value for each element.
func (b *Builder) Compare(op Op, args ...ID) ID {
	return b.Op(op, b.like(b.TypeOf(args[0]), b.Bool()), args...)
}

// Select gives x where cond is true, and y elsewhere. Both are computed.
func (b *Builder) Select(cond, x, y ID) ID { return b.Op(OpSelect, b.TypeOf(x), cond, x, y) }

// Convert adds a conversion to a type, such as OpUConvert; where the type is the operand's it is the operand.
func (b *Builder) Convert(op Op, t, x ID) ID {
	if b.TypeOf(x) == t {
		return x
	}
	return b.Op(op, t, x)
}

// GLSL calls a function of GLSL.std.450, with a result of a type.
func (b *Builder) GLSL(f GLSL, t ID, args ...ID) ID {
	set := b.once(importSection, OpExtInstImport, 0, textWords("GLSL.std.450")...)
	b.use(args...)
	return b.value(OpExtInst, t, append([]uint32{uint32(set), uint32(f)}, idWords(args)...)...)
}

// Extract gives a part of a vector, array or structure, by the number of the part, of the part's part and so on.
func (b *Builder) Extract(x ID, path ...int) ID {
	t := b.TypeOf(x)
	words := make([]uint32, len(path))
	for i, n := range path {
		info := b.types[t]
		if words[i] = uint32(n); info.op == OpTypeStruct {
			t = ID(info.words[n])
		} else {
			t = b.elem(t)
		}
	}
	return b.With(OpCompositeExtract, t, []ID{x}, words...)
}

// Composite makes a vector, array or structure of its parts.
func (b *Builder) Composite(t ID, parts ...ID) ID { return b.Op(OpCompositeConstruct, t, parts...) }
