package arm64

import (
	"fmt"
	"math"
	"math/bits"
)

func wantBelowSize(p pattern) string {
	return fmt.Sprintf("a constant from 0 to %d", 8*int(p.arg)-1)
}

func encodeAddImm(p pattern, o Operand, code uint32) (uint32, bool) {
	if o.imm >= 0 && o.imm < 1<<12 {
		return code | uint32(o.imm)<<10, true
	}
	return code | 1<<22 | uint32(o.imm>>12)<<10, o.imm > 0 && o.imm < 1<<24 && o.imm&0xfff == 0
}

func encodeBitmask(p pattern, o Operand, code uint32) (uint32, bool) {
	v := uint64(o.imm)
	if p.arg == 4 {
		if o.imm != int64(int32(o.imm)) && o.imm != int64(uint32(o.imm)) {
			return 0, false
		}
		v = v<<32 | v&math.MaxUint32
	}
	field, ok := bitmask(v)
	return code | field<<10, ok
}

func encodeNotMask(p pattern, o Operand, code uint32) (uint32, bool) {
	if p.arg == 4 && o.imm == int64(uint32(o.imm)) {
		o.imm = int64(int32(o.imm))
	}
	o.imm = ^o.imm
	return encodeBitmask(p, o, code)
}

// bitmask gives the fields N, immr and imms of a constant of AND, ORR and EOR: ones in a row, rotated, in an element of 2
// to 64 bits that is repeated. All zeros and all ones are no such constants.
func bitmask(v uint64) (uint32, bool) {
	if v == 0 || v == math.MaxUint64 {
		return 0, false
	}
	size := 64
	for half := 32; half >= 2 && v == bits.RotateLeft64(v, half); half /= 2 {
		size = half
	}
	elem := v << (64 - size) >> (64 - size)
	ones := bits.OnesCount64(elem)
	// The row starts at the first one above a zero. Rotating v right by that many bits brings it to bit 0.
	start := bits.TrailingZeros64(v &^ bits.RotateLeft64(v, 1))
	row := bits.RotateLeft64(v, -start)
	if row<<(64-size)>>(64-size) != 1<<ones-1 {
		return 0, false
	}
	immr := uint32(size-start) & uint32(size-1)
	imms := uint32(ones-1) | uint32(-2*size)&0x3f
	if size == 64 {
		return 1<<12 | immr<<6 | uint32(ones-1), true
	}
	return immr<<6 | imms, true
}

// inside reports whether a constant is a number of a bit of a register of p.arg bytes.
func inside(p pattern, v int64) bool { return v >= 0 && v < 8*int64(p.arg) }

func encodeLSL(p pattern, o Operand, code uint32) (uint32, bool) {
	size := 8 * uint32(p.arg)
	n := uint32(o.imm)
	return code | (-n&(size-1))<<16 | (size-1-n)<<10, inside(p, o.imm)
}

func encodeLSB(p pattern, o Operand, code uint32) (uint32, bool) {
	return code | uint32(o.imm)<<16, inside(p, o.imm)
}

// encodeExtractWidth encodes the last bit. The first bit is already in the code.
func encodeExtractWidth(p pattern, o Operand, code uint32) (uint32, bool) {
	last := int64(code>>16&0x3f) + o.imm - 1
	return code | uint32(last)<<10, o.imm >= 1 && o.imm <= 64 && inside(p, last)
}

func encodeNegLSB(p pattern, o Operand, code uint32) (uint32, bool) {
	return code | (-uint32(o.imm)&(8*uint32(p.arg)-1))<<16, inside(p, o.imm)
}

// encodeInsertWidth encodes the width. The first bit is already in the code, negated.
func encodeInsertWidth(p pattern, o Operand, code uint32) (uint32, bool) {
	size := 8 * int64(p.arg)
	first := -int64(code>>16&0x3f) & (size - 1)
	return code | uint32(o.imm-1)<<10, o.imm >= 1 && o.imm <= size-first
}

func encodeBit(limit int64) func(pattern, Operand, uint32) (uint32, bool) {
	return func(p pattern, o Operand, code uint32) (uint32, bool) {
		n := uint32(o.imm)
		return code | n>>5<<31 | n&31<<19, o.imm >= 0 && o.imm < limit
	}
}

// split8 puts 8 bits into the two fields of a vector constant.
func split8(code, b uint32) uint32 { return code | b>>5<<16 | b&31<<5 }

func encodeImm8(p pattern, o Operand, code uint32) (uint32, bool) {
	return split8(code, uint32(o.imm)), o.imm >= 0 && o.imm <= math.MaxUint8
}

func encodeByteMask(p pattern, o Operand, code uint32) (uint32, bool) {
	var mask uint32
	for i := range 8 {
		switch uint8(o.imm >> (8 * i)) {
		case 0xff:
			mask |= 1 << i
		case 0:
		default:
			return 0, false
		}
	}
	return split8(code, mask), true
}

// encodeZero refuses -0 as well, whose bits are not 0.
func encodeZero(p pattern, o Operand, code uint32) (uint32, bool) { return code, o.imm == 0 }

func wantFloat(pattern) string {
	return "a float that is ±n/16·2^e for n from 16 to 31 and e from -3 to 4"
}

// float8 gives the 8 bits of a constant of FMOV.
func float8(v uint64) (uint32, bool) {
	sign, exp, frac := v>>63, int(v>>52&0x7ff)-1023, v&(1<<52-1)
	ok := exp >= -3 && exp <= 4 && frac&(1<<48-1) == 0
	return uint32(sign)<<7 | uint32((exp+3)^4)<<4 | uint32(frac>>48), ok
}

func encodeFloat(p pattern, o Operand, code uint32) (uint32, bool) {
	b, ok := float8(uint64(o.imm))
	return code | b<<p.pos, ok
}

func encodeFloat8(p pattern, o Operand, code uint32) (uint32, bool) {
	b, ok := float8(uint64(o.imm))
	return split8(code, b), ok
}

// encodeLeft encodes a shift to the left of elements of p.arg bytes: the size plus the amount.
func encodeLeft(p pattern, o Operand, code uint32) (uint32, bool) {
	return code | (8*uint32(p.arg)+uint32(o.imm))<<16, inside(p, o.imm)
}

// encodeRight encodes a shift to the right of elements of p.arg bytes: twice the size minus the amount.
func encodeRight(p pattern, o Operand, code uint32) (uint32, bool) {
	return code | (16*uint32(p.arg)-uint32(o.imm))<<16, inside(p, o.imm-1)
}

func encodeSame(p pattern, o Operand, code uint32) (uint32, bool) {
	return code, o.imm == 8*int64(p.arg)
}
