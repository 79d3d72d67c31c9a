package emit

import (
	"slices"

	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/linear"
	"github.com/cutile-go/cutile/internal/threads/plan"
	"github.com/cutile-go/cutile/tileir"
)

// asPairs makes the bytes of a product's factor of elements of 4 bits, if that is known already.
func (e *emitter) asPairs(x *plan.Product, i int) {
	v, pairs := x.Pairs[i], x.Op.Operands[i]
	from, t := e.vals[v], typeOf(pairs)
	first, second := x.Halves(i == 0)
	switch {
	case from == nil:
	case from.stage != nil:
		s := *from.stage
		s.offset = func(n int) int { return from.stage.offset(first(n)) }
		e.vals[pairs] = &tile{t: t, stage: &s}
	case e.vals[pairs] != nil && e.vals[pairs].stage != nil:
	default:
		e.vals[pairs] = e.unpacked(v, t, first, second)
		if e.vals[pairs] == nil {
			e.vals[pairs] = &tile{t: t, gen: func(l *linear.Layout) []ir.Value { return e.joined(v, l.Mapped(first), second) }}
		}
	}
}

// unpacked is a tile of pairs whose elements come out of the same pairs' bytes, perhaps by reshapes and permutations; nil for others.
func (e *emitter) unpacked(v *tileir.Value, t *tileir.TileType, first func(int) int, second int) *tile {
	var via []*tileir.Op
	for v.Def != nil && (v.Def.Info.Opcode == tileir.OpReshape || v.Def.Info.Opcode == tileir.OpPermute) {
		via, v = append(via, v.Def), v.Def.Operands[0]
	}
	if v.Def == nil || v.Def.Info.Opcode != tileir.OpUnpack {
		return nil
	}
	bytes := v.Def.Operands[0]
	number := plan.Turned(v.Def, func(n int) int { return n })
	for _, op := range slices.Backward(via) {
		number = plan.Turned(op, number)
	}
	if number(second) != 0 {
		return nil
	}
	if x := e.known(bytes); x.gen == nil && x.t.Size() > 1 {
		back := map[int]int{}
		for n := 1; n < t.Size(); n *= 2 {
			back[number(first(n))] = n
		}
		l := x.lay.Mapped(func(n int) (pair int) {
			for from, to := range back {
				if n&from != 0 {
					pair |= to
				}
			}
			return pair
		})
		return &tile{t: t, lay: l, regs: x.regs}
	}
	return &tile{t: t, gen: func(l *linear.Layout) []ir.Value {
		return e.get(bytes, l.Mapped(func(n int) int { return number(first(n)) }))
	}}
}

// joined makes bytes of elements, of which a layout has the first ones.
func (e *emitter) joined(v *tileir.Value, firsts *linear.Layout, second int) (out []ir.Value) {
	l := &linear.Layout{Reg: append(linear.Map{second}, firsts.Reg...), Lane: firsts.Lane, Warp: firsts.Warp}
	for pair := range slices.Chunk(e.get(v, l), 2) {
		out = append(out, e.Do(vec.Or, vec.I8, pair[0], e.DoImm(vec.ShlImm, vec.I8, 4, pair[1])))
	}
	return out
}
