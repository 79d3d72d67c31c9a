package nest

import (
	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// A tile at the edge of its tensor has its first columns and its first rows in the tensor: a load masks the others and takes the
// padding value for them, and a store masks them. All else is done for the whole tile.

// lookInside finds how many columns of a row of an operand lie in the tensor: none in a row that does not.
func (b *builder) lookInside(i int, row vec.Reg) {
	pl := &b.places[i]
	if b.inside[i] = pl.Width; pl.Height == 0 {
		return
	}
	if pl.Width == 0 {
		b.inside[i] = b.Int(int64(b.s.Cols))
	}
	before := b.DoImm(vec.SShrImm, vec.NoType, 63, b.Do(vec.SSub, vec.NoType, row, pl.Height)) // all bits, or none
	b.inside[i] = b.Do(vec.SAnd, vec.NoType, b.inside[i], before)
}

// mask is the columns of an operand that take part in a load or store; 0 if all do.
func (e *columns) mask(i int) vec.Reg {
	n := e.inside[i]
	if n == 0 {
		return e.tail
	}
	m, ok := e.masks[n]
	if !ok {
		m = e.Do(vec.MFirst, vec.NoType, e.Do(vec.SSub, vec.NoType, n, e.AddInt(e.c, int64(e.plus))))
		e.masks[n] = m
	}
	return m
}

// load reads the columns of a tile.
func (e *columns) load(i int, st *Step) vec.Reg {
	t := lane.TileOf(st.Op.Results[0])
	if e.inside[i] == 0 {
		return e.read(i, t)
	}
	pad, _ := lane.Padding(t.Elem, st.Op.Operands[0].Type.(tileir.ViewType).PaddingValue())
	return lane.LoadPadded(e.Builder, t, e.place(i), e.mask(i), pad)
}

// last is the end of the columns that a pass goes through: behind those that its stores write, if it does nothing else.
func (b *builder) last(sinks []sink) vec.Reg {
	end := vec.Reg(0)
	for _, k := range sinks {
		if k.st.Kind != Store || b.s.direction == backward {
			return b.Int(int64(b.s.Cols))
		}
		n := b.inside[b.memoryOf(k.st)]
		switch {
		case n == 0:
			return b.Int(int64(b.s.Cols))
		case end == 0:
			end = n
		default:
			end = b.Do(vec.SMax, vec.NoType, end, n)
		}
	}
	return b.Do(vec.SMin, vec.NoType, end, b.Int(int64(b.s.Cols)))
}
