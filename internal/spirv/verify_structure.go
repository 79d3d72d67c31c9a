package spirv

// construct is a loop, a switch or a selection by its header.
type construct struct {
	head, merge int
	next        int // the continue target of a loop, else notLoop or notSwitch
	outer       *construct
	depth       int
}

// What next is of a construct that is no loop: a switch, and a selection that is no switch either.
const (
	notLoop   = -1
	notSwitch = -2
)

// The limits of functions: constructs within each other, which the specification limits, and blocks.
const (
	maxDepth  = 1023
	maxBlocks = 1 << 16
)

// structure checks that control flow is structured: what the specification calls constructs are entered by their headers and left by
// their merge blocks, or by the innermost loop's merge block or continue target.
func (v *flow) structure() {
	for i, b := range v.f.blocks {
		v.at = b.first
		if i > 0 && v.plain.reached(i) {
			v.holds(v.plain.idom[i] < i, "the block stands before %%%d, through which every way to it goes", v.f.blocks[v.plain.idom[i]].label)
		}
		v.header(i, b)
	}
	for _, e := range v.full.back {
		v.at = v.f.blocks[e[0]].last
		to := v.f.blocks[e[1]]
		v.holds(to.merge >= 0 && v.m.Instrs[to.merge].Op == OpLoopMerge, "the branch goes back to %%%d, which is the header of no loop", to.label)
	}
	v.at = -1
	before := v.found
	for _, c := range v.constructs {
		if c.next >= 0 {
			v.loop(c)
		}
	}
	if v.found > before {
		return
	}
	if v.innermost(); v.found > before {
		return
	}
	for i, b := range v.f.blocks {
		v.unstructured(i, b)
		if b.merge >= 0 && v.full.reached(i) {
			v.bounds(i, b)
		}
	}
}

// header checks a merge instruction: what follows it, and that nobody else has its merge block.
func (v *flow) header(i int, b *block) {
	if b.merge < 0 {
		return
	}
	v.at = b.merge
	in, end := &v.m.Instrs[b.merge], v.m.Instrs[b.last].Op
	merge := v.numbers[in.Operands[0].ID()]
	v.holds(merge != i, "a block is its own merge block")
	if _, ok := v.owners[merge]; ok {
		v.add("%%%d is the merge block of another header, too", v.f.blocks[merge].label)
	}
	v.owners[merge] = i
	if in.Op == OpSelectionMerge {
		v.holds(end == OpBranchConditional || end == OpSwitch, "%s follows, expected OpBranchConditional or OpSwitch", end)
		next := notSwitch
		if end == OpSwitch {
			next = notLoop
		}
		v.enter(i, merge, next)
	} else {
		v.holds(end == OpBranchConditional || end == OpBranch, "%s follows, expected OpBranch or OpBranchConditional", end)
		next, control := v.numbers[in.Operands[1].ID()], LoopControl(in.Operands[2].Word())
		v.holds(control&(LoopControlUnroll|LoopControlDontUnroll) != LoopControlUnroll|LoopControlDontUnroll, "Unroll and DontUnroll exclude each other")
		v.holds(next != merge, "the continue target is the merge block")
		v.enter(i, merge, next)
	}
	if v.full.reached(i) {
		v.holds(merge != i && v.full.dominates(i, merge), "the header does not dominate its merge block, %%%d", v.f.blocks[merge].label)
	}
}

// enter notes a construct whose header can be reached.
func (v *flow) enter(head, merge, next int) {
	if v.full.reached(head) {
		v.constructs = append(v.constructs, &construct{head: head, merge: merge, next: next})
	}
}

// loop checks that one branch goes back to a loop's header, out of its continue construct.
func (v *flow) loop(l *construct) {
	v.at = v.f.blocks[l.head].merge
	v.holds(v.full.dominates(l.head, l.next), "the header does not dominate its continue target, %%%d", v.f.blocks[l.next].label)
	backs := 0
	for _, p := range v.full.pred[l.head] {
		if !v.full.reached(p) || !v.full.dominates(l.head, p) {
			continue
		}
		backs++
		v.holds(v.full.dominates(l.next, p), "%%%d goes back to the header, but the continue target does not dominate it", v.f.blocks[p].label)
	}
	v.holds(backs == 1, "%d blocks go back to the header, expected 1", backs)
}

// innermost finds the innermost construct of each block, from the outside in.
func (v *flow) innermost() {
	heads := map[int]*construct{}
	for _, c := range v.constructs {
		heads[c.head] = c
	}
	for _, b := range v.full.order {
		var up *construct
		if b > 0 {
			up = v.inner[v.full.idom[b]]
		}
		for up != nil && v.full.dominates(up.merge, b) {
			up = up.outer
		}
		if c := heads[b]; c != nil {
			if c.outer, c.depth = up, 1; up != nil {
				c.depth += up.depth
			}
			v.at = v.f.blocks[b].merge
			v.holds(c.depth <= maxDepth, "more than %d constructs are nested", maxDepth)
			up = c
		}
		v.inner[b] = up
	}
	v.at = -1
}

// around gives the innermost construct around a block, and nil if there is none, that is a loop, or with least notLoop a switch.
func (v *flow) around(b, least int) *construct {
	c := v.inner[b]
	for c != nil && c.next < least {
		c = c.outer
	}
	return c
}

// unstructured checks a branch without a merge instruction: of two targets, one leaves a construct.
func (v *flow) unstructured(i int, b *block) {
	end := &v.m.Instrs[b.last]
	if b.merge >= 0 || !v.full.reached(i) || end.Op != OpBranchConditional && end.Op != OpSwitch {
		return
	}
	l, stays := v.around(i, 0), 0
	for _, to := range v.full.succ[i] {
		owner, merge := v.owners[to]
		if merge = merge && v.full.reached(owner); !merge && (l == nil || to != l.next && to != l.head) {
			stays++
		}
	}
	v.at = b.last
	v.holds(stays < 2, "the branch has %d targets that leave no construct: expected OpSelectionMerge before it", stays)
}

// bounds checks where the blocks of a header's constructs lead.
func (v *flow) bounds(i int, b *block) {
	in := &v.m.Instrs[b.merge]
	merge := v.numbers[in.Operands[0].ID()]
	if in.Op == OpLoopMerge {
		next := v.numbers[in.Operands[1].ID()]
		for _, from := range v.plain.pred[next] {
			v.at = v.f.blocks[from].last
			outside := v.full.reached(from) && (!v.full.dominates(i, from) || v.full.dominates(merge, from))
			v.holds(!outside, "the branch leads to the continue target of a loop from outside of it")
		}
		v.exits(i, []int{merge, next}, merge, next)
		if v.full.reached(next) && next != i {
			v.exits(next, []int{merge}, merge, i)
			v.comesBack(i, next, merge)
		}
		return
	}
	allowed := []int{merge}
	if s := v.around(i, notLoop); s != nil && s.next == notLoop {
		allowed = append(allowed, s.merge)
	}
	if l := v.around(i, 0); l != nil {
		allowed = append(allowed, l.merge, l.next)
		if v.full.dominates(l.next, i) {
			allowed = append(allowed, l.head)
		}
	}
	v.exits(i, []int{merge}, allowed...)
}

// exits checks the blocks of a construct, those below its first one but not below the blocks after it: branches out of it lead to
// allowed blocks, branches into it to its first block, and a header in it has its merge block in it, too.
func (v *flow) exits(top int, after []int, allowed ...int) {
	in := func(b int) bool {
		ok := v.full.reached(b) && v.full.dominates(top, b)
		for _, a := range after {
			ok = ok && !(v.full.reached(a) && v.full.dominates(a, b))
		}
		return ok
	}
	name := func(b int) ID { return v.f.blocks[b].label }
	v.full.below(top, func(b int) {
		v.at = v.f.blocks[b].last
		for _, to := range v.plain.succ[b] {
			v.holds(in(to) || contains(allowed, to),
				"the branch to %%%d leaves a construct, which begins at %%%d, by another way than its merge block or the innermost loop's merge block or continue target", name(to), name(top))
		}
		if b == top {
			return
		}
		for _, from := range v.plain.pred[b] {
			v.holds(!v.full.reached(from) || in(from), "%%%d leads into a construct, but not to its first block, %%%d", name(from), name(top))
		}
		if m := v.f.blocks[b].merge; m >= 0 {
			merge := v.numbers[v.m.Instrs[m].Operands[0].ID()]
			v.holds(in(merge) || !v.full.reached(merge), "the header is in a construct, which begins at %%%d, but its merge block is not", name(top))
		}
	}, after...)
}

// comesBack checks that every way through a continue construct comes to the branch back to the header.
func (v *flow) comesBack(head, next, merge int) {
	v.full.below(next, func(b int) {
		succ := v.full.succ[b]
		if contains(succ, head) {
			return
		}
		v.at = v.f.blocks[b].last
		stays := len(succ) > 0
		for _, to := range succ {
			stays = stays && v.full.dominates(next, to) && !v.full.dominates(merge, to)
		}
		v.holds(stays, "the block is in a continue construct, but not every way from here leads back to the header, %%%d", v.f.blocks[head].label)
	}, merge)
}
