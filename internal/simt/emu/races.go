package emu

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	gridraces "github.com/cutile-go/cutile/internal/emulate/races"
)

// races looks for accesses to shared and global memory that nothing orders, of which at least one is a write. Each word remembers
// its last writes and the reads since; two accesses are ordered if the later thread knows of the earlier one's time.
type races struct {
	c       *cluster
	threads int // of the cluster, and behind them those that stand for asynchronous work
	know    []*clock
	time    []uint32 // by warp
	words   [][]cell // by block
	places  map[spot]*clock
	fences  []fenced // by thread: nil if the kernel has no fences
	clash   bool     // the last write met another lane's of the same instruction
	ordered []*clock // by thread: what comes before what it does in tensor memory

	globals map[word]*cell // of global memory
	buffer  *mapping       // where a word of it is
	cluster gridraces.Thread
	flags   []flag
	proxy   *visible // what the cluster knows of writes that the async proxy must see; nil if it cannot learn of others' or has no use of it
}

// cell is what happened to a word.
type cell struct {
	writes, reads []entry
	seen          *clock // who knows this knows of all the writes
}

// entry is an access of some lanes of a warp by one instruction.
type entry struct {
	warp  int32
	lanes uint32
	time  uint32 // pending: has not happened yet
	pc    int32
	bytes uint8 // of the word
	flags access
	async bool // by the async proxy
}

const pending = math.MaxUint32

// engines stand for the asynchronous work of a cluster in clocks: one warp behind the real ones.
const engines = lanes

func newRaces(c *cluster) *races {
	warps := len(c.blocks) * len(c.blocks[0].warps)
	r := &races{c: c, threads: warps*lanes + engines}
	r.know, r.ordered, r.time = make([]*clock, r.threads), make([]*clock, r.threads), make([]uint32, warps+1)
	if c.run.fn.fences {
		r.fences = make([]fenced, r.threads)
	}
	for range c.blocks {
		r.words = append(r.words, make([]cell, (c.run.Shared+3)/4))
	}
	return r
}

// begin forgets everything.
func (r *races) begin(n int) {
	r.globals, r.flags = map[word]*cell{}, r.flags[:0]
	r.c.run.grid.Begin(&r.cluster, uint32(n))
	if f := r.c.run.fn; f.proxies && f.orders {
		r.proxy = newVisible(n)
	}
	r.places = map[spot]*clock{}
	clear(r.fences)
	clear(r.know)
	clear(r.ordered)
	for i := range r.time {
		r.time[i] = 1
	}
	for _, words := range r.words {
		for i := range words {
			c := &words[i]
			c.writes, c.reads, c.seen = c.writes[:0], c.reads[:0], nil
		}
	}
}

func (r *races) warp(w *warp) int { return w.block.rank*len(w.block.warps) + w.index }

func (r *races) thread(w *warp, lane int) int { return r.warp(w)*lanes + lane }

// before reports whether all of an entry's accesses come before what a thread does now.
func (r *races) before(e *entry, thread int) bool {
	if e.time == pending {
		return false
	}
	base := int(e.warp) * lanes
	others := e.lanes
	if thread >= base && thread < base+lanes {
		others &^= 1 << (thread - base)
	}
	return others == 0 || r.know[thread].knows(e.warp, others, e.time)
}

// touch notes an access of a lane, and reports the one that it races with.
func (r *races) touch(w *warp, lane int, b *block, off uint32, n int, how access) {
	if how&shares != 0 {
		r.syncAt(w, lane, sharedBase|uint64(b.rank)<<rankShift|uint64(off), how)
	}
	thread := r.thread(w, lane)
	mine := entry{warp: int32(r.warp(w)), lanes: 1 << lane, time: r.time[r.warp(w)], pc: int32(w.pc), flags: how}
	r.clash = false
	for at, end := off, off+uint32(n); at < end && w.event != failed; at = at&^3 + 4 {
		mine.bytes = bytesOf(at, end)
		r.note(w, thread, &r.words[b.rank][at>>2], mine, at)
	}
}

// note adds an access to a cell, and reports the one that it races with.
func (r *races) note(w *warp, thread int, c *cell, mine entry, at uint32) {
	if know := r.know[thread]; know == nil || c.seen != know || mine.flags&writes != 0 {
		r.against(w, thread, c.writes, &mine, at)
		if settled(c.writes, know) {
			c.seen = know
		}
	}
	if mine.flags&writes == 0 {
		c.reads = r.record(c.reads, mine, thread)
		return
	}
	r.against(w, thread, c.reads, &mine, at)
	c.seen = nil
	c.reads = covered(c.reads, mine.bytes)
	c.writes = r.record(c.writes, mine, thread)
}

// settled reports whether a clock knows of all accesses.
func settled(list []entry, know *clock) bool {
	for i := range list {
		if e := &list[i]; !know.knows(e.warp, e.lanes, e.time) {
			return false
		}
	}
	return true
}

// readWord is touch for what kernels do most, reading a word whose writes the reader knows: false if it was something else.
func (r *races) readWord(c *cell, warp, lane, pc int) bool {
	const many = 16
	know := r.know[warp*lanes+lane]
	if know == nil || len(c.reads) >= many || c.seen != know && !settled(c.writes, know) {
		return false
	}
	c.seen = know
	now := r.time[warp]
	for i := range c.reads {
		e := &c.reads[i]
		if e.warp == int32(warp) && e.pc == int32(pc) && e.time == now && e.bytes == 15 && e.flags == reads {
			e.lanes |= 1 << lane
			return true
		}
	}
	c.reads = append(c.reads, entry{warp: int32(warp), lanes: 1 << lane, time: now, pc: int32(pc), bytes: 15, flags: reads})
	return true
}

// writeWord is touch for writing a word of which the writer knows everything: false if it was something else.
func (r *races) writeWord(c *cell, warp, lane, pc int) bool {
	know := r.know[warp*lanes+lane]
	if !settled(c.writes, know) || !settled(c.reads, know) {
		return false
	}
	c.seen, c.reads = nil, c.reads[:0]
	c.writes = append(c.writes[:0], entry{warp: int32(warp), lanes: 1 << lane, time: r.time[warp], pc: int32(pc), bytes: 15, flags: writes})
	return true
}

// against looks for a race between an access and earlier ones.
func (r *races) against(w *warp, thread int, earlier []entry, mine *entry, at uint32) {
	for i := range earlier {
		e := &earlier[i]
		if e.bytes&mine.bytes == 0 || r.atomicForBoth(e, mine) || r.before(e, thread) {
			continue
		}
		if e.warp == mine.warp && e.pc == mine.pc && e.time == mine.time && mine.flags&writes != 0 && e.flags&writes != 0 {
			r.clash = true
			continue
		}
		r.report(w, thread%lanes, mine.flags, e, at, "nothing orders them")
		return
	}
}

// atomicForBoth reports whether two accesses are of a kind that does not race, for the threads of both.
func (r *races) atomicForBoth(a, b *entry) bool {
	per := int32(len(r.c.blocks[0].warps))
	return a.flags&b.flags&shares != 0 && ((a.flags|b.flags)&within == 0 || a.warp/per == b.warp/per)
}

// record adds an access to a list. What came before it and touched no other bytes is no longer needed.
func (r *races) record(list []entry, mine entry, thread int) []entry {
	const many = 8
	for i := range list {
		e := &list[i]
		if e.warp == mine.warp && e.time == mine.time && e.pc == mine.pc && e.bytes == mine.bytes && e.flags == mine.flags {
			e.lanes |= mine.lanes
			return list
		}
	}
	if mine.flags&writes != 0 || len(list) >= many {
		list = slices.DeleteFunc(list, func(e entry) bool { return e.bytes&^mine.bytes == 0 && r.before(&e, thread) })
	}
	return append(list, mine)
}

// covered drops the reads that a write comes after.
func covered(reads []entry, written uint8) []entry {
	if len(reads) == 0 {
		return reads
	}
	return slices.DeleteFunc(reads, func(e entry) bool { return e.bytes&^written == 0 })
}

// report makes a race a mistake of the present instruction.
func (r *races) report(w *warp, lane int, how access, e *entry, at uint32, why string) {
	other, where := r.who(e, r.thread(w, lane))
	w.fault(lane, "data race in %s: this %s, and the %s%s at %v: %s",
		r.place(at), verb(how, false), verb(e.flags, e.async || e.time == pending), other, where, why)
}

// who describes a thread of an entry that another thread does not know of, and the instruction.
func (r *races) who(e *entry, thread int) (string, fmt.Stringer) {
	per := len(r.c.blocks[0].warps)
	lane := bits.TrailingZeros32(e.lanes)
	for k := e.lanes; k != 0; k &= k - 1 {
		one := entry{warp: e.warp, lanes: 1 << bits.TrailingZeros32(k), time: e.time}
		if !r.before(&one, thread) {
			lane = bits.TrailingZeros32(k)
			break
		}
	}
	pos := r.c.run.fn.code[e.pc].src.Pos
	if int(e.warp) >= per*len(r.c.blocks) {
		return "", pos
	}
	b := r.c.blocks[int(e.warp)/per]
	who := " by thread " + triple(b.warps[int(e.warp)%per].thread(lane))
	if len(r.c.blocks) > 1 {
		who = " by block " + triple(b.id) + "," + strings.TrimPrefix(who, " by")
	}
	return who, pos
}

// sameValue is for lanes that write to one address in one instruction: they must write the same value.
func (r *races) sameValue(w *warp, lane int, data []byte, src []int, size int) {
	r.clash = false
	for k, v := range src {
		if x := cut(w.v[v][lane], 8*size); little(data[k*size:(k+1)*size]) != x {
			w.fault(lane, "data race: lanes of one %s write different values to the same address", w.op())
			return
		}
	}
}
