package arm64

import "fmt"

// lanesOf gives the number of elements of 128 bits in a view.
func (p pattern) lanesOf() int { return 16 / p.view.Size() }

func wantLane(p pattern) string { return fmt.Sprintf("an element from 0 to %d", p.lanesOf()-1) }

func wantLaneHLM(p pattern) string {
	if p.view == ViewH {
		return "an element from 0 to 7 of v0 to v15"
	}
	return wantLane(p)
}

// encodeIndex5 puts the size, as the lowest bit that is set, and the index into bits 16 to 20.
func encodeIndex5(p pattern, o Operand, bits uint32) (uint32, bool) {
	size := uint32(p.view.ElemSize())
	return bits | uint32(o.reg&numMask)<<p.pos | (uint32(o.lane)*2+1)*size<<16, int(o.lane) < p.lanesOf()
}

// encodeIndex4 puts the index of a source into bits 11 to 14.
func encodeIndex4(p pattern, o Operand, bits uint32) (uint32, bool) {
	size := uint32(p.view.ElemSize())
	return bits | uint32(o.reg&numMask)<<p.pos | uint32(o.lane)*size<<11, int(o.lane) < p.lanesOf()
}

// encodeIndexHLM puts the index into the bits H (11), L (21) and M (20), from the lowest size on up. An index of a 16-bit
// element needs M, which is the highest bit of the register elsewhere.
func encodeIndexHLM(p pattern, o Operand, bits uint32) (uint32, bool) {
	n, i := uint32(o.reg&numMask), uint32(o.lane)
	ok := int(o.lane) < p.lanesOf()
	switch p.view.Size() {
	case 2:
		return bits | n<<16 | i>>2<<11 | i>>1&1<<21 | i&1<<20, ok && n < 16
	case 4:
		return bits | n<<16 | i>>1<<11 | i&1<<21, ok
	default:
		return bits | n<<16 | i<<11, ok
	}
}

// encodeIndexQ puts the index of a loaded element, scaled by its size, into the bits Q (30), S (12) and size (10, 11).
func encodeIndexQ(p pattern, o Operand, bits uint32) (uint32, bool) {
	i := uint32(o.lane) * uint32(p.view.ElemSize())
	bits |= uint32(o.reg&numMask)<<p.pos | i>>3<<30 | i>>2&1<<12 | i&3<<10
	return bits, o.amount == p.arg && int(o.lane) < p.lanesOf()
}
