package plan

import (
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
