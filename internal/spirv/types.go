package spirv

import "math"

// typeInfo is what the builder remembers of a type.
type typeInfo struct {
	op    Op
	words []uint32 // operands
}

// typ adds a type or finds it.
func (b *Builder) typ(op Op, words ...uint32) ID {
	id := b.once(globalSection, op, 0, words...)
	b.types[id] = typeInfo{op, words}
	return id
}

// Void is the type of functions without a result.
func (b *Builder) Void() ID { return b.typ(OpTypeVoid) }

// Bool is the type of truth values, which memory cannot hold.
func (b *Builder) Bool() ID { return b.typ(OpTypeBool) }

// Uint is the type of integers of 8, 16, 32 or 64 bits. Operations say whether they are signed, types need not.
func (b *Builder) Uint(width int) ID { return b.typ(OpTypeInt, uint32(width), 0) }

// Int is the type of signed integers.
func (b *Builder) Int(width int) ID { return b.typ(OpTypeInt, uint32(width), 1) }

// Float is the type of IEEE 754's floats of 16, 32 or 64 bits.
func (b *Builder) Float(width int) ID { return b.typ(OpTypeFloat, uint32(width)) }

// FloatOf is a type of floats of another encoding, such as [FPEncodingBFloat16KHR]. Few operations take them: conversions, loads and
// stores, and products of cooperative matrices.
func (b *Builder) FloatOf(encoding FPEncoding) ID {
	width := uint32(8)
	if encoding == FPEncodingBFloat16KHR {
		width = 16
	}
	return b.typ(OpTypeFloat, width, uint32(encoding))
}

// Vector is the type of vectors of 2, 3 or 4 elements.
func (b *Builder) Vector(elem ID, n int) ID { return b.typ(OpTypeVector, uint32(elem), uint32(n)) }

// Array is the type of arrays without a layout, for workgroup memory and variables of functions.
func (b *Builder) Array(elem ID, n int) ID {
	return b.typ(OpTypeArray, uint32(elem), uint32(b.Const(b.Uint(32), uint64(n))))
}

// Struct is the type of structures without a layout.
func (b *Builder) Struct(members ...ID) ID { return b.typ(OpTypeStruct, idWords(members)...) }

// Pointer is the type of pointers to a storage class.
func (b *Builder) Pointer(class StorageClass, to ID) ID {
	return b.typ(OpTypePointer, uint32(class), uint32(to))
}

// FunctionType is the type of functions.
func (b *Builder) FunctionType(result ID, params ...ID) ID {
	return b.typ(OpTypeFunction, append([]uint32{uint32(result)}, idWords(params)...)...)
}

func idWords(ids []ID) []uint32 {
	words := make([]uint32, len(ids))
	for i, id := range ids {
		words[i] = uint32(id)
	}
	return words
}

// TypeOf gives the type of a value.
func (b *Builder) TypeOf(value ID) ID {
	t, ok := b.values[value]
	if !ok {
		bug("%%%d is no value", value)
	}
	return t
}

// elem gives what a vector, an array, a matrix or a pointer is of; a scalar is of itself.
func (b *Builder) elem(t ID) ID {
	switch info := b.types[t]; info.op {
	case OpTypeVector, OpTypeArray, OpTypeRuntimeArray, OpTypeCooperativeMatrixKHR:
		return ID(info.words[0])
	case OpTypePointer:
		return ID(info.words[1])
	}
	return t
}

// like gives a vector of another element with as many of them, or that element for a scalar.
func (b *Builder) like(t, elem ID) ID {
	if info := b.types[t]; info.op == OpTypeVector {
		return b.Vector(elem, int(info.words[1]))
	}
	return elem
}

// width gives the bits of a scalar.
func (b *Builder) width(t ID) int {
	switch info := b.types[t]; info.op {
	case OpTypeInt, OpTypeFloat:
		return int(info.words[0])
	}
	bug("%%%d is no type of numbers", t)
	return 0
}

// size gives the bytes of a scalar, a vector or an address in memory, and the alignment that the scalar layout wants.
func (b *Builder) size(t ID) (size, align int) {
	if b.types[t].op == OpTypePointer {
		return 8, 8
	}
	align = b.width(b.elem(t)) / 8
	size = align
	if info := b.types[t]; info.op == OpTypeVector {
		size *= int(info.words[1])
	}
	return size, align
}

// constant adds a constant or finds it.
func (b *Builder) constant(op Op, t ID, words ...uint32) ID {
	id := b.once(globalSection, op, 1, append([]uint32{uint32(t)}, words...)...)
	b.values[id] = t
	return id
}

// Const is a constant of an integer type, or of a float type by its bits. Bits above the type's width do not count.
func (b *Builder) Const(t ID, bits uint64) ID {
	info := b.types[t]
	width := b.width(t)
	switch signed := info.op == OpTypeInt && info.words[1] != 0; {
	case width == 64:
		return b.constant(OpConstant, t, uint32(bits), uint32(bits>>32))
	case width == 32:
	case signed:
		bits = uint64(int64(bits<<(64-width)) >> (64 - width))
	default:
		bits &= 1<<width - 1
	}
	return b.constant(OpConstant, t, uint32(bits))
}

// ConstUint is a constant of 32 bits without a sign.
func (b *Builder) ConstUint(n uint32) ID { return b.Const(b.Uint(32), uint64(n)) }

// ConstFloat is a constant of 32 or 64 bits.
func (b *Builder) ConstFloat(width int, f float64) ID {
	if width == 64 {
		return b.Const(b.Float(64), math.Float64bits(f))
	}
	if width != 32 {
		bug("ConstFloat of %d bits: Const takes the bits", width)
	}
	return b.Const(b.Float(32), uint64(math.Float32bits(float32(f))))
}

// ConstBool is a truth value.
func (b *Builder) ConstBool(v bool) ID {
	if v {
		return b.constant(OpConstantTrue, b.Bool())
	}
	return b.constant(OpConstantFalse, b.Bool())
}

// ConstComposite is a constant vector, array or structure of constants.
func (b *Builder) ConstComposite(t ID, parts ...ID) ID {
	return b.constant(OpConstantComposite, t, idWords(parts)...)
}

// Null is the zero of a type.
func (b *Builder) Null(t ID) ID { return b.constant(OpConstantNull, t) }

// Undef is a value that may be anything.
func (b *Builder) Undef(t ID) ID { return b.constant(OpUndef, t) }

// SpecConst is an integer or float constant that the maker of a pipeline may set: number is what it is called there.
func (b *Builder) SpecConst(t ID, number int, bits uint64) ID {
	words := []uint32{uint32(t), 0, uint32(bits)}
	if b.width(t) == 64 {
		words = append(words, uint32(bits>>32))
	}
	id := b.id()
	words[1] = uint32(id)
	b.add(globalSection, OpSpecConstant, words...)
	b.values[id] = t
	b.Decorate(id, DecorationSpecId, uint32(number))
	return id
}
