package emu

// operandMatrix is a matrix of wgmma in shared memory, as its 64-bit descriptor says: rows are those of A, or columns of B.
//
// A piece is 16 bytes. Without swizzle, 8 rows of one piece lie side by side; else 8 rows of as many bytes as are swizzled.
// The descriptor has the distances between such blocks in both directions.
type operandMatrix struct {
	start       uint32
	lead, strid uint32 // the "leading" and the "stride" byte offset
	base        uint32
	width       uint32 // bytes that are swizzled: 0 for none
}

func newOperandMatrix(desc uint64) operandMatrix {
	field := func(at int) uint32 { return uint32(desc>>at&0x3fff) << 4 }
	return operandMatrix{
		start: field(0), lead: field(16), strid: field(32), base: uint32(desc >> 49 & 7),
		width: [4]uint32{0, 128, 64, 32}[desc>>62],
	}
}

// at gives the offset in shared memory of the element at a row and a byte of the row, where rows run along k.
func (o *operandMatrix) at(row, k uint32) uint32 {
	if o.width == 0 {
		return o.start + row/8*o.strid + k/16*o.lead + row%8*16 + k%16
	}
	return o.swizzle(o.start + row/8*o.strid + row%8*o.width + k)
}

// atTransposed gives the offset of the element of 2 bytes at a row and a k, where k runs along rows.
func (o *operandMatrix) atTransposed(row, k uint32) uint32 { return o.across(row/8, k) + row%8*2 }

// across gives the offset of a piece of neighbouring rows at one k.
func (o *operandMatrix) across(piece, k uint32) uint32 {
	if o.width == 0 {
		return o.start + piece*o.strid + k/8*o.lead + k%8*16
	}
	per := o.width / 16
	return o.swizzle(o.start + piece/per*o.lead + k/8*o.strid + k%8*o.width + piece%per*16)
}

// swizzle moves pieces by the number of their 128 bytes in the pattern, which begins at base.
func (o *operandMatrix) swizzle(off uint32) uint32 {
	return off ^ (off>>7-o.base)&(o.width/16-1)<<4
}
