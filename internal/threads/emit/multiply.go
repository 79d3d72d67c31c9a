package emit

import (
	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/linear"
	"github.com/cutile-go/cutile/internal/threads/plan"
	"github.com/cutile-go/cutile/tileir"
)

// multiplier computes a product by matrix instructions.
type multiplier struct {
	*emitter
	x                 *plan.Product
	left, right, sums *linear.Layout
	width             int // elements in a word
	scale             [2]*scales
}

// multiply adds, for each K elements along k, the products of the blocks of rows and columns that a warp has.
func (e *emitter) multiply(x *plan.Product) {
	op := x.Op
	m := &multiplier{emitter: e, x: x, width: x.Width()}
	m.left, m.right, m.sums = e.p.Fragments(x)
	acc, r := op.Operand("acc"), op.Results[0]
	regs := append([]ir.Value(nil), e.get(acc, m.sums)...)
	for i, v := range regs {
		regs[i] = e.converted(v, typeOf(acc).Elem, x.Unit.Acc, 0)
	}
	a, b := m.factor(op.Operands[0], m.left, true), m.factor(op.Operands[1], m.right, false)
	shape := typeOf(op.Operands[0]).Shape
	k, batches := shape[len(shape)-1], 1
	if len(shape) == 3 {
		batches = shape[0]
	}
	if x.Unit.Run > 0 {
		left, right := e.p.Scales(x)
		m.scale = [2]*scales{m.scales(op.Operand("lhs_scale"), left, k/x.Unit.Run), m.scales(op.Operand("rhs_scale"), right, k/x.Unit.Run)}
		m.unsigned(m.scale[0], m.scale[1])
	}
	for batch := range batches {
		part := regs[batch*len(regs)/batches : (batch+1)*len(regs)/batches]
		for k0 := 0; k0 < k; k0 += x.Unit.K {
			m.step(part, a.words(batch, k0), b.words(batch, k0), batch, k0/x.Unit.K)
		}
	}
	for i, v := range regs {
		regs[i] = e.converted(v, x.Unit.Acc, typeOf(r).Elem, 0)
	}
	e.set(r, m.sums, regs)
}

// step adds the products of all blocks of a batch for one part of k, which has a number.
func (m *multiplier) step(sums, a, b []ir.Value, batch, number int) {
	u := &m.x.Unit
	perA, perB := u.M*u.K/(32*m.width), u.K*u.N/(32*m.width)
	rows, columns := len(a)/perA, len(b)/perB
	for i := range rows {
		for j := range columns {
			at := 4 * (i*columns + j)
			var scale []ir.Value
			first := 0 // byte
			if u.Run > 0 {
				scale = []ir.Value{m.scale[0].at(batch*rows+i, number), m.scale[1].at(batch*columns+j, number)}
				first = number * m.scale[0].inStep % perWord
			}
			copy(sums[at:at+4], m.Multiply(u, a[i*perA:(i+1)*perA], b[j*perB:(j+1)*perB], sums[at:at+4], scale, byte(first)))
		}
	}
}

// fragments is a factor of a product.
type fragments struct {
	*multiplier
	t     *tileir.TileType
	shape linear.Shape
	lay   *linear.Layout // of the part for K elements along k
	along int            // the distance of elements along k
	batch int            // and of batches
	left  bool

	regs  []ir.Value // of all parts, by batch and part, if threads have them
	parts int
	stage *staged
}

// factor finds out where the elements of a factor are: in the registers of the threads that need them, or in shared memory.
func (m *multiplier) factor(v *tileir.Value, l *linear.Layout, left bool) *fragments {
	f := m.registers(v, l, left)
	if f.regs == nil && f.stage == nil {
		f.stage = m.stage("factor", v)
	}
	return f
}

// registers finds the registers of a factor's elements, unless threads lack them or they are in shared memory already.
func (m *multiplier) registers(v *tileir.Value, l *linear.Layout, left bool) *fragments {
	t := typeOf(v)
	f := &fragments{multiplier: m, t: t, shape: t.Shape, lay: l, left: left, along: 1}
	rank := len(f.shape)
	f.batch = f.shape[rank-1] * f.shape[rank-2]
	k := f.shape[rank-1]
	if !left {
		k, f.along = f.shape[rank-2], f.shape[rank-1]
	}
	f.parts = k / m.x.Unit.K
	x := m.known(v)
	if x.stage != nil {
		f.stage = x.stage
		return f
	}
	whole := &linear.Layout{Lane: l.Lane, Warp: l.Warp, Reg: append(linear.Map(nil), l.Reg...)}
	for b := m.x.Unit.K; b < k; b *= 2 {
		whole.Reg = append(whole.Reg, b*f.along)
	}
	for b := f.batch; b < f.shape.Size(); b *= 2 {
		whole.Reg = append(whole.Reg, b)
	}
	switch {
	case x.gen != nil:
		f.regs = x.gen(whole)
	case x.t.Size() > 1:
		f.regs = rename(x.regs, x.lay, whole)
	}
	return f
}

// words gives the words of the fragments for a part of k and a batch.
func (f *fragments) words(batch, k0 int) []ir.Value {
	first := batch*f.batch + k0*f.along
	if f.regs != nil {
		n := f.lay.Regs()
		at := (batch*f.parts + k0/f.x.Unit.K) * n
		return f.packed(f.regs[at:at+n], true)
	}
	if turned, ok := f.byMatrix(); ok {
		return f.loadMatrices(first, turned)
	}
	return f.loadWords(first)
}

// packed joins elements to words; registers have forms, and what comes from memory not.
func (f *fragments) packed(regs []ir.Value, forms bool) []ir.Value {
	stored := lane.Stored(f.t)
	var out []ir.Value
	for i := 0; i < len(regs); i += f.width {
		part := append([]ir.Value(nil), regs[i:i+f.width]...)
		for k := range part {
			if forms {
				part[k] = f.toMemory(f.t, part[k])
			}
		}
		out = append(out, f.pack(vec.I32, stored, part))
	}
	return out
}

// loadWords reads elements one by one, or words where those lie side by side.
func (f *fragments) loadWords(first int) []ir.Value {
	s := *f.stage
	stored := lane.Stored(f.t)
	l := &linear.Layout{Reg: f.lay.Reg, Lane: f.lay.Lane, Warp: f.lay.Warp}
	together := f.width == 1 || s.offset(f.along) == stored.Bytes() && (f.width == 2 || s.offset(2*f.along) == 2*stored.Bytes())
	var out []ir.Value
	for r := 0; r < l.Regs(); r += f.width {
		if together {
			at, disp := f.placeFrom(&s, l, r, first)
			out = append(out, f.Load(vec.I32, 1, ir.Access{Space: ir.Shared, Buffer: s.buf, At: at, Disp: disp, Align: 4})[0])
			continue
		}
		part := make([]ir.Value, f.width)
		for k := range part {
			at, disp := f.placeFrom(&s, l, r+k, first)
			part[k] = f.Load(stored, 1, ir.Access{Space: ir.Shared, Buffer: s.buf, At: at, Disp: disp, Align: stored.Bytes()})[0]
		}
		out = append(out, f.pack(vec.I32, stored, part))
	}
	return out
}

// placeFrom is the place of a register whose layout begins at an element.
func (e *emitter) placeFrom(s *staged, l *linear.Layout, r, first int) (at ir.Value, disp int64) {
	return e.placeOf(s, l.Thread(), l.Reg.Apply(r)^first)
}

// byMatrix reports whether fragments of eight rows of 16 bytes can be read at once, and whether they have to be turned around: elements of 16 bits,
// eight of which lie side by side along k, or along the other dimension; or elements of 8 bits along k.
func (f *fragments) byMatrix() (turned, ok bool) {
	size := f.t.Elem.Bytes()
	if size*f.width != 4 || size > 2 || len(f.lay.Reg) < linear.Log2(f.width)+2 {
		return false, false
	}
	across := f.shape[len(f.shape)-1]
	if !f.left {
		across = 1
	}
	side := func(unit int) bool {
		for n := 1; n*size < plan.Widest; n *= 2 {
			if f.stage.offset(n*unit) != n*size {
				return false
			}
		}
		return true
	}
	switch {
	case side(f.along):
		return false, true
	case size == 2 && side(across):
		return true, true
	}
	return false, false
}

// loadMatrices reads four fragments at once. Bits 0 to 2 of the lane say which row of a fragment it points to, along k where fragments
// are turned around, and bits 3 and 4 which fragment.
func (f *fragments) loadMatrices(first int, turned bool) []ir.Value {
	across := f.shape[len(f.shape)-1]
	if !f.left {
		across = 1
	}
	row := across
	if turned {
		row = f.along
	}
	words := f.lay.Regs() / f.width
	out := make([]ir.Value, words)
	// The registers' bits above those of a word say which fragment it is of.
	which := f.lay.Reg[linear.Log2(f.width):]
	lane := linear.Map{row, 2 * row, 4 * row, which[0], which[1]}
	thread := append(lane, f.lay.Warp...)
	for w := 0; w < words; w += 4 {
		at, disp := f.placeOf(f.stage, thread, f.lay.Reg.Apply(w*f.width)^first)
		copy(out[w:], f.LoadMatrix(ir.Access{Space: ir.Shared, Buffer: f.stage.buf, At: at, Disp: disp, Align: plan.Widest}, turned))
	}
	return out
}
