package emu

import (
	"math"
)

const (
	lanes = 32
	full  = math.MaxUint32 // the mask of all lanes
)

// vec is a register of all lanes.
type vec = [lanes]uint64

// event is what an instruction did to the flow of control.
type event uint8

const (
	nothing  event = iota
	branched       // the lanes of taken go to target
	blocked        // the lanes of taken wait
	ended          // the lanes of taken have ended
	gathered       // lanes that waited for this group have joined it
	yielded        // the other warps should have a turn
	failed
)

// warp is the lanes that go together.
type warp struct {
	fn    *function
	block *block
	index int
	v     []vec    // by register; behind them special registers and constants
	p     []uint32 // by register that is a predicate: the lanes in which it is true; behind them "true" and a sink
	carry uint32   // the lanes in which the carry flag is set
	all   uint32   // the lanes that exist
	gone  uint32   // the lanes that have ended

	groups []group
	g      int  // the group that runs
	pc     int  // its instruction
	sticky bool // in this turn, that group goes on though it is not first
	starve int  // turns in which one of several groups did not stop
	count  uint64
	polls  int // accesses to memory that other blocks may change

	event  event
	taken  uint32
	target int
	wait   *wait
	err    *Error

	near       *mapping   // the buffer of the last access
	local      []byte     // of all lanes, one after another
	copies     []copies   // by lane: copies to shared memory that are under way
	bulk       []bulkWork // by lane
	wgmma      wgmmaWork
	tensor     tensorWork
	multiplied matrixWork // by the instruction that was executed last, where only its descriptor says how much
	idle       bool       // in this turn it has only looked whether something has happened
	phase      [lanes]int // of the cluster's barrier: the one that a lane has arrived for, from 1
	flying     int64      // bytes of copies by cp.async that are under way

	// Where the launch is counted.
	visited []bool // by instruction: the warp has executed it
	alone   []int  // products under way that began while no copies were
}

func (w *warp) launch() *Launch { return w.block.cluster.run.Launch }

// run is one turn of the warp: the given number of instructions, or as many as it can do. It says whether it could run at all.
func (w *warp) run(budget int) bool {
	w.wake()
	w.sticky, w.idle = false, false
	if len(w.groups) == 1 {
		w.starve = 0
	}
	if w.starve > 0 && len(w.groups) > 1 {
		if g := w.order(w.starve); g >= 0 {
			w.g, w.sticky = g, true
		}
	}
	limit, ok := w.pick()
	if !ok {
		return false
	}
	pc, mask := w.groups[w.g].pc, w.groups[w.g].mask
	for ; budget > 0; budget-- {
		in := &w.fn.code[pc]
		if m := mask & (w.p[in.guard] ^ in.flip); m != 0 {
			w.pc = pc
			w.count++
			in.run(w, m)
			if w.event == nothing {
				pc++
			} else {
				if w.event == branched && w.taken == mask && len(w.groups) == 1 {
					w.event = nothing
					pc = w.target
					continue
				}
				stop := w.handle(pc)
				if limit, ok = w.pick(); !ok || stop {
					return true
				}
				pc, mask = w.groups[w.g].pc, w.groups[w.g].mask
				continue
			}
		} else {
			pc++
		}
		if pc >= limit {
			w.groups[w.g].pc = pc
			limit, _ = w.pick()
			pc, mask = w.groups[w.g].pc, w.groups[w.g].mask
		}
	}
	w.groups[w.g].pc = pc
	w.starve++
	return true
}

// handle does what an instruction demanded of the flow of control, and says whether the warp's turn is over.
func (w *warp) handle(pc int) (stop bool) {
	e := w.event
	w.event = nothing
	g := &w.groups[w.g]
	g.pc = pc
	switch e {
	case failed:
		w.event = failed
		return true
	case gathered:
		g.pc++
	case yielded:
		g.pc++
		return true
	case branched:
		w.split(group{pc: w.target, mask: w.taken})
	case blocked:
		w.starve = 0
		w.split(group{pc: pc, mask: w.taken, wait: w.wait})
		w.wait = nil
	case ended:
		w.starve = 0
		w.end(w.taken)
	}
	return len(w.groups) == 0
}

// stop makes lanes wait until something has happened.
func (w *warp) stop(m uint32, q *wait) {
	if w.event == failed {
		return
	}
	w.event, w.taken, w.wait = blocked, m, q
}
