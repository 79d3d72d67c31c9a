package emu

import (
	"errors"
	"fmt"
)

// errWide is about the swizzle of one kind of matrix.
var errWide = errors.New("matrices of 32-bit elements that are transposed, and no others, are swizzled in pieces of 32 bytes (kind 1)")

// sharedMatrix is a matrix of tcgen05 in shared memory, as its 64-bit descriptor says. It lies as matrices of wgmma do; the
// descriptor has other places for the kind of swizzle, and one kind more, of pieces of 32 bytes.
type sharedMatrix struct {
	operandMatrix
	wide bool // 128 bytes are swizzled in pieces of 32
}

// newSharedMatrix reads a descriptor: the address, the leading and the stride byte offset, each without four bits; 1 in bits
// 46 to 48; the base offset of the pattern of swizzles; whether the leading offset is an address; eight zeros; and the kind.
func newSharedMatrix(desc uint64) (o sharedMatrix, err error) {
	field := func(at int) uint32 { return uint32(desc>>at&0x3fff) << 4 }
	o.operandMatrix = operandMatrix{start: field(0), lead: field(16), strid: field(32), base: uint32(desc >> 49 & 7)}
	switch kind := desc >> 61; {
	case desc>>46&7 != 1:
		err = fmt.Errorf("bits 46 to 48 are %03b: expected 001, as descriptors of sm_100 have it", desc>>46&7)
	case desc>>52&1 != 0:
		err = fmt.Errorf("bit 52 is set: a leading dimension that is an address is not known here")
	case desc>>53&0xff != 0:
		err = fmt.Errorf("bits 53 to 60 are not zero")
	case desc>>14&3 != 0 || desc>>30&3 != 0:
		err = fmt.Errorf("bits 14, 15, 30 and 31 are not zero")
	case kind == 3 || kind == 5 || kind == 7:
		err = fmt.Errorf("there is no swizzle of the kind %d: expected 0, 1, 2, 4 or 6", kind)
	default:
		o.width = [7]uint32{1: 128, 2: 128, 4: 64, 6: 32}[kind]
		o.wide = kind == 1
	}
	if err != nil {
		err = fmt.Errorf("the descriptor 0x%016x: %w", desc, err)
	}
	return o, err
}

// alongK gives the offset of a piece of 16 bytes of a row that runs along k.
func (o *sharedMatrix) alongK(row, piece int) uint32 { return o.at(uint32(row), uint32(piece)*16) }

// acrossK gives the offset of a piece of 16 bytes of neighbouring rows at one k.
func (o *sharedMatrix) acrossK(piece, k int) uint32 {
	if !o.wide {
		return o.across(uint32(piece), uint32(k))
	}
	off := o.start + uint32(piece)/8*o.lead + uint32(k)/4*o.strid + uint32(k)%4*128 + uint32(piece)%8*16
	return off ^ (off>>7&3)<<5
}

// pieces gives the offsets of the pieces of a matrix of so many rows and two pieces (32 bytes) along k: by row and piece, or
// where it is transposed by k and piece, per being the elements of a piece.
func (o *sharedMatrix) pieces(rows, k, per int, trans bool) (all []uint32) {
	if !trans {
		for r := range rows {
			all = append(all, o.alongK(r, 0), o.alongK(r, 1))
		}
		return all
	}
	for i := range k {
		for p := range (rows + per - 1) / per {
			all = append(all, o.acrossK(p, i))
		}
	}
	return all
}

// inPieces names pieces of a block's shared memory.
func inPieces(b *block, offs []uint32) (all []sharedPiece) {
	for _, off := range offs {
		all = append(all, sharedPiece{b, off})
	}
	return all
}
