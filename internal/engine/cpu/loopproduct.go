package cpu

import (
	"math"
	"slices"
	"unsafe"

	facts "github.com/cutile-go/cutile/internal/access"
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
	zero    bool    // the sums begin with zeros, and the loop carries nothing else
	store   *access // of the result, which is all that becomes of it; nil if that is not so
}

// loopFactor is a factor of a loopProduct: what loads a tile of it, and which dimensions of that tile are its rows (of the
// second factor, its columns) and k. A factor of one row, or a tile of one element along k, may lack a dimension: -1.
type loopFactor struct {
	*access
	row, k int
}

// loopProducts are the loops of an entry that are products, if what the entry writes is apart from what they read.
type loopProducts struct {
	loops         map[*tileir.Op]*facts.Product
	stores        map[*tileir.Op]*tileir.Op // behind a loop: the operation that stores its result
	reads, writes []int                     // parameters: the memory of the first ones must be apart from that of the others
	made          int                       // loops with machine code
	prepared      *gemm.Prepared            // what their products have in common
}

// findLoopProducts finds the loops of an entry that are products. There are none where the entry writes memory that no
// parameter is the address of. order gives the operations of a block in the order in which they run.
func findLoopProducts(e *tileir.Entry, order func(*tileir.Block) []*tileir.Op) (out loopProducts) {
	info := facts.Analyse(e, facts.Facts{Apart: func(p, q int) bool { return p != q }})
	for _, a := range info.Accesses() {
		if !a.Writes {
			continue
		}
		i := slices.Index(e.Params, a.Base)
		if i < 0 {
			return loopProducts{}
		}
		out.writes = append(out.writes, i)
	}
	out.loops, out.stores = map[*tileir.Op]*facts.Product{}, map[*tileir.Op]*tileir.Op{}
	for _, p := range info.Products() {
		if bases, ok := basesOf(e, p); ok {
			out.loops[p.Loop] = p
			out.reads = append(out.reads, bases...)
		}
	}
	if len(out.loops) > 0 {
		out.findStores(e.Body, order)
	}
	return out
}

// basesOf gives the parameters that the factors of a product are read through, if the product is all that its loop does.
func basesOf(e *tileir.Entry, p *facts.Product) (bases []int, ok bool) {
	if p.Why != "" || p.Loop == nil || p.Others != nil || len(p.Factors) != 2 || p.Size[0] != 1 {
		return nil, false
	}
	for i := range p.Factors {
		f := &p.Factors[i]
		if !f.Joined || f.Via != nil || f.Load.Op.Info.Opcode != tileir.OpLoadViewTko {
			return nil, false
		}
		base := slices.Index(e.Params, f.Load.Base)
		if base < 0 {
			return nil, false
		}
		bases = append(bases, base)
	}
	return bases, true
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
		return nil, nil
	}
	l := &loopProduct{
		machine: gemm.Target{Level: c.device.target.Level, Features: c.device.target.Features, Flush: c.device.flush},
		spec:    gemm.ProductSpec{Kind: kind, M: p.Size[1], N: p.Size[2], K: p.Size[3], Shared: true},
		iv:      c.off(op.Regions[0].Args[0]), ivSize: tileType(op.Regions[0].Args[0]).Elem.Bytes(), acc: c.off(acc),
		zero: p.Zero && len(op.Regions[0].Args) == 2,
	}
	for i := range p.Factors {
		f := &p.Factors[i]
		if !indexedOutside(f.Load.Op, op) {
			return nil, nil
		}
		a, err := c.newLoad(f.Load.Op)
		if err != nil {
			return nil, err
		}
		if l.factors[i], ok = newLoopFactor(a, f, i); !ok {
			return nil, nil
		}
	}
	l.store = c.storeBehind(op, op.Results[p.Carried])
	if c.products.made++; c.products.prepared == nil {
		c.products.prepared = new(gemm.Prepared)
	}
	c.notes.loop(p, l.store)
	return l, nil
}

// indexedOutside reports whether all that tells where a load's tile is comes from outside the loop, but for the counter.
func indexedOutside(load, loop *tileir.Op) bool {
	inside := map[*tileir.Op]bool{}
	for o := range loop.Regions[0].All() {
		inside[o] = true
	}
	for _, v := range load.Operands {
		if _, token := v.Type.(tileir.TokenType); token || v == loop.Regions[0].Args[0] {
			continue
		}
		if v.Def != nil && inside[v.Def] || slices.Contains(loop.Regions[0].Args, v) {
			return false
		}
	}
	return true
}

// newLoopFactor finds the dimensions of a tile that are rows and k.
func newLoopFactor(a *access, f *facts.Factor, number int) (loopFactor, bool) {
	shape := tileType(f.Value).Shape
	steps, ok := f.From.Strides(shape)
	if !ok || len(f.From.When) > 0 || a.sparse >= 0 || a.halves {
		return loopFactor{}, false
	}
	r := len(shape)
	row, k := r-2, r-1
	if number == 1 {
		row, k = k, row
	}
	out := loopFactor{access: a}
	out.row, ok = a.dimension(steps[row], shape[row])
	if !ok {
		return loopFactor{}, false
	}
	out.k, ok = a.dimension(steps[k], shape[k])
	return out, ok && out.k >= 0
}

// dimension finds the dimension of a load's tile with so many elements at a distance in the tile, before any permutation; -1 for
// a single element.
func (a *access) dimension(step, n int) (int, bool) {
	if n == 1 {
		return -1, true
	}
	for i, s := range rowMajor(a.tile) {
		if s == step && a.tile[i] == n {
			return i, true
		}
	}
	return 0, false
}

// run does iterations from the first one on and gives how many it did: none where the blocks of the launch cannot share
// factors, or where not even the first tile lies inside.
func (l *loopProduct) run(f *frame, first, step int64, trips uint64) uint64 {
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

// reach tells in how many of at most n iterations a factor's tile is inside its tensor and in memory, and where.
func (fac *loopFactor) reach(f *frame, l *loopProduct, first, step int64, n uint64) (none reached) {
	var r region
	writeInt(f, l.iv, l.ivSize, first)
	if !fac.look(f, &r) {
		return none
	}
	base := unsafe.Add(r.memory, (r.zero+fac.firstElement(&r))*fac.size)
	extent := *at[int64](f, fac.view+slot(8+8*fac.axes[fac.k].Dim))
	inside := min(n, uint64((extent-r.start[fac.k])/int64(fac.tile[fac.k])))
	if inside > math.MaxInt32 {
		return none
	}
	var last region
	writeInt(f, l.iv, l.ivSize, first+int64(inside-1)*step)
	if !fac.look(f, &last) || last.start[fac.k]-r.start[fac.k] != int64(inside-1)*int64(fac.tile[fac.k]) {
		return none
	}
	out := reached{at: base, layout: gemm.Layout{Col: r.stride[fac.k] * fac.size}, rows: 1, turns: inside}
	if fac.row >= 0 {
		if out.rows = r.hi[fac.row]; last.hi[fac.row] != out.rows {
			return none
		}
		out.layout.Row = r.stride[fac.row] * fac.size
	}
	if fac == &l.factors[1] {
		out.layout.Row, out.layout.Col = out.layout.Col, out.layout.Row
	}
	return out
}

// look finds the region of a tile. It reports false if more than its last rows are outside, or if it is not in memory; the loop then
// tells why.
func (fac *loopFactor) look(f *frame, r *region) bool {
	ok := fac.find(f, r)
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
