package nest

import (
	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// prefix is what a segment does that is a scan and nothing else: outer times, of n elements with inner between each and the
// next. If inner is 1, some scans go side by side, each with one element in all lanes, since an element waits for the one
// before it; else the lanes are as many scans.
type prefix struct {
	outer, n, inner int
	side            int // scans side by side
	reverse         bool
}

// mostSide is how many scans go side by side.
const mostSide = 4

// scans makes the segment a scan if it can do it. Its rows are then the elements of the scans, or the scans.
func (f *finder) scans(op *tileir.Op) bool {
	if len(f.Steps) > 0 {
		return false
	}
	shape, dim := lane.TileOf(op.Operands[0]).Shape, int(op.Int("dim"))
	p := prefix{outer: 1, n: shape[dim], inner: 1, side: 1, reverse: op.Int("reverse") != 0}
	for _, n := range shape[:dim] {
		p.outer *= n
	}
	for _, n := range shape[dim+1:] {
		p.inner *= n
	}
	if p.n*p.inner > longest || !f.operands(op, func(*tileir.TileType) bool { return true }) || !f.body(op) {
		return false
	}
	f.Rows, f.Cols, f.rowed = p.outer*p.n, p.inner, true
	if p.inner == 1 {
		f.Rows, f.Cols = p.outer, p.n
		for p.side < mostSide && p.side < p.outer {
			p.side *= 2
		}
	}
	f.scan = &p
	return true
}

// scanUnits does some scans, those of inner elements each or those side by side.
func (b *builder) scanUnits(from, to vec.Reg) {
	p, st := b.s.scan, &b.s.Steps[0]
	unit := b.For(from, to, 1)
	if p.inner == 1 {
		b.scanRows(p, st, unit)
	} else {
		first := b.Do(vec.SMul, vec.NoType, unit, b.Int(int64(p.n)))
		c := b.For(b.Int(0), b.Int(int64(p.inner)), vec.Lanes)
		bases := append([]vec.Reg(nil), b.base...)
		b.chain(p, st, []lines{{
			load: func(i int, v *tileir.Value, k vec.Reg) vec.Reg {
				b.base[i] = bases[i]
				b.base[i] = b.rowOf(i, b.Do(vec.SAdd, vec.NoType, first, k))
				return (&columns{builder: b, c: c}).read(i, lane.TileOf(v))
			},
			store: func(i int, v *tileir.Value, k, x vec.Reg) {
				b.base[i] = bases[i]
				b.base[i] = b.rowOf(i, b.Do(vec.SAdd, vec.NoType, first, k))
				(&columns{builder: b, c: c}).write(i, lane.TileOf(v), x)
			},
		}})
		copy(b.base, bases)
		b.End()
	}
	b.End()
}

// scanRows does scans of adjacent elements side by side.
func (b *builder) scanRows(p *prefix, st *Step, unit vec.Reg) {
	var all []lines
	for u := range p.side {
		row := b.AddInt(b.Do(vec.SMul, vec.NoType, unit, b.Int(int64(p.side))), int64(u))
		starts := make([]vec.Reg, len(b.base))
		for i := range b.base {
			if b.s.Operands[i].Rows {
				starts[i] = b.rowOf(i, row)
			}
		}
		place := func(i int, k vec.Reg) vec.Mem {
			return vec.Mem{Base: starts[i], Index: k, Scale: int8(b.s.Operands[i].Bytes)}
		}
		all = append(all, lines{
			load: func(i int, v *tileir.Value, k vec.Reg) vec.Reg {
				return lane.LoadFirst(b.Builder, lane.TileOf(v), place(i, k))
			},
			store: func(i int, v *tileir.Value, k, x vec.Reg) { lane.StoreFirst(b.Builder, lane.TileOf(v), place(i, k), x) },
		})
	}
	b.chain(p, st, all)
}

// lines are scans in the lanes of one vector: how element k of an operand is read and written.
type lines struct {
	load  func(i int, v *tileir.Value, k vec.Reg) vec.Reg
	store func(i int, v *tileir.Value, k, x vec.Reg)
}

// chain does scans from the first element on, or from the last one.
func (b *builder) chain(p *prefix, st *Step, all []lines) {
	f := b.newFold(st)
	read := func(l lines, k vec.Reg) (elems []vec.Reg) {
		for i, v := range st.Op.Operands {
			switch o := b.s.reading(st, 0, v); {
			case lane.ConstantBits(v) != nil:
				elems = append(elems, lane.Constant(b.Builder, lane.TileOf(v), *lane.ConstantBits(v)))
			case !o.Rows:
				elems = append(elems, b.first[b.s.find(v, false, false)])
			default:
				elems = append(elems, l.load(b.s.find(v, true, true), v, k))
			}
			elems[i] = b.folded(v, elems[i])
		}
		return elems
	}
	write := func(l lines, k vec.Reg, xs []vec.Reg) {
		for i, v := range st.Op.Results {
			if at := b.s.values[v].operand; at >= 0 {
				l.store(at, v, k, b.unfolded(v, xs[i]))
			}
		}
	}
	element := func(k vec.Reg) vec.Reg {
		if p.reverse {
			return b.Do(vec.SSub, vec.NoType, b.Int(int64(p.n-1)), k)
		}
		return k
	}
	accs := make([][]vec.Reg, len(all))
	start := element(b.Int(0))
	for u, l := range all {
		elems := read(l, start)
		write(l, start, elems)
		for _, x := range elems {
			acc := b.New(b.Regs[x])
			b.Set(acc, x)
			accs[u] = append(accs[u], acc)
		}
	}
	k := element(b.For(b.Int(1), b.Int(int64(p.n)), 1))
	for u, l := range all {
		xs := b.combine(f, accs[u], read(l, k))
		write(l, k, xs)
		for i, x := range xs {
			b.Set(accs[u][i], x)
		}
	}
	b.End()
}
