package ranges

import (
	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/tileir"
)

// The truth values, as the signed numbers that they are in one bit.
var (
	never  = number(0)
	always = number(-1)
)

// truths are the operations whose truth values are followed. Others could be, but they are rare, and what the signs of
// a single bit mean to them would have to be asked of each.
var truths = OpSet(tileir.OpConstant, tileir.OpCmpI, tileir.OpAndI, tileir.OpOrI, tileir.OpXOrI, tileir.OpIf, tileir.OpSelect,
	tileir.OpReshape, tileir.OpBroadcast)

// truthOf is a truth value as a number: the launch gives a byte, and any but 0 and 1 would be no Go value.
func truthOf(bits uint64) (interval.Range, bool) {
	switch bits {
	case 0:
		return never, true
	case 1:
		return always, true
	}
	return interval.Range{}, false
}

// joinedSpan holds what each branch of an if yields: one of them runs. A condition that the launch settles leaves one branch.
// A branch that ends in something other than a yield leaves the code around, so that nothing of it arrives at the result.
func joinedSpan(r *Ranges, v *tileir.Value, o *tileir.Op, _ *tileir.TileType) (s interval.Range, ok bool) {
	for _, y := range r.yields(v, o) {
		if n := r.Span(y); ok {
			s = s.Union(n)
		} else {
			s, ok = n, true
		}
	}
	return s, ok
}

// yields are the values that may become a result of an if.
func (r *Ranges) yields(v *tileir.Value, o *tileir.Op) (out []*tileir.Value) {
	which := 0
	for o.Results[which] != v {
		which++
	}
	cond := r.Span(o.Operands[0])
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
func chosenSpan(r *Ranges, _ *tileir.Value, o *tileir.Op, _ *tileir.TileType) (interval.Range, bool) {
	switch yes, no := r.Span(o.Operands[1]), r.Span(o.Operands[2]); r.Span(o.Operands[0]) {
	case always:
		return yes, true
	case never:
		return no, true
	default:
		return yes.Union(no), true
	}
}

// compareSpan is what the ranges of two integers say of their order.
func compareSpan(r *Ranges, _ *tileir.Value, o *tileir.Op, _ *tileir.TileType) (interval.Range, bool) {
	if t := o.Operands[0].Type.(*tileir.TileType); t.Elem == tileir.I1 || t.Pointer {
		return interval.Range{}, false
	}
	result, known := ComparisonOf(o).Of(r.Span(o.Operands[0]), r.Span(o.Operands[1]))
	return truth(result), known
}

func truth(b bool) interval.Range {
	if b {
		return always
	}
	return never
}

// OpSet is a set of operations, by opcode.
func OpSet(codes ...int) map[int]bool {
	m := map[int]bool{}
	for _, c := range codes {
		m[c] = true
	}
	return m
}
