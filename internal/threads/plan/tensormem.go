package plan

import (
	"slices"

	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/linear"
	"github.com/cutile-go/cutile/tileir"
)

const (
	// leastColumns and mostColumns are how many columns of tensor memory a block gets, of 128 lanes of 32 bits.
	leastColumns = 32
	mostColumns  = 512
	// worthMoving is the least extent along k of a product in tensor memory whose sums come from registers and go back there. Both ways move
	// as much as the multiplication of some 64 rows takes; for less, warps need not move anything.
	worthMoving = 64
)

// pays reports whether a product should have its sums in tensor memory: where they stay there while a loop runs, where they begin with
// zeros, or where they are worth the way, as they are where nothing else multiplies with factors of elements. loop is the one whose block has
// the product; nil if it is another's.
func (p *Plan) pays(x *Product, loop *tileir.Op) bool {
	s := ShapeOf(x.Op.Operands[0])
	return x.Unit.Run > 0 || p.stays(x.Op, x.Unit, loop) || Zero(x.Op.Operand("acc")) || s[len(s)-1] >= worthMoving
}

// stays reports whether the sums of a product stay in tensor memory while a loop runs.
func (p *Plan) stays(op *tileir.Op, u ir.Unit, loop *tileir.Op) bool {
	return p.alone(op, loop) >= 0 && op.Results[0].Type.(*tileir.TileType).Elem == u.Acc
}

// Zero reports whether all elements of a tile are the constant +0.
func Zero(v *tileir.Value) bool {
	for v.Def != nil {
		switch v.Def.Info.Opcode {
		case tileir.OpReshape, tileir.OpBroadcast:
			v = v.Def.Operands[0]
		case tileir.OpConstant:
			bits, ok := v.Def.Attr("value").(*tileir.Constant).Splat()
			return ok && bits == 0
		default:
			return false
		}
	}
	return false
}

// byRow reports whether each thread has the sums of a row, as the lanes of tensor memory have. Half as many rows take half of the lanes,
// and threads have what they have of a warp group's sums.
func (x *Product) byRow() bool { return x.Unit.Kind == ir.TensorMem && x.Unit.M == 128 }

// rowSums is the layout of sums of n columns, each thread having those of a row.
func rowSums(s linear.Shape, n int) *linear.Layout {
	rows := doubling(1, 128, n)
	return &linear.Layout{Reg: append(doubling(1, n, 1), doubling(128, s.Size()/n, n)...), Lane: rows[:5:5], Warp: rows[5:]}
}

// columns gives the products their columns of tensor memory. Sums that stay there have columns of their own, the widest first, so that the
// first one is a multiple of how many there are; the others are there one after the other. Factors of elements are behind all sums.
func (p *Plan) columns() {
	var own, others []*Product
	for op := range p.Entry.All() {
		x := p.Products[op]
		if x == nil || x.Unit.Kind != ir.TensorMem {
			continue
		}
		s := ShapeOf(op.Results[0])
		x.Columns = s.Size() / x.Unit.M
		if x.Carried >= 0 {
			own = append(own, x)
		} else {
			others = append(others, x)
		}
	}
	slices.SortStableFunc(own, func(a, b *Product) int { return b.Columns - a.Columns })
	for {
		at, wide, scales := 0, 0, 0
		for _, x := range own {
			x.Column = at
			at += x.Columns
		}
		for _, x := range others {
			wide, scales = max(wide, x.Columns), max(scales, x.ScaleColumns())
		}
		if wide > 0 && at > 0 {
			at = (at + wide - 1) / wide * wide
		}
		for _, x := range others {
			x.Column = at
		}
		at += wide
		for _, x := range own {
			x.Scales = at
			at += x.ScaleColumns()
		}
		for _, x := range others {
			x.Scales = at
		}
		if at += scales; at <= mostColumns || len(own) == 0 {
			p.TensorColumns = 0
			for n := leastColumns; at > 0 && p.TensorColumns < at; n *= 2 {
				p.TensorColumns = n
			}
			return
		}
		last := own[len(own)-1]
		last.Carried, last.Lags = -1, false
		own, others = own[:len(own)-1], append(others, last)
	}
}
