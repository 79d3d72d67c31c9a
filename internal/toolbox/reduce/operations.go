package reduce

import (
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// operations removes operations: many at once with whatever values there are in the place of theirs, then each by itself with one of
// several.
func (r *reducer) operations() (bool, error) {
	n := func() int { return len(r.best.spots()) }
	found, err := r.halves(n, func(t *tree, from, to int) bool {
		all := t.spots()
		changed := false
		for i := min(to, len(all)) - 1; i >= from; i-- {
			changed = t.remove(all[i], anyStandIn) || changed
		}
		return changed
	})
	if err != nil {
		return found, err
	}
	one, err := r.each(n, len(standIns), func(t *tree, i, way int) bool { return t.remove(t.spots()[i], standIns[way]) })
	return found || one, err
}

// standIn gives a value for one of a type that an operation made, nil for none. An operation that makes it comes before the other one.
type standIn func(s spot, of tileir.Type) (v *tileir.Value, made *tileir.Op)

// standIns are tried one after the other.
var standIns = []standIn{operandOf, earliest, zero, one, latest}

// anyStandIn is the first that there is.
func anyStandIn(s spot, of tileir.Type) (*tileir.Value, *tileir.Op) {
	for _, f := range standIns {
		if v, made := f(s, of); v != nil {
			return v, made
		}
	}
	return nil, nil
}

// operandOf is an operand of the operation.
func operandOf(s spot, of tileir.Type) (*tileir.Value, *tileir.Op) {
	return typed(s.op.Operands, of), nil
}

// earliest is the value that comes first.
func earliest(s spot, of tileir.Type) (*tileir.Value, *tileir.Op) { return typed(s.visible(), of), nil }

// latest is the value that comes last.
func latest(s spot, of tileir.Type) (*tileir.Value, *tileir.Op) {
	all := s.visible()
	slices.Reverse(all)
	return typed(all, of), nil
}

// typed is the first value of a type.
func typed(vs []*tileir.Value, of tileir.Type) *tileir.Value {
	for _, v := range vs {
		if tileir.Identical(v.Type, of) {
			return v
		}
	}
	return nil
}

func zero(_ spot, of tileir.Type) (*tileir.Value, *tileir.Op) { return fill(of, 0) }

func one(_ spot, of tileir.Type) (*tileir.Value, *tileir.Op) { return fill(of, 1) }

// fill makes a tile of one number, or a token.
func fill(of tileir.Type, x int64) (*tileir.Value, *tileir.Op) {
	var op *tileir.Op
	switch t := of.(type) {
	case *tileir.TileType:
		if t.Pointer || t.Elem == tileir.I4 || t.Elem == tileir.NoElem {
			return nil, nil
		}
		c := tileir.IntConstant(t, x)
		if t.Elem.IsFloat() {
			c = tileir.FloatConstant(t, float64(x))
		}
		op = tileir.NewOp(tileir.LookupOpcode(tileir.OpConstant), nil, []tileir.Attr{c}, []tileir.Type{t}, nil, tileir.Loc{})
	case tileir.TokenType:
		op = tileir.NewOp(tileir.LookupOpcode(tileir.OpMakeToken), nil, nil, []tileir.Type{t}, nil, tileir.Loc{})
	default:
		return nil, nil
	}
	return op.Results[0], op
}

// remove removes an operation and puts other values in the place of its results. It reports false where there are none, or the operation is
// a stand-in or ends its block.
func (t *tree) remove(s spot, by standIn) bool {
	if s.op.Info.Terminator || !holds(s.block, s.op) {
		return false
	}
	used := t.used()
	var made []*tileir.Op
	for _, v := range s.op.Results {
		if !used[v] {
			continue
		}
		w, op := by(s, v.Type)
		if w == nil || standsIn(s.op) && op != nil {
			return false
		}
		if op != nil {
			made = append(made, op)
		}
		t.replace(v, w)
	}
	s.put(made...)
	return true
}
