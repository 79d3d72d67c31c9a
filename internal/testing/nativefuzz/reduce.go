package nativefuzz

import (
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// Reduce makes a program smaller as long as fails says that it still fails.
func Reduce(p *Program, fails func(p *Program) bool) *Program {
	try := func(change func(q *Program) bool) bool {
		q := p.clone()
		if !change(q) {
			return false
		}
		if tileir.Verify(q.Module, tileir.Newest) != nil || !fails(q) {
			return false
		}
		p = q
		return true
	}
	for again := true; again; {
		again = try(func(q *Program) bool {
			one := [3]uint32{1, 1, 1}
			changed := q.Grid != one
			q.Grid = one
			return changed
		})
		again = try((*Program).sweep) || again
		for size := p.count(); size > 1; size /= 2 {
			for i := p.count() - size; i > -size; i -= size {
				again = try(func(q *Program) bool { return q.cut(max(i, 0), size) }) || again
			}
		}
		for _, m := range moves {
			for i := p.count() - 1; i >= 0; i-- {
				for k := 0; k < 8 && i < p.count(); k++ {
					ok := false
					if try(func(q *Program) bool { ok = m(q, i, k); return ok }) {
						again = true
					} else if !ok {
						break
					}
				}
			}
		}
		for _, n := range p.extents() {
			again = try(func(q *Program) bool { return q.halve(n) }) || again
		}
	}
	return p
}

// moves make a program smaller at its i-th operation, in the k-th of several ways. They report false where there is none.
var moves = []func(p *Program, i, k int) bool{(*Program).drop, (*Program).forward, (*Program).zero, (*Program).inline}

// spot is an operation in its block.
type spot struct {
	block *tileir.Block
	at    int
}

func (s spot) op() *tileir.Op { return s.block.Ops[s.at] }

func (s spot) remove() { s.block.Ops = slices.Delete(s.block.Ops, s.at, s.at+1) }

// spots lists all operations.
func (p *Program) spots() (out []spot) {
	var walk func(b *tileir.Block)
	walk = func(b *tileir.Block) {
		for i, op := range b.Ops {
			out = append(out, spot{b, i})
			for _, r := range op.Regions {
				if r != nil {
					walk(r)
				}
			}
		}
	}
	walk(p.Module.Entries[0].Body)
	return out
}

func (p *Program) count() int { return len(p.spots()) }

// replace puts one value in the place of another, everywhere.
func (p *Program) replace(old, by *tileir.Value) {
	for _, s := range p.spots() {
		for i, v := range s.op().Operands {
			if v == old {
				s.op().Operands[i] = by
			}
		}
	}
}

// drop removes an operation without results.
func (p *Program) drop(i, k int) bool {
	s := p.spots()[i]
	if k > 0 || s.op().Info.Terminator || len(s.op().Results) > 0 {
		return false
	}
	s.remove()
	return true
}

// forward puts operands, chosen by k, in the place of an operation's results.
func (p *Program) forward(i, k int) bool {
	s := p.spots()[i]
	op := s.op()
	if len(op.Results) == 0 {
		return false
	}
	for _, r := range op.Results {
		var same []*tileir.Value
		for _, v := range op.Operands {
			if tileir.Identical(v.Type, r.Type) && !slices.Contains(same, v) {
				same = append(same, v)
			}
		}
		if len(same) == 0 && p.unused(r) {
			continue
		}
		if k >= len(same) && (k > 0 || !p.unused(r)) {
			return false
		}
		p.replace(r, same[min(k, len(same)-1)])
	}
	s.remove()
	return true
}

func (p *Program) unused(v *tileir.Value) bool {
	for _, s := range p.spots() {
		if slices.Contains(s.op().Operands, v) {
			return false
		}
	}
	return true
}

// zero puts a constant, of zeros or ones, in the place of an operation's tiles. Its tokens become those that it has.
func (p *Program) zero(i, k int) bool {
	s := p.spots()[i]
	op := s.op()
	if len(op.Results) == 0 || k > 1 || op.Info.Opcode == tileir.OpConstant && k > 0 {
		return false
	}
	var made []*tileir.Op
	for _, r := range op.Results {
		switch t := r.Type.(type) {
		case *tileir.TileType:
			if t.Pointer || t.Elem == tileir.I4 {
				return false
			}
			c := tileir.IntConstant(t, int64(k))
			if op.Info.Opcode == tileir.OpConstant {
				if len(op.Attrs[0].(*tileir.Constant).Data) <= t.Elem.Bytes() {
					return false
				}
				c = tileir.SplatConstant(t, op.Attrs[0].(*tileir.Constant).Element(0))
			}
			n := tileir.NewOp(tileir.LookupOpcode(tileir.OpConstant), nil, []tileir.Attr{c}, []tileir.Type{t}, nil, tileir.Loc{})
			made = append(made, n)
			p.replace(r, n.Results[0])
		case tileir.TokenType:
			if len(op.Operands) == 0 {
				return false
			}
			v := op.Operands[len(op.Operands)-1]
			if v.Type != t {
				n := tileir.NewOp(tileir.LookupOpcode(tileir.OpMakeToken), nil, nil, []tileir.Type{t}, nil, tileir.Loc{})
				made, v = append(made, n), n.Results[0]
			}
			p.replace(r, v)
		default:
			return false
		}
	}
	s.remove()
	s.block.Ops = slices.Insert(s.block.Ops, s.at, made...)
	return true
}

// inline puts the operations of a region in the place of the operation.
func (p *Program) inline(i, k int) bool {
	s := p.spots()[i]
	op := s.op()
	if k >= len(op.Regions) || op.Regions[k] == nil || len(op.Regions[k].Ops) == 0 {
		return false
	}
	b := op.Regions[k]
	last := b.Ops[len(b.Ops)-1]
	if len(last.Operands) < len(op.Results) || len(op.Operands) < len(b.Args) {
		return false
	}
	before := op.Operands
	if op.Info.Opcode == tileir.OpFor {
		before = append([]*tileir.Value{op.Operands[0]}, op.Operands[3:]...)
	}
	for j, a := range b.Args {
		p.replace(a, before[j])
	}
	for j, r := range op.Results {
		p.replace(r, last.Operands[len(last.Operands)-len(op.Results)+j])
	}
	s.block.Ops = slices.Replace(s.block.Ops, s.at, s.at+1, b.Ops[:len(b.Ops)-1]...)
	return true
}

// cut removes what it can of some operations: those that nothing else uses, and stores.
func (p *Program) cut(from, size int) (changed bool) {
	for i := min(from+size, p.count()) - 1; i >= from; i-- {
		s := p.spots()[i]
		op := s.op()
		results := slices.DeleteFunc(slices.Clone(op.Results), p.unused)
		switch {
		case op.Info.Terminator:
			continue
		case len(results) == 0:
		case len(results) == 1 && results[0].Type == tileir.Token && len(op.Operands) > 0 && op.Operands[len(op.Operands)-1].Type == tileir.Token:
			p.replace(results[0], op.Operands[len(op.Operands)-1])
		default:
			continue
		}
		s.remove()
		changed = true
	}
	return changed
}

// sweep removes what nothing uses and what has no effect.
func (p *Program) sweep() (changed bool) {
	for again := true; again; {
		again = false
		used := map[*tileir.Value]bool{}
		all := p.spots()
		for _, s := range all {
			for _, v := range s.op().Operands {
				used[v] = true
			}
		}
		for _, s := range slices.Backward(all) {
			op := s.op()
			if len(op.Results) > 0 && !op.Info.Writes && len(op.Regions) == 0 && !slices.ContainsFunc(op.Results, func(v *tileir.Value) bool { return used[v] }) {
				s.remove()
				again, changed = true, true
			}
		}
	}
	return changed
}

// extents lists the extents of tiles, the greatest first.
func (p *Program) extents() (out []int) {
	for _, s := range p.spots() {
		for _, v := range s.op().Results {
			if t := tileOf(v); t != nil {
				out = append(out, t.Shape...)
			}
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	slices.Reverse(out)
	return slices.DeleteFunc(out, func(n int) bool { return n == 1 })
}

// halve makes half of an extent of all tiles.
func (p *Program) halve(n int) bool {
	half := func(list []int) []int {
		out := slices.Clone(list)
		for i, x := range out {
			if x == n {
				out[i] = n / 2
			}
		}
		return out
	}
	change := func(v *tileir.Value) {
		switch t := v.Type.(type) {
		case *tileir.TileType:
			u := *t
			u.Shape = half(t.Shape)
			v.Type = &u
		case *tileir.PartitionViewType:
			u := *t
			u.Tile = half(t.Tile)
			v.Type = &u
		case *tileir.StridedViewType:
			u := *t
			u.Tile = half(t.Tile)
			v.Type = &u
		case *tileir.GatherScatterViewType:
			u := *t
			u.Tile = half(t.Tile)
			v.Type = &u
		}
	}
	for _, s := range p.spots() {
		for _, v := range s.op().Results {
			change(v)
		}
		for _, r := range s.op().Regions {
			if r != nil {
				for _, v := range r.Args {
					change(v)
				}
			}
		}
		for i, a := range s.op().Attrs {
			if c, ok := a.(*tileir.Constant); ok {
				d := &tileir.Constant{Type: tileOf(s.op().Results[0]), Data: c.Data}
				if before := c.Type.Size(); len(c.Data) > 1 && before > 1 && d.Type.Size() < before && len(c.Data) > (c.Type.Elem.Bits()+7)/8 {
					d.Data = c.Data[:max(1, len(c.Data)*d.Type.Size()/before)]
				}
				s.op().Attrs[i] = d
			}
		}
	}
	return true
}

// clone copies a program.
func (p *Program) clone() *Program {
	q := *p
	e := *p.Module.Entries[0]
	values := map[*tileir.Value]*tileir.Value{}
	copied := func(list []*tileir.Value, def *tileir.Op) (out []*tileir.Value) {
		for _, v := range list {
			w := &tileir.Value{Type: v.Type, Def: def}
			values[v] = w
			out = append(out, w)
		}
		return out
	}
	var block func(b *tileir.Block) *tileir.Block
	block = func(b *tileir.Block) *tileir.Block {
		if b == nil {
			return nil
		}
		c := &tileir.Block{Args: copied(b.Args, nil)}
		for _, op := range b.Ops {
			o := *op
			o.Operands, o.Regions = nil, nil
			for _, v := range op.Operands {
				o.Operands = append(o.Operands, values[v])
			}
			o.Attrs = slices.Clone(op.Attrs)
			for _, r := range op.Regions {
				o.Regions = append(o.Regions, block(r))
			}
			o.Results = copied(op.Results, &o)
			c.Ops = append(c.Ops, &o)
		}
		return c
	}
	e.Params = copied(e.Params, nil)
	e.Body = block(e.Body)
	q.Module = &tileir.Module{Entries: []*tileir.Entry{&e}}
	return &q
}
