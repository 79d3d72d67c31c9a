package emu

import (
	"maps"
	"slices"
)

// shown reports whether the async proxy sees the writes of a word of global memory that come before its access: other instructions'
// only behind a fence.proxy.async, those of its own when they are done. What threads have read it may overwrite, see [races.toAsync].
func (r *races) shown(w *warp, thread int, c *cell, mine *entry, at uint32) bool {
	for i := range c.writes {
		e := &c.writes[i]
		if e.async || e.bytes&mine.bytes == 0 || r.atomicForBoth(e, mine) || !r.before(e, thread) || r.fenced(e, thread, global) {
			continue
		}
		r.report(w, thread%lanes, mine.flags, e, at, unshown(mine.flags))
		return false
	}
	return true
}

// unshown says what is wrong where a fence of the async proxy is missing.
func unshown(how access) string {
	return "the async proxy " + verb(how, false) + "s it, and there is no fence.proxy.async between them"
}

// visible is what a cluster knows of others, and of itself: by cluster, the time up to which their writes to global memory come before,
// and the time up to which the async proxy sees them, too. As in [gridRaces], a cluster's threads are taken as one.
type visible struct {
	own          int
	time         uint32
	known, shown map[int]uint32
}

func newVisible(cluster int) *visible {
	return &visible{own: cluster, time: 1, known: map[int]uint32{}, shown: map[int]uint32{}}
}

// acquire takes over what was published; it may be nil.
func (v *visible) acquire(from *visible) {
	if from != nil {
		latest(v.known, from.known)
		latest(v.shown, from.shown)
	}
}

// release gives what a place publishes that has published something before, or nil.
func (v *visible) release(before *visible) *visible {
	v.known[v.own] = v.time
	v.time++
	out := &visible{known: maps.Clone(v.known), shown: maps.Clone(v.shown)}
	out.acquire(before)
	return out
}

// fence shows the proxy what the cluster knows.
func (v *visible) fence() {
	v.known[v.own] = v.time
	v.time++
	latest(v.shown, v.known)
}

// latest makes times later where others are.
func latest(to, from map[int]uint32) {
	for k, t := range from {
		to[k] = max(to[k], t)
	}
}

// proxyFenceGrid is proxyFence among the clusters.
func (r *races) proxyFenceGrid() {
	if r.proxy != nil {
		r.c.run.grid.Lock()
		defer r.c.run.grid.Unlock()
		r.acquireFlags()
		r.proxy.fence()
	}
}

// genericWrite is a write to bytes of a word of global memory that the async proxy did not make.
type genericWrite struct {
	cluster int
	time    uint32
	pc      int32
	bytes   uint8
	flags   access
}

// touchProxy is shown among the clusters, for an access that does not race: false after a mistake.
func (r *races) touchProxy(w *warp, lane int, p *mapping, off uint64, n int, how access) bool {
	g := r.c.run.grid
	for at, end := off, off+uint64(n); at < end; at = at&^3 + 4 {
		key, bytes := word{p, at >> 2}, bytesOf(uint32(at&3), uint32(at&3+min(end-at, 4)))
		list := g.generic[key]
		for _, e := range list {
			missing := e.cluster != r.proxy.own && e.bytes&bytes != 0 && r.proxy.known[e.cluster] >= e.time && r.proxy.shown[e.cluster] < e.time
			if how&proxied != 0 && missing && e.flags&how&shares == 0 {
				w.fault(lane, "data race in global memory at %s: this %s, and the write by block %s at %v: %s", r.c.run.at(p, at), verb(how, false),
					triple(r.c.run.firstBlock(e.cluster)), r.c.run.fn.code[e.pc].src.Pos, unshown(how))
				return false
			}
		}
		if how&writes == 0 || len(g.generic) >= maxWords && list == nil {
			continue
		}
		list = slices.DeleteFunc(list, func(e genericWrite) bool { return e.bytes&^bytes == 0 })
		if how&proxied == 0 {
			list = append(list, genericWrite{r.proxy.own, r.proxy.time, int32(w.pc), bytes, how})
		}
		g.generic[key] = list
	}
	return true
}
