package ir

import "slices"

// Synchronise puts barriers where threads of a block meet in memory: in front of an access that may meet, in shared memory or where
// Tile IR orders accesses to global memory, one since the last barrier by another thread, if one of the two writes. [Kernel.Place]
// must have given the buffers their places. What lies in an If of which threads go different ways must not need a barrier inside.
func (k *Kernel) Synchronise() {
	s := synchroniser{before: map[*Instr]bool{}, heads: map[*Block]*pending{}}
	for s.changed = true; s.changed; {
		s.changed, s.loops = false, nil
		s.block(k.Body, &pending{})
	}
	s.insert(k.Body)
}

// pending is what threads did since the last barrier.
type pending struct {
	reads, writes []touch
	turns         []*Turn
	dead          bool // no thread comes here
}

// touch is an access to a buffer. Those that are private do not meet one another.
type touch struct {
	buf     *Buffer
	private bool
}

func (t touch) meets(o touch) bool {
	return t.buf.overlap(o.buf) && !(t.private && o.private && t.buf == o.buf)
}

func (p *pending) clone() *pending {
	return &pending{slices.Clone(p.reads), slices.Clone(p.writes), slices.Clone(p.turns), p.dead}
}

// join adds what threads did on another way to the same place, and reports whether that is more than before.
func (p *pending) join(q *pending) (more bool) {
	if q == nil || q.dead {
		return false
	}
	if p.dead {
		*p = *q.clone()
		return true
	}
	more = include(&p.reads, q.reads)
	more = include(&p.writes, q.writes) || more
	return include(&p.turns, q.turns) || more
}

func include[T comparable](to *[]T, from []T) (more bool) {
	for _, x := range from {
		if !slices.Contains(*to, x) {
			*to, more = append(*to, x), true
		}
	}
	return more
}

// synchroniser finds the places of barriers. It goes through the kernel until it finds no more.
type synchroniser struct {
	before  map[*Instr]bool // a barrier stands in front
	heads   map[*Block]*pending
	loops   []*around
	changed bool
}

// around is a loop that the instruction lies in.
type around struct{ next, after *pending }

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
	if s.before[in] || in.Op == Barrier {
		p = &pending{}
	}
	switch in.Op {
	case If:
		if !in.Uniform {
			return s.divergent(in, p)
		}
		after := s.block(in.Body[0], p.clone())
		after.join(s.block(in.Body[1], p.clone()))
		return after
	case Loop:
		return s.loop(in.Body[0], p)
	case Break, Continue:
		l := s.loops[len(s.loops)-1-int(in.Imm)]
		to := l.after
		if in.Op == Continue {
			to = l.next
		}
		to.join(p)
		return &pending{dead: len(in.Src) == 0, reads: p.reads, writes: p.writes, turns: p.turns}
	case Return:
		return &pending{dead: true}
	case WaitGroup: // what was copied is there now, for this thread
		for _, b := range in.Bufs {
			include(&p.writes, []touch{{b, false}})
		}
		return p
	}
	return s.access(in, in, p)
}

// divergent takes the accesses of an If together, in front of which the barrier stands.
func (s *synchroniser) divergent(in *Instr, p *pending) *pending {
	after := p.clone()
	for _, b := range in.Body {
		b.All(func(inner *Instr) { p = s.access(inner, in, p) })
	}
	if s.before[in] {
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
	write := in.Op != Load && in.Op != LoadMatrix
	if p.meets(m, write) {
		switch {
		case !s.before[at]:
			s.before[at], s.changed = true, true
		case at != in:
			panic("BUG: threads: a barrier is needed where threads go different ways")
		}
		p = &pending{}
	}
	switch {
	case in.Op == CopyAsync: // nobody sees it before WaitGroup
	case m.Turn != nil:
		include(&p.turns, []*Turn{m.Turn})
	case write:
		include(&p.writes, []touch{{m.Buffer, m.Private}})
	default:
		include(&p.reads, []touch{{m.Buffer, m.Private}})
	}
	return p
}

func (p *pending) meets(m *Access, write bool) bool {
	if m.Turn != nil {
		return slices.ContainsFunc(p.turns, func(t *Turn) bool { return m.Turn.After[t] })
	}
	t := touch{m.Buffer, m.Private}
	return slices.ContainsFunc(p.writes, t.meets) || write && slices.ContainsFunc(p.reads, t.meets)
}

// loop goes through a loop with what is pending when it begins, and what was pending at the ends of its turns.
func (s *synchroniser) loop(body *Block, p *pending) *pending {
	head := s.heads[body]
	if head == nil {
		head = &pending{dead: true}
		s.heads[body] = head
	}
	head.join(p)
	l := &around{next: &pending{dead: true}, after: &pending{dead: true}}
	s.loops = append(s.loops, l)
	l.next.join(s.block(body, head.clone()))
	s.loops = s.loops[:len(s.loops)-1]
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
		if s.before[in] {
			out = append(out, &Instr{Op: Barrier, Loc: in.Loc})
		}
		out = append(out, in)
	}
	b.Instrs = out
}
