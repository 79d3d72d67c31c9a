package nest

import (
	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// columnFold is what the reductions of a segment along another dimension than the last one have in common. The rows form
// outer groups of n times between: row (o*n+k)*between+b is element k of a reduction. Its result belongs to row
// o*between+b of the result.
//
// The function goes through the columns, a vector at a time, and for each of them through the rows of a group. What the
// folding of upper into lower halves combines is known beforehand, a tree, and going through the tree from left to right
// takes no more than its depth of registers.
type columnFold struct {
	outer, n, between int
}

// partials is how many partial results a reduction has.
const partials = 64

// Bounds for reductions along other dimensions: of the instructions of a function, which has the work of a row for each
// partial result, and of the elements of a group, since a call does at least one.
const (
	mostInstrs = 2048
	mostGroup  = 1 << 17
)

// reducesColumns reports whether the segment can do a reduction along another dimension than the last. All of its
// reductions have the same dimension, and there are none of rows.
func (f *finder) reducesColumns(op *tileir.Op) bool {
	t := lane.TileOf(op.Operands[0])
	n, inner := folded(op, t)
	d := columnFold{outer: t.Size() / (n * inner), n: n, between: inner / lastOf(t)}
	work := f.work + len(op.Regions[0].Ops)
	if f.across || f.scanned || f.down != nil && *f.down != d || min(d.n, partials)*work > mostInstrs || d.n*d.between*f.Cols > mostGroup {
		return false
	}
	if !f.reduces(op, d.n) {
		return false
	}
	f.down = &d
	return true
}

// groups does some groups of rows.
func (b *builder) groups(from, to vec.Reg) {
	d := b.s.down
	g := &group{builder: b, bases: append([]vec.Reg(nil), b.base...)}
	for i := range b.s.Steps {
		st := &b.s.Steps[i]
		if st.Kind == Reduce {
			g.folds = append(g.folds, b.newFold(st))
		} else {
			g.sinks = append(g.sinks, b.sinksOf(st)...)
		}
	}
	o := b.For(from, to, 1)
	between := b.For(b.Int(0), b.Int(int64(d.between)), 1)
	at := func(n int) vec.Reg {
		return b.Do(vec.SAdd, vec.NoType, b.Do(vec.SMul, vec.NoType, o, b.Int(int64(n*d.between))), between)
	}
	g.first = at(d.n)
	result := at(1)
	g.c = b.For(b.Int(0), b.Int(int64(b.s.Cols)), vec.Lanes)
	state := g.tree(0, 1)
	copy(b.base, g.bases)
	for i, f := range g.folds {
		for k, v := range f.st.Op.Results {
			g.result(b.s.values[v].operand, v, result, state[i][k])
		}
	}
	b.End()
	b.End()
	b.End()
}

// group is a group of rows while it is done.
type group struct {
	*builder
	bases []vec.Reg // of the operands, of their very first rows
	folds []*fold
	sinks []sink
	first vec.Reg // the group's first row
	c     vec.Reg // the column
}

// result stores a vector of results, if anybody uses them.
func (g *group) result(operand int, v *tileir.Value, row, x vec.Reg) {
	if operand < 0 {
		return
	}
	g.base[operand] = g.rowOf(operand, row)
	e := &columns{builder: g.builder, c: g.c}
	e.write(operand, lane.TileOf(v), g.unfolded(v, x))
}

// tree gives the state of the folds, a register for each operand of each, of partial result j when so many are left.
func (g *group) tree(j, left int) [][]vec.Reg {
	if left == min(g.s.down.n, partials) {
		return g.partial(j)
	}
	lower, upper := g.tree(j, 2*left), g.tree(j+left, 2*left)
	return g.join(lower, upper)
}

func (g *group) join(accs, elems [][]vec.Reg) [][]vec.Reg {
	out := make([][]vec.Reg, len(g.folds))
	for i, f := range g.folds {
		out[i] = g.combine(f, accs[i], elems[i])
	}
	return out
}

// partial gives partial result j before any folding: elements j, j+64, j+128 and so on.
func (g *group) partial(j int) [][]vec.Reg {
	n, between := g.s.down.n, int64(g.s.down.between)
	state := g.elements(g.AddInt(g.first, int64(j)*between))
	if n <= partials {
		return state
	}
	for _, accs := range state {
		for i, x := range accs {
			accs[i] = g.New(g.Regs[x])
			g.Set(accs[i], x)
		}
	}
	row := g.For(g.AddInt(g.first, (int64(j)+partials)*between), g.AddInt(g.first, int64(n)*between), partials*between)
	for i, accs := range g.join(state, g.elements(row)) {
		for k, x := range accs {
			g.Set(state[i][k], x)
		}
	}
	g.End()
	return state
}

// elements computes what the folds take of a row, and stores what is used elsewhere.
func (g *group) elements(row vec.Reg) [][]vec.Reg {
	g.at = row
	for i := range g.s.Operands {
		if o := &g.s.Operands[i]; o.Rows && g.s.Steps[o.Step].class != column || o.Role == Outside && o.Rows {
			g.base[i] = g.bases[i]
			g.base[i] = g.rowOf(i, row)
			if !o.Cols {
				g.loadFirst(i)
			}
			g.lookAhead(i)
			g.lookInside(i, row)
		}
	}
	e := &columns{builder: g.builder, c: g.c, known: map[*value]vec.Reg{}, placed: map[reached]vec.Reg{}, masks: map[vec.Reg]vec.Reg{}}
	if len(g.sinks) > 0 {
		e.loadAll()
	}
	out := make([][]vec.Reg, len(g.folds))
	for i, f := range g.folds {
		for _, v := range f.st.Op.Operands {
			out[i] = append(out[i], e.folded(v, e.operand(f.st, v)))
		}
	}
	for _, k := range g.sinks {
		e.sink(k, 0, false)
	}
	return out
}
