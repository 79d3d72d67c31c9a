package plan

import (
	"slices"

	"github.com/cutile-go/cutile/internal/access"
	"github.com/cutile-go/cutile/tileir"
)

// Producer is the part of an entry that a warp of its own executes to copy the boxes of all loops that have such: the copies, and what decides
// whether and from where they are made. It runs ahead of the warps that multiply, as far as there are stages, also from one loop to the next.
type Producer struct {
	ops    map[*tileir.Op]bool
	values map[*tileir.Value]bool
}

// Runs reports whether the warp executes an operation.
func (p *Producer) Runs(op *tileir.Op) bool { return p.ops[op] }

// Needs reports whether the warp needs a value.
func (p *Producer) Needs(v *tileir.Value) bool { return p.values[v] }

// producer finds what a warp that copies has to execute: nil if nothing is copied as boxes, or if it takes more than single elements, pure
// operations and loads that wait for nothing.
func (p *Plan) producer() *Producer {
	if p.maps() == 0 {
		return nil
	}
	s := slicer{Plan: p, out: &Producer{map[*tileir.Op]bool{}, map[*tileir.Value]bool{}}, in: NestingOf(p.Entry), possible: true}
	for op := range p.Entry.All() {
		switch {
		case p.Boxed(op):
			s.loop(op)
		case op.Info.Opcode == tileir.OpReturn:
			s.op(op)
		}
	}
	if !s.possible {
		return p.unproduced(s.why)
	}
	return s.out
}

// slicer collects the operations and values that others need.
type slicer struct {
	*Plan
	out      *Producer
	in       *Nesting
	possible bool
	why      Reason // where it is not
}

// loop needs the copies of a loop.
func (s *slicer) loop(op *tileir.Op) {
	s.op(op)
	for _, f := range s.Loops[op] {
		if f.Tensor != nil {
			s.value(f.Load.Operand("view"))
		}
		for _, v := range Where(f.Load) {
			s.index(v, op)
		}
	}
}

// index needs what an index is made of, but for what its loop makes of its counter: that is computed with the copy.
func (s *slicer) index(v *tileir.Value, loop *tileir.Op) {
	switch {
	case v == loop.Regions[0].Args[0]:
	case v.Def != nil && slices.Contains(loop.Regions[0].Ops, v.Def):
		if s.many(v); s.possible {
			for _, o := range Reads(v.Def) {
				s.index(o, loop)
			}
		}
	default:
		s.value(v)
	}
}

// op needs an operation, and whatever decides whether it is executed.
func (s *slicer) op(op *tileir.Op) {
	if op == nil || s.out.ops[op] || !s.possible {
		return
	}
	s.out.ops[op] = true
	s.op(s.in.Around[op])
	switch op.Info.Opcode {
	case tileir.OpFor:
		s.values(op.Operands[:3])
		s.ending(op)
	case tileir.OpLoop:
		s.ending(op)
	case tileir.OpIf:
		s.value(op.Operands[0])
	case tileir.OpContinue, tileir.OpBreak, tileir.OpYield, tileir.OpReturn: // what they give, those ask for who want it
	default:
		if s.possible && !(op.Info.Pure && len(op.Regions) == 0) && !s.loads(op) {
			s.fail(NeedsOp, op)
		}
		s.values(op.Operands)
	}
}

// ending needs what ends the turns of a loop.
func (s *slicer) ending(loop *tileir.Op) {
	for _, end := range s.in.Ends[loop] {
		s.op(end)
	}
}

// loads reports whether an operation is a load that both warps may execute, each when it likes.
func (s *slicer) loads(op *tileir.Op) bool {
	switch op.Info.Opcode {
	case tileir.OpLoadPtrTko, tileir.OpLoadViewTko:
		a := s.Info.Access(op)
		written := slices.ContainsFunc(s.Info.Accesses(), func(b *access.Access) bool { return b.Writes && s.Info.MayTouch(a, b) })
		return tileir.Int(op.Int("memory_ordering_semantics")) == tileir.MemoryWeak && !written && !s.awaits(op)
	}
	return false
}

func (s *slicer) values(list []*tileir.Value) {
	for _, v := range list {
		s.value(v)
	}
}

// value needs a value, which must be one element or a view.
func (s *slicer) value(v *tileir.Value) {
	if _, token := v.Type.(tileir.TokenType); token || s.out.values[v] || !s.possible {
		return
	}
	s.out.values[v] = true
	if s.many(v); !s.possible {
		return
	}
	if a, ok := s.in.Owner[v]; ok {
		s.argument(a)
		return
	}
	if v.Def == nil {
		return
	}
	s.op(v.Def)
	if s.possible && len(v.Def.Regions) > 0 {
		s.result(v.Def, slices.Index(v.Def.Results, v))
	}
}

// many gives up where a value has several elements, which the threads of a block have together.
func (s *slicer) many(v *tileir.Value) {
	if _, many := Tile(v); many {
		at := v.Def
		if a, ok := s.in.Owner[v]; ok {
			at = a.Op
		}
		s.fail(NeedsTile, at)
	}
}

// fail gives up because of an operation.
func (s *slicer) fail(why Why, at *tileir.Op) {
	s.possible, s.why = false, Reason{Why: why, At: at}
}

// argument needs what a loop carries, or counts.
func (s *slicer) argument(a Argument) {
	s.op(a.Op)
	first := 0 // of the operands that arguments begin with
	if a.Op.Info.Opcode == tileir.OpFor {
		if a.Number == 0 {
			return
		}
		a.Number, first = a.Number-1, 3
	}
	s.value(a.Op.Operands[first+a.Number])
	for _, end := range s.in.Ends[a.Op] {
		if end.Info.Opcode == tileir.OpContinue {
			s.value(end.Operands[a.Number])
		}
	}
}

// result needs what an if or a loop gives.
func (s *slicer) result(op *tileir.Op, n int) {
	if op.Info.Opcode == tileir.OpFor {
		s.value(op.Regions[0].Args[1+n])
		return
	}
	for _, end := range s.in.Ends[op] {
		if end.Info.Opcode != tileir.OpContinue {
			s.op(end)
			s.value(end.Operands[n])
		}
	}
}
