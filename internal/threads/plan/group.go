package plan

import (
	"slices"

	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/linear"
	"github.com/cutile-go/cutile/tileir"
)

const (
	groupWarps = 4 // of a warp group
	GroupBits  = 7 // of the number of a thread in its warp group
	// MostSums is how many registers of a thread hold sums, half of all, as others are in use at the same time; twice as many may come from
	// where they were while a loop ran.
	MostSums = 128
)

// GroupAlign divides the places of what warp groups read.
const GroupAlign = 1024

// group chooses the instruction of warp groups, or one in tensor memory, which works for one warp group, for a product with a shape; nil if
// there is none.
func (p *Plan) group(op *tileir.Op, u ir.Unit, s linear.Shape, loop *tileir.Op) *Product {
	m, n, least, most := s[len(s)-2], s[len(s)-1], 8, MostSums
	if u.Kind == ir.TensorMem && p.stays(op, u, loop) {
		most *= 2
	}
	if u.M == 128 {
		least = 16
	}
	groups := 1 << p.Block.Warps / groupWarps
	along := min(groups, m/u.M) // the rows; others share the columns
	if groups == 0 || groups > 1 && u.Kind == ir.TensorMem || n*along < least*groups || s.Size() > most*p.Block.Threads() ||
		u.Kind == ir.WarpGroup && u.Signed[0] != u.Signed[1] {
		return nil
	}
	u.N = min(u.N, n*along/groups)
	x := &Product{Op: op, Unit: u, Warps: [2]int{groupWarps * along, groups / along}, Carried: -1}
	if u.Kind == ir.TensorMem && s.Size()/u.M+2*x.ScaleColumns() > mostColumns {
		return nil
	}
	return x
}

// Groups is how many warp groups share the rows and the columns of the result.
func (x *Product) Groups() (rows, columns int) { return x.Warps[0] / groupWarps, x.Warps[1] }

// Matrix describes to an instruction how a factor lies in shared memory, where offset, which is linear, gives the byte that an element begins
// at. ok is false if the instruction does not read such.
func (x *Product) Matrix(left bool, offset func(n int) int) (m ir.Matrix, ok bool) {
	size := x.Unit.A.Bytes()
	s := ShapeOf(x.Op.Operands[1])
	rank := len(s)
	g := geometry{offset: offset, size: size, k: s[rank-2], across: 1, along: s[rank-1], rows: s[rank-1], part: x.Unit.N, all: s.Size()}
	if left {
		s = ShapeOf(x.Op.Operands[0])
		g = geometry{offset: offset, size: size, k: s[rank-1], across: s[rank-1], along: 1, rows: s[rank-2], part: x.Unit.M, all: s.Size()}
	}
	switch {
	case offset(g.along) == size:
		m.Width = min(lineBytes, g.k*size)
	case offset(g.across) == size && x.Unit.Across():
		m.Width, m.Across = min(lineBytes, g.rows*size), true
	}
	if m.Width < 2*Widest {
		return m, false
	}
	if m.Across && g.part*size > m.Width {
		m.Lead = offset(m.Width / size * g.across)
	}
	return m, g.fits(&m)
}

// geometry is a factor's: elements of so many bytes, k of them along k, whose numbers are along apart, and so many rows (or columns of the
// second factor), across apart; an instruction takes a part of the rows.
type geometry struct {
	offset                            func(n int) int
	size                              int
	k, along, rows, across, part, all int
}

// fits compares the place of each element with where the instruction looks for it. As both are linear, the bits of elements' numbers do.
func (g *geometry) fits(m *ir.Matrix) bool {
	span, seen := 0, 0
	bit := func(n, want int) bool {
		seen |= n
		span |= want
		pieces := want >> 7 & (m.Width/Widest - 1) << 4
		return g.offset(n) == want^pieces
	}
	for i := 1; i < g.part; i *= 2 {
		want := i * m.Width
		if m.Across {
			want = i*g.size/m.Width*m.Lead + i*g.size%m.Width
		}
		if !bit(i*g.across, want) {
			return false
		}
	}
	for k := 1; k*g.size < 2*Widest; k *= 2 {
		want := k * g.size
		if m.Across {
			want = k * m.Width
		}
		if !bit(k*g.along, want) {
			return false
		}
	}
	// Where a step begins is added to the places of its elements, and changes no places of pieces.
	span |= (m.Width/Widest - 1) << 7
	for n := 1; n < g.all; n *= 2 {
		if seen&n == 0 && g.offset(n)&span != 0 {
			return false
		}
	}
	return !m.Across || m.Lead&(2*Widest/g.size*m.Width-1) == 0
}

// readable reports whether a product's instruction reads a factor as it is copied to shared memory, that of warps elements of 8 and 16 bits, or
// threads may put it there again.
func (p *Plan) readable(f *Feed, left bool) bool {
	offset, ok := p.offsetOf(f, left)
	switch {
	case f.To.Wide != nil: // threads read it, and make another one
		return true
	case !ok:
		return false
	case f.To.Unit.Kind == ir.Warp:
		return f.To.Unit.A.Bytes() <= 2
	case f.To.Unit.Kind == ir.Single:
		return true
	}
	_, ok = f.To.Matrix(left, offset)
	if !ok && len(f.Via) == 0 {
		f.Again = p.crossed(f.Load, f.Load.Results[0].Type.(*tileir.TileType))
	}
	return ok || f.Again != nil
}

// lags finds the products of warp groups in a loop that may work on what the loop carries, and those that may go on into the next turn:
// nothing else touches their sums, and their factors stay where they are.
func (p *Plan) lags(loop *tileir.Op, products []*tileir.Op) {
	body := loop.Regions[0]
	end := body.Ops[len(body.Ops)-1]
	for _, op := range products {
		x := p.Products[op]
		if x == nil || !x.Unit.Kind.InShared() || end.Info.Opcode != tileir.OpContinue {
			continue
		}
		i := slices.Index(end.Operands, op.Results[0])
		if i < 0 || op.Results[0].Type.(*tileir.TileType).Elem != x.Unit.Acc {
			continue
		}
		alone := p.alone(op, loop) == i
		if x.Unit.Kind == ir.TensorMem && !alone {
			continue
		}
		x.Carried, x.Loop = i, loop
		x.Lags = alone && x.Wide == nil && len(p.Loops[loop]) > 0 && p.Stages(loop) >= lagStages && p.ready(op.Operands[0], loop) && p.ready(op.Operands[1], loop)
	}
}

// alone gives the number of what a loop carries that only a product changes, where nothing else sees it; -1 if there is no such.
func (p *Plan) alone(op, loop *tileir.Op) int {
	if loop == nil {
		return -1
	}
	body := loop.Regions[0]
	r, acc, end := op.Results[0], op.Operand("acc"), body.Ops[len(body.Ops)-1]
	i := slices.Index(end.Operands, r)
	if end.Info.Opcode != tileir.OpContinue || i < 0 || acc != body.Args[1+i] || len(p.Uses[acc]) != 1 || len(p.Uses[r]) != 1 || continues(body) != 1 {
		return -1
	}
	return i
}

// ready reports whether a factor lies in shared memory before its turn, where nothing is written until the turn after it.
func (p *Plan) ready(v *tileir.Value, loop *tileir.Op) bool {
	for _, f := range p.Loops[loop] {
		r := f.Load.Results[0]
		if n := len(f.Via); n > 0 {
			r = f.Via[n-1].Results[0]
		}
		if r == v {
			return f.Again == nil
		}
	}
	return p.outside(v, loop)
}

// continues counts the ends of a loop's turns.
func continues(b *tileir.Block) (n int) {
	for _, op := range b.Ops {
		switch op.Info.Opcode {
		case tileir.OpContinue:
			n++
		case tileir.OpFor, tileir.OpLoop:
			continue
		}
		for inner := range op.Blocks() {
			n += continues(inner)
		}
	}
	return n
}

// settle takes back what a product was to do with what a loop carries, if that has another layout.
func (p *Plan) settle() {
	for _, x := range p.Products {
		if x.Carried < 0 {
			continue
		}
		_, _, sums := p.Fragments(x)
		if !p.Layout(x.Loop.Regions[0].Args[1+x.Carried]).Equal(sums) {
			x.Carried, x.Lags = -1, false
		}
	}
}

// crossed is the layout of a load whose elements of 8 bits lie side by side across k and only go to the product of a warp group, which reads
// them along k: a thread has 16 neighbours of each of four rows, of which it makes words along k, and lanes have other words of the same
// lines of shared memory. It is nil for other loads.
func (p *Plan) crossed(load *tileir.Op, t *tileir.TileType) *linear.Layout {
	uses, v := p.Uses[load.Results[0]], p.Vector(load)
	if len(uses) != 1 || t.Elem.Bytes() != 1 || t.Elem.PerByte() > 1 || v.Elems != Widest || t.Rank() < 2 {
		return nil
	}
	x := p.Products[uses[0]]
	k, other := t.Rank()-1, t.Rank()-2
	if x != nil && uses[0].Operands[1] == load.Results[0] {
		k, other = other, k
	}
	if x == nil || x.Unit.Kind != ir.WarpGroup || x.Wide != nil || v.Dim != other {
		return nil
	}
	bits := func(d int) linear.Map { return linear.Shape(t.Shape).Order([]int{d}) }
	side, along := bits(other), bits(k)
	const neighbours, rows = 4, 2 // bits
	order := slices.Concat(side[neighbours:min(neighbours+1, len(side))], along[rows:], side[min(neighbours+1, len(side)):])
	for d := range t.Rank() - 2 {
		order = append(order, bits(d)...)
	}
	for len(order) < p.Block.Lanes+p.Block.Warps {
		order = append(order, 0)
	}
	lanes, threads := p.Block.Lanes, p.Block.Lanes+p.Block.Warps
	return &linear.Layout{Reg: slices.Concat(side[:neighbours], along[:rows], order[threads:]), Lane: order[:lanes:lanes], Warp: order[lanes:threads:threads]}
}
