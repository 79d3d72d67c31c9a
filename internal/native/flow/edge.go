package flow

import "github.com/cutile-go/cutile/internal/native/vec"

// whole is not negative if a tile is usual and lies wholly in its tensor.
func (b *builder) whole(a *access) vec.Reg {
	usual := a.usual
	for _, x := range a.beyond {
		if x != 0 {
			usual = b.both(usual, x)
		}
	}
	return usual
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
	inside := func(most int) (some vec.Reg) {
		each := 1
		for ; i >= 0 && each < most; i-- {
			k := a.order[i]
			n, x := a.tile[k], a.beyond[k]
			switch {
			case x == 0:
			case n > 1 && n*each == most:
				some = b.Do(vec.SMin, vec.NoType, b.scalar(b.times(a.left[k], int64(each))), b.Int(int64(most)))
			default:
				p.usual = b.both(p.usual, x)
			}
			each *= n
		}
		return some
	}
	p.width, p.height = inside(cols), inside(rows)
	for ; i >= 0; i-- {
		if x := a.beyond[a.order[i]]; x != 0 {
			p.usual = b.both(p.usual, x)
		}
	}
	return p
}
