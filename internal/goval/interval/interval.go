// Package interval computes with ranges of integers: which values an operation can have whose operands are in given ranges.
// What is concluded from a range always holds: where results leave their type they wrap around, as in Go and in Tile IR, and
// the range is that of the wrapped results, or all of the type where those lie at both of its ends.
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

// Common is the range of what both have; it reports false if that is nothing.
func (r Range) Common(s Range) (Range, bool) {
	c := Range{greatest(r.Lo, s.Lo), least(r.Hi, s.Hi)}
	return c, c.Lo.Cmp(c.Hi) <= 0
}

// Min is the range of the lesser of two numbers.
func Min(a, b Range) Range { return Range{least(a.Lo, b.Lo), least(a.Hi, b.Hi)} }

// Max is the range of the greater of two numbers.
func Max(a, b Range) Range { return Range{greatest(a.Lo, b.Lo), greatest(a.Hi, b.Hi)} }

// NonNegative reports whether all of r is 0 or more.
func (r Range) NonNegative() bool { return !r.Lo.neg }

// Single reports whether r is one number.
func (r Range) Single() bool { return r.Lo == r.Hi }

// Convert is the range of a conversion to a type; exact says that no value changes.
func Convert(t Type, a Range) (r Range, exact bool) { return t.fit(a, true) }

// Wrap is a number as the type holds it, modulo 1<<Bits.
func (t Type) Wrap(x Int) Int {
	low, _ := x.word()
	unused := 64 - t.Bits
	if t.Signed {
		return Of(int64(low<<unused) >> unused)
	}
	return OfUint(low << unused >> unused)
}

// fit is a range as the type holds it, and whether no number changes. Where the range is not known, or wraps to both ends of
// the type, it is all of the type.
func (t Type) fit(r Range, known bool) (Range, bool) {
	if known && r.Within(t.Range()) {
		return r, true
	}
	if width, ok := sub(r.Hi, r.Lo); known && ok && width.width() <= t.Bits {
		if w := (Range{t.Wrap(r.Lo), t.Wrap(r.Hi)}); w.Lo.Cmp(w.Hi) <= 0 {
			return w, false
		}
	}
	return t.Range(), false
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
