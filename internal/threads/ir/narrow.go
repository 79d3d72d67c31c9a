package ir

import "github.com/cutile-go/cutile/internal/native/vec"

// RoundBF16 rounds an f32 to a number of bf16, which is an f32 too, by [BFloat].
func (b *Builder) RoundBF16(x Value) Value {
	bits := b.pure(what{op: BFloat, typ: vec.I16, from: vec.F32}, vec.V16, x)
	return b.DoImm(vec.ShlImm, vec.I32, 16, b.Convert(vec.ZeroExtend, vec.I32, vec.I16, bits))
}

// Float8 rounds an f32 to a float of 8 bits.
func (b *Builder) Float8(e5m2 bool, x Value) Value {
	return b.pure(what{op: Float8, typ: vec.I8, from: vec.F32, imm: flag(e5m2)}, vec.V8, x)
}

// narrowBytes is floats of 8 bits in a word, if all were rounded alone before; 0 otherwise.
func (b *Builder) narrowBytes(to vec.Type, src []Value) Value {
	var halves []Value
	for i := 0; i < len(src); i += 2 {
		x, y := b.facts[src[i]].def, b.facts[src[i+1]].def
		if x == nil || y == nil || x.Op != Float8 || y.Op != Float8 || x.Imm != y.Imm {
			return 0
		}
		halves = append(halves, b.pure(what{op: Floats8, typ: vec.I16, from: vec.F32, imm: x.Imm}, vec.V16, x.Src[0], y.Src[0]))
	}
	return b.Pack(to, vec.I16, halves...)
}

// narrowPair is two floats of 16 bits in a word, or several of 8, if all were rounded alone before; 0 otherwise.
func (b *Builder) narrowPair(to, t vec.Type, src []Value) Value {
	if t == vec.I8 {
		return b.narrowBytes(to, src)
	}
	if !b.Narrow || to != vec.I32 || t != vec.I16 {
		return 0
	}
	x, y := b.facts[src[0]].def, b.facts[src[1]].def
	if x == nil || y == nil || x.Op != y.Op {
		return 0
	}
	half := func(in *Instr) bool {
		return in.Op == Elem && in.Do == vec.FConvert && in.Type == vec.F16 && in.From == vec.F32
	}
	switch {
	case x.Op == BFloat:
		return b.pure(what{op: BFloats, typ: vec.I32, from: vec.F32}, vec.V32, x.Src[0], y.Src[0])
	case half(x) && half(y):
		return b.pure(what{op: Halves, typ: vec.I32, from: vec.F32}, vec.V32, x.Src[0], y.Src[0])
	}
	return 0
}

// Widen gives two floats of 8 bits as f16.
func (b *Builder) Widen(e5m2 bool, x, y Value) []Value {
	word := b.pure(what{op: Widen, typ: vec.I32, from: vec.I16, imm: flag(e5m2)}, vec.V32, b.twoBytes(x, y))
	return b.Unpack(vec.I16, vec.I32, word)
}

// twoBytes joins bytes. Where they are neighbours in a word, nothing takes them out of it one by one.
func (b *Builder) twoBytes(x, y Value) Value {
	in := b.facts[x].def
	if in != nil && in.Op == Unpack && in.Type == vec.I8 && in.From == vec.I32 && b.facts[y].def == in {
		for i := int64(0); i < 4; i += 2 {
			if in.Dst[i] == x && in.Dst[i+1] == y {
				return b.Convert(vec.Truncate, vec.I16, vec.I32, b.DoImm(vec.ShrUImm, vec.I32, 8*i, in.Src[0]))
			}
		}
	}
	return b.Pack(vec.I16, vec.I8, x, y)
}

// element gives the instruction that computes a value, if it is an element operation of some kind.
func (b *Builder) element(v Value, op vec.Op) *Instr {
	if in := b.facts[v].def; in != nil && in.Op == Elem && in.Do == op {
		return in
	}
	return nil
}

// halfOf tells which half of a word a value is, if it is one.
func (b *Builder) halfOf(v Value) (word Value, upper, ok bool) {
	in := b.facts[v].def
	if in == nil || in.Op != Unpack || in.Type != vec.I16 || in.From != vec.I32 {
		return 0, false, false
	}
	return in.Src[0], in.Dst[1] == v, true
}

// shiftLeft moves a half of a word to its upper half: nothing has to take it out of the word before.
func shiftLeft(b *Builder, w what, src []Value) Value {
	if w.imm == 0 {
		return src[0]
	}
	if w.typ == vec.I64 && w.imm < 31 {
		return b.product(vec.I64, src[0], b.Const(vec.I64, 1<<w.imm))
	}
	if wide := b.element(src[0], vec.ZeroExtend); wide != nil && w.typ == vec.I32 && w.imm == 16 && wide.From == vec.I16 {
		if word, upper, ok := b.halfOf(wide.Src[0]); ok && upper {
			return b.Do(vec.And, vec.I32, word, b.Const(vec.I32, 0xffff0000))
		} else if ok {
			return b.DoImm(vec.ShlImm, vec.I32, 16, word)
		}
	}
	return 0
}

// shiftRight takes back what shiftLeft did to a number of fewer bits.
func shiftRight(b *Builder, w what, src []Value) Value {
	if w.imm == 0 {
		return src[0]
	}
	if left := b.element(src[0], vec.ShlImm); left != nil && left.Imm == w.imm && left.Type.Bytes() == w.typ.Bytes() {
		if wide := b.element(left.Src[0], vec.ZeroExtend); wide != nil && 8*wide.From.Bytes()+int(w.imm) <= 8*w.typ.Bytes() {
			return left.Src[0]
		}
	}
	return 0
}

// truncate takes back what widened a number.
func truncate(b *Builder, w what, src []Value) Value {
	for _, op := range []vec.Op{vec.ZeroExtend, vec.SignExtend} {
		if wide := b.element(src[0], op); wide != nil && wide.From == w.typ {
			return wide.Src[0]
		}
	}
	return 0
}
