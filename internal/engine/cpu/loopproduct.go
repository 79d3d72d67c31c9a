package cpu

import (
	"math"
	"unsafe"

	"github.com/cutile-go/cutile/internal/native/gemm"
	"github.com/cutile-go/cutile/tileir"
)

// loopProduct is a loop that only adds products of two tiles, which it loads and which move on evenly: its iterations are
// one product of long factors in memory. Blocks of a launch share the packed factors.
//
// It does the iterations, from the first one on, whose tiles lie in memory and inside their tensors, but for rows of the first factor and
// columns of the second one at the end (loopedge.go). The loop itself does the others, so that faults and padding are what they always are.
type loopProduct struct {
	machine gemm.Target
	spec    gemm.ProductSpec // of one iteration, without layouts
	factors [2]loopFactor
	iv      slot
	ivSize  int
	acc     slot
	zero    bool    // the sums begin with zeros, and the loop carries no other tile
	same    program // computes what all iterations need to know which tiles the factors are
	each    program // and what one iteration needs
	store   *access // of the result, which is all that becomes of it; nil if that is not so
}

// loopFactor is a factor of a loopProduct: what loads a tile of it, and what is known of that: see [evenFactor].
type loopFactor struct {
	*access
	row, k int
	proved bool
}

// newLoopProduct prepares a loop; nil if it is no product, or one that there is no machine code for.
func (c *compiler) newLoopProduct(op *tileir.Op) (*loopProduct, error) {
	p := c.products.loops[op]
	if p == nil {
		return nil, nil
	}
	kind, ok := c.device.kind(factorsOf(p.Op))
	acc := op.Regions[0].Args[1+p.Carried]
	if !ok || tileType(acc).Elem.Bytes() != kind.Acc() {
		delete(c.products.loops, op)
		return nil, nil
	}
	l := &loopProduct{
		machine: gemm.Target{Level: c.device.target.Level, Features: c.device.target.Features, Flush: c.device.flush},
		spec:    gemm.ProductSpec{Kind: kind, M: p.Size[1], N: p.Size[2], K: p.Size[3], Shared: true},
		iv:      c.off(op.Regions[0].Args[0]), ivSize: tileType(op.Regions[0].Args[0]).Elem.Bytes(), acc: c.off(acc),
		zero: p.Zero && onlyTile(op.Regions[0].Args[1:]),
	}
	var err error
	if l.same, l.each, err = c.loopIndex(&p.index); err != nil {
		return nil, err
	}
	for i := range p.Factors {
		load := p.Factors[i].Load.Op
		a, err := c.newLoadAt(load, p.index.copies(load.Operands[:1])[0], p.index.copies(load.Group(1)))
		if err != nil {
			return nil, err
		}
		l.factors[i] = loopFactor{access: a, row: p.factors[i].row, k: p.factors[i].k, proved: p.factors[i].proved}
		c.products.reads = append(c.products.reads, p.factors[i].params...)
	}
	l.store = c.storeBehind(op, op.Results[p.Carried])
	if c.products.made++; c.products.prepared == nil {
		c.products.prepared = new(gemm.Prepared)
	}
	c.notes.loop(p.Product, l.store)
	return l, nil
}

// onlyTile reports whether values are one tile, and tokens.
func onlyTile(vs []*tileir.Value) bool {
	tiles := 0
	for _, v := range vs {
		if _, token := v.Type.(tileir.TokenType); !token {
			tiles++
		}
	}
	return tiles == 1
}

// run does iterations from the first one on and gives how many it did: none where the blocks of the launch cannot share
// factors, or where not even the first tile lies inside.
func (l *loopProduct) run(f *frame, first, step int64, trips uint64) uint64 {
	if l.same.run(f) != sigNext {
		f.fault = nil
		return 0
	}
	spec := l.spec
	var at [2]ptr
	n := trips
	for i := range l.factors {
		fac := &l.factors[i]
		m := fac.reach(f, l, first, step, n)
		if m.turns == 0 {
			return 0
		}
		n, at[i] = min(n, m.turns), m.at
		if i == 0 {
			spec.A, spec.M = m.layout, m.rows
		} else {
			spec.B, spec.N = m.layout, m.rows
		}
	}
	spec.K *= int(n)
	arena := gemm.Sums{At: unsafe.Add(f.mem, l.acc), Row: l.spec.N * spec.Kind.Acc()}
	to, from, inMemory := arena, arena, false
	if l.zero {
		from = gemm.Sums{}
	}
	if n == trips {
		to, inMemory = l.target(f, arena, spec.M, spec.N)
	}
	inside := corner{spec: spec, at: at}
	err := inside.prepare(f, l)
	if err != nil {
		return 0
	}
	var corners [3]corner
	outside := corners[:0]
	if !inMemory {
		if outside, err = l.outside(f, spec, at, outside); err != nil {
			return 0
		}
	}
	inside.multiply(f, to, from)
	for i := range outside {
		outside[i].fill(f, l, arena)
	}
	f.stored = inMemory
	return n
}

// mostBlock limits the rows and columns of a product that are computed at once, so that what they need of the factors stays in
// the second cache.
const mostBlock = 256

// reached is where a factor lies: its first element, its layout, the rows (of the second factor, columns) that lie inside, and in how
// many iterations that is so.
type reached struct {
	at     ptr
	layout gemm.Layout
	rows   int
	turns  uint64
}

// reach tells in how many of at most n iterations a factor's tile is inside its tensor and in memory, and where. Tiles that are not proved to
// follow one another do so if the second one and the last one do: see [evenness].
func (fac *loopFactor) reach(f *frame, l *loopProduct, first, step int64, n uint64) (none reached) {
	var r region
	if !fac.look(f, l, first, &r) {
		return none
	}
	base := unsafe.Add(r.memory, (r.zero+fac.firstElement(&r))*fac.size)
	extent := *at[int64](f, fac.view+slot(8+8*fac.axes[fac.k].Dim))
	inside := min(n, uint64((extent-r.start[fac.k])/int64(fac.tile[fac.k])))
	if inside > math.MaxInt32 {
		return none
	}
	out := reached{at: base, layout: gemm.Layout{Col: r.stride[fac.k] * fac.size}, rows: 1, turns: inside}
	if fac.row >= 0 {
		out.rows = r.hi[fac.row]
		out.layout.Row = r.stride[fac.row] * fac.size
	}
	if !fac.proved && inside > 2 && !fac.follows(f, l, first+step, 1, &r) || !fac.follows(f, l, first+int64(inside-1)*step, int64(inside-1), &r) {
		return none
	}
	if fac == &l.factors[1] {
		out.layout.Row, out.layout.Col = out.layout.Col, out.layout.Row
	}
	return out
}

// follows reports whether the tile of an iteration is in memory, so many tiles behind the first one.
func (fac *loopFactor) follows(f *frame, l *loopProduct, iteration, tiles int64, first *region) bool {
	var r region
	return fac.look(f, l, iteration, &r) && r.start[fac.k]-first.start[fac.k] == tiles*int64(fac.tile[fac.k]) &&
		(fac.row < 0 || r.hi[fac.row] == first.hi[fac.row])
}

// look finds the region of the tile of an iteration. It reports false if more than its last rows are outside, or if it is not in memory; the
// loop then tells why.
func (fac *loopFactor) look(f *frame, l *loopProduct, iteration int64, r *region) bool {
	writeInt(f, l.iv, l.ivSize, iteration)
	ok := l.each.run(f) == sigNext && fac.find(f, r)
	f.fault = nil
	return ok && !r.empty && (r.whole || fac.ends(r))
}

// firstElement is where a tile begins, from the element with index zero on.
func (a *access) firstElement(r *region) (n int) {
	for i := range a.tile {
		n += int(r.start[i]) * r.stride[i]
	}
	return n
}

// panelBytes is the most memory that a launch takes for the packed factors of its products. What does not fit is packed by
// each block anew.
const panelBytes = 256 << 20

// sharePanels makes the memory for packed factors, if the launch has products whose factors nobody writes.
func (j *job) sharePanels() {
	k := j.kernel
	if k.products.made == 0 || j.watch != nil {
		return
	}
	for _, r := range k.products.reads {
		for _, w := range k.products.writes {
			if j.args[r]>>offsetBits == j.args[w]>>offsetBits {
				return
			}
		}
	}
	j.panels = k.products.prepared.Cache(panelBytes)
	for _, r := range k.products.reads {
		if b := k.device.table.find(j.args[r]); b != nil {
			if packed := b.packed.Load(); packed != nil {
				j.panels.Fix(unsafe.Pointer(b.data), int(b.size), packed)
			}
		}
	}
}

// releasePanels gives the memory back when the launch has ended.
func (j *job) releasePanels() {
	if j.panels != nil {
		j.panels.Release()
		j.panels = nil
	}
}
