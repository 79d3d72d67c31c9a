package emu

import (
	"math/bits"
	"slices"
)

// comparisons says for each order of two numbers (less, equal, greater, not comparable) whether a comparison holds.
var comparisons = map[string][4]bool{
	"eq": {1: true}, "ne": {0: true, 2: true}, "lt": {0: true}, "le": {0: true, 1: true}, "gt": {2: true}, "ge": {1: true, 2: true},
	"lo": {0: true}, "ls": {0: true, 1: true}, "hi": {2: true}, "hs": {1: true, 2: true},
	"equ": {1: true, 3: true}, "neu": {0: true, 2: true, 3: true}, "ltu": {0: true, 3: true}, "leu": {0: true, 1: true, 3: true},
	"gtu": {2: true, 3: true}, "geu": {1: true, 2: true, 3: true}, "num": {0: true, 1: true, 2: true}, "nan": {3: true},
}

var comparisonNames = func() (names []string) {
	for name := range comparisons {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}()

// compare is a comparison of two numbers of a type.
func (d *decoder) compare(t typ, ftz bool) func(x, y uint64) bool {
	name := d.oneOf(comparisonNames...)
	holds, ok := comparisons[name]
	if !ok {
		d.fail("the comparison is missing")
	}
	if t.kind != 'f' {
		return func(x, y uint64) bool { return holds[order(t, x, y)+1] }
	}
	ft := floatTypes[t.name]
	if ft == nil {
		d.fail("%s has no comparisons", t.name)
	}
	s := style{ftz: ftz}
	return func(x, y uint64) bool {
		a, b := ft.value(s.in(ft, x)), ft.value(s.in(ft, y))
		switch {
		case a < b:
			return holds[0]
		case a == b:
			return holds[1]
		case a > b:
			return holds[2]
		}
		return holds[3]
	}
}

// fastCompare compares integers of all lanes: nil if there is nothing faster.
func fastCompare(name string, t typ) func(a, b *vec) uint32 {
	if t.kind == 'f' || t.bits < 32 {
		return nil
	}
	var flip uint64 // makes signed numbers ordered as unsigned ones
	if t.kind == 's' {
		flip = 1 << (t.bits - 1)
	}
	less := func(a, b *vec) (r uint32) {
		for i := range a {
			if a[i]^flip < b[i]^flip {
				r |= 1 << i
			}
		}
		return r
	}
	equal := func(a, b *vec) (r uint32) {
		for i := range a {
			if a[i] == b[i] {
				r |= 1 << i
			}
		}
		return r
	}
	switch name {
	case "eq":
		return equal
	case "ne":
		return func(a, b *vec) uint32 { return ^equal(a, b) }
	case "lt", "lo":
		return less
	case "ge", "hs":
		return func(a, b *vec) uint32 { return ^less(a, b) }
	case "gt", "hi":
		return func(a, b *vec) uint32 { return less(b, a) }
	case "le", "ls":
		return func(a, b *vec) uint32 { return ^less(b, a) }
	}
	return nil
}

// combiners join a comparison and a predicate.
var combiners = map[string]func(x, y uint32) uint32{
	"and": func(x, y uint32) uint32 { return x & y },
	"or":  func(x, y uint32) uint32 { return x | y },
	"xor": func(x, y uint32) uint32 { return x ^ y },
}

// setp decodes comparisons whose results are predicates: one, or two of which the second is the opposite; for pairs of
// numbers one for each half.
func setp(d *decoder) exec {
	t := d.typ()
	e, pair := t.pair()
	combine := combiners[d.oneOf("and", "or", "xor")]
	var fast func(a, b *vec) uint32
	if len(d.mods) > 0 {
		fast = fastCompare(d.mods[0], t)
	}
	f := d.compare(e, d.has("ftz"))
	p, q, n := d.pdst(0), 0, 1
	if len(d.in.Dst) == 2 {
		q, n = d.pdst(1), 2
	}
	a, b := d.src(n, t.bits), d.src(n+1, t.bits)
	c := truth{}
	if combine != nil {
		c = d.psrc(n + 2)
	}
	return func(w *warp, m uint32) {
		va, vb := &w.v[a], &w.v[b]
		var r, second uint32
		if fast != nil {
			r = fast(va, vb)
		} else {
			for k := m; k != 0; k &= k - 1 {
				i := bits.TrailingZeros32(k)
				if f(cut(va[i], e.bits), cut(vb[i], e.bits)) {
					r |= 1 << i
				}
				if pair && f(va[i]>>e.bits, vb[i]>>e.bits) {
					second |= 1 << i
				}
			}
		}
		if !pair {
			second = ^r
		}
		if combine != nil {
			r, second = combine(r, c.get(w)), combine(second, c.get(w))
		}
		w.p[p] = w.p[p]&^m | r&m
		if n == 2 {
			w.p[q] = w.p[q]&^m | second&m
		}
	}
}

// set decodes comparisons whose results are numbers: all ones, or 1.0.
func set(d *decoder) exec {
	t := d.typ()
	e, pair := t.pair()
	result := d.typ()
	combine := combiners[d.oneOf("and", "or", "xor")]
	f := d.compare(e, d.has("ftz"))
	yes := cut(^uint64(0), result.bits)
	if result.kind == 'f' {
		re, _ := result.pair()
		ft := floatTypes[re.name]
		if ft == nil {
			return nil
		}
		yes = ft.result(1, nearest)
	} else if pair {
		yes = cut(yes, 16)
	}
	dst, a, b := d.dst(0), d.src(1, t.bits), d.src(2, t.bits)
	c := truth{}
	if combine != nil {
		c = d.psrc(3)
	}
	one := func(w *warp, i int, x, y uint64) uint64 {
		r := uint32(b2u(f(x, y)))
		if combine != nil {
			r = combine(r, c.get(w)>>i&1)
		}
		return yes * uint64(r)
	}
	return func(w *warp, m uint32) {
		w.each(m, func(i int) {
			x, y := w.v[a][i], w.v[b][i]
			if pair {
				w.v[dst][i] = one(w, i, x&0xffff, y&0xffff) | one(w, i, x>>16&0xffff, y>>16&0xffff)<<16
			} else {
				w.v[dst][i] = one(w, i, x, y)
			}
		})
	}
}

// selp chooses one of two values by a predicate.
func selp(d *decoder) exec {
	t := d.typ()
	if t.kind == 'p' {
		return nil
	}
	dst, a, b, c := d.dst(0), d.src(1, t.bits), d.src(2, t.bits), d.psrc(3)
	return func(w *warp, m uint32) {
		vd, va, vb, p := &w.v[dst], &w.v[a], &w.v[b], c.get(w)
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & (lanes - 1)
			if p>>i&1 == 1 {
				vd[i] = va[i]
			} else {
				vd[i] = vb[i]
			}
		}
	}
}
