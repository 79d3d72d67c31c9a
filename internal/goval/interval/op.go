package interval

import "go/token"

// Op is an operation on two integers.
type Op uint8

// The operations. A shift by a negative count is one by more than all bits; quotients round toward 0, down or up.
const (
	None Op = iota
	Add
	Sub
	Mul
	Quo
	QuoDown
	QuoUp
	Rem
	And
	Or
	Xor
	AndNot
	Shl
	Shr
	Least
	Greatest
)

// function is an operation on numbers without bounds; it reports false if no [Int] holds the result, or there is none.
type function func(x, y Int) (Int, bool)

// operations say what an operation makes of two numbers, and of two ranges: nil for what is monotone in both operands. The
// latter report false if they don't know the range.
var operations = [...]struct {
	one function
	all func(a, b Range) (Range, bool)
}{
	Add: {one: add}, Sub: {one: sub}, Mul: {one: mul},
	Quo: {quo, quotient(quo)}, QuoDown: {quoDown, quotient(quoDown)}, QuoUp: {quoUp, quotient(quoUp)}, Rem: {rem, remainder},
	And: {and, allAnd}, Or: {or, allOr}, Xor: {xor, allXor}, AndNot: {andNot, allAndNot},
	Shl: {shl, shifted(shl)}, Shr: {shr, shifted(shr)},
	Least:    {one: func(x, y Int) (Int, bool) { return least(x, y), true }},
	Greatest: {one: func(x, y Int) (Int, bool) { return greatest(x, y), true }},
}

// tokens are the operations that Go writes.
var tokens = map[token.Token]Op{
	token.ADD: Add, token.SUB: Sub, token.MUL: Mul, token.QUO: Quo, token.REM: Rem, token.AND: And, token.OR: Or,
	token.XOR: Xor, token.AND_NOT: AndNot, token.SHL: Shl, token.SHR: Shr,
}

// Binary is [Op.Range] of the operation that Go writes so; of others nothing is known.
func Binary(op token.Token, t Type, a, b Range) (r Range, exact bool) {
	return tokens[op].Range(t, a, b)
}

// Range is the range of x op y of the type with x in a and y in b. exact says that the result is that of integers without
// bounds: nothing wraps around. Where y is 0, a quotient or remainder has no result.
func (op Op) Range(t Type, a, b Range) (r Range, exact bool) {
	if op == None {
		return t.Range(), false
	}
	f := &operations[op]
	switch {
	case a.Single() && b.Single():
		x, known := f.one(a.Lo, b.Lo)
		return t.fit(One(x), known)
	case f.all == nil:
		return t.fit(corners(f.one, a, b))
	}
	return t.fit(f.all(a, b))
}

// Of is x op y of the type; it reports false if there is no result, or none that is known.
func (op Op) Of(t Type, x, y Int) (Int, bool) {
	v, known := operations[op].one(x, y)
	return t.Wrap(v), known
}

// corners is the range of an operation that is monotone in both operands: that of its values at their ends.
func corners(f function, a, b Range) (r Range, ok bool) {
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
func quotient(f function) func(a, b Range) (Range, bool) {
	return func(a, b Range) (r Range, ok bool) {
		for _, part := range [...]Range{{b.Lo, least(b.Hi, Of(-1))}, {greatest(b.Lo, Of(1)), b.Hi}} {
			if part.Lo.Cmp(part.Hi) > 0 {
				continue
			}
			q, known := corners(f, a, part)
			if !known {
				return r, false
			}
			if ok {
				q = q.Union(r)
			}
			r, ok = q, true
		}
		return r, ok
	}
}

// remainder has the sign of the dividend, and is nearer to 0 than both operands. Dividends of one quotient leave a range.
func remainder(a, b Range) (r Range, ok bool) {
	if b.Single() && b.Lo.abs != 0 {
		if first, _ := quo(a.Lo, b.Lo); One(first) == must(corners(quo, a, b)) {
			return must(corners(rem, a, b)), true
		}
	}
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

// must is a range that is always known.
func must(r Range, _ bool) Range { return r }

// noMoreBits is the range of what has no more bits than the operands.
func noMoreBits(a, b Range) Range {
	r := Range{Hi: ones(max(a.Lo.width(), a.Hi.width(), b.Lo.width(), b.Hi.width()))}
	if a.Lo.neg || b.Lo.neg {
		r.Lo, _ = add(r.Hi.negated(), Of(-1))
	}
	return r
}

// allAnd: a number loses bits to another, so that one of 0 or more stays from 0 to itself, and a negative one becomes less.
func allAnd(a, b Range) (Range, bool) {
	r := noMoreBits(a, b)
	for _, x := range [...]Range{a, b} {
		if x.NonNegative() {
			r.Lo = Int{}
		}
		if x.NonNegative() || a.Hi.neg && b.Hi.neg {
			r.Hi = least(r.Hi, x.Hi)
		}
	}
	return r, true
}

// allOr: a number gets bits from another, so that a negative one stays from itself to -1, and one of 0 or more grows.
func allOr(a, b Range) (Range, bool) {
	r := noMoreBits(a, b)
	for _, x := range [...]Range{a, b} {
		if x.Hi.neg {
			r.Hi = Of(-1)
		}
		if x.Hi.neg || a.NonNegative() && b.NonNegative() {
			r.Lo = greatest(r.Lo, x.Lo)
		}
	}
	return r, true
}

func allXor(a, b Range) (Range, bool) { return noMoreBits(a, b), true }

func allAndNot(a, b Range) (Range, bool) {
	if a.NonNegative() {
		return Range{Hi: a.Hi}, true
	}
	return noMoreBits(a, b), true
}

// shifted takes all counts below 0 for one by more than all bits.
func shifted(f function) func(a, b Range) (Range, bool) {
	return func(a, b Range) (Range, bool) {
		counts := Range{OfUint(uint64(min(count(b.Lo), count(b.Hi)))), OfUint(uint64(max(count(b.Lo), count(b.Hi))))}
		if b.Lo.neg && !b.Hi.neg {
			counts.Lo = Int{}
		}
		return corners(f, a, counts)
	}
}
