package emu

import (
	"slices"
	"strings"
)

// spot is a location that threads share on purpose, such as a flag or a counter, for the threads of one block of the cluster, or of
// all.
type spot struct {
	place uint64
	block int // by rank: everyBlock for all
}

const everyBlock = -1

// fenced is what the fences of a thread do for its relaxed accesses. One that comes after a fence publishes what the thread knew and
// did until then; what one has read comes before everything that follows the next fence. The scopes of both must have the other
// thread.
type fenced struct {
	released, releasedNearby *clock // at the last fence: of any scope, and of one wider than the block
	releasedAll              bool   // there was a fence for all threads
	read, readNearby         *clock // since the last such fence
	readAll                  []flag
	last                     [2]*clock // that were read: threads that wait read the same again and again
}

// fresh gives a clock unless it is the one that was read last.
func (f *fenced) fresh(c *clock, which int) *clock {
	if c == f.last[which] {
		return nil
	}
	f.last[which] = c
	return c
}

// isFence reports whether an instruction orders memory accesses of a thread.
func isFence(op string) bool {
	return strings.HasPrefix(op, "membar.") || strings.HasPrefix(op, "fence.") && !strings.Contains(op, "proxy") && !strings.Contains(op, "mbarrier")
}

// syncAt orders accesses through a location: those of a release by those of an acquire.
func (r *races) syncAt(w *warp, lane int, place uint64, how access) {
	own, all := spot{place, w.block.rank}, spot{place, everyBlock}
	wide := how&within == 0 && len(r.c.blocks) > 1
	if how&later != 0 {
		if r.fences != nil {
			r.relaxed(&r.fences[r.thread(w, lane)], own, all, how, wide)
		}
		return
	}
	before := r.places[own]
	if how&reads != 0 {
		known := before
		if wide {
			known = join(r.places[all], known)
		}
		if known != nil {
			r.acquire(w, 1<<lane, known)
		}
	}
	if how&writes != 0 {
		c := r.release(member{w: w, lanes: 1 << lane})
		r.places[own] = join(c, before)
		if wide {
			r.places[all] = join(c, r.places[all])
		}
	}
}

// relaxed is syncAt for an access that orders nothing without fences.
func (r *races) relaxed(f *fenced, own, all spot, how access, wide bool) {
	if how&reads != 0 {
		f.read = join(f.fresh(r.places[own], 0), f.read)
		if wide {
			f.readNearby = join(f.fresh(r.places[all], 1), f.readNearby)
		}
	}
	if how&writes != 0 {
		if f.released != nil {
			r.places[own] = join(f.released, r.places[own])
		}
		if wide && f.releasedNearby != nil {
			r.places[all] = join(f.releasedNearby, r.places[all])
		}
	}
}

// relaxedGrid is relaxed among the clusters, for an access that is for all threads.
func (r *races) relaxedGrid(thread int, at flag, how access) {
	if r.fences == nil {
		return
	}
	f := &r.fences[thread]
	if how&writes != 0 && f.releasedAll {
		r.releaseGrid(at)
	}
	if how&reads != 0 && !slices.Contains(f.readAll, at) {
		f.readAll = append(f.readAll, at)
	}
}

// fence is a fence of lanes for the threads of a scope.
func (r *races) fence(w *warp, m uint32, scope access) {
	for ; m != 0; m &= m - 1 {
		lane := first(m)
		f := &r.fences[r.thread(w, lane)]
		known := f.read
		f.read = nil
		if scope != within {
			known = join(f.readNearby, known)
			f.readNearby = nil
		}
		if known != nil {
			r.acquire(w, 1<<lane, known)
		}
		f.released = r.release(member{w: w, lanes: 1 << lane})
		if scope != within {
			f.releasedNearby = f.released
		}
		if scope == 0 {
			f.releasedAll = true
			r.flags = append(r.flags, f.readAll...)
			f.readAll = nil
		}
	}
}
