package emu

// vectorOf is how many elements a modifier stands for.
var vectorOf = map[string]int{"": 1, "v2": 2, "v4": 4, "v8": 8}

// memoryMods takes the modifiers of ld and st, and gives the space, the type, how many there are, and whether other threads
// may be at the same place.
func (d *decoder) memoryMods() (s space, t typ, n int, how access) {
	t = d.typ()
	if strong := d.oneOf("volatile", "relaxed", "acquire", "release"); strong != "" {
		how = d.sharing(strong)
	}
	s = d.space()
	n = vectorOf[d.oneOf("v2", "v4", "v8")]
	d.ignore("weak", "gpu", "sys", "ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc", "unified")
	for d.prefixed("L1::") != "" || d.prefixed("L2::") != "" {
	}
	return s, t, n, how
}

// sharing is how a strong or atomic operation reaches memory, by its semantics and the scope, which it takes. One that is only
// relaxed orders nothing else by itself.
func (d *decoder) sharing(semantics string) access {
	how := shares | d.scope()
	if semantics != "acquire" && semantics != "release" && semantics != "acq_rel" {
		how |= later
	}
	return d.strong(how)
}

// strong notes whether an access may order what clusters do, see touchGrid.
func (d *decoder) strong(how access) access {
	d.orders = d.orders || how&(within|nearby) == 0 && (how&later == 0 || d.fences)
	return how
}

// scope takes the scope of an operation, as the threads that it is for: 0 for all.
func (d *decoder) scope() access {
	switch {
	case d.has("cta"):
		return within
	case d.has("cluster"):
		return nearby
	}
	return 0
}

// load decodes ld.
func load(d *decoder) exec {
	s, t, n, how := d.memoryMods()
	dst, a := d.dsts(0), d.addr(1)
	if len(dst) != n {
		d.fail("%d results for %d elements", len(dst), n)
		return nil
	}
	if how&shares != 0 && (s == generic || s == global) {
		d.strongLoad = &a
	}
	size := max(t.bits/8, 1)
	var widths []int // of the registers, which a sign fills
	for _, o := range d.vector(0) {
		widths = append(widths, d.width(o))
	}
	slow := func(w *warp, m uint32) {
		w.each(m, func(lane int) {
			addr := a.at(w, lane)
			data := w.memory(s, addr, n*size, lane, reads|how)
			if data == nil {
				return
			}
			if how != 0 {
				l := lockOf(addr)
				l.Lock()
				defer l.Unlock()
			}
			for k, r := range dst {
				x := little(data[k*size : (k+1)*size])
				if t.kind == 's' {
					x = cut(uint64(signed(x, t.bits)), widths[k])
				}
				w.v[r][lane] = x
			}
		})
	}
	if size == 4 && t.kind != 's' && how == 0 {
		switch s {
		case sharedSpace:
			return fastShared(a, dst, slow)
		case global:
			return fastGlobal(a, dst, slow)
		}
	}
	return slow
}

// store decodes st.
func store(d *decoder) exec {
	if d.peek("async") {
		return storeAsync(d)
	}
	s, t, n, how := d.memoryMods()
	a, src := d.addr(0), d.srcs(1, t.bits)
	if len(src) != n {
		d.fail("%d values for %d elements", len(src), n)
		return nil
	}
	size := max(t.bits/8, 1)
	slow := func(w *warp, m uint32) {
		w.each(m, func(lane int) {
			addr := a.at(w, lane)
			data := w.memory(s, addr, n*size, lane, writes|how)
			if data == nil {
				return
			}
			if r := w.block.cluster.races; r != nil && r.clash {
				r.sameValue(w, lane, data, src, size)
			}
			if how != 0 {
				l := lockOf(addr)
				l.Lock()
				defer l.Unlock()
			}
			for k, r := range src {
				putLittle(data[k*size:(k+1)*size], w.v[r][lane])
			}
		})
	}
	if s == sharedSpace && size == 4 && n == 1 && how == 0 {
		return fastSharedStore(a, src[0], slow)
	}
	return slow
}
