package cpu

import (
	"slices"

	facts "github.com/cutile-go/cutile/internal/access"
	"github.com/cutile-go/cutile/internal/native/gemm"
	"github.com/cutile-go/cutile/tileir"
)

// loopProducts are the loops of an entry that are products, wherever they stand, if what the entry writes is apart from what they read.
type loopProducts struct {
	loops         map[*tileir.Op]*productLoop
	stores        map[*tileir.Op]*tileir.Op // behind a loop: the operation that stores its result
	reads, writes []int                     // parameters: the memory of the first ones must be apart from that of the others
	made          int                       // loops with machine code
	prepared      *gemm.Prepared            // what their products have in common
}

// productLoop is a loop that only adds products of two tiles, as far as the text tells.
type productLoop struct {
	*facts.Product
	factors [2]evenFactor
	index   loopIndex
}

// evenFactor is what the text tells of a factor of a productLoop: in which parameters' memory it may lie, and which dimensions of the load's
// tile are its rows (of the second factor, its columns) and k. A factor of one row may lack the first one: -1.
type evenFactor struct {
	params []int
	row, k int
	proved bool // the tiles follow one another along k; else that is to be looked at when the loop runs: see [loopFactor.reach]
}

// findLoopProducts finds the loops of an entry that are products. There are none where the entry writes memory that is neither a
// parameter's nor its own.
func findLoopProducts(e *tileir.Entry) (out loopProducts) {
	info := facts.Analyse(e, facts.Facts{Apart: func(p, q int) bool { return p != q }})
	for _, a := range info.Accesses() {
		if !a.Writes {
			continue
		}
		params, _, others := info.Memory(a)
		if others {
			return loopProducts{}
		}
		out.writes = append(out.writes, params...)
	}
	out.loops, out.stores = map[*tileir.Op]*productLoop{}, map[*tileir.Op]*tileir.Op{}
	for _, p := range info.Products() {
		if l, ok := newProductLoop(info, p); ok {
			out.loops[p.Loop] = l
		}
	}
	return out
}

// newProductLoop looks at the loop of a product; ok is false if the product is not all that the loop does, or if the tiles of a factor do
// not follow one another.
func newProductLoop(info *facts.Info, p *facts.Product) (l *productLoop, ok bool) {
	if p.Loop == nil || p.Others != nil || len(p.Factors) != 2 || p.Size[0] != 1 {
		return nil, false
	}
	l = &productLoop{Product: p}
	for i := range p.Factors {
		if l.factors[i], ok = newEvenFactor(info, p, i); !ok {
			return nil, false
		}
	}
	l.index, ok = newLoopIndex(p.Loop, p.Factors[0].Load.Op, p.Factors[1].Load.Op)
	return l, ok
}

// newEvenFactor looks at the load of a factor: nothing in the entry writes what it reads.
func newEvenFactor(info *facts.Info, p *facts.Product, number int) (out evenFactor, ok bool) {
	f := &p.Factors[number]
	if f.Load == nil || f.Via != nil || f.Load.Op.Info.Opcode != tileir.OpLoadViewTko || strong(f.Load.Op) || !info.ReadOnly(f.Load) {
		return out, false
	}
	params, scratch, others := info.Memory(f.Load)
	if scratch || others || !out.dimensions(f, number) {
		return out, false
	}
	out.params, out.proved = params, f.Joined
	return out, out.proved || info.Invariant(f.Load.Op.Operands[0], p.Loop) && evenIndices(info, f.Load.Op, p.Loop, out.k)
}

// dimensions finds those of the load's tile that are the factor's rows and k.
func (e *evenFactor) dimensions(f *facts.Factor, number int) (ok bool) {
	shape, view := tileType(f.Value).Shape, viewOf(f.Load.Op.Operands[0].Type.(tileir.ViewType))
	steps, ok := f.From.Strides(shape)
	if !ok || len(f.From.When) > 0 || view.sparse >= 0 || view.elem.PerByte() > 1 {
		return false
	}
	r := len(shape)
	row, k := r-2, r-1
	if number == 1 {
		row, k = k, row
	}
	if e.row, ok = dimension(view.tile, steps[row], shape[row]); !ok {
		return false
	}
	e.k, ok = dimension(view.tile, steps[k], shape[k])
	return ok && e.k >= 0
}

// dimension finds the dimension of a load's tile with so many elements at a distance in the tile, before any permutation; -1 for
// a single element.
func dimension(tile []int, step, n int) (int, bool) {
	if n == 1 {
		return -1, true
	}
	for i, s := range rowMajor(tile) {
		if s == step && tile[i] == n {
			return i, true
		}
	}
	return 0, false
}

// evenIndices reports whether the indices of a load are the same in all iterations of a loop, but for that along one dimension, which
// grows evenly. The loop must count by one, or tiles would be left out.
func evenIndices(info *facts.Info, load, loop *tileir.Op, k int) bool {
	if step, ok := info.Form(loop.Operands[2]).Number(); !ok || step != 1 {
		return false
	}
	for i, v := range load.Group(1) {
		if same := info.Invariant(v, loop); i == k && (same || !(&evenness{info, loop, map[*tileir.Value]bool{}}).of(v)) || i != k && !same {
			return false
		}
	}
	return true
}

// evenness looks at integers that a loop computes. An integer is even if it is a + b·i in iteration i, for numbers a and b that are the same
// in all iterations, but for multiples of 2^w where it has w bits. An even integer that has grown by exactly i from the first iteration to
// the next ones, and to the last one, has not wrapped around on the way.
type evenness struct {
	info *facts.Info
	loop *tileir.Op
	seen map[*tileir.Value]bool
}

// of reports whether an integer is even.
func (e *evenness) of(v *tileir.Value) bool {
	if even, ok := e.seen[v]; ok {
		return even
	}
	even := e.isCounter(v) || e.info.Invariant(v, e.loop)
	if o := v.Def; !even && o != nil {
		switch o.Info.Opcode {
		case tileir.OpAddI, tileir.OpSubI:
			even = e.of(o.Operands[0]) && e.of(o.Operands[1])
		case tileir.OpMulI:
			x, y := o.Operands[0], o.Operands[1]
			even = e.of(x) && e.info.Invariant(y, e.loop) || e.of(y) && e.info.Invariant(x, e.loop)
		case tileir.OpTruncI, tileir.OpAssume:
			even = e.of(o.Operands[0])
		case tileir.OpExtI: // a sum that wraps around is not even when it has more bits
			even = e.isCounter(o.Operands[0])
		}
	}
	e.seen[v] = even
	return even
}

// isCounter reports whether a value is the loop's counter.
func (e *evenness) isCounter(v *tileir.Value) bool {
	for v.Def != nil && v.Def.Info.Opcode == tileir.OpAssume {
		v = v.Def.Operands[0]
	}
	return slices.Index(e.loop.Regions[0].Args, v) == 0
}
