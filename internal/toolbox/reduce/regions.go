package reduce

import (
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// mostRegions is the most regions that an operation has.
var mostRegions = func() (n int) {
	for _, in := range tileir.Infos() {
		n = max(n, len(in.Regions))
	}
	return n
}()

// regions puts what is in a region in the place of the operation, or leaves out regions that are optional.
func (r *reducer) regions() (bool, error) {
	n := func() int { return len(r.best.spots()) }
	return r.each(n, 2*mostRegions, func(t *tree, i, way int) bool {
		s := t.spots()[i]
		k := way % mostRegions
		if k >= len(s.op.Regions) || s.op.Regions[k] == nil || len(s.op.Regions[k].Ops) == 0 {
			return false
		}
		if way < mostRegions {
			return t.hoist(s, s.op.Regions[k])
		}
		if !s.op.Info.Regions[k].Optional {
			return false
		}
		s.op.Regions[k] = nil
		return true
	})
}

// hoist puts the operations of a region in the place of the operation. The region's arguments become operands, where those have their types,
// and the operation's results what the region ends with; other values of their types stand for the others.
func (t *tree) hoist(s spot, b *tileir.Block) bool {
	last := b.Ops[len(b.Ops)-1]
	body := b.Ops[:len(b.Ops)-1]
	var made []*tileir.Op
	stand := func(old *tileir.Value, from []*tileir.Value, behind int) bool {
		if at := len(from) - behind; at >= 0 && at < len(from) && tileir.Identical(from[at].Type, old.Type) {
			t.replace(old, from[at])
			return true
		}
		v, op := anyStandIn(s, old.Type)
		if v == nil {
			return false
		}
		if op != nil {
			made = append(made, op)
		}
		t.replace(old, v)
		return true
	}
	for i, a := range b.Args {
		if !stand(a, s.op.Operands, len(b.Args)-i) {
			return false
		}
	}
	ends := slices.Clone(last.Operands) // without the arguments
	for i, v := range s.op.Results {
		if !stand(v, ends, len(s.op.Results)-i) {
			return false
		}
	}
	s.put(append(made, body...)...)
	return true
}

// carriers say which of the values that an operation with regions carries are removed together.
var carriers = []carrier{{true, true}, {true, false}, {false, true}}

// carrier is a result of an operation with what its regions end with for it, an argument of its regions with the operand that it begins as
// and what the regions end with for it, or both. Counted from the end, these have the same places.
type carrier struct{ result, argument bool }

// carried removes values that operations with regions carry.
func (r *reducer) carried() (bool, error) {
	n := func() int { return len(r.best.spots()) }
	most := 0
	for _, s := range r.best.spots() {
		most = max(most, len(s.op.Results))
		for b := range s.op.Blocks() {
			most = max(most, len(b.Args))
		}
	}
	return r.each(n, most*len(carriers), func(t *tree, i, way int) bool {
		s := t.spots()[i]
		return len(s.op.Regions) > 0 && t.uncarry(s, way/len(carriers), carriers[way%len(carriers)])
	})
}

// uncarry removes the value at a place from the end. What was the result or the argument becomes another value of its type.
func (t *tree) uncarry(s spot, behind int, c carrier) bool {
	op, total := s.op, 0
	var of tileir.Type
	var made []*tileir.Op
	take := func(list []*tileir.Value) ([]*tileir.Value, bool) {
		i := len(list) - 1 - behind
		if i < 0 || of != nil && !tileir.Identical(of, list[i].Type) {
			return list, false
		}
		v, m := anyStandIn(s, list[i].Type)
		if v == nil {
			return list, false
		}
		if m != nil {
			made = append(made, m)
		}
		t.replace(list[i], v)
		if of == nil {
			total, of = len(list), list[i].Type
		}
		return slices.Delete(slices.Clone(list), i, i+1), true
	}
	ok := true
	if c.result {
		op.Results, ok = take(op.Results)
	}
	for b := range op.Blocks() {
		if c.argument && ok {
			b.Args, ok = take(b.Args)
		}
	}
	if !ok || total == 0 {
		return false
	}
	for b := range op.Blocks() {
		for end := range b.All() {
			if i := len(end.Operands) - 1 - behind; end.Info.Terminator && len(end.Operands) == total && tileir.Identical(end.Operands[i].Type, of) && ends(b, end) {
				dropOperand(end, i)
			}
		}
	}
	if i := len(op.Operands) - 1 - behind; c.argument && i >= 0 {
		dropOperand(op, i)
	}
	s.block.Ops = slices.Insert(s.block.Ops, s.at(), made...)
	return true
}

// ends reports whether an operation may end a region of the operation around it: the last one of its block does, and what ends blocks in
// it otherwise than with the results of the operation around those.
func ends(r *tileir.Block, end *tileir.Op) bool {
	if len(r.Ops) > 0 && r.Ops[len(r.Ops)-1] == end {
		return true
	}
	var own *tileir.Op // the operation whose region ends there
	r.Walk(func(o *tileir.Op, around []*tileir.Op) bool {
		if o == end {
			own = around[len(around)-1]
		}
		return own == nil
	})
	return own != nil && len(own.Results) != len(end.Operands)
}
