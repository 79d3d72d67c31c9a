package tileir

import "encoding/binary"

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
			if c.Data[0] != 0 {
				return 1
			}
			return 0
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
