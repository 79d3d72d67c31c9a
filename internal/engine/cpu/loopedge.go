package cpu

import (
	"math"
	"unsafe"

	"github.com/cutile-go/cutile/internal/native/gemm"
)

// At the edges of matrices, the last rows of the first factor of a loopProduct, or the last columns of the second one, may be outside: there
// the factors are zero. What is inside is multiplied, and the other sums are mostly known.

// ends reports whether a tile lies inside but for its last rows (of the second factor, columns), which are zero.
func (fac *loopFactor) ends(r *region) bool {
	for i, n := range fac.tile {
		if r.lo[i] != 0 || r.hi[i] != n && i != fac.row {
			return false
		}
	}
	return fac.pad == 0
}

// rowsInside is rows for a tile of which only the first rows and columns lie inside, just so many.
func (a *access) rowsInside(r *region, tile, inside [2]int) (base ptr, stride int, ok bool) {
	if r.empty || a.sparse >= 0 || a.halves {
		return nil, 0, false
	}
	column := a.order[len(a.tile)-1]
	row := -1
	for i, n := range a.tile {
		switch {
		case r.lo[i] != 0:
			return nil, 0, false
		case i == column || n == 1:
		case row >= 0:
			return nil, 0, false
		default:
			row = i
		}
	}
	if row < 0 || a.tile[row] != tile[0] || a.tile[column] != tile[1] || r.hi[row] != inside[0] || r.hi[column] != inside[1] || r.stride[column] != 1 {
		return nil, 0, false
	}
	return unsafe.Add(r.memory, (r.zero+a.firstElement(r))*a.size), r.stride[row] * a.size, true
}

// corner is a part of a tile: the product of the rows of the first factor and the columns of the second one that are inside, or outside.
type corner struct {
	spec        gemm.ProductSpec
	at          [2]ptr
	row, column int // where it begins in the tile
	product     gemm.Product
}

func (c *corner) prepare(f *frame, l *loopProduct) (err error) {
	c.spec.BlockM, c.spec.BlockN = min(c.spec.M, mostBlock), min(c.spec.N, mostBlock)
	c.product, err = f.panels.Product(l.machine, c.spec, c.at[0], c.at[1])
	return err
}

func (c *corner) multiply(f *frame, to, from gemm.Sums) {
	for i := range c.product.Items() {
		f.poll()
		c.product.Do(&f.worker, i, to, from)
	}
}

// zero is an element of every type.
var zero [8]byte

// outside prepares the corners of a tile that are outside, and appends them to a list. inside is the product of the one that is inside.
func (l *loopProduct) outside(f *frame, inside gemm.ProductSpec, at [2]ptr, all []corner) ([]corner, error) {
	rows, columns := [2]int{inside.M, l.spec.M - inside.M}, [2]int{inside.N, l.spec.N - inside.N}
	for i, m := range rows {
		for j, n := range columns {
			if i+j == 0 || m == 0 || n == 0 {
				continue
			}
			c := corner{spec: inside, at: at, row: i * inside.M, column: j * inside.N}
			if c.spec.M, c.spec.N = m, n; i == 1 {
				c.spec.A, c.at[0] = gemm.Layout{}, ptr(&zero)
			}
			if j == 1 {
				c.spec.B, c.at[1] = gemm.Layout{}, ptr(&zero)
			}
			if err := c.prepare(f, l); err != nil {
				return nil, err
			}
			all = append(all, c)
		}
	}
	return all, nil
}

// fill puts the sums of a corner that is outside in the arena, where those of the corner inside are. The products that are added are zeros,
// unless zero is multiplied by an infinity or a NaN: then no sum inside of the same column, or row, is finite.
func (c *corner) fill(f *frame, l *loopProduct, arena gemm.Sums) {
	size := l.spec.Kind.Acc()
	zeros := true
	switch {
	case c.column == 0:
		zeros = finite(arena, size, 1, c.spec.N)
	case c.row == 0:
		zeros = finite(arena, size, c.spec.M, 1)
	}
	to := gemm.Sums{At: unsafe.Add(arena.At, c.row*arena.Row+c.column*size), Row: arena.Row}
	from := to
	if l.zero {
		from = gemm.Sums{}
	}
	switch {
	case zeros && l.zero:
		for i := range c.spec.M {
			clear(unsafe.Slice((*byte)(unsafe.Add(to.At, i*to.Row)), c.spec.N*size))
		}
	case zeros && !has(to, size, c.spec.M, c.spec.N, 1<<(8*size-1), math.MaxUint64): // -0 may become 0, and nothing else changes
	default:
		c.multiply(f, to, from)
	}
}

// finite reports whether the first sums, of so many rows and columns, are finite floats. Integers may seem not to be.
func finite(sums gemm.Sums, size, rows, columns int) bool {
	if exponent := uint64(0x7ff << 52); size == 8 {
		return !has(sums, size, rows, columns, exponent, exponent)
	}
	const exponent = 0xff << 23
	return !has(sums, size, rows, columns, exponent, exponent)
}

// has reports whether sums of 4 or 8 bytes, of so many rows and columns, have one whose bits under a mask are those given.
func has(sums gemm.Sums, size, rows, columns int, bits, mask uint64) bool {
	for i := range rows {
		row := unsafe.Add(sums.At, i*sums.Row)
		if size == 8 {
			for _, x := range unsafe.Slice((*uint64)(row), columns) {
				if x&mask == bits {
					return true
				}
			}
			continue
		}
		for _, x := range unsafe.Slice((*uint32)(row), columns) {
			if x&uint32(mask) == uint32(bits) {
				return true
			}
		}
	}
	return false
}
