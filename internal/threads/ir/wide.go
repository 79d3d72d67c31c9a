package ir

import "github.com/cutile-go/cutile/internal/native/vec"

// short gives a number of 64 bits as one of 32 with sign, if it is one.
func (b *Builder) short(v Value) (x Value, ok bool) {
	if b.facts[v].known {
		n := int64(b.facts[v].bits)
		return b.Const(vec.I32, uint64(n)), n == int64(int32(n))
	}
	if in := b.element(v, vec.SignExtend); in != nil && in.From == vec.I32 {
		return in.Src[0], true
	}
	return 0, false
}

// product writes a product of numbers of 64 bits that have 32 as [MulWide]; 0 for others.
func (b *Builder) product(t vec.Type, x, y Value) Value {
	if !b.Wide || t != vec.I64 {
		return 0
	}
	p, ok1 := b.short(x)
	q, ok2 := b.short(y)
	if !ok1 || !ok2 {
		return 0
	}
	if b.facts[p].known {
		p, q = q, p
	}
	return b.pure(what{op: MulWide, typ: vec.I64, from: vec.I32}, vec.V64, p, q)
}

// addWide adds to a product by the instruction that multiplies: it has two instructions' worth of sum for nothing.
func addWide(b *Builder, w what, src []Value) Value {
	for i, v := range src {
		switch p := b.facts[v].def; {
		case b.IsConst(v, 0):
			return src[1-i]
		case p != nil && p.Op == MulWide && w.typ == vec.I64:
			return b.pure(what{op: MadWide, typ: vec.I64, from: vec.I32}, vec.V64, p.Src[0], p.Src[1], src[1-i])
		}
	}
	return 0
}
