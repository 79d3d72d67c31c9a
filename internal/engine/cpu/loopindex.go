package cpu

import (
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// loopIndex has copies of the operations in a loop that compute which tiles the factors of a product are: sums of the loop's counter and other
// numbers, conversions, views that are made in the loop. So these are known for any iteration without running it.
type loopIndex struct {
	ops     []*tileir.Op                    // in the order of the text
	of      map[*tileir.Value]*tileir.Value // the copies of values
	changes map[*tileir.Op]bool             // copies that depend on the loop's counter
}

// newLoopIndex copies what loads in a loop depend on; ok is false if that is more than single numbers and views that follow from the loop's
// counter and from values outside of the loop.
func newLoopIndex(loop *tileir.Op, loads ...*tileir.Op) (x loopIndex, ok bool) {
	inside, needed := map[*tileir.Value]bool{}, map[*tileir.Value]bool{}
	for _, v := range loop.Regions[0].Args[1:] {
		inside[v] = true
	}
	ops := loop.Regions[0].Ops
	for _, o := range ops {
		for _, v := range o.Results {
			inside[v] = true
		}
	}
	need := func(o *tileir.Op) {
		for _, v := range o.Operands {
			if _, token := v.Type.(tileir.TokenType); !token {
				needed[v] = inside[v]
			}
		}
	}
	for _, o := range loads {
		need(o)
	}
	for _, o := range slices.Backward(ops) {
		if !slices.ContainsFunc(o.Results, func(v *tileir.Value) bool { return needed[v] }) {
			continue
		}
		if !indexing(o) {
			return x, false
		}
		need(o)
		x.ops = append(x.ops, o)
		for _, v := range o.Results {
			delete(needed, v)
		}
	}
	for _, in := range needed {
		if in {
			return x, false // a value that the loop carries
		}
	}
	x.copy(loop.Regions[0].Args[0])
	return x, true
}

// indexing reports whether an operation makes only single numbers, addresses and views of such values.
func indexing(o *tileir.Op) bool {
	if !o.Info.Pure || len(o.Regions) > 0 {
		return false
	}
	for _, v := range slices.Concat(o.Operands, o.Results) {
		if t, ok := v.Type.(*tileir.TileType); ok && t.Size() != 1 {
			return false
		}
	}
	return true
}

// copy puts copies in the place of the operations, which are in the opposite order.
func (x *loopIndex) copy(counter *tileir.Value) {
	slices.Reverse(x.ops)
	x.of, x.changes = map[*tileir.Value]*tileir.Value{}, map[*tileir.Op]bool{}
	for i, o := range x.ops {
		c := *o
		c.Operands, c.Results = x.copies(o.Operands), nil
		x.changes[&c] = slices.ContainsFunc(c.Operands, func(v *tileir.Value) bool { return v == counter || x.changes[v.Def] })
		for _, v := range o.Results {
			x.of[v] = &tileir.Value{Type: v.Type, Def: &c}
			c.Results = append(c.Results, x.of[v])
		}
		x.ops[i] = &c
	}
}

// copies gives the copies of values, and the values themselves where there are none.
func (x *loopIndex) copies(vs []*tileir.Value) (out []*tileir.Value) {
	for _, v := range vs {
		if c := x.of[v]; c != nil {
			v = c
		}
		out = append(out, v)
	}
	return out
}

// loopIndex gives the copies in a loop their places, which they keep until the loop ends. The values that the loop begins with may be needed
// after the copies: see generateFor.
func (p *planner) loopIndex(loop *tileir.Op) (keep []*tileir.Value) {
	l := p.products[loop]
	if l == nil {
		return nil
	}
	rest := p.rest
	p.rest = nil
	for _, o := range l.index.ops {
		p.op(o)
		keep = append(keep, o.Results...)
	}
	p.rest = rest
	p.keep(loop.Operands)
	return keep
}

// loopIndex compiles the copies: what is the same in all iterations, and what each iteration changes.
func (c *compiler) loopIndex(x *loopIndex) (same, each program, err error) {
	op := c.op
	defer func() { c.op = op }()
	for _, o := range x.ops {
		c.op = o
		if generate := shapeOf(o).generate; generate != nil {
			s, err := generate(c, o)
			if err != nil {
				return nil, nil, err
			}
			switch {
			case s == nil:
			case x.changes[o]:
				each = append(each, s)
			default:
				same = append(same, s)
			}
		}
	}
	return same, each, nil
}
