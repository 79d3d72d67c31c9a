package plan

import (
	"github.com/cutile-go/cutile/internal/threads/linear"
	"github.com/cutile-go/cutile/tileir"
)

// lineBytes is the length of a line of shared memory, of all its banks.
const lineBytes = 128

// Place gives the byte of shared memory that an element of a tile begins at, behind the first one: the tile lies in lines of 128 bytes, along
// the dimension unit, of which elements are copied together, and pieces of 16 bytes of eight rows lie in different banks. It is linear.
// Rows of 32 bytes and more lie as [ir.Matrix] says.
func Place(s linear.Shape, unit, size int) func(n int) int {
	mask := s.Mask(unit)
	row := s[unit] * size
	rows := s.Size() / s[unit]
	pieces := lineBytes/Widest - 1
	if row >= 2*Widest {
		pieces = min(pieces, row/Widest-1)
	}
	return func(n int) int {
		c, r := s.Coord(unit, n)*size, linear.Squeeze(n, mask)
		at := r*row + c
		if row >= lineBytes {
			at = c/lineBytes*rows*lineBytes + r*lineBytes + c%lineBytes
			return at ^ r&pieces<<4
		}
		return at ^ at>>7&pieces<<4
	}
}

// Offset places the tile of a load that is copied ahead.
func (p *Plan) Offset(load *tileir.Op) func(n int) int {
	t := load.Results[0].Type.(*tileir.TileType)
	return Place(t.Shape, p.Vector(load).Dim, t.Elem.Bytes())
}

// Turned places a tile that a reshape or a permutation makes of one in shared memory, or the elements of 4 bits that come out of its bytes, two
// of them in the same place.
func Turned(op *tileir.Op, offset func(n int) int) func(n int) int {
	switch {
	case op.Info.Opcode == tileir.OpUnpack:
		return func(n int) int { return offset(n >> 1) }
	case op.Info.Opcode != tileir.OpPermute:
		return offset
	}
	perm, from, to := op.Attr("permutation").(tileir.Ints), linear.Shape(ShapeOf(op.Operands[0])), linear.Shape(ShapeOf(op.Results[0]))
	return func(n int) int {
		old := 0
		for i, d := range perm {
			old |= to.Coord(i, n) << from.Shift(d)
		}
		return offset(old)
	}
}
