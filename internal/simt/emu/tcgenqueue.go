package emu

import (
	"go/token"
	"slices"
)

// tensorOp is an operation in tensor memory that has begun. For loads and stores it is one of a warp, else of a thread.
type tensorOp struct {
	number  int    // in the order in which they began
	kind    string // "mma", "cp", "cp.4x256b", "shift", "ld", "st"
	form    string // of a multiplication: the accumulator and the shape, which are the same where one follows another in order
	w       *warp
	lane    int
	pc      int
	regions []tensorRegion
	shared  []sharedPiece // what it reads of shared memory, 16 bytes each
	run     func()
	ran     bool
	over    bool  // nobody has to wait for it any more
	begun   entry // for the search for races
}

// sharedPiece is 16 bytes of a block's shared memory.
type sharedPiece struct {
	b   *block
	off uint32
}

// tensorWork is what a warp has begun in tensor memory.
type tensorWork struct {
	loads, stores []*tensorOp
	issued        [lanes][]*tensorOp // by lane: since its last commit
	done          [lanes]*clock      // by lane: what those know who know that its commits have completed
}

// inOrder are pairs of operations of which the second comes after the first without waiting for it (PTX ISA, pipelined
// tcgen05 instructions). Its list does not have copies after multiplications or after copies, but NVIDIA's own kernels with
// scale factors overwrite these for the next tile without a wait.
var inOrder = map[[2]string]bool{
	{"cp", "mma"}: true, {"cp.4x256b", "mma"}: true, {"shift", "mma"}: true, {"shift", "cp.4x256b"}: true, {"mma", "shift"}: true,
	{"mma", "cp"}: true, {"mma", "cp.4x256b"}: true, {"cp", "cp"}: true, {"cp.4x256b", "cp.4x256b"}: true,
}

func (op *tensorOp) before(next *tensorOp) bool {
	return inOrder[[2]string{op.kind, next.kind}] || op.kind == "mma" && next.kind == "mma" && op.form == next.form
}

func (op *tensorOp) name() string { return op.w.fn.code[op.pc].src.Op }

func (op *tensorOp) pos() token.Position { return op.w.fn.code[op.pc].src.Pos }

// remedy says how to wait for an operation.
func (op *tensorOp) remedy() string {
	if op.kind == "ld" || op.kind == "st" {
		return "tcgen05.wait::" + op.kind + " must come first"
	}
	return "the mbarrier of a tcgen05.commit must be waited for"
}

// touches reports whether an operation has to do with a region.
func (op *tensorOp) touches(r tensorRegion) bool {
	return slices.ContainsFunc(op.regions, func(o tensorRegion) bool { return o.conflicts(r) })
}

// blocks gives the blocks whose tensor memory an operation works in.
func (op *tensorOp) blocks() (all []*block) {
	for _, r := range op.regions {
		if !slices.Contains(all, r.b) {
			all = append(all, r.b)
		}
	}
	return all
}

// beginTensor makes sure that an operation may begin, and notes that it has.
func (w *warp) beginTensor(op *tensorOp) bool {
	op.w, op.pc = w, w.pc
	races := w.block.cluster.races
	for _, r := range op.regions {
		if !w.tensorPlace(r, op.lane) {
			return false
		}
		for _, old := range r.b.tensor.pending {
			if !old.touches(r) {
				continue
			}
			if !old.before(op) {
				w.fault(op.lane, "%s %s tensor memory at %v, which the %s at %v has not finished with: %s",
					w.op(), map[bool]string{false: "reads", true: "writes"}[r.write], r, old.name(), old.pos(), old.remedy())
				return false
			}
			if races != nil && !races.tensorFollows(op, r, old) {
				return false
			}
		}
		if races != nil && !races.tensorTouch(op, r) {
			return false
		}
	}
	if races != nil {
		races.tensorIssue(op)
	}
	for _, b := range op.blocks() {
		b.tensor.pending = append(b.tensor.pending, op)
	}
	return true
}

// issue begins an operation that a commit will wait for.
func (w *warp) issue(op *tensorOp) {
	if !w.beginTensor(op) {
		return
	}
	for _, p := range op.shared {
		if w.event == failed {
			return
		}
		w.asyncSource(clusterSpace, uint64(p.b.rank)<<rankShift|uint64(p.off), 16, op.lane)
	}
	w.tensor.issued[op.lane] = append(w.tensor.issued[op.lane], op)
	c := w.block.cluster
	c.issued++
	op.number = c.issued
	c.tensor = append(c.tensor, op)
}

// runTensor does the operations of a cluster up to one, in order.
func (c *cluster) runTensor(last *tensorOp) {
	for !last.ran && c.mistake() == nil {
		op := c.tensor[0]
		c.tensor = c.tensor[1:]
		op.ran = true
		op.w.pc = op.pc
		op.run()
	}
}

// tensorEnded takes operations from the list of those that are under way, and gives all that have ended: with an operation also
// those of other threads that it came after without waiting.
func tensorEnded(ops []*tensorOp) (all []*tensorOp) {
	for work := slices.Clone(ops); len(work) > 0; work = work[1:] {
		op := work[0]
		if op.over {
			continue
		}
		op.over = true
		all = append(all, op)
		for _, b := range op.blocks() {
			b.tensor.pending = slices.DeleteFunc(b.tensor.pending, func(o *tensorOp) bool { return o == op })
			for _, old := range b.tensor.pending {
				if old.ran && old.number < op.number && old.before(op) && slices.ContainsFunc(op.regions, old.touches) {
					work = append(work, old)
				}
			}
		}
	}
	return all
}

// tensorWait decodes wait::ld and wait::st.
func tensorWait(what string) func(d *decoder) exec {
	return func(d *decoder) exec {
		return d.whole(func(w *warp, _ uint32) {
			list := &w.tensor.loads
			if what == "st" {
				list = &w.tensor.stores
			}
			ops := *list
			*list = nil
			for _, op := range ops {
				op.run()
			}
			ops = tensorEnded(ops)
			if r := w.block.cluster.races; r != nil {
				r.tensorWaited(w, ops)
			}
		})
	}
}

// tensorCommit decodes commit: mbarriers learn when all that the thread has begun is done.
func tensorCommit(d *decoder) exec {
	d.pair()
	multicast := d.has("multicast::cluster")
	d.has("mbarrier::arrive::one")
	d.has("b64")
	s := d.space()
	bar, mask := d.addr(0), d.sink
	if multicast {
		mask = d.src(1, 16)
	}
	return func(w *warp, m uint32) {
		w.each(m, func(l int) {
			bars := w.commitTargets(s, bar.at(w, l), l, multicast, w.v[mask][l])
			if w.event == failed {
				return
			}
			ops, pc := w.tensor.issued[l], w.pc
			w.tensor.issued[l] = nil
			var seen *clock
			r := w.block.cluster.races
			if r != nil {
				seen = r.know[r.thread(w, l)]
			}
			w.block.cluster.later(func() {
				if len(ops) > 0 {
					w.block.cluster.runTensor(ops[len(ops)-1])
				}
				if w.block.cluster.mistake() != nil {
					return
				}
				ops = tensorEnded(ops)
				if r != nil {
					w.tensor.done[l] = join(r.tensorDone(ops, bars, seen), w.tensor.done[l])
				}
				w.pc = pc
				for _, b := range bars {
					w.arriveLater(b, l, w.tensor.done[l])
				}
			})
		})
	}
}

// commitTargets gives the mbarriers of a commit: one, or those at the same place in all blocks of a mask.
func (w *warp) commitTargets(s space, addr uint64, lane int, multicast bool, mask uint64) (bars []*mbarrier) {
	if !multicast {
		return []*mbarrier{w.mbarrierAt(s, addr, lane)}
	}
	if s == generic {
		_, addr = spaceOf(addr)
	}
	for rank := range uint64(16) {
		if mask>>rank&1 == 1 && w.event != failed {
			bars = append(bars, w.mbarrierAt(clusterSpace, addr&(1<<rankShift-1)|rank<<rankShift, lane))
		}
	}
	return bars
}

// arriveLater is the arrival of asynchronous work at an mbarrier.
func (w *warp) arriveLater(m *mbarrier, lane int, c *clock) {
	if m.missing == 0 {
		w.fault(lane, "%s: an arrival at an mbarrier whose phase expects no more", w.op())
		return
	}
	m.clock = join(c, m.clock)
	m.missing--
	m.check()
}
