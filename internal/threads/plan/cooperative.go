package plan

import (
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/linear"
	"github.com/cutile-go/cutile/tileir"
)

// cooperative chooses cooperative matrices for a product with a shape, which is one of several in its block; nil if there is nothing to do for
// some warps, or if warps have too many sums.
func (p *Plan) cooperative(op *tileir.Op, u ir.Unit, s linear.Shape, several int, loop *tileir.Op) *Product {
	rows, columns, warps := s[len(s)-2]/u.M, s[len(s)-1]/u.N, 1<<p.Block.Warps
	x := &Product{Op: op, Unit: u, Warps: share(warps, rows, columns, several), Carried: -1}
	if columns == 0 || s[len(s)-1]%u.N != 0 || x.Warps[0]*x.Warps[1] < warps || s.Size() > MostSums*p.Block.Threads() {
		return nil
	}
	if p.stays(op, u, loop) {
		x.Carried, x.Loop = p.alone(op, loop), loop
	}
	return x
}

// blockSums is the layout in which threads have sums that were cooperative matrices: each matrix is spread over the lanes of the warp that
// has it, up to four neighbours of a row in a thread, and matrices follow each other by columns, by rows and by batches.
func (x *Product) blockSums(lanes int) *linear.Layout {
	s := ShapeOf(x.Op.Results[0])
	rank := len(s)
	m, n := s[rank-2], s[rank-1]
	within := append(doubling(1, x.Unit.N, 1), doubling(1, x.Unit.M, n)...)
	vec := max(0, min(2, linear.Log2(x.Unit.N), len(within)-lanes))
	l := &linear.Layout{Reg: within[:vec:vec]}
	for _, b := range within[vec:] {
		if len(l.Lane) < lanes {
			l.Lane = append(l.Lane, b)
		} else {
			l.Reg = append(l.Reg, b)
		}
	}
	for len(l.Lane) < lanes {
		l.Lane = append(l.Lane, 0)
	}
	ownRows, ownColumns := m/x.Warps[0], n/x.Warps[1]
	l.Reg = append(l.Reg, doubling(x.Unit.N, ownColumns, 1)...)
	l.Reg = append(l.Reg, doubling(x.Unit.M, ownRows, n)...)
	l.Reg = append(l.Reg, doubling(m, s.Size()/n, n)...)
	l.Warp = append(doubling(ownRows, m, n), doubling(ownColumns, n, 1)...)
	return l
}

// extents are those of a factor: how many elements there are along k and along the other dimension, how far apart the numbers of neighbours
// are, how many of them a cooperative matrix has, and how many elements there are in all.
type extents struct {
	k, other, along, across, partK, partOther, all int
}

func (x *Product) extents(left bool) extents {
	s := ShapeOf(x.Op.Operands[1])
	if left {
		s = ShapeOf(x.Op.Operands[0])
	}
	rows, columns := s[len(s)-2], s[len(s)-1]
	if left {
		return extents{columns, rows, 1, columns, x.Unit.K, x.Unit.M, s.Size()}
	}
	return extents{rows, columns, columns, 1, x.Unit.K, x.Unit.N, s.Size()}
}

// Blocks places the elements of a factor of cooperative matrices in shared memory: the elements of a matrix lie side by side, along k, or
// along the other dimension if across is set, and matrices follow each other along k.
func (x *Product) Blocks(left, across bool) func(n int) int {
	e := x.extents(left)
	k, other := doubling(1, e.partK, e.along), doubling(1, e.partOther, e.across)
	order := append(k, other...)
	if across {
		order = append(other, k...)
	}
	order = append(order, doubling(e.partK, e.k, e.along)...)
	order = append(order, doubling(e.partOther, e.other, e.across)...)
	order = append(order, doubling(e.k*e.other, e.all, 1)...)
	size := x.Unit.A.Bytes()
	return func(n int) (at int) {
		for i, b := range order {
			if n&b != 0 {
				at |= size << i
			}
		}
		return at
	}
}

// InBlocks describes a factor for cooperative matrices, where offset, which is linear, gives the byte of shared memory that an element begins
// at. ok is false if it does not lie as [Product.Blocks] says.
func (x *Product) InBlocks(left bool, offset func(n int) int) (m ir.Matrix, ok bool) {
	e := x.extents(left)
	for _, m.Across = range []bool{false, true} {
		want, same := x.Blocks(left, m.Across), true
		for n := 1; n < e.all; n *= 2 {
			same = same && offset(n) == want(n)
		}
		if same {
			m.Width = e.partK * x.Unit.A.Bytes()
			if m.Across {
				m.Width = e.partOther * x.Unit.A.Bytes()
			}
			return m, true
		}
	}
	return m, false
}
