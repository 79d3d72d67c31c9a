package reduce

import (
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// tree is a module that may be changed, with its operations in the order in which they are written.
type tree struct {
	module *tileir.Module
	price  int // -1 if it is not known
}

// newTree copies a module.
func newTree(m *tileir.Module) *tree {
	c := *m
	c.Text, c.Listed = nil, nil
	c.Globals, c.Entries = nil, nil
	for _, g := range m.Globals {
		h := *g
		c.Globals = append(c.Globals, &h)
	}
	for _, e := range m.Entries {
		f, values := *e, map[*tileir.Value]*tileir.Value{}
		f.Params = copyValues(e.Params, nil, values)
		f.Body = copyBlock(e.Body, values)
		c.Entries = append(c.Entries, &f)
	}
	return &tree{module: &c, price: -1}
}

func copyValues(list []*tileir.Value, def *tileir.Op, values map[*tileir.Value]*tileir.Value) (out []*tileir.Value) {
	for _, v := range list {
		w := &tileir.Value{Type: v.Type, Def: def}
		values[v] = w
		out = append(out, w)
	}
	return out
}

func copyBlock(b *tileir.Block, values map[*tileir.Value]*tileir.Value) *tileir.Block {
	if b == nil {
		return nil
	}
	c := &tileir.Block{Args: copyValues(b.Args, nil, values)}
	for _, op := range b.Ops {
		o := *op
		o.Operands, o.Regions = nil, nil
		for _, v := range op.Operands {
			o.Operands = append(o.Operands, values[v])
		}
		o.Attrs, o.Segments = slices.Clone(op.Attrs), slices.Clone(op.Segments)
		for _, r := range op.Regions {
			o.Regions = append(o.Regions, copyBlock(r, values))
		}
		o.Results = copyValues(op.Results, &o, values)
		c.Ops = append(c.Ops, &o)
	}
	return c
}

// spot is an operation with its block, what it can use, and the operations around it.
type spot struct {
	entry  *tileir.Entry
	block  *tileir.Block
	op     *tileir.Op
	around []*tileir.Op // outermost first
}

// spots lists all operations, each before those in its regions.
func (t *tree) spots() (out []spot) {
	for _, e := range t.module.Entries {
		var walk func(b *tileir.Block, around []*tileir.Op)
		walk = func(b *tileir.Block, around []*tileir.Op) {
			for _, op := range b.Ops {
				out = append(out, spot{e, b, op, around})
				for r := range op.Blocks() {
					walk(r, append(around[:len(around):len(around)], op))
				}
			}
		}
		walk(e.Body, nil)
	}
	return out
}

// count is the number of operations, without those that end blocks.
func (t *tree) count() (n int) {
	for op := range t.module.All() {
		if !op.Info.Terminator {
			n++
		}
	}
	return n
}

// visible lists the values that are there before an operation, in the order in which they come.
func (s spot) visible() []*tileir.Value {
	out := slices.Clone(s.entry.Params)
	b := s.entry.Body
	for _, op := range append(s.around[:len(s.around):len(s.around)], s.op) {
		for _, before := range b.Ops {
			if before == op {
				break
			}
			out = append(out, before.Results...)
		}
		for r := range op.Blocks() {
			if op != s.op && holds(r, s.op) {
				out, b = append(out, r.Args...), r
			}
		}
	}
	return out
}

// holds reports whether an operation is in a block or in a region in it.
func holds(b *tileir.Block, op *tileir.Op) bool {
	for o := range b.All() {
		if o == op {
			return true
		}
	}
	return false
}

// at is the place of the operation in its block.
func (s spot) at() int { return slices.Index(s.block.Ops, s.op) }

// put replaces the operation by others.
func (s spot) put(ops ...*tileir.Op) {
	i := s.at()
	s.block.Ops = slices.Replace(s.block.Ops, i, i+1, ops...)
}

// replace puts a value in the place of another wherever that is an operand.
func (t *tree) replace(old, by *tileir.Value) {
	for op := range t.module.All() {
		for i, v := range op.Operands {
			if v == old {
				op.Operands[i] = by
			}
		}
	}
}

// used are the values that are operands.
func (t *tree) used() map[*tileir.Value]bool {
	used := map[*tileir.Value]bool{}
	for op := range t.module.All() {
		for _, v := range op.Operands {
			used[v] = true
		}
	}
	return used
}

// sweep removes stand-ins that nobody uses.
func (t *tree) sweep() {
	used := t.used()
	for _, s := range t.spots() {
		if standsIn(s.op) && !used[s.op.Results[0]] {
			s.put()
		}
	}
	t.price = -1
}

// dropOperand removes an operand of an operation.
func dropOperand(op *tileir.Op, i int) {
	if op.Segments != nil {
		op.Segments = slices.Clone(op.Segments)
		for g, at := 0, 0; g < len(op.Segments); g++ {
			if at += op.Segments[g]; i < at {
				op.Segments[g]--
				break
			}
		}
	}
	op.Operands = slices.Delete(slices.Clone(op.Operands), i, i+1)
}
