package plan

import (
	"slices"

	"github.com/cutile-go/cutile/internal/access"
	"github.com/cutile-go/cutile/internal/threads/linear"
	"github.com/cutile-go/cutile/tileir"
)

// Vector says how wide an access may be: so many elements along a dimension of the tile, at an address that their bytes divide, which
// are in memory or masked all together. Elems is 1 where there is nothing to join, and Dim then -1.
type Vector struct{ Dim, Elems int }

const (
	// Widest is the greatest number of bytes that a thread moves at once.
	Widest = 16
	line   = 128 // bytes of memory that a warp should move at once
)

// Vector finds how wide an access of memory may be.
func (p *Plan) Vector(op *tileir.Op) Vector {
	v, ok := p.vectors[op]
	if !ok {
		v = p.vector(p.Info.Access(op))
		p.vectors[op] = v
	}
	return v
}

func (p *Plan) vector(a *access.Access) Vector {
	none := Vector{-1, 1}
	if a == nil || a.Base == nil || a.Atomic() || a.Op.Info.Opcode == tileir.OpAtomicRedViewTko {
		return none
	}
	dim := slices.IndexFunc(a.Dims, func(d access.Dim) bool { return d.Step == access.Contiguous })
	if dim < 0 {
		return none
	}
	n := min(Widest, low(a.Align)) / int64(a.Elem.Bytes())
	if a.Elem.PerByte() > 1 { // the two elements of a byte, or one
		n = 1
		if a.Even {
			n = 2
		}
	}
	d := a.Dims[dim]
	if slices.ContainsFunc(a.Dims[dim+1:], func(o access.Dim) bool { return o.Step == access.Contiguous }) {
		n = 1 // rows begin one element after another
	}
	n = min(n, int64(d.Size))
	if a.View && !d.Inside {
		n = min(n, low(p.Info.Divisor(d.Extent)), low(p.Info.Divisor(d.From)))
	}
	for _, b := range a.Mask.Bounds {
		switch b.Coefs[dim] {
		case 0:
		case 1:
			others := int64(0)
			for k, c := range b.Coefs {
				if k != dim {
					others |= c
				}
			}
			n = min(n, low(p.Info.Divisor(b.Less)), low(others))
		default:
			n = 1
		}
	}
	for _, m := range a.Mask.Rest {
		if p.Info.Varies(m).Has(dim) {
			n = 1
		}
	}
	if n <= 1 {
		return Vector{dim, 1}
	}
	return Vector{dim, int(n)}
}

// low is the greatest power of two that divides a number.
func low(n int64) int64 {
	if n == 0 {
		return 1 << 30
	}
	return n & -n
}

// Memory is the layout in which an access moves a tile best.
func (p *Plan) Memory(op *tileir.Op, t *tileir.TileType) *linear.Layout {
	v := p.Vector(op)
	order := linear.RowMajor(t.Rank())
	if t.Rank() == 0 {
		return p.Block.Uniform()
	}
	if v.Dim < 0 {
		return p.Block.Blocked(t.Shape, order, 1)
	}
	order = slices.DeleteFunc(order, func(d int) bool { return d == v.Dim })
	order = append([]int{v.Dim}, order...)
	vec := v.Elems
	if t.Elem.PerByte() == 1 {
		vec = min(vec, max(1, t.Size()/p.Block.Threads()))
	}
	return p.Block.Lines(t.Shape, order, vec, max(1, line/(vec*t.Elem.Bytes())))
}
