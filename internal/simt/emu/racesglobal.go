package emu

import (
	"fmt"

	gridraces "github.com/cutile-go/cutile/internal/emulate/races"
)

// gridRaces looks for races in global memory between the clusters of a launch. What a cluster's threads do is taken as one:
// who acquires knows all that the cluster of the release did before. Races within a cluster are found by its own clocks.
type gridRaces struct {
	*gridraces.Detector
	memories map[*mapping]*gridraces.Memory
	generic  map[word][]genericWrite
	shown    map[flag]*visible
}

func newGridRaces(clusters int, orders bool) *gridRaces {
	return &gridRaces{gridraces.New(int64(clusters), orders, nil), map[*mapping]*gridraces.Memory{}, map[word][]genericWrite{}, map[flag]*visible{}}
}

// flag is a location that a cluster read: it knows what was released there from its next access on.
type flag struct {
	m   *gridraces.Memory
	off int64
}

// maxWords bounds the words of global memory that a cluster's own clocks watch.
const maxWords = 1 << 18

// touchGlobal notes an access of a lane to a buffer, and reports the one that it races with.
func (r *races) touchGlobal(w *warp, lane int, p *mapping, off uint64, n int, how access) {
	r.clash = false
	if how&shares != 0 {
		r.syncAt(w, lane, p.addr+off, how)
	}
	if how&unseen != 0 {
		return
	}
	thread := r.thread(w, lane)
	mine := entry{warp: int32(r.warp(w)), lanes: 1 << lane, time: r.time[r.warp(w)], pc: int32(w.pc), flags: how &^ proxied}
	mine.async = how&proxied != 0
	r.buffer = p
	for at, end := off, off+uint64(n); at < end && w.event != failed; at = at&^3 + 4 {
		key := word{p, at >> 2}
		c := r.globals[key]
		if c == nil {
			if len(r.globals) >= maxWords {
				break
			}
			c = new(cell)
			r.globals[key] = c
		}
		mine.bytes = bytesOf(uint32(at&3), uint32(at&3+min(end-at, 4)))
		if mine.async && !r.shown(w, thread, c, &mine, uint32(at)) {
			break
		}
		r.note(w, thread, c, mine, uint32(at))
	}
	r.buffer = nil
	if w.event != failed {
		r.touchGrid(w, lane, p, off, n, how)
	}
}

// word is a word of a buffer.
type word struct {
	p  *mapping
	at uint64
}

// touchGrid is touchGlobal among the clusters.
func (r *races) touchGrid(w *warp, lane int, p *mapping, off uint64, n int, how access) {
	g := r.c.run.grid
	g.Lock()
	defer g.Unlock()
	m := g.memories[p]
	if m == nil {
		m = g.NewMemory(int64(len(p.data)), 1)
		g.memories[p] = m
	}
	r.acquireFlags()
	kind := gridraces.Read
	if how&writes != 0 {
		kind = gridraces.Write
	}
	wide := how&shares != 0 && how&(within|nearby) == 0
	if wide {
		kind += gridraces.AtomicRead - gridraces.Read
	}
	if with, at, raced := r.cluster.Touch(m, int64(off), int64(n), int32(w.pc), kind); raced {
		r.reportGrid(w, lane, p, how, with, at)
		return
	}
	if r.proxy != nil && !r.touchProxy(w, lane, p, off, n, how) {
		return
	}
	switch at := (flag{m, int64(off)}); {
	case !wide:
	case how&later != 0:
		r.relaxedGrid(r.thread(w, lane), at, how)
	default:
		if how&writes != 0 {
			r.releaseGrid(at)
		}
		if how&reads != 0 {
			r.flags = append(r.flags, at)
		}
	}
}

// reportGrid makes a race between clusters a mistake of the present instruction.
func (r *races) reportGrid(w *warp, lane int, p *mapping, how access, with gridraces.Access, at int64) {
	other := "block " + triple(r.c.run.firstBlock(int(with.Block)))
	if volume(r.c.size) > 1 {
		other = "the cluster of " + other
	}
	how2 := reads
	if with.Kind == gridraces.Write || with.Kind == gridraces.AtomicWrite {
		how2 = writes
	}
	w.fault(lane, "data race in global memory at %s: this %s, and the %s by %s at %v: nothing orders them",
		r.c.run.at(p, uint64(at)), verb(how, false), verb(how2, false), other, r.c.run.fn.code[with.Op].src.Pos)
}

// acquireFlags lets the cluster know what was released at the flags that it has read.
func (r *races) acquireFlags() {
	for _, f := range r.flags {
		r.cluster.Acquire(f.m, f.off)
		if r.proxy != nil {
			r.proxy.acquire(r.c.run.grid.shown[f])
		}
	}
	r.flags = r.flags[:0]
}

// releaseGrid publishes at a flag what the cluster did and knows.
func (r *races) releaseGrid(at flag) {
	r.cluster.Release(at.m, at.off)
	if r.proxy != nil {
		r.c.run.grid.shown[at] = r.proxy.release(r.c.run.grid.shown[at])
	}
}

// firstBlock is the first block of a cluster.
func (r *run) firstBlock(n int) [3]int {
	size := r.clusterSize()
	at := unflat(n, [3]int{r.Grid[0] / size[0], r.Grid[1] / size[1], r.Grid[2] / size[2]})
	for i := range at {
		at[i] *= size[i]
	}
	return at
}

// verb names an access.
func verb(how access, async bool) string {
	s := "read"
	if how&writes != 0 {
		s = "write"
	}
	if async {
		s = "asynchronous " + s
	}
	return s
}

// place names the location of a race: in shared memory, or in a buffer.
func (r *races) place(at uint32) string {
	if r.buffer == nil {
		return fmt.Sprintf("shared memory at 0x%x", at)
	}
	return "global memory at " + r.c.run.at(r.buffer, uint64(at))
}
