package spirv

// edge is a way into a block: where it comes from, and the values that it brings.
type edge struct {
	from   ID
	values []ID
}

// Reachable reports whether the code that follows can be reached. Instructions that cannot are not written.
func (b *Builder) Reachable() bool { return b.current().block != 0 }

// terminate ends the current block.
func (b *Builder) terminate(op Op, words ...uint32) {
	f := b.current()
	if f.block == 0 {
		return
	}
	f.body = write(f.body, op, words...)
	f.block = 0
}

// label begins a block.
func (b *Builder) label(id ID) {
	b.f.body = write(b.f.body, OpLabel, uint32(id))
	b.f.block, b.f.written = id, position{}
}

// join begins a block that edges lead into, and gives the values that they bring: one value where all bring the same, else a phi.
// Without an edge the block cannot be reached.
func (b *Builder) join(id ID, edges []edge) []ID {
	b.label(id)
	if len(edges) == 0 {
		b.terminate(OpUnreachable)
		return nil
	}
	values := make([]ID, len(edges[0].values))
	for i := range values {
		same := true
		for _, e := range edges {
			if len(e.values) != len(values) {
				bug("ways into a block bring %d and %d values", len(values), len(e.values))
			}
			same = same && e.values[i] == edges[0].values[i]
		}
		if values[i] = edges[0].values[i]; !same {
			values[i] = b.phi(edges, i)
		}
	}
	return values
}

// phi adds the phi of a value. It is not an instruction of a line: phis stand first in their block.
func (b *Builder) phi(edges []edge, i int) ID {
	t := b.TypeOf(edges[0].values[i])
	id := b.id()
	b.values[id] = t
	words := []uint32{uint32(t), uint32(id)}
	for _, e := range edges {
		words = append(words, uint32(e.values[i]), uint32(e.from))
	}
	b.f.body = write(b.f.body, OpPhi, words...)
	return id
}

// If runs then where cond is true, and otherwise what els says; nil is nothing. Both give the same number of values of the same types,
// and If gives those of the side that ran. A side that ends with Return, Break or Continue has no say in it.
func (b *Builder) If(cond ID, then, els func() []ID) []ID {
	if !b.Reachable() {
		return then() // writes nothing, and gives values of the types that the caller expects
	}
	yes, no, merge := b.id(), b.id(), b.id()
	head := b.f.block
	if els == nil {
		no = merge
	}
	b.f.body = write(b.f.body, OpSelectionMerge, uint32(merge), uint32(SelectionControlNone))
	b.terminate(OpBranchConditional, uint32(cond), uint32(yes), uint32(no))
	var edges []edge
	var values []ID
	side := func(label ID, f func() []ID) {
		b.label(label)
		values = f()
		if b.Reachable() {
			edges = append(edges, edge{b.f.block, values})
			b.terminate(OpBranch, uint32(merge))
		}
	}
	side(yes, then)
	if els == nil {
		edges = append(edges, edge{head, nil})
	} else {
		side(no, els)
	}
	if joined := b.join(merge, edges); len(edges) > 0 {
		return joined
	}
	return values
}

// Loop is a loop that is being written.
type Loop struct {
	b           *Builder
	merge, next ID
	control     int // the place of the word with the loop's control
	breaks      []edge
	continues   []edge
	left        []ID // the values of the last Break that was written, or would have been if code could reach it
	carried     int
	ended       bool
}

// Loop runs body again and again until it breaks. Body gets the values that the loop carries, first init, and gives the next ones.
// Loop gives the values of the Break that ended it.
func (b *Builder) Loop(init []ID, body func(l *Loop, carried []ID) []ID) []ID {
	f, before, head := b.f, b.current().block, b.id()
	l := &Loop{b: b, merge: b.id(), next: b.id(), carried: len(init)}
	if !b.Reachable() {
		l.run(init, body) // writes nothing, and gives values of the types that the caller expects
		return l.left
	}
	b.terminate(OpBranch, uint32(head))
	b.label(head)
	values, patch := make([]ID, len(init)), make([]int, len(init))
	for i := range init {
		values[i] = b.phi([]edge{{before, init}, {l.next, init}}, i)
		patch[i] = len(f.body) - 2
	}
	f.body = write(f.body, OpLoopMerge, uint32(l.merge), uint32(l.next), uint32(LoopControlNone))
	l.control = len(f.body) - 1
	first := b.id()
	b.terminate(OpBranch, uint32(first))
	b.label(first)
	l.run(values, body)
	if len(l.continues) == 0 {
		b.label(l.next) // no run of the body gets here, so that init will do in the phis
	} else {
		for i, v := range b.join(l.next, l.continues) {
			f.body[patch[i]] = uint32(v)
		}
	}
	b.terminate(OpBranch, uint32(head))
	if joined := b.join(l.merge, l.breaks); len(l.breaks) > 0 {
		return joined
	}
	return l.left
}

// run writes the body.
func (l *Loop) run(carried []ID, body func(l *Loop, carried []ID) []ID) {
	f := l.b.f
	f.loops = append(f.loops, l)
	next := body(l, carried)
	if l.b.Reachable() {
		l.Continue(next...)
	}
	f.loops, l.ended = f.loops[:len(f.loops)-1], true
}

// inside checks that the loop is the innermost one.
func (l *Loop) inside(what string) {
	if n := len(l.b.f.loops); l.ended || l.b.f.loops[n-1] != l {
		bug("%s of a loop that is not the innermost one", what)
	}
}

// Control asks for a way to compile the loop, such as [LoopControlUnroll].
func (l *Loop) Control(c LoopControl) {
	if l.control > 0 {
		l.b.f.body[l.control] = uint32(c)
	}
}

// Break leaves the loop with values.
func (l *Loop) Break(values ...ID) {
	l.inside("Break")
	l.left = values
	if l.b.Reachable() {
		l.breaks = append(l.breaks, edge{l.b.f.block, values})
		l.b.terminate(OpBranch, uint32(l.merge))
	}
}

// BreakUnless leaves the loop with values where cond is false.
func (l *Loop) BreakUnless(cond ID, values ...ID) {
	l.inside("BreakUnless")
	l.left = values
	if b := l.b; b.Reachable() {
		l.breaks = append(l.breaks, edge{b.f.block, values})
		rest := b.id()
		b.terminate(OpBranchConditional, uint32(cond), uint32(rest), uint32(l.merge))
		b.label(rest)
	}
}

// Continue goes on with the next run of the body, which gets the values.
func (l *Loop) Continue(values ...ID) {
	l.inside("Continue")
	if len(values) != l.carried {
		bug("a loop carries %d values, and its body gives %d", l.carried, len(values))
	}
	if l.b.Reachable() {
		l.continues = append(l.continues, edge{l.b.f.block, values})
		l.b.terminate(OpBranch, uint32(l.next))
	}
}

// While runs body as long as cond is true of the values that the loop carries, and gives the last ones.
func (b *Builder) While(init []ID, cond func(carried []ID) ID, body func(carried []ID) []ID) []ID {
	return b.Loop(init, func(l *Loop, v []ID) []ID {
		l.BreakUnless(cond(v), v...)
		return body(v)
	})
}
