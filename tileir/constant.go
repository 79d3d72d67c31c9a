package tileir

import (
	"encoding/binary"
	"math"

	"github.com/cutile-go/cutile/internal/elem"
)

// elemSize is the room of an element in a constant's data: tf32 takes 3 bytes; i1 is packed and not measured so.
func elemSize(e Elem) int { return (e.Bits() + 7) / 8 }

// Splat gives the bits of the element that fills the whole tile; ok is false when elements differ or the data does not
// fit the type.
func (c *Constant) Splat() (bits uint64, ok bool) {
	if !c.fits() {
		return 0, false
	}
	n := c.Type.Size()
	if c.Type.Elem == I1 {
		return c.splatBits(n)
	}
	size := elemSize(c.Type.Elem)
	for i := size; i < len(c.Data); i++ {
		if c.Data[i] != c.Data[i-size] {
			return 0, false
		}
	}
	return c.element(0), true
}

func (c *Constant) splatBits(n int) (uint64, bool) {
	first := c.element(0)
	if len(c.Data) == 1 && n > 8 {
		return first, true // one byte fills the tile
	}
	for i := 1; i < n && len(c.Data) > 0; i++ {
		if c.element(i) != first {
			return 0, false
		}
	}
	return first, true
}

// Element gives the bits of the i-th element in row-major order. The data must fit the type.
func (c *Constant) Element(i int) uint64 { return c.element(i) }

func (c *Constant) element(i int) uint64 {
	if c.Type.Elem == I1 {
		if len(c.Data) == 1 && c.Type.Size() > 8 {
			i = 0 // the first bit fills the tile
		}
		return uint64(c.Data[i/8] >> (i % 8) & 1)
	}
	size := elemSize(c.Type.Elem)
	if len(c.Data) == size {
		i = 0
	}
	var b [8]byte
	copy(b[:], c.Data[i*size:(i+1)*size])
	return binary.LittleEndian.Uint64(b[:])
}

// fits reports whether the data has the length that the type asks for: all elements, or one for all.
func (c *Constant) fits() bool {
	if c == nil || c.Type == nil || c.Type.Pointer || c.Type.Elem == NoElem || c.Type.Elem == I4 {
		return false
	}
	n := c.Type.Size()
	if n < 1 {
		return false
	}
	if c.Type.Elem == I1 {
		return len(c.Data) == 1 || len(c.Data) == (n+7)/8
	}
	size := elemSize(c.Type.Elem)
	return len(c.Data) == size || len(c.Data) == n*size
}

// unpacked is the data with a byte for each truth value.
func (c *Constant) unpacked() []byte {
	if c.Type.Elem != I1 {
		return c.Data
	}
	out := make([]byte, c.Type.Size())
	for i := range out {
		out[i] = byte(c.element(i))
	}
	return out
}

// IntConstant makes the value of a tile from all its elements in row-major order, or from one that fills it. For i1,
// numbers other than 0 are true. What does not fit the type is cut off; [Verify] refuses a wrong number of elements.
func IntConstant(t *TileType, values ...int64) *Constant {
	d := dense{elem: t.Elem}
	for _, x := range values {
		switch {
		case t.Elem == I1:
			x = int64(min(1, uint64(x)))
		case t.Elem.IsFloat():
			return FloatConstant(t, floats(values)...)
		}
		d.add(uint64(x))
	}
	if t.Elem == I1 && len(values) == 1 && d.data[0] != 0 {
		d.data[0] = 0xff // true everywhere, whatever the size
	}
	return &Constant{Type: t, Data: d.data}
}

func floats(xs []int64) []float64 {
	out := make([]float64, len(xs))
	for i, x := range xs {
		out[i] = float64(x)
	}
	return out
}

// FloatConstant is [IntConstant] for floats. Numbers are rounded to the nearest that the type has, ties to even; beyond
// its range they become infinite, or NaN where it has no infinity.
func FloatConstant(t *TileType, values ...float64) *Constant {
	d := dense{elem: t.Elem}
	for _, x := range values {
		if t.Elem.IsInt() {
			d.add(uint64(int64(x)))
		} else {
			d.add(FloatBits(t.Elem, x))
		}
	}
	return &Constant{Type: t, Data: d.data}
}

// FloatBits gives the bits of a number in a float type, rounded to the nearest, ties to even, or up where the type has powers
// of two alone; beyond its range they are those of an infinity, where the type has none of NaN, and where it has neither of
// the greatest number.
func FloatBits(e Elem, x float64) uint64 {
	f := e.format()
	switch {
	case e == F32: // the sign of NaN stays
		return uint64(math.Float32bits(float32(x)))
	case math.IsNaN(x) && f.Inf && e != F64:
		return f.Quiet()
	case x < 0 && f.Unsigned:
		return 0
	}
	return f.Encode(x, elem.Nearest, false)
}
