package tileir

import "encoding/binary"

// elemSize is the room of an element in a constant's data: tf32 takes 3 bytes; i1 is packed and not measured so.
func elemSize(e Elem) int { return (e.Bits() + 7) / 8 }

// Splat returns the bits of the element that fills the whole tile; ok is false if elements differ or the data does not fit the
// type.
func (c *Constant) Splat() (bits uint64, ok bool) {
	if !c.Fits() {
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
	return c.Element(0), true
}

func (c *Constant) splatBits(n int) (uint64, bool) {
	first := c.Element(0)
	if len(c.Data) == 1 && n > 8 {
		return first, true // one byte fills the tile
	}
	for i := 1; i < n && len(c.Data) > 0; i++ {
		if c.Element(i) != first {
			return 0, false
		}
	}
	return first, true
}

// Element returns the bits of the i-th element in row-major order. The data must fit the type.
func (c *Constant) Element(i int) uint64 {
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

// Fits reports whether the data has the right length for the type: all elements, or one for all.
func (c *Constant) Fits() bool {
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

// IntConstant makes the value of a tile from all its elements in row-major order, or from one that fills it. For i1,
// numbers other than 0 are true. Bits that do not fit the type are dropped; [Verify] refuses a wrong number of elements.
func IntConstant(t *TileType, values ...int64) *Constant {
	bits := make([]uint64, len(values))
	for i, x := range values {
		switch {
		case t.Elem == I1:
			bits[i] = min(1, uint64(x))
		case t.Elem.IsFloat():
			bits[i] = floatOfInt(t.Elem, x)
		default:
			bits[i] = uint64(x)
		}
	}
	if len(bits) == 1 {
		return SplatConstant(t, bits[0])
	}
	return &Constant{Type: t, Data: ElementData(t.Elem, bits...)}
}

// SplatConstant makes the value of a tile that is filled with one element, given by its bits.
func SplatConstant(t *TileType, bits uint64) *Constant {
	if t.Elem == I1 && bits&1 != 0 {
		return &Constant{Type: t, Data: []byte{0xff}} // true everywhere, whatever the size
	}
	return &Constant{Type: t, Data: ElementData(t.Elem, bits)}
}

// ElementData encodes elements as in [Constant]; for i1 the lowest bit counts.
func ElementData(e Elem, bits ...uint64) []byte {
	if e == I1 {
		data := make([]byte, (len(bits)+7)/8)
		for i, b := range bits {
			data[i/8] |= byte(b & 1 << (i % 8))
		}
		return data
	}
	data := make([]byte, 0, len(bits)*elemSize(e))
	for _, b := range bits {
		for i := range elemSize(e) {
			data = append(data, byte(b>>(8*i)))
		}
	}
	return data
}

// FloatConstant is [IntConstant] for floats. Numbers are rounded to the nearest number of the type, ties to even; numbers out
// of range become infinite, or NaN if the type has no infinity. Integers lose the fraction.
func FloatConstant(t *TileType, values ...float64) *Constant {
	bits := make([]uint64, len(values))
	for i, x := range values {
		switch {
		case t.Elem.IsFloat():
			bits[i] = FloatBits(t.Elem, x)
		case x >= 1<<63: // beyond int64, to which Go converts as the machine does
			bits[i] = uint64(x)
		default:
			bits[i] = uint64(int64(x))
		}
	}
	return &Constant{Type: t, Data: ElementData(t.Elem, bits...)}
}
