package emu

import (
	"math/bits"
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
)

// lookers has what makes the looks of the instructions that access memory, by the text before the first dot. Barriers in
// memory, prefetches and parameters are not counted as traffic.
var lookers = map[string]func(d *decoder) look{
	"ld": lookPlain, "st": lookPlain, "atom": lookPlain, "red": lookPlain,
	"cp": lookCopy, "ldmatrix": lookMatrix, "stmatrix": lookMatrix,
}

// watch completes the counter of an instruction.
func (d *decoder) watch(k *counter) {
	words := strings.Split(k.src.Op, ".")
	d.in, d.mods, d.err = k.src, words[1:], nil
	d.ops = append(append([]simt.Operand(nil), k.src.Dst...), k.src.Src...)
	k.matrix = matrixWorkOf(k.src)
	if make := lookers[words[0]]; make != nil {
		k.look = make(d)
	}
}

// addresses are the operands in memory.
func (d *decoder) addresses() (all []address) {
	for _, o := range d.ops {
		if o.Kind == simt.Address {
			all = append(all, d.addr1(o))
		}
	}
	return all
}

// request is what the lanes of a warp ask for at once: size bytes each.
type request struct {
	size   int
	how    access
	atomic bool
	addrs  [lanes]uint64
}

// lookPlain is for the instructions in which each lane has an address of its own.
func lookPlain(d *decoder) look {
	head, async := strings.SplitN(d.in.Op, ".", 2)[0], d.has("async")
	if d.peek("param") || d.peek("const") {
		return nil
	}
	t, n := d.typ(), map[string]int{"": 1, "v2": 2, "v4": 4, "v8": 8}[d.oneOf("v2", "v4", "v8")]
	s, at := d.space(), d.addresses()
	how := map[string]access{"ld": reads, "st": writes, "atom": reads | writes, "red": reads | writes}[head]
	size := n * max(t.bits/8, 1)
	return func(w *warp, m uint32, c *Count) {
		q := request{size: size, how: how, atomic: head == "atom" || head == "red"}
		for k := m; k != 0; k &= k - 1 {
			l := first(k)
			q.addrs[l] = at[0].at(w, l)
		}
		if async {
			c.Begun += int64(size * bits.OnesCount32(m))
		}
		w.look(s, &q, m, c)
	}
}

// look counts a request in the space that the addresses mean.
func (w *warp) look(s space, q *request, m uint32, c *Count) {
	if s != generic {
		w.lookIn(s, q, m, c)
		return
	}
	var in [paramSpace + 1]uint32
	for k := m; k != 0; k &= k - 1 {
		l := first(k)
		s, q.addrs[l] = spaceOf(q.addrs[l])
		in[s] |= 1 << l
	}
	for s, m := range in {
		if m != 0 {
			w.lookIn(space(s), q, m, c)
		}
	}
}

func (w *warp) lookIn(s space, q *request, m uint32, c *Count) {
	asked := int64(q.size * bits.OnesCount32(m))
	switch s {
	case global:
		w.block.cluster.tally.global(w, q, m, c)
	case local:
		c.Local += asked
	case sharedSpace, clusterSpace:
		for k := m; k != 0; k &= k - 1 {
			if l := first(k); q.addrs[l]>>rankShift != uint64(w.block.rank) {
				m &^= 1 << l
				c.Remote += int64(q.size)
			}
		}
		q.banks(m, &c.Shared)
	}
}

// lookMatrix is for matrices of 8 by 8, whose rows the first lanes name.
func lookMatrix(d *decoder) look {
	n, _, s, _ := d.matrixMods()
	at, how := d.addresses(), reads
	if strings.HasPrefix(d.in.Op, "st") {
		how = writes
	}
	return func(w *warp, _ uint32, c *Count) {
		q, m := request{size: 16, how: how}, uint32(1<<(8*n)-1)
		for l := range 8 * n {
			q.addrs[l] = at[0].at(w, l)
		}
		w.look(s, &q, m, c)
	}
}

// lookCopy is for asynchronous copies.
func lookCopy(d *decoder) look {
	d.has("reduce")
	switch {
	case !d.has("async"), d.peek("commit_group"), d.peek("wait_group"), d.peek("wait_all"), d.peek("mbarrier"):
		return nil
	case !d.has("bulk"):
		return lookThreadCopy(d)
	case d.peek("prefetch"):
		return nil
	case d.peek("tensor"):
		return lookTensor(d)
	}
	return lookBulk(d)
}

// lookThreadCopy is for copies of 4, 8 or 16 bytes of each lane.
func lookThreadCopy(d *decoder) look {
	at, n := d.addresses(), int(d.op(2).Bits)
	have := d.constant(uint64(n))
	if len(d.ops) > 3 {
		have = d.src(3, 32)
	}
	return func(w *warp, m uint32, c *Count) {
		to, from, some := request{size: n, how: writes}, request{size: n, how: reads}, uint32(0)
		for k := m; k != 0; k &= k - 1 {
			l := first(k)
			to.addrs[l], from.addrs[l] = at[0].at(w, l), at[1].at(w, l)
			if w.v[have][l] > 0 {
				some |= 1 << l
			}
		}
		w.look(sharedSpace, &to, m, c)
		w.look(global, &from, some, c)
		c.Begun += int64(n * bits.OnesCount32(m))
	}
}

// lookBulk is for copies of whole pieces of memory.
func lookBulk(d *decoder) look {
	d.ignore("mbarrier::complete_tx::bytes", "bulk_group", "L2::cache_hint", "multicast::cluster")
	to := d.spaceInOrder()
	from := d.spaceInOrder()
	at, size := d.addresses(), d.src(2, 32)
	return func(w *warp, m uint32, c *Count) {
		for k := m; k != 0; k &= k - 1 {
			l := first(k)
			n := int64(uint32(w.v[size][l]))
			w.lookBulk(to, at[0].at(w, l), n, writes, c)
			w.lookBulk(from, at[1].at(w, l), n, reads, c)
		}
	}
}

// lookBulk counts one end of a bulk copy.
func (w *warp) lookBulk(s space, addr uint64, n int64, how access, c *Count) {
	if s == global {
		c.Global.Requests++
		w.block.cluster.tally.piece(w, addr, n, how, c)
		return
	}
	c.Shared.bulk(n)
	if how == writes {
		c.Begun += n
	}
}

// bulk counts a copy of n bytes, which has no conflicts.
func (s *Shared) bulk(n int64) {
	const banks = 128
	s.Requests++
	s.Asked += n
	s.Wavefronts += (n + banks - 1) / banks
	s.Ideal += (n + banks - 1) / banks
}

// lookTensor is for boxes of tensors. What a multicast writes is counted once.
func lookTensor(d *decoder) look {
	d.has("tensor")
	rank := int(d.prefixedDigit())
	in := d.spaceInOrder() != global
	tmap, coords, how := 0, 1, writes
	if in {
		tmap, coords, how = 1, 2, reads
	}
	at := d.addr(tmap)
	index := d.srcs(coords, 32)
	return func(w *warp, m uint32, c *Count) {
		w.each(m, func(l int) {
			x := w.newBox(at.at(w, l), index, rank, l, reads|unseen)
			if x == nil {
				return
			}
			n := int64(x.bytes())
			c.Shared.bulk(n)
			c.Global.Requests++
			if in {
				c.Begun += n
			}
			x.rows(func(addr uint64, n int64) { w.block.cluster.tally.piece(w, addr, n, how, c) })
		})
	}
}
