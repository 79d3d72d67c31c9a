package access

import (
	"go/token"

	"github.com/cutile-go/cutile/internal/access/ranges"
	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/tileir"
)

// Mask says which elements of a tile an operation touches: those for which all bounds hold and the values of Rest are true. The
// zero Mask is true everywhere.
type Mask struct {
	Bounds []Bound
	Rest   []*tileir.Value // what is no comparison of a sum of indices with a number
}

// Bound is the condition that the sum of Coefs times the indices of an element is less than Less. Coefs has a number for each
// dimension; if all are 0, the condition is the same for all elements.
type Bound struct {
	Coefs []int64
	Less  Form
}

// maxBounds limits how many bounds a conjunction is split into that is reshaped or repeated as a whole.
const maxBounds = 8

// None reports whether a mask is true everywhere.
func (m Mask) None() bool { return len(m.Bounds)+len(m.Rest) == 0 }

// Rectangle reports whether a mask leaves a part of the tile that has a least and a greatest index along each dimension.
func (m Mask) Rectangle() bool {
	for _, b := range m.Bounds {
		used := 0
		for _, c := range b.Coefs {
			if c != 0 {
				used++
			}
		}
		if used > 1 {
			return false
		}
	}
	return len(m.Rest) == 0
}

// mask splits a mask into bounds. Those that always hold are left out.
func (in *Info) mask(v *tileir.Value) (m Mask) {
	rank := v.Type.(*tileir.TileType).Rank()
	for _, c := range conjuncts(v, map[*tileir.Value]bool{}, nil) {
		less, ok := in.lessThan0(c)
		bounds := make([]Bound, 0, len(less))
		for _, f := range less {
			b, fine := bound(f, rank)
			if ok = ok && fine; !in.negative(f) {
				bounds = append(bounds, b)
			}
		}
		if ok {
			m.Bounds = append(m.Bounds, bounds...)
		} else {
			m.Rest = append(m.Rest, c)
		}
	}
	return m
}

// conjuncts are the truth values of the same shape that a mask is the conjunction of.
func conjuncts(v *tileir.Value, seen map[*tileir.Value]bool, out []*tileir.Value) []*tileir.Value {
	switch {
	case seen[v]:
		return out
	case v.Def != nil && v.Def.Info.Opcode == tileir.OpAndI:
		seen[v] = true
		return conjuncts(v.Def.Operands[1], seen, conjuncts(v.Def.Operands[0], seen, out))
	}
	seen[v] = true
	return append(out, v)
}

func (in *Info) negative(f Form) bool {
	s, ok := in.spanOf(f)
	return ok && !s.NonNegative() && s.Hi.Cmp(interval.Of(0)) < 0
}

// lessThan0 gives forms that are negative exactly where a truth value holds; none if it holds everywhere.
func (in *Info) lessThan0(v *tileir.Value) (out []Form, ok bool) {
	if s := in.spans.Span(v); s.Single() && !s.NonNegative() {
		return nil, true // true is -1 in one bit
	}
	if v.Def == nil {
		return nil, false
	}
	switch o := v.Def; o.Info.Opcode {
	case tileir.OpAndI:
		out, ok = in.lessThan0(o.Operands[0])
		if !ok || len(out) > maxBounds {
			return nil, false
		}
		more, ok := in.lessThan0(o.Operands[1])
		return append(out, more...), ok
	case tileir.OpReshape, tileir.OpBroadcast, tileir.OpPermute:
		if out, ok = in.lessThan0(o.Operands[0]); !ok {
			return nil, false
		}
		for i := range out {
			if out[i], ok = in.moved(out[i], o); !ok {
				return nil, false
			}
		}
		return out, true
	case tileir.OpCmpI:
		return in.compared(o)
	}
	return nil, false
}

// compared is [Info.lessThan0] of a comparison.
func (in *Info) compared(o *tileir.Op) (out []Form, ok bool) {
	if tileOf(o.Operands[0]) == nil {
		return nil, false
	}
	c := ranges.ComparisonOf(o)
	x, y := in.Form(o.Operands[0]), in.Form(o.Operands[1])
	xs, ys := in.Span(o.Operands[0]).NonNegative(), in.Span(o.Operands[1]).NonNegative()
	p := c.Predicate
	if p == token.GTR || p == token.GEQ { // y < x, y <= x
		x, y, xs, ys = y, x, ys, xs
	}
	if !c.Type.Signed && !ys {
		return nil, false
	}
	less := int64(0)
	switch p {
	case token.LEQ, token.GEQ:
		less = -1
	case token.LSS, token.GTR:
	default:
		return nil, false
	}
	f, ok := x.minus(y)
	if f, ok2 := f.plus(number(less)); ok && ok2 {
		out = append(out, f)
	} else {
		return nil, false
	}
	if !c.Type.Signed && !xs { // as unsigned numbers, those below 0 are above all others
		below, ok := number(-1).minus(x)
		return append(out, below), ok
	}
	return out, true
}

// bound writes f < 0 as a bound. It reports false where f is no sum of indices and of what is the same for all elements.
func bound(f Form, rank int) (b Bound, ok bool) {
	b.Coefs = make([]int64, rank)
	rest := number(f.Const)
	for _, t := range f.Terms {
		switch a := t.Atoms[0]; {
		case len(t.Atoms) == 1 && a.Kind == Index:
			b.Coefs[a.Axis] = t.Coef
		case !(Form{Terms: []Term{t}}).Uniform():
			return b, false
		default:
			rest.Terms = append(rest.Terms, t)
		}
	}
	b.Less, ok = number(0).minus(rest)
	return b, ok
}
