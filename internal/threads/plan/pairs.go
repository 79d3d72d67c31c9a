package plan

import (
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// paired is a product of elements of 4 bits as one of bytes, each of which has two neighbours along k, the first one in its lower half: so
// instructions read them. It is nil for other products.
func paired(op *tileir.Op) *tileir.Op {
	if op.Operands[0].Type.(*tileir.TileType).Elem.PerByte() == 1 {
		return nil
	}
	as := *op
	as.Operands = slices.Clone(op.Operands)
	for i, v := range op.Operands[:2] {
		shape := slices.Clone(ShapeOf(v))
		shape[len(shape)-1-i] /= 2
		as.Operands[i] = &tileir.Value{Type: tileir.Tile(tileir.I8, shape...), Def: v.Def}
	}
	return &as
}

// Halves tells the elements of pairs of the left or the right factor: first gives the number of a pair's first one, and the second one's has the
// bits of second, too.
func (x *Product) Halves(left bool) (first func(pair int) int, second int) {
	if left {
		return func(n int) int { return n << 1 }, 1
	}
	s := ShapeOf(x.Op.Operands[1])
	columns := s[len(s)-1]
	return func(n int) int { return n&(columns-1) | n&-columns<<1 }, columns
}

// offsetOf places the tile of a feed as its product takes it; ok is false where that takes pairs, which do not lie in a byte each.
func (p *Plan) offsetOf(f *Feed, left bool) (offset func(n int) int, ok bool) {
	offset = p.Offset(f.Load)
	for _, via := range f.Via {
		offset = Turned(via, offset)
	}
	if f.To.Pairs == nil {
		return offset, true
	}
	elements := offset
	first, second := f.To.Halves(left)
	return func(n int) int { return elements(first(n)) }, elements(second) == 0
}
