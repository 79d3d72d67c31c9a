package emit

import (
	"slices"

	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/linear"
	"github.com/cutile-go/cutile/internal/threads/plan"
	"github.com/cutile-go/cutile/tileir"
)

// multiplyGroup computes a product by instructions of a warp group, which read the second factor, and perhaps the first, from shared memory.
// The sums are in variables: those of the loop that carries them, if the plan says so. A product that lags goes on when the turn ends.
func (e *emitter) multiplyGroup(x *plan.Product) {
	op := x.Op
	m := &multiplier{emitter: e, x: x, width: x.Width()}
	m.left, m.right, m.sums = e.p.Fragments(x)
	var around *carried
	if x.Carried >= 0 {
		around = e.loops[len(e.loops)-1].carried[x.Carried]
	}
	acc, r := op.Operand("acc"), op.Results[0]
	vars := m.variables(around)
	if !x.Lags {
		first := slices.Clone(e.get(acc, m.sums))
		for i, v := range first {
			first[i] = e.converted(v, typeOf(acc).Elem, x.Unit.Acc, 0)
		}
		e.Set(vars, first)
	}
	words, left, leftAt := m.groupLeft()
	right, rightAt := m.matrix(op.Operands[1], false)
	e.MultiplyGroup(&x.Unit, vars, words, left, right, m.steps(leftAt, rightAt))
	bufs := []*ir.Buffer{right.Buffer}
	if left != nil {
		bufs = append(bufs, left.Buffer)
	}
	if x.Lags {
		e.WaitMultiply(1, bufs...)
		around.reads = bufs
		return
	}
	e.WaitMultiply(0, bufs...)
	regs := make([]ir.Value, len(vars))
	for i, v := range vars {
		regs[i] = e.converted(e.Get(v), x.Unit.Acc, typeOf(r).Elem, 0)
	}
	e.set(r, m.sums, regs)
}

// variables are those of the sums.
func (m *multiplier) variables(around *carried) []ir.Var {
	if around != nil {
		return around.vars
	}
	vars := make([]ir.Var, m.sums.Regs())
	for i := range vars {
		vars[i] = m.NewVar(vec.V32)
	}
	return vars
}

// groupLeft gives the words of the first factor's fragments, if threads have them and it is not in shared memory, or else its place there.
func (m *multiplier) groupLeft() (words []ir.Value, left *ir.Matrix, at func(n int) int) {
	v := m.x.Op.Operands[0]
	if m.known(v).stage == nil {
		if f := m.registers(v, m.left, true); f.regs != nil {
			for batch := range f.shape.Size() / f.batch {
				for k0 := range f.parts {
					words = append(words, f.words(batch, k0*m.x.Unit.K)...)
				}
			}
			return words, nil, nil
		}
	}
	left, at = m.matrix(v, true)
	return nil, left, at
}

// matrix is a factor in shared memory, with the places of its elements: one that is not there yet, or only as another product reads it, is put
// there.
func (m *multiplier) matrix(v *tileir.Value, left bool) (matrix *ir.Matrix, at func(n int) int) {
	s := m.known(v).stage
	if f := m.p.Feeds[v.Def]; s != nil && f != nil && f.Again != nil {
		regs := make([]ir.Value, f.Again.Regs())
		m.read(s, regs, f.Again, all)
		m.set(v, f.Again, regs)
		s = nil
	}
	if s != nil {
		if _, ok := m.x.Matrix(left, s.offset); !ok {
			s = nil
		}
	}
	if s == nil {
		s = m.stageGroup(m.x, v, left)
	}
	out, ok := m.x.Matrix(left, s.offset)
	if !ok {
		panic("BUG: threads: a factor does not lie as the instruction reads it")
	}
	first := m.part(left, s.offset)
	if s.plus != 0 {
		first = m.add(first, s.plus)
	}
	out.Access = ir.Access{Space: ir.Shared, Buffer: s.buf, At: first, Align: plan.Widest}
	return &out, s.offset
}

// stageGroup puts a factor into shared memory as an instruction reads it: along k, or where it may along the dimension of which a thread has
// more neighbours.
func (e *emitter) stageGroup(x *plan.Product, v *tileir.Value, left bool) *staged {
	l, t := e.current(v), typeOf(v)
	shape := linear.Shape(t.Shape)
	k, other := len(shape)-1, len(shape)-2
	if !left {
		k, other = other, k
	}
	unit := k
	if x.Unit.Across() && shape[other]*t.Elem.Bytes() >= 2*plan.Widest && l.Run(1<<shape.Shift(other), plan.Widest) > l.Run(1<<shape.Shift(k), plan.Widest) {
		unit = other
	}
	s := e.put("factor", v, l.Along(1<<shape.Shift(unit)), unit, plan.GroupAlign, 0, 0)
	e.FenceAsync()
	return s
}

// part is where the part of a thread's warp group begins in a factor, behind the whole one's beginning.
func (m *multiplier) part(left bool, offset func(n int) int) ir.Value {
	along, across := m.x.Groups()
	result := typeOf(m.x.Op.Results[0]).Shape
	parts, apart, skip := across, result[len(result)-1]/across, linear.Log2(along)
	if left {
		shape := typeOf(m.x.Op.Operands[0]).Shape
		rank := len(shape)
		parts, apart, skip = along, shape[rank-2]/along*shape[rank-1], 0
	}
	bits := make(linear.Map, plan.GroupBits+skip)
	for g := 1; g < parts; g *= 2 {
		bits = append(bits, offset(g*apart))
	}
	return m.linear(m.thread(), bits)
}

// steps lists the instructions of a warp group's part of a product, for each K elements along k those of the parts of rows and columns. left is nil where the first
// factor is in registers.
func (m *multiplier) steps(left, right func(n int) int) (out []ir.Step) {
	u, shape, sums := &m.x.Unit, typeOf(m.x.Op.Operands[0]).Shape, typeOf(m.x.Op.Results[0]).Shape
	rank := len(sums)
	rows, columns, k, batches := sums[rank-2], sums[rank-1], shape[rank-1], 1
	if rank == 3 {
		batches = sums[0]
	}
	along, across := m.x.Groups()
	ownRows, ownColumns := rows/along, columns/across
	for batch := range batches {
		for k0 := 0; k0 < k; k0 += u.K {
			for i := 0; i < ownRows; i += u.M {
				for j := 0; j < ownColumns; j += u.N {
					s := ir.Step{Right: right((batch*k+k0)*columns + j), Sums: (batch*ownRows+i)/u.M*ownColumns + j, First: k0 == 0,
						Scales: [2]ir.ScalePlace{m.x.ScalePlace(true, batch, i, k0), m.x.ScalePlace(false, batch, j, k0)}}
					if u.Kind == ir.WarpGroup { // registers have half as many
						s.Sums /= 2
					}
					if left != nil {
						s.Left = left((batch*rows+i)*k + k0)
					} else {
						s.Left = groupWords * (((batch*k+k0)/u.K*ownRows + i) / u.M)
					}
					out = append(out, s)
				}
			}
		}
	}
	return out
}

// groupWords is the number of words of a thread that hold its part of an instruction's first factor.
const groupWords = 4

// stageFactor puts a factor into shared memory as its product's instruction reads it.
func (e *emitter) stageFactor(x *plan.Product, v *tileir.Value, left bool) *staged {
	if x.Unit.Kind == ir.Cooperative {
		return e.stageBlocks(x, v, left)
	}
	return e.stageGroup(x, v, left)
}

// groupFactors puts the factors of a loop's products that do not change in it into shared memory, and gives a function to call behind the loop:
// on other ways through the program they are not there.
func (e *emitter) groupFactors(body *tileir.Block) (forget func()) {
	var staged []*tile
	for _, op := range body.Ops {
		x := e.p.Products[op]
		if x == nil || !x.Unit.Kind.InShared() {
			continue
		}
		left, _, _ := e.p.Fragments(x)
		m := &multiplier{emitter: e, x: x, width: x.Width()}
		for i, v := range x.Op.Operands[:2] {
			if x.Wide != nil {
				e.asHalves(x, i)
			}
			if x.Pairs != nil {
				e.asPairs(x, i)
			}
			t := e.vals[v]
			if t == nil || t.stage != nil || i == 0 && !x.Lags && left != nil && (t.gen != nil || m.registers(v, left, true).regs != nil) {
				continue
			}
			t.stage = e.stageFactor(x, v, i == 0)
			staged = append(staged, t)
		}
	}
	return func() {
		for _, t := range staged {
			t.stage = nil
		}
	}
}

// occupy marks the variables on which products of a loop work from turn to turn.
func (e *emitter) occupy(l *loop) {
	for _, op := range l.body.Ops {
		if x := e.p.Products[op]; x != nil && x.Lags && x.Unit.Kind == ir.WarpGroup {
			l.carried[x.Carried].busy = true
		}
	}
}

// release waits for the last products of a loop.
func (e *emitter) release(l *loop, results []*tileir.Value) {
	for i, c := range l.carried {
		switch {
		case c == nil || !c.busy:
		case c.resident != nil:
			e.leaveTensor(c, results[i])
		case c.sums != nil:
			e.leaveSums(c, results[i])
		default:
			e.WaitMultiply(0, c.reads...)
			c.busy = false
		}
	}
}
