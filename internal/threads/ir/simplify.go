package ir

import "github.com/cutile-go/cutile/internal/native/vec"

// simplify gives the value of an element operation that needs none, or a simpler one: 0 if there is no such.
func (b *Builder) simplify(w what, src []Value) Value {
	var x [3]uint64
	all := true
	for i, v := range src {
		x[i] = b.facts[v].bits
		all = all && b.facts[v].known
	}
	if all && w.do.Alone() {
		in := vec.Instr{Op: w.do, Type: w.typ, From: w.from, Cond: w.cond, Imm: w.imm}
		if in.DstClass() == vec.Mask {
			return b.Bool(in.Holds(x[0], x[1]))
		}
		return b.Const(w.typ, in.Element(x[0], x[1], x[2]))
	}
	if r := idle[w.do]; r != nil {
		return r(b, w, src)
	}
	return 0
}

// ones are the bits of an integer type that are all set.
func ones(t vec.Type) uint64 {
	if t.Bytes() == 8 {
		return ^uint64(0)
	}
	return 1<<(8*t.Bytes()) - 1
}

// idle gives for operations of integers and masks the value that their result is equal to, or 0.
var idle = make([]func(b *Builder, w what, src []Value) Value, len(vec.Table))

func init() {
	zero := func(b *Builder, v Value) bool { return b.IsConst(v, 0) }
	neutral := func(b *Builder, w what, src []Value) Value { // 0 changes nothing
		switch {
		case zero(b, src[0]):
			return src[1]
		case zero(b, src[1]):
			return src[0]
		}
		return 0
	}
	right := func(b *Builder, w what, src []Value) Value {
		if zero(b, src[1]) {
			return src[0]
		}
		return 0
	}
	shift := func(b *Builder, w what, src []Value) Value {
		if w.imm == 0 {
			return src[0]
		}
		return 0
	}
	for op, rule := range map[vec.Op]func(b *Builder, w what, src []Value) Value{
		vec.Add: addWide, vec.Or: neutral, vec.Xor: neutral, vec.Sub: right, vec.Shl: right, vec.Shr: right, vec.ShrU: right,
		vec.ShlImm: shiftLeft, vec.ShrImm: shift, vec.ShrUImm: shiftRight, vec.Truncate: truncate, vec.Mul: multiply, vec.And: and, vec.Select: choose,
		vec.MAnd: func(b *Builder, w what, src []Value) Value {
			for i, v := range src {
				if b.facts[v].known && b.facts[v].bits != 0 || src[0] == src[1] {
					return src[1-i]
				} else if b.facts[v].known {
					return v
				}
			}
			return 0
		},
		vec.MOr: func(b *Builder, w what, src []Value) Value {
			for i, v := range src {
				if zero(b, v) || src[0] == src[1] {
					return src[1-i]
				} else if b.facts[v].known {
					return v
				}
			}
			return 0
		},
		vec.MAndNot: func(b *Builder, w what, src []Value) Value {
			switch {
			case zero(b, src[1]) || zero(b, src[0]):
				return src[0]
			case b.facts[src[1]].known || src[0] == src[1]:
				return b.Bool(false)
			}
			return 0
		},
	} {
		idle[op] = rule
	}
}

// multiply is a product with 0, with 1 and with a power of two.
func multiply(b *Builder, w what, src []Value) Value {
	for i, v := range src {
		n, ok := b.facts[v].bits, b.facts[v].known
		switch {
		case !ok:
		case n == 0:
			return v
		case n&(n-1) == 0:
			k := int64(0)
			for n>>k != 1 {
				k++
			}
			return b.DoImm(vec.ShlImm, w.typ, k, src[1-i])
		}
	}
	return b.product(w.typ, src[0], src[1])
}

func and(b *Builder, w what, src []Value) Value {
	for i, v := range src {
		switch {
		case b.IsConst(v, 0):
			return v
		case b.IsConst(v, ones(w.typ)):
			return src[1-i]
		}
	}
	return 0
}

func choose(b *Builder, w what, src []Value) Value {
	switch {
	case src[1] == src[2] || b.facts[src[0]].known && b.facts[src[0]].bits != 0:
		return src[1]
	case b.facts[src[0]].known:
		return src[2]
	}
	return 0
}
