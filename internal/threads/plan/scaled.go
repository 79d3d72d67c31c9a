package plan

import (
	"slices"

	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/linear"
	"github.com/cutile-go/cutile/tileir"
)

// scales reports whether an instruction multiplies elements with factors as a product does.
func scales(op *tileir.Op, u *ir.Unit) bool {
	if op.Info.Opcode != tileir.OpMmaFScaled {
		return u.Run == 0
	}
	t, s := op.Operand("lhs_scale").Type.(*tileir.TileType), ShapeOf(op.Operand("lhs"))
	k := len(s) - 1
	return u.Run > 0 && t.Elem == u.Scale && t.Shape[k]*u.Run == s[k]
}

// Scales are the layouts of a product's factors of elements, whose registers are those along k first, then blocks of rows or columns, then
// batches. Of four lanes the first two have those of two rows, the first one that of a column.
func (p *Plan) Scales(x *Product) (left, right *linear.Layout) {
	s := ShapeOf(x.Op.Operand("lhs_scale"))
	rank := len(s)
	m, k := s[rank-2], s[rank-1]
	more, warp := x.rows(m, k)
	left = &linear.Layout{Reg: append(doubling(1, k, 1), more...), Lane: linear.Map{8 * k, 0, k, 2 * k, 4 * k}}
	left.Reg = append(left.Reg, doubling(m*k, s.Size(), 1)...)
	left.Warp = append(warp, make(linear.Map, linear.Log2(x.Warps[1]))...)

	s = ShapeOf(x.Op.Operand("rhs_scale"))
	n := s[rank-1]
	right = &linear.Layout{Reg: append(doubling(1, k, n), doubling(8, n/x.Warps[1], 1)...), Lane: linear.Map{0, 0, 1, 2, 4}}
	right.Reg = append(right.Reg, doubling(k*n, s.Size(), 1)...)
	right.Warp = append(make(linear.Map, linear.Log2(x.Warps[0])), doubling(n/x.Warps[1], n, 1)...)
	return p.all(left), p.all(right)
}

const (
	scaleLanes = 32 // of tensor memory, which have factors of elements; the other lanes have the same
	perColumn  = 4  // factors of a row in a column, a byte each
	// scaleAlign divides the first column of the factors that an instruction reads. NVIDIA's compilers put them so.
	scaleAlign = 4
)

// scaleSide is how the factors of the elements of a product's operand lie in tensor memory: by batch, block of rows (or columns of the right
// operand) that an instruction takes, and part of k whose factors a column has.
type scaleSide struct {
	batches, rows, k int // extents
	across, along    int // how far numbers of factors are apart
	part             int // rows of a block
}

func (x *Product) scaleSide(left bool) *scaleSide {
	s := ShapeOf(x.Op.Operand("rhs_scale"))
	rank := len(s)
	g := &scaleSide{rows: s[rank-1], k: s[rank-2], across: 1, along: s[rank-1], part: x.Unit.N}
	if left {
		s = ShapeOf(x.Op.Operand("lhs_scale"))
		g = &scaleSide{rows: s[rank-2], k: s[rank-1], across: s[rank-1], along: 1, part: x.Unit.M}
	}
	g.batches = s.Size() / (g.rows * g.k)
	return g
}

// parts is how many parts k has.
func (g *scaleSide) parts() int { return max(1, g.k/perColumn) }

// width is how many columns a block takes for a part of k: those with factors, and all.
func (g *scaleSide) width() (used, all int) {
	used = max(1, g.part/scaleLanes)
	return used, max(used, scaleAlign)
}

func (g *scaleSide) columns() int {
	_, all := g.width()
	return g.batches * g.rows / g.part * g.parts() * all
}

// layout is the one in which threads put the factors there: a register's are those of its column, four of a column.
func (g *scaleSide) layout() *linear.Layout {
	l := &linear.Layout{Reg: slices.Concat(doubling(1, min(g.k, perColumn), g.along), doubling(scaleLanes, g.part, g.across), doubling(perColumn, g.k, g.along),
		doubling(g.part, g.rows, g.across), doubling(g.rows*g.k, g.batches*g.rows*g.k, 1)), Lane: doubling(1, min(g.part, scaleLanes), g.across)}
	for 1<<len(l.Lane) < scaleLanes {
		l.Lane = append(l.Lane, 0)
	}
	return l
}

// scaleSets is how many times a product's factors of elements have a place: twice where it goes on while those of the next one come.
func (x *Product) scaleSets() int {
	if x.Lags {
		return 2
	}
	return 1
}

// ScaleColumns is how many columns of tensor memory have the factors of a product's elements; 0 where elements have none, or not there.
func (x *Product) ScaleColumns() int { return x.scaleSets() * x.ScaleSet() }

// ScaleSet is how many columns those of one product take.
func (x *Product) ScaleSet() int {
	if x.Unit.Kind != ir.TensorMem || x.Unit.Run == 0 {
		return 0
	}
	return x.scaleSide(true).columns() + x.scaleSide(false).columns()
}

// ScalePlace is where the factors of the elements begin that an instruction multiplies: those of a batch, from a row, or column of the right
// operand, and from an element along k on.
func (x *Product) ScalePlace(left bool, batch, row, k int) (at ir.ScalePlace) {
	if x.Unit.Run == 0 {
		return at
	}
	g := x.scaleSide(left)
	_, all := g.width()
	k /= x.Unit.Run
	at = ir.ScalePlace{Column: ((batch*g.rows+row)/g.part*g.parts() + k/perColumn) * all, Byte: k % perColumn}
	if !left {
		at.Column += x.scaleSide(true).columns()
	}
	return at
}

// ScaleStores are the layouts in which threads put the factors of elements into tensor memory, and how many neighbouring columns have them
// of those that a block takes for a part of k.
func (p *Plan) ScaleStores(x *Product, left bool) (l *linear.Layout, used, all int) {
	g := x.scaleSide(left)
	used, all = g.width()
	return p.all(g.layout()), used, all
}
