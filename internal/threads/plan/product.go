package plan

import (
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/linear"
	"github.com/cutile-go/cutile/tileir"
)

// Product is a product that matrix instructions compute: so many warps along the rows and the columns of the result.
type Product struct {
	Op    *tileir.Op
	Unit  ir.Unit
	Warps [2]int

	// Carried is the number of what the loop around carries whose next value is the result, so that a warp group may work on its variables, or
	// that stays in tensor memory while the loop runs; -1 if there is none.
	Carried int
	Loop    *tileir.Op // that loop
	// Lags is set where the loop goes on while a warp group multiplies: a turn waits for the product of the turn before.
	Lags bool

	Column, Columns int // of tensor memory
	Scales          int // the first column with factors of elements

	// Wide has the factors as they are, where those of Op are the same numbers as f16; else nothing.
	Wide []*tileir.Value
	// Pairs has the factors as they are, where those of Op are bytes of two elements; else nothing.
	Pairs []*tileir.Value
}

// String says how the product is computed, such as "m16n8k16 by 2x2 warps".
func (x *Product) String() string {
	text := fmt.Sprintf("m%dn%dk%d by %dx%d warps", x.Unit.M, x.Unit.N, x.Unit.Length(), x.Warps[0], x.Warps[1])
	switch x.Unit.Kind {
	case ir.WarpGroup:
		text += " as a group"
	case ir.Cooperative:
		text += ", cooperative"
	}
	if x.Unit.Kind == ir.TensorMem {
		text = fmt.Sprintf("m%dn%dk%d in %d columns of tensor memory from %d", x.Unit.M, x.Unit.N, x.Unit.Length(), x.Columns, x.Column)
		if n := x.ScaleColumns(); n > 0 {
			text += fmt.Sprintf(", scales in %d from %d", n, x.Scales)
		}
		if x.Carried >= 0 {
			text += " while the loop runs"
		}
	}
	if x.Wide != nil {
		text += ", of f16"
	}
	if x.Lags {
		text += ", until the next turn"
	}
	return text
}

// single describes a product that no matrix instruction computes, if threads may read its factors where copies put them: as they are, and whole.
func (p *Plan) single(op *tileir.Op) *Product {
	x := p.singles[op]
	if x == nil && op.Info.Opcode != tileir.OpMmaFScaled && p.factors(op).bytes <= p.target.Shared {
		x = &Product{Op: op, Unit: ir.Unit{Kind: ir.Single}, Carried: -1}
		p.singles[op] = x
	}
	return x
}

// products chooses matrix instructions for the products of a block, and finds the loads of a loop that only feed them.
func (p *Plan) products(b *tileir.Block, loop *tileir.Op) {
	var here []*tileir.Op
	for _, op := range b.Ops {
		if isProduct(op) {
			here = append(here, op)
		}
		inner := loop
		if op.Info.Opcode == tileir.OpFor {
			inner = op
		}
		for r := range op.Blocks() {
			p.products(r, inner)
		}
	}
	in := loop
	if loop != nil && b != loop.Regions[0] {
		in = nil
	}
	sums := 0
	for _, op := range here {
		if x := p.product(op, len(here), in); x == nil {
			p.Reasons[op] = p.unmatched(op)
		} else {
			p.Products[op] = x
			if x.Unit.Kind.InFragments() {
				sums += x.Sums().Regs()
			}
		}
	}
	p.sums = max(p.sums, sums)
	if loop != nil && b == loop.Regions[0] && p.target.Async {
		p.feeds(loop)
		p.lags(loop, here)
	}
}

// product chooses the instruction of a product, which is one of several in its block, perhaps a loop's; nil if there is none.
func (p *Plan) product(op *tileir.Op, several int, loop *tileir.Op) *Product {
	if as := paired(op); as != nil {
		x := p.product(as, several, loop)
		if x != nil {
			x.Pairs = op.Operands[:2]
		}
		return x
	}
	s, f := ShapeOf(op.Results[0]), p.factors(op)
	if f.bytes > p.target.Shared {
		return nil // only fused operations can take the factors by parts
	}
	warps := 1 << p.Block.Warps
	for _, u := range p.target.Units {
		if !f.takes(op, &u) || !f.divides(&u) {
			continue
		}
		if op.Info.Opcode == tileir.OpMmaI {
			signed := [2]bool{op.Int("signedness_lhs") != 0, op.Int("signedness_rhs") != 0}
			if u.Kind == ir.Cooperative && u.Signed != signed {
				continue // devices have only some of these
			}
			u.Signed = signed
		}
		if u.Kind == ir.Cooperative {
			if x := p.cooperative(op, u, s, several, loop); x != nil {
				return x
			}
			continue
		}
		if u.Kind.InShared() {
			if x := p.group(op, u, s, loop); x != nil && (u.Kind != ir.TensorMem || p.pays(x, loop)) {
				return x
			}
			continue
		}
		if n := columns(&u); f.n%n == 0 {
			return &Product{Op: op, Unit: u, Warps: share(warps, f.m/u.M, f.n/n, several), Carried: -1}
		}
	}
	if f.narrow(op) {
		return p.wide(op, several, loop)
	}
	return nil
}

// short reports whether an instruction may keep fewer bits of sums than float32 has, which fast_acc allows: those for floats of 8 bits do.
// That those in tensor memory do not is an assumption, which no GPU has confirmed; tileiras 13.4 uses instructions for 8 bits on all targets.
func short(u *ir.Unit) bool { return u.A.Bits() == 8 && u.Kind != ir.TensorMem }

// wide chooses the instruction of a product of floats of 8 bits as if they were f16, to which they are equal; nil if there is none.
func (p *Plan) wide(op *tileir.Op, several int, loop *tileir.Op) *Product {
	as := *op
	as.Operands = slices.Clone(op.Operands)
	for i, v := range op.Operands[:2] {
		as.Operands[i] = &tileir.Value{Type: tileir.Tile(tileir.F16, ShapeOf(v)...), Def: v.Def}
	}
	x := p.product(&as, several, loop)
	if x != nil {
		x.Wide = op.Operands[:2]
	}
	return x
}

// share divides warps among blocks of rows and pairs of blocks of columns. Where a block has several products, the rows of one stay in
// a warp, since what lies between products reduces them; else the parts are as square as can be.
func share(warps, rows, columns, several int) (w [2]int) {
	w = [2]int{1, 1}
	for w[0]*w[1] < warps {
		tall := w[0]*2 <= rows
		if tall && (several > 1 || w[0] <= w[1] || w[1]*2 > columns) {
			w[0] *= 2
			continue
		}
		if w[1]*2 > columns {
			break // the others do the same
		}
		w[1] *= 2
	}
	return w
}

// Width is the number of elements, or pairs of these, of a factor in a word of 32 bits.
func (x *Product) Width() int { return 4 / x.Unit.A.Bytes() }

// Sums is the layout of the accumulator: registers of a block of M by N elements first, then the blocks of columns, of rows, and batches.
func (x *Product) Sums() *linear.Layout {
	s := ShapeOf(x.Op.Results[0])
	rank := len(s)
	m, n := s[rank-2], s[rank-1]
	if x.byRow() {
		return rowSums(s, n)
	}
	l := &linear.Layout{Reg: linear.Map{1, 8 * n}, Lane: linear.Map{2, 4, n, 2 * n, 4 * n}}
	more, warp := x.rows(m, n)
	l.Reg = append(l.Reg, doubling(8, n/x.Warps[1], 1)...)
	l.Reg = append(l.Reg, more...)
	l.Reg = append(l.Reg, doubling(m, s.Size()/n, n)...)
	l.Warp = append(warp, doubling(n/x.Warps[1], n, 1)...)
	return l
}

// rows divides so many rows beyond 16, which are a number of elements apart, among registers and warps. The rows of a warp are neighbours,
// but for a warp group those of an instruction are.
func (x *Product) rows(count, apart int) (reg, warp linear.Map) {
	own := count / x.Warps[0]
	if x.Unit.Kind != ir.Warp {
		own *= groupWarps
		return doubling(x.Unit.M, own, apart), append(doubling(16, x.Unit.M, apart), doubling(own, count, apart)...)
	}
	return doubling(16, own, apart), doubling(own, count, apart)
}

// Left is the layout of the first factor for K elements of each row, from the first one on, and one batch.
func (x *Product) Left() *linear.Layout {
	s := ShapeOf(x.Op.Operands[0])
	rank := len(s)
	m, k, w := s[rank-2], s[rank-1], x.Width()
	l := &linear.Layout{Reg: append(doubling(1, w, 1), 8*k), Lane: linear.Map{w, 2 * w, k, 2 * k, 4 * k}}
	l.Reg = append(l.Reg, doubling(4*w, x.Unit.K, 1)...)
	more, warp := x.rows(m, k)
	l.Reg = append(l.Reg, more...)
	l.Warp = append(warp, make(linear.Map, linear.Log2(x.Warps[1]))...)
	return l
}

// Right is the layout of the second factor for K elements of each column.
func (x *Product) Right() *linear.Layout {
	s := ShapeOf(x.Op.Operands[1])
	rank := len(s)
	n, w := s[rank-1], x.Width()
	l := &linear.Layout{Reg: doubling(1, w, n), Lane: linear.Map{w * n, 2 * w * n, 1, 2, 4}}
	l.Reg = append(l.Reg, doubling(4*w, x.Unit.K, n)...)
	l.Reg = append(l.Reg, doubling(8, n/x.Warps[1], 1)...)
	l.Warp = append(make(linear.Map, linear.Log2(x.Warps[0])), doubling(n/x.Warps[1], n, 1)...)
	return l
}

// doubling lists the powers of two from one to before another, each times a number.
func doubling(from, to, times int) (m linear.Map) {
	for b := from; b < to; b *= 2 {
		m = append(m, b*times)
	}
	return m
}

// all gives a layout the bits of warps that do nothing of their own.
func (p *Plan) all(l *linear.Layout) *linear.Layout {
	for len(l.Warp) < p.Block.Warps {
		l.Warp = append(l.Warp, 0)
	}
	return l
}

// Fragments are the layouts of a product's factors, unless they are in shared memory, and sums.
func (p *Plan) Fragments(x *Product) (left, right, sums *linear.Layout) {
	switch x.Unit.Kind {
	case ir.TensorMem:
		return nil, nil, p.all(x.Sums())
	case ir.Cooperative:
		return nil, nil, x.blockSums(p.Block.Lanes)
	}
	return p.all(x.Left()), p.all(x.Right()), p.all(x.Sums())
}
