package emu

import "github.com/cutile-go/cutile/internal/simt"

func branch(d *decoder) exec {
	d.ignore("uni")
	to := d.label(0)
	return func(w *warp, m uint32) { w.event, w.taken, w.target = branched, m, to }
}

// exit ends threads; ret does so, too, and in a host function sets the results.
func exit(d *decoder) exec {
	d.ignore("uni")
	if d.def.Host && d.in.Op == "ret" {
		return hostReturn(d)
	}
	return func(w *warp, m uint32) {
		w.event, w.taken = ended, m
		w.unfinished(m)
		w.tensorLeft(m)
	}
}

func trap(d *decoder) exec {
	return func(w *warp, m uint32) {
		w.each(m, func(lane int) { w.fault(lane, "trap%s", w.block.cluster.run.withoutWorkspace()) })
	}
}

// sleep decodes nanosleep and the like: other warps have a turn.
func sleep(d *decoder) exec {
	d.mods = nil
	return func(w *warp, m uint32) { w.event = yielded }
}

// assertion decodes the pseudo-instruction assert.
func assertion(d *decoder) exec {
	p, text := d.psrc(0), d.in.Text
	return func(w *warp, m uint32) {
		w.each(m&^p.get(w), func(lane int) { w.fault(lane, "assertion failed: %s", text) })
	}
}

// checked is an assertion of the compiler's, which launches that are not checked trust.
func checked(d *decoder) exec {
	p, text, host := d.psrc(0), d.in.Text, d.def.Host
	return func(w *warp, m uint32) {
		if host || w.block.cluster.run.Races {
			w.each(m&^p.get(w), func(lane int) { w.fault(lane, "%s", text) })
		}
	}
}

// hostReturn gives the results of a host function.
func hostReturn(d *decoder) exec {
	var results []int
	for i, c := range d.def.Result {
		results = append(results, d.result(i, c))
	}
	return func(w *warp, m uint32) {
		for _, r := range results {
			w.block.cluster.run.results = append(w.block.cluster.run.results, w.hostValue(r))
		}
		w.event, w.taken = ended, m
	}
}

// result gives the index of a value of a class: of a predicate the complement of the index.
func (d *decoder) result(i int, c simt.Class) int {
	if c == simt.Pred {
		return ^d.psrc(i).index
	}
	return d.src(i, c.Bits())
}
