// Package interval computes with ranges of integers: which values an operation of Go can have whose operands are in given
// ranges. A range that would leave the type may wrap around, and becomes all of the type: what is concluded from a range
// always holds.
package interval

import "go/token"

// Type is an integer type.
type Type struct {
	Bits   int
	Signed bool
}

// Range is the integers from Lo to Hi, both included.
type Range struct{ Lo, Hi Int }

// Range is all values of the type.
func (t Type) Range() Range {
	if t.Signed {
		return Range{OfUint(1 << (t.Bits - 1)).negated(), ones(t.Bits - 1)}
	}
	return Range{Hi: ones(t.Bits)}
}

// Ints is a range of int64.
func Ints(lo, hi int64) Range { return Range{Of(lo), Of(hi)} }

// One is a range of one number.
func One(x Int) Range { return Range{x, x} }

// Within reports whether s has all of r.
func (r Range) Within(s Range) bool { return s.Lo.Cmp(r.Lo) <= 0 && r.Hi.Cmp(s.Hi) <= 0 }

// Has reports whether r has an integer.
func (r Range) Has(x Int) bool { return One(x).Within(r) }

// Union is the least range with both.
func (r Range) Union(s Range) Range { return Range{least(r.Lo, s.Lo), greatest(r.Hi, s.Hi)} }

// Min is the range of the lesser of two numbers.
func Min(a, b Range) Range { return Range{least(a.Lo, b.Lo), least(a.Hi, b.Hi)} }

// Max is the range of the greater of two numbers.
func Max(a, b Range) Range { return Range{greatest(a.Lo, b.Lo), greatest(a.Hi, b.Hi)} }

// NonNegative reports whether all of r is 0 or more.
func (r Range) NonNegative() bool { return !r.Lo.neg }

// Convert is the range of a conversion to a type; exact says that no value changes.
func Convert(t Type, a Range) (r Range, exact bool) { return t.fit(a, true) }

// fit is a range, where it is known and the type has it: else all of the type.
func (t Type) fit(r Range, known bool) (Range, bool) {
	if known && r.Within(t.Range()) {
		return r, true
	}
	return t.Range(), false
}

// Binary is the range of x op y of the type for + - * / % & | ^ &^ << >> with x in a and y in b. exact says that the
// result is that of integers without bounds: nothing wraps around. Where y is 0, / and % have no result; where y is a
// negative count, a shift is one by more than all bits.
func Binary(op token.Token, t Type, a, b Range) (r Range, exact bool) {
	if f := operations[op]; f != nil {
		r, known := f(a, b)
		return t.fit(r, known)
	}
	return t.Range(), false
}

// operations give the range of a result without bounds; they report false where they don't know it.
var operations = map[token.Token]func(a, b Range) (Range, bool){
	token.ADD: func(a, b Range) (Range, bool) {
		lo, ok := add(a.Lo, b.Lo)
		hi, ok2 := add(a.Hi, b.Hi)
		return Range{lo, hi}, ok && ok2
	},
	token.SUB: func(a, b Range) (Range, bool) {
		lo, ok := add(a.Lo, b.Hi.negated())
		hi, ok2 := add(a.Hi, b.Lo.negated())
		return Range{lo, hi}, ok && ok2
	},
	token.MUL:     func(a, b Range) (Range, bool) { return corners(mul, a, b) },
	token.QUO:     quotient,
	token.REM:     remainder,
	token.AND:     and,
	token.OR:      or,
	token.XOR:     func(a, b Range) (Range, bool) { return bitwise(a, b), true },
	token.AND_NOT: andNot,
	token.SHL:     shiftLeft,
	token.SHR:     shiftRight,
}

// corners is the range of an operation that is monotone in both operands: that of its values at their ends.
func corners(f func(x, y Int) (Int, bool), a, b Range) (r Range, ok bool) {
	for i, x := range [...]Int{a.Lo, a.Lo, a.Hi, a.Hi} {
		v, ok := f(x, [...]Int{b.Lo, b.Hi}[i%2])
		if !ok {
			return r, false
		}
		if i == 0 {
			r = One(v)
		}
		r = r.Union(One(v))
	}
	return r, true
}

// quotient takes the negative and the positive divisors apart.
func quotient(a, b Range) (r Range, ok bool) {
	for _, part := range []Range{{b.Lo, least(b.Hi, Of(-1))}, {greatest(b.Lo, Of(1)), b.Hi}} {
		if part.Lo.Cmp(part.Hi) > 0 {
			continue
		}
		q, _ := corners(quo, a, part)
		if ok {
			q = q.Union(r)
		}
		r, ok = q, true
	}
	return r, ok
}

// remainder has the sign of the dividend, and is nearer to 0 than both operands.
func remainder(a, b Range) (r Range, ok bool) {
	divisor := max(b.Lo.abs, b.Hi.abs)
	if divisor == 0 {
		return r, false
	}
	if a.Lo.neg {
		r.Lo = signed(true, min(a.Lo.abs, divisor-1))
	}
	if !a.Hi.neg {
		r.Hi = signed(false, min(a.Hi.abs, divisor-1))
	}
	return r, true
}

// bitwise is the range of what has no more bits than the operands.
func bitwise(a, b Range) Range {
	r := Range{Hi: ones(max(a.Lo.width(), a.Hi.width(), b.Lo.width(), b.Hi.width()))}
	if a.Lo.neg || b.Lo.neg {
		r.Lo, _ = add(r.Hi.negated(), Of(-1))
	}
	return r
}

func and(a, b Range) (Range, bool) {
	switch {
	case a.NonNegative() && b.NonNegative():
		return Range{Hi: least(a.Hi, b.Hi)}, true
	case a.NonNegative():
		return Range{Hi: a.Hi}, true
	case b.NonNegative():
		return Range{Hi: b.Hi}, true
	}
	return bitwise(a, b), true
}

func or(a, b Range) (Range, bool) {
	r := bitwise(a, b)
	if a.NonNegative() && b.NonNegative() {
		r.Lo = greatest(a.Lo, b.Lo)
	}
	return r, true
}

func andNot(a, b Range) (Range, bool) {
	if a.NonNegative() {
		return Range{Hi: a.Hi}, true
	}
	return bitwise(a, b), true
}

// counts is the range of a shift count, of which 64 stands for more.
func counts(b Range) (lo, hi uint) {
	if b.Lo.neg {
		lo, hi = 0, 64
		if b.Hi.neg {
			lo = 64
		}
		return lo, hi
	}
	return uint(min(b.Lo.abs, 64)), uint(min(b.Hi.abs, 64))
}

func shiftLeft(a, b Range) (Range, bool) {
	lo, hi := counts(b)
	if hi == 64 {
		return Range{}, a == Range{}
	}
	return corners(func(x, n Int) (Int, bool) { return shl(x, uint(n.abs)) }, a, Range{OfUint(uint64(lo)), OfUint(uint64(hi))})
}

func shiftRight(a, b Range) (Range, bool) {
	lo, hi := counts(b)
	return corners(func(x, n Int) (Int, bool) { return shr(x, uint(n.abs)), true }, a, Range{OfUint(uint64(lo)), OfUint(uint64(hi))})
}

// Compare decides x op y for a comparison of Go with x in a and y in b: known says that all of them agree.
func Compare(op token.Token, a, b Range) (result, known bool) {
	below, notAbove := a.Hi.Cmp(b.Lo) < 0, a.Hi.Cmp(b.Lo) <= 0
	above, notBelow := a.Lo.Cmp(b.Hi) > 0, a.Lo.Cmp(b.Hi) >= 0
	same := a.Lo == a.Hi && a == b
	switch op {
	case token.LSS:
		return below, below || notBelow
	case token.LEQ:
		return notAbove, notAbove || above
	case token.GTR:
		return above, above || notAbove
	case token.GEQ:
		return notBelow, notBelow || below
	case token.EQL:
		return same, same || below || above
	case token.NEQ:
		return below || above, same || below || above
	}
	return false, false
}
