package flow

import "github.com/cutile-go/cutile/internal/native/vec"

// whole is not negative if a tile is usual and lies wholly in its tensor.
func (b *builder) whole(a *access) vec.Reg {
	usual := a.usual
	for i := range a.tile {
		if x := b.beyond(a, i); x != 0 {
			usual = b.both(usual, x)
		}
	}
	return usual
}

// beyond is negative if a tile reaches beyond its tensor along a dimension; 0 if it never does.
func (b *builder) beyond(a *access, i int) vec.Reg {
	left, n := a.left[i], int64(a.tile[i])
	if left.reg == 0 && left.known >= n {
		return 0
	}
	return b.scalar(b.plus(left, number{known: -n}))
}

// part is how much of a tile of rows and columns lies in its tensor: the first columns of the first rows.
type part struct {
	usual         vec.Reg // not negative if it is that
	width, height vec.Reg // the columns and the rows; 0 if all do
}

// part finds how much of a usual tile lies in its tensor. Only the outermost dimensions of the columns and of the rows may reach beyond
// it: then what lies inside is rectangular.
func (b *builder) part(a *access, rows, cols int) (p part) {
	p.usual = a.usual
	i := len(a.tile) - 1
	cut := func(most int) (inside vec.Reg) {
		each := 1
		for ; i >= 0 && each < most; i-- {
			k := a.order[i]
			n, x := a.tile[k], b.beyond(a, k)
			switch {
			case x == 0:
			case n > 1 && n*each == most:
				inside = b.Do(vec.SMin, vec.NoType, b.scalar(b.times(a.left[k], int64(each))), b.Int(int64(most)))
			default:
				p.usual = b.both(p.usual, x)
			}
			each *= n
		}
		return inside
	}
	p.width, p.height = cut(cols), cut(rows)
	for ; i >= 0; i-- {
		if x := b.beyond(a, a.order[i]); x != 0 {
			p.usual = b.both(p.usual, x)
		}
	}
	return p
}
