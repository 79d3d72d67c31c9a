package ir

import (
	"maps"
	"slices"
)

// The reasons for barriers: their Text.
const (
	ForShared = "shared memory"
	ForOrder  = "the order of accesses to global memory"
)

// Synchronise puts barriers where threads of a block meet in memory: in front of an access that may meet, in shared memory or where
// Tile IR orders accesses to global memory, one since the last barrier by another thread, if one of the two writes. Where all such threads
// are of one warp, a barrier of the warp is enough. Where an access in a loop meets only what threads did before the loop, the barrier stands
// in front of that. [Kernel.Place] must have given the buffers their places. What lies in an If of which threads go different ways must not
// need a barrier inside.
func (k *Kernel) Synchronise() {
	s := synchroniser{lanes: k.Lanes, before: map[*Instr]reach{}, met: map[[2]*Footprint]reach{}}
	for fronts := map[*Instr]reach{}; s.settle(k.Body); {
		more := false
		for loop, r := range s.fronts {
			more = more || r > fronts[loop]
			fronts[loop] = max(fronts[loop], r)
		}
		if !more {
			panic("BUG: threads: barriers in front of loops are not enough")
		}
		s.before = maps.Clone(fronts)
	}
	s.insert(k.Body)
}

// settle goes through a kernel until it finds no more barriers, and reports whether there should be some in front of loops: with these, there
// may be less to do.
func (s *synchroniser) settle(body *Block) bool {
	s.ordered, s.heads = map[*Instr]bool{}, map[*Block]*pending{}
	for s.changed = true; s.changed; {
		before := len(s.before)
		s.changed, s.loops, s.fronts = false, nil, map[*Instr]reach{}
		s.block(body, &pending{})
		if len(s.before) > before { // less comes around
			clear(s.heads)
		}
	}
	return len(s.fronts) > 0
}

// synchroniser finds the places of barriers. It goes through the kernel until it finds no more.
type synchroniser struct {
	lanes   int
	before  map[*Instr]reach // whose barrier stands in front
	fronts  map[*Instr]reach // and whose should stand in front of loops, as far as it has gone
	ordered map[*Instr]bool  // what for: accesses to global memory
	heads   map[*Block]*pending
	met     map[[2]*Footprint]reach
	loops   []*around
	changed bool
}

// around is a loop that the instruction lies in.
type around struct {
	loop        *Instr
	next, after *pending
}

// block gives what is pending at its end.
func (s *synchroniser) block(b *Block, p *pending) *pending {
	for _, in := range b.Instrs {
		if p.dead {
			return p
		}
		p = s.instr(in, p)
	}
	return p
}

func (s *synchroniser) instr(in *Instr, p *pending) *pending {
	p = p.past(s.before[in])
	if in.Op == Barrier {
		p = p.past(in.barrier())
	}
	switch in.Op {
	case Part: // counters order what the producer does
		return s.block(in.Body[1], p.past(anybody))
	case If:
		if !in.Uniform {
			return s.divergent(in, p)
		}
		after := s.block(in.Body[0], p.clone())
		after.join(s.block(in.Body[1], p.clone()))
		return after
	case Loop:
		return s.loop(in, p)
	case Break, Continue:
		outside := len(s.loops) - 1 - int(in.Imm)
		if l := s.loops[outside]; in.Op == Continue {
			l.next.join(p.leave(outside + 1))
		} else {
			l.after.join(p.leave(outside))
		}
		return &pending{dead: len(in.Src) == 0, touches: p.touches, turns: p.turns, last: p.last}
	case Return:
		return &pending{dead: true}
	case WaitGroup: // what was copied is there now, for this thread
		for _, b := range in.Bufs {
			include(&p.touches, []touch{{buf: b, write: true}})
		}
		for _, t := range in.Turns {
			include(&p.turns, []turn{{Turn: t}})
		}
		return p
	case MultiplyGroup, MultiplySums:
		for _, b := range in.Bufs {
			p = s.access(&Instr{Op: Load, Mem: &Access{Space: Shared, Buffer: b}}, in, p)
		}
		return p
	case WaitMultiply: // it has been read only now
		for _, b := range in.Bufs {
			include(&p.touches, []touch{{buf: b}})
		}
		return p
	case MultiplyTensor:
		return s.tensorProduct(in, p)
	case CommitTensor:
		return p
	case WaitTensor:
		include(&p.touches, []touch{{buf: in.Mem.Buffer}})
		return p
	case TensorLoad, TensorStore: // warps have lanes of their own
		op := map[Op]Op{TensorLoad: Load, TensorStore: Store}[in.Op]
		return s.access(&Instr{Op: op, Mem: &Access{Buffer: in.Tensor, Private: true}}, in, p)
	case TensorFree:
		return s.access(&Instr{Op: Store, Mem: &Access{Buffer: in.Tensor}}, in, p)
	}
	return s.access(in, in, p)
}

// tensorProduct looks for what threads did with the factors, with those of their elements, and with the sums of a product, and for those who may still wait for another phase of its
// barrier. Those who touch factors and sums later wait for that, all of them, and need no other one.
func (s *synchroniser) tensorProduct(in *Instr, p *pending) *pending {
	all := []touch{{buf: in.Tensor, write: true}, {buf: in.Mem.Buffer, write: true}}
	for _, b := range in.Bufs {
		all = append(all, touch{buf: b})
	}
	if in.Scales != nil {
		all = append(all, touch{buf: in.Scales.Buffer})
	}
	for _, t := range all {
		if need, _ := s.needs(p, turn{}, t); need != nobody {
			s.before[in], s.changed = anybody, true
			return p.past(anybody)
		}
	}
	return p
}

// divergent takes the accesses of an If together, in front of which the barrier stands.
func (s *synchroniser) divergent(in *Instr, p *pending) *pending {
	after := p.clone()
	for _, b := range in.Body {
		b.All(func(inner *Instr) {
			p = s.access(inner, in, p)
			if inner.Op == StoreBox {
				p = s.access(&Instr{Op: Store, Mem: inner.Other}, in, p)
			}
		})
	}
	if s.before[in] == anybody {
		return p
	}
	after.join(p)
	return after
}

// access looks at what an instruction touches; a barrier would stand in front of at.
func (s *synchroniser) access(in, at *Instr, p *pending) *pending {
	m := in.Mem
	if m == nil || m.Buffer == nil && m.Turn == nil {
		return p
	}
	t := touch{buf: m.Buffer, private: m.Private, write: in.writes(), waits: in.Op == AwaitBytes, begins: in.Op == ExpectBytes, foot: m.Touches}
	switch need, loop := s.needs(p, turn{m.Turn, m.Solo}, t); {
	case need == nobody:
	case loop > 0:
		in := s.loops[loop-1].loop
		s.fronts[in] = max(s.fronts[in], need)
		p = p.ahead(loop, need)
	case s.before[at] < need:
		s.before[at], s.changed = need, true
		s.ordered[at] = m.Turn != nil
		p = p.past(need)
	case at != in && at.Op == If:
		panic("BUG: threads: a barrier is needed where threads go different ways")
	default:
		p = p.past(need)
	}
	switch {
	case in.Op == CopyAsync || in.Op == CopyBox: // nobody sees it before WaitGroup or AwaitBytes
	case m.Turn != nil:
		include(&p.turns, []turn{{m.Turn, m.Solo}})
		p.last = m.Turn
	default:
		include(&p.touches, []touch{t})
	}
	return p
}

// writes reports whether an instruction changes what Mem is. Threads may use counters at the same time.
func (in *Instr) writes() bool {
	switch in.Op {
	case Load, LoadMatrix, LoadSum, ExpectBytes, AwaitBytes, Arrive, StoreBox:
		return false
	}
	return true
}

// needs says whose barrier an access needs in front: in front of a loop that it is in, if only accesses from before that need one, or 0.
func (s *synchroniser) needs(p *pending, now turn, t touch) (most reach, loop int) {
	if now.Turn != nil {
		// What comes after itself does so from one turn of a loop to the next, but not within the same access of Tile IR.
		if slices.ContainsFunc(p.turns, func(o turn) bool {
			return now.After[o.Turn] && !(now.solo && o.solo) && !(o.Turn == now.Turn && p.last == now.Turn)
		}) {
			return anybody, 0
		}
		return nobody, 0
	}
	inside := false
	for _, o := range p.touches {
		if r := s.meet(o, t); r == anybody || r == warpMates && !o.far {
			most, loop, inside = max(most, r), max(loop, o.entered), inside || o.entered == 0
		}
	}
	if inside {
		loop = 0
	}
	return most, loop
}

// meet finds which threads meet by two accesses, of which one must write, or begin another turn of a counter for which the other one waits.
func (s *synchroniser) meet(a, b touch) reach {
	switch {
	case a.waits && b.begins && a.buf == b.buf:
		return anybody
	case !a.write && !b.write || !a.buf.overlap(b.buf) || a.private && b.private && a.buf == b.buf:
		return nobody
	case a.buf.Offset != b.buf.Offset || a.foot == nil || b.foot == nil:
		return anybody
	}
	r, ok := s.met[[2]*Footprint{a.foot, b.foot}]
	if !ok {
		r = a.foot.meets(b.foot, s.lanes)
		s.met[[2]*Footprint{a.foot, b.foot}] = r
	}
	return r
}

// loop goes through a loop with what is pending when it begins, and what was pending at the ends of its turns.
func (s *synchroniser) loop(in *Instr, p *pending) *pending {
	body, outside := in.Body[0], len(s.loops)
	head := s.heads[body]
	if head == nil {
		head = &pending{dead: true}
		s.heads[body] = head
	}
	head.join(p.enter(outside))
	l := &around{loop: in, next: &pending{dead: true}, after: &pending{dead: true}}
	s.loops = append(s.loops, l)
	l.next.join(s.block(body, head.clone()))
	s.loops = s.loops[:outside]
	if head.join(l.next) {
		s.changed = true
	}
	return l.after
}

// insert puts the barriers in.
func (s *synchroniser) insert(b *Block) {
	out := make([]*Instr, 0, len(b.Instrs))
	for _, in := range b.Instrs {
		for _, inner := range in.Body {
			s.insert(inner)
		}
		if r := s.before[in]; r != nobody {
			barrier := &Instr{Op: Barrier, Loc: in.Loc, Text: ForShared}
			if s.ordered[in] {
				barrier.Text = ForOrder
			}
			if r == warpMates {
				barrier.Imm = 1
			}
			out = append(out, barrier)
		}
		out = append(out, in)
	}
	b.Instrs = out
}

// barrier says whose barrier an instruction is.
func (in *Instr) barrier() reach {
	if in.Imm != 0 {
		return warpMates
	}
	return anybody
}
