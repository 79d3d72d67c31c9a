package emu

// tensorOps are the decoders of tcgen05, by the word after it.
var tensorOps = map[string]func(d *decoder) exec{
	"alloc": tensorAlloc, "dealloc": tensorDealloc, "relinquish_alloc_permit": tensorRelinquish,
	"ld": tensorLoad, "st": tensorStore, "wait::ld": tensorWait("ld"), "wait::st": tensorWait("st"),
	"cp": tensorCopy, "shift": tensorShift, "mma": tensorMultiply, "commit": tensorCommit,
	"fence::before_thread_sync": tensorFence, "fence::after_thread_sync": tensorFence,
}

// tcgen05 decodes the instructions of tensor memory, the memory of the tensor cores of sm_100.
//
// What they do in tensor memory they do later: multiplications, copies and shifts when the mbarrier of a commit completes,
// stores when their warp waits. Until then nobody may touch the same words, but for operations that are done in order. The
// values of loads are in the registers at once, since their uses wait for them; the words are read until the warp waits.
func tcgen05(d *decoder) exec {
	d.tensor = true
	if len(d.mods) == 0 || tensorOps[d.mods[0]] == nil {
		return nil
	}
	what := d.mods[0]
	d.has(what)
	return tensorOps[what](d)
}

// pair takes the cta_group, and reports whether it is one of two blocks. All of a kernel are the same.
func (d *decoder) pair() bool {
	group := 1
	if d.oneOf("cta_group::1", "cta_group::2") == "cta_group::2" {
		group = 2
	}
	if d.group != 0 && d.group != group {
		d.fail("all tcgen05 instructions of a kernel have the same cta_group; another one has cta_group::%d", d.group)
	}
	d.group = group
	return group == 2
}

// whole is for instructions that all lanes of a warp execute together.
func (d *decoder) whole(do exec) exec {
	if !d.has("sync") || !d.has("aligned") {
		return nil
	}
	return func(w *warp, m uint32) {
		if m, ok := w.gather(m, full); ok {
			do(w, m)
		}
	}
}

// same gives the value of an operand that all lanes have in common.
func (w *warp) same(what string, at func(lane int) uint64) uint64 {
	x := at(0)
	for l := range lanes {
		if at(l) != x {
			w.fault(l, "%s: lanes of one warp have different %s: 0x%x, and 0x%x in lane 0", w.op(), what, at(l), x)
			break
		}
	}
	return x
}

// peers gives the blocks that an operation of a thread works in: its own, or the even and the odd one of its pair. They are
// nil after a mistake.
func (w *warp) peers(pair bool, lane int) []*block {
	if !pair {
		return []*block{w.block}
	}
	all, even := w.block.cluster.blocks, w.block.rank&^1
	if even+1 >= len(all) {
		w.fault(lane, "%s needs a pair of blocks; the cluster has %d", w.op(), len(all))
		return nil
	}
	for _, b := range all[even : even+2] {
		if b != w.block && b.live == 0 {
			w.fault(lane, "%s: the other block of the pair, %s, has ended", w.op(), triple(b.id))
			return nil
		}
	}
	return all[even : even+2]
}

// tensorFence decodes the fences: before_thread_sync lets others know of what was done in tensor memory, and
// after_thread_sync orders what comes after what is known.
func tensorFence(d *decoder) exec {
	before := d.in.Op == "tcgen05.fence::before_thread_sync"
	return func(w *warp, m uint32) {
		r := w.block.cluster.races
		switch {
		case r == nil:
		case before:
			r.tensorBefore(w, m)
		default:
			r.tensorAfter(w, m)
		}
	}
}
