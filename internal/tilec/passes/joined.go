package passes

import "github.com/cutile-go/cutile/tileir"

// The truth values, as the signed numbers that they are in one bit.
var (
	never  = span{0, 0}
	always = span{-1, -1}
)

// truths are the operations whose truth values are followed. Others could be, but they are rare, and what the signs of
// a single bit mean to them would have to be asked of each.
var truths = opSet(tileir.OpConstant, tileir.OpCmpI, tileir.OpAndI, tileir.OpOrI, tileir.OpXOrI, tileir.OpIf, tileir.OpSelect,
	tileir.OpReshape, tileir.OpBroadcast)

// truthOf is a truth value as a number: the launch gives a byte, and any but 0 and 1 would be no Go value.
func truthOf(bits uint64) (span, bool) {
	switch bits {
	case 0:
		return never, true
	case 1:
		return always, true
	}
	return span{}, false
}

// joinedSpan holds what each branch of an if yields: one of them runs. A condition that the launch settles leaves one branch.
// A branch that ends in something other than a yield leaves the code around, so that nothing of it arrives at the result.
func joinedSpan(r *ranges, v *tileir.Value, o *tileir.Op, _ *tileir.TileType) (s span, ok bool) {
	for _, y := range r.yields(v, o) {
		if n := r.span(y); ok {
			s = union(s, n)
		} else {
			s, ok = n, true
		}
	}
	return s, ok
}

// yields are the values that may become a result of an if.
func (r *ranges) yields(v *tileir.Value, o *tileir.Op) (out []*tileir.Value) {
	which := 0
	for o.Results[which] != v {
		which++
	}
	cond := r.span(o.Operands[0])
	for i, b := range o.Regions {
		if i == 0 && cond == never || i == 1 && cond == always || b == nil || len(b.Ops) == 0 {
			continue
		}
		if last := b.Ops[len(b.Ops)-1]; last.Info.Opcode == tileir.OpYield {
			out = append(out, last.Operands[which])
		}
	}
	return out
}

// chosenSpan is that of a select, which takes from both operands unless the launch settles all of the condition.
func chosenSpan(r *ranges, _ *tileir.Value, o *tileir.Op, _ *tileir.TileType) (span, bool) {
	switch yes, no := r.span(o.Operands[1]), r.span(o.Operands[2]); r.span(o.Operands[0]) {
	case always:
		return yes, true
	case never:
		return no, true
	default:
		return union(yes, no), true
	}
}

// compareSpan is what the ranges of two integers say of their order. Unsigned, negative numbers come last, so that nothing
// is said where there may be any.
func compareSpan(r *ranges, _ *tileir.Value, o *tileir.Op, _ *tileir.TileType) (span, bool) {
	if t := o.Operands[0].Type.(*tileir.TileType); t.Elem == tileir.I1 || t.Pointer {
		return span{}, false
	}
	x, y := r.span(o.Operands[0]), r.span(o.Operands[1])
	predicate := tileir.Int(o.Int("comparison_predicate"))
	if predicate == tileir.CompareEqual || predicate == tileir.CompareNotEqual {
		same, known := x.lo == x.hi && x == y, x.lo == x.hi && x == y || x.hi < y.lo || y.hi < x.lo
		return truth(same == (predicate == tileir.CompareEqual)), known
	}
	if o.Int("signedness") != int64(tileir.Signed) && (x.lo < 0 || y.lo < 0) {
		return span{}, false
	}
	switch predicate {
	case tileir.CompareLessThan:
		return truth(x.hi < y.lo), x.hi < y.lo || x.lo >= y.hi
	case tileir.CompareLessThanOrEqual:
		return truth(x.hi <= y.lo), x.hi <= y.lo || x.lo > y.hi
	case tileir.CompareGreaterThan:
		return truth(x.lo > y.hi), x.lo > y.hi || x.hi <= y.lo
	case tileir.CompareGreaterThanOrEqual:
		return truth(x.lo >= y.hi), x.lo >= y.hi || x.hi < y.lo
	}
	return span{}, false
}

func truth(b bool) span {
	if b {
		return always
	}
	return never
}

// bitwise is for operations on the bits of two numbers that are known. settles is a number that decides alone, whatever the
// other one is.
func bitwise(f func(x, y int64) int64, settles ...span) transferFunc {
	return binary64(func(x, y span) (span, bool) {
		for _, s := range settles {
			if x == s || y == s {
				return s, true
			}
		}
		n := f(x.lo, y.lo)
		return span{n, n}, x.lo == x.hi && y.lo == y.hi
	})
}
