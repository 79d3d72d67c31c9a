package emit

import (
	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/linear"
	"github.com/cutile-go/cutile/internal/threads/plan"
	"github.com/cutile-go/cutile/tileir"
)

// multiplyCooperative computes a product by cooperative matrices, whose sums stay there if a loop leaves them there.
func (e *emitter) multiplyCooperative(x *plan.Product) {
	m := e.cooperative(x)
	op := x.Op
	if x.Carried >= 0 {
		m.multiply(e.loops[len(e.loops)-1].carried[x.Carried].sums)
		return
	}
	sums := m.newSums(op.Operand("acc"))
	m.multiply(sums)
	e.set(op.Results[0], m.sums, m.load(sums))
}

// cooperative multiplies by cooperative matrices. A warp has some of each batch, which follow each other by columns and by rows.
type cooperative struct {
	*emitter
	x                      *plan.Product
	sums                   *linear.Layout // of single sums
	batches, rows, columns int            // matrices of a warp
}

func (e *emitter) cooperative(x *plan.Product) *cooperative {
	_, _, sums := e.p.Fragments(x)
	s := typeOf(x.Op.Results[0]).Shape
	rank := len(s)
	m := &cooperative{emitter: e, x: x, sums: sums, batches: 1, rows: s[rank-2] / x.Unit.M / x.Warps[0], columns: s[rank-1] / x.Unit.N / x.Warps[1]}
	if rank == 3 {
		m.batches = s[0]
	}
	return m
}

// mostTurns is how many products along k are written one after another; of more there is a loop.
const mostTurns = 4

// multiply adds the product to sums.
func (m *cooperative) multiply(sums *ir.Sums) {
	op := m.x.Op
	left, leftAt := m.factor(op.Operands[0], true)
	right, rightAt := m.factor(op.Operands[1], false)
	shape := typeOf(op.Operands[0]).Shape
	n := shape[len(shape)-1] / m.x.Unit.K
	turns := min(n, mostTurns)
	steps := m.steps(leftAt, rightAt, turns)
	if turns == n {
		m.MultiplySums(sums, left, right, steps)
		return
	}
	k := m.NewVar(vec.V32)
	m.Set([]ir.Var{k}, []ir.Value{m.Int(0)})
	m.Loop(func() {
		at := m.Get(k) // in parts
		a, b := *left, *right
		a.At = m.add(a.At, m.linear(at, mapOf(n, func(i int) int { return leftAt(m.along(true, i)) })))
		b.At = m.add(b.At, m.linear(at, mapOf(n, func(i int) int { return rightAt(m.along(false, i)) })))
		m.MultiplySums(sums, &a, &b, steps)
		next := m.add(at, m.Int(turns))
		m.Set([]ir.Var{k}, []ir.Value{next})
		m.Break(0, m.Compare(vec.I32, vec.GE, next, m.Int(n)))
	})
}

// along is the number of the first element of a part of k of a factor.
func (m *cooperative) along(left bool, part int) int {
	if left {
		return part * m.x.Unit.K
	}
	s := typeOf(m.x.Op.Operands[1]).Shape
	return part * m.x.Unit.K * s[len(s)-1]
}

// steps lists the products of the matrices of a warp for so many parts of k.
func (m *cooperative) steps(left, right func(n int) int, turns int) (out []ir.Step) {
	u, a, b := &m.x.Unit, typeOf(m.x.Op.Operands[0]).Shape, typeOf(m.x.Op.Operands[1]).Shape
	rank := len(a)
	perA, perB := a[rank-2]*a[rank-1], b[rank-2]*b[rank-1]
	for batch := range m.batches {
		for part := range turns {
			for i := range m.rows {
				for j := range m.columns {
					out = append(out, ir.Step{
						Left:  left(batch*perA + i*u.M*a[rank-1] + m.along(true, part)),
						Right: right(batch*perB + j*u.N + m.along(false, part)),
						Sums:  (batch*m.rows+i)*m.columns + j,
					})
				}
			}
		}
	}
	return out
}

// factor is a factor in shared memory, from the warp's part on, with the places of its elements. One that does not lie there as
// cooperative matrices are read is put there.
func (m *cooperative) factor(v *tileir.Value, left bool) (*ir.Matrix, func(n int) int) {
	s := m.known(v).stage
	if s == nil || s.plus != 0 {
		s = m.stageBlocks(m.x, v, left)
	}
	out, ok := m.x.InBlocks(left, s.offset)
	if !ok {
		s = m.stageBlocks(m.x, v, left)
		out, _ = m.x.InBlocks(left, s.offset)
	}
	out.Access = ir.Access{Space: ir.Shared, Buffer: s.buf, At: m.linear(m.thread(), m.part(left).Mapped(s.offset)), Align: plan.Widest}
	return &out, s.offset
}

// part takes the bits of a thread's number to the first element of its warp's part of a factor.
func (m *cooperative) part(left bool) linear.Map {
	result := linear.Shape(typeOf(m.x.Op.Results[0]).Shape)
	s := linear.Shape(typeOf(m.x.Op.Operands[1]).Shape)
	if left {
		s = typeOf(m.x.Op.Operands[0]).Shape
	}
	last := len(result) - 1
	return append(make(linear.Map, len(m.sums.Lane)), m.sums.Warp.Mapped(func(n int) int {
		if left {
			return result.Coord(last-1, n) << s.Shift(last-1)
		}
		return result.Coord(last, n)
	})...)
}

// stageBlocks puts a factor into shared memory as cooperative matrices are read: along k, or along the other dimension where threads have more
// neighbours.
func (e *emitter) stageBlocks(x *plan.Product, v *tileir.Value, left bool) *staged {
	t, l := typeOf(v), e.current(v)
	shape := linear.Shape(t.Shape)
	k, other := len(shape)-1, len(shape)-2
	if !left {
		k, other = other, k
	}
	unit := k
	if l.Run(1<<shape.Shift(other), plan.Widest) > l.Run(1<<shape.Shift(k), plan.Widest) {
		unit = other
	}
	stored := lane.Stored(t)
	s := &staged{buf: e.NewBuffer("factor", t.Size()*stored.Bytes(), 128), form: stored, unit: 1 << shape.Shift(unit), offset: x.Blocks(left, unit == other)}
	l = l.Along(s.unit)
	regs := make([]ir.Value, l.Regs())
	for i, r := range e.get(v, l) {
		regs[i] = e.toMemory(t, r)
	}
	e.write(s, regs, l, e.first(l), all)
	return s
}

// newSums makes cooperative matrices of what a product adds to.
func (m *cooperative) newSums(acc *tileir.Value) *ir.Sums {
	sums := m.NewSums(&m.x.Unit, m.batches*m.rows*m.columns)
	if plan.Zero(acc) {
		m.ZeroSums(sums)
		return sums
	}
	regs := make([]ir.Value, m.sums.Regs())
	for i, v := range m.get(acc, m.sums) {
		regs[i] = m.converted(v, typeOf(acc).Elem, m.x.Unit.Acc, 0)
	}
	s := m.window()
	for i := range sums.Count {
		m.write(s, regs, m.sums, 0, m.of(i))
		m.LoadSum(sums, i, m.whole(s))
	}
	return sums
}

// load gives the single sums.
func (m *cooperative) load(sums *ir.Sums) []ir.Value {
	regs := make([]ir.Value, m.sums.Regs())
	s := m.window()
	for i := range sums.Count {
		m.StoreSum(sums, i, m.whole(s))
		m.read(s, regs, m.sums, m.of(i))
	}
	for i, v := range regs {
		regs[i] = m.converted(v, m.x.Unit.Acc, typeOf(m.x.Op.Results[0]).Elem, 0)
	}
	return regs
}

// window is shared memory through which the matrices of each warp go one after another, row by row.
func (m *cooperative) window() *staged {
	const size = 4
	u, s := &m.x.Unit, linear.Shape(typeOf(m.x.Op.Results[0]).Shape)
	last := len(s) - 1
	warps := m.sums.Warp
	return &staged{buf: m.NewBuffer("sums", u.M*u.N*size<<len(warps), 128), form: vec.I32, offset: func(n int) int {
		at := (s.Coord(last-1, n)%u.M*u.N + s.Coord(last, n)%u.N) * size
		for i, b := range warps {
			if n&b != 0 {
				at |= u.M * u.N * size << i
			}
		}
		return at
	}}
}

// of reports whether an element belongs to the matrix with a number of its warp.
func (m *cooperative) of(number int) func(n int) bool {
	per := m.sums.Regs() / (m.batches * m.rows * m.columns)
	first := m.sums.Reg.Apply(number * per)
	mask := linear.Map(m.sums.Reg[linear.Log2(per):]).Span()
	return func(n int) bool { return n&mask == first }
}

// whole is the access to the whole matrix of a warp, of which each lane may touch each element.
func (m *cooperative) whole(s *staged) ir.Access {
	lanes, warps := len(m.sums.Lane), len(m.sums.Warp)
	bytes := m.x.Unit.M * m.x.Unit.N * 4
	places := append(make(linear.Map, lanes), m.sums.Warp.Mapped(s.offset)...)
	at := m.linear(m.thread(), places)
	for b := 4; b < bytes; b *= 2 {
		places = append(places, b)
	}
	return ir.Access{Space: ir.Shared, Buffer: s.buf, At: at, Align: plan.Widest, Touches: &ir.Footprint{Map: places, Threads: lanes + warps, Bytes: 4}}
}

// enterSums makes cooperative matrices of what a loop carries where it stays there.
func (e *emitter) enterSums(l *loop, initial []*tileir.Value) {
	for _, op := range l.body.Ops {
		if x := e.p.Products[op]; x != nil && x.Unit.Kind == ir.Cooperative && x.Carried >= 0 {
			c := l.carried[x.Carried]
			c.busy, c.product = true, x
			c.sums = e.cooperative(x).newSums(initial[x.Carried])
		}
	}
}

// leaveSums gets what a loop carried as cooperative matrices, behind it.
func (e *emitter) leaveSums(c *carried, result *tileir.Value) {
	m := e.cooperative(c.product)
	e.set(result, m.sums, m.load(c.sums))
}
