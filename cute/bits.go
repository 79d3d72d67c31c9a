package cute

import (
	"math/bits"
)

// Word lists the integer types whose bits fit a register.
type Word interface {
	~int32 | ~uint32 | ~int64 | ~uint64 | ~int | ~uint
}

// PopCount returns the number of bits that are set.
//
//cutile:ptx popc.{T.b} x -> 0..64
func PopCount[T Word](x T) int { return bits.OnesCount64(lowBits(x)) }

// LeadingZeros returns the number of zeros above the highest bit that is set; for 0 the width of the type.
//
//cutile:ptx clz.{T.b} x -> 0..64
func LeadingZeros[T Word](x T) int { return bits.LeadingZeros64(lowBits(x)) - 64 + widthOf[T]() }

// TrailingZeros returns the number of zeros below the lowest bit that is set; for 0 the width of the type.
func TrailingZeros[T Word](x T) int { return LeadingZeros(ReverseBits(x)) }

// ReverseBits returns the bits of x in reverse order.
//
//cutile:ptx brev.{T.b} x
func ReverseBits[T Word](x T) T { return T(bits.Reverse64(uint64(x)) >> (64 - widthOf[T]())) }

// HighestBit returns the index of the highest bit that differs from the sign (of a signed type) or from 0; -1 if there is none.
//
//cutile:ptx bfind.{T} x
func HighestBit[T Word](x T) int {
	if x < 0 {
		x = ^x
	}
	return bits.Len64(lowBits(x)) - 1
}

// ExtractBits returns n bits of x starting at a position, sign-extended if the type is signed. The position and n are 0
// to 255; bits beyond the type equal its sign.
//
//cutile:ptx bfe.{T} x pos n
func ExtractBits[T Word](x T, pos, n int) T { panic(deviceOnly) }

// InsertBits returns into with its n bits starting at a position replaced by the lowest bits of x.
//
//cutile:ptx bfi.{T.b} x into pos n
func InsertBits[T Word](x, into T, pos, n int) T { panic(deviceOnly) }

// FunnelShiftLeft returns the upper word of hi and lo, joined to 64 bits and shifted left by n modulo 32.
//
//cutile:ptx shf.l.wrap.b32 lo hi n
func FunnelShiftLeft(lo, hi uint32, n int) uint32 {
	return uint32((uint64(hi)<<32 | uint64(lo)) << (n & 31) >> 32)
}

// FunnelShiftRight returns the lower word of hi and lo, joined to 64 bits and shifted right by n modulo 32.
//
//cutile:ptx shf.r.wrap.b32 lo hi n
func FunnelShiftRight(lo, hi uint32, n int) uint32 {
	return uint32((uint64(hi)<<32 | uint64(lo)) >> (n & 31))
}

// RotateLeft returns x rotated left by n modulo 32.
func RotateLeft(x uint32, n int) uint32 { return FunnelShiftLeft(x, x, n) }

// BytePermute picks four of the eight bytes of lo and hi: every four bits of sel select one; if their highest bit is set, the
// result has the byte's sign in all eight bits (PTX's prmt).
//
//cutile:ptx prmt.b32 lo hi sel
func BytePermute(lo, hi, sel uint32) uint32 { panic(deviceOnly) }

// Logic3 computes any function of three bits, for each bit: its value is bit 4x+2y+z of a static table (PTX's lop3).
//
//cutile:ptx lop3.b32 x y z table
func Logic3(x, y, z uint32, table int) uint32 { panic(deviceOnly) }

// MulHi returns the upper half of the product of x and y.
//
//cutile:ptx mul.hi.{T} x y
func MulHi[T Word](x, y T) T { panic(deviceOnly) }

// Dot4 returns c plus the sum of the products of the four signed bytes of a and b (PTX's dp4a).
//
//cutile:ptx dp4a.s32.s32 a b c
func Dot4(a, b, c int32) int32 { panic(deviceOnly) }

// Dot4Unsigned returns c plus the sum of the products of the four bytes of a and b.
//
//cutile:ptx dp4a.u32.u32 a b c
func Dot4Unsigned(a, b, c uint32) uint32 { panic(deviceOnly) }

// Bitcast returns the bits of a number, or of each element of a vector, as a number of another type of the same width.
//
//cutile:intrinsic bitcast
func Bitcast[To, From Num](v From) To { panic(deviceOnly) }

// lowBits is an integer without the extension of its sign; widthOf the number of its bits. They do not exist in kernels.
func lowBits[T Word](x T) uint64 { return uint64(x) << (64 - widthOf[T]()) >> (64 - widthOf[T]()) }

func widthOf[T Word]() int {
	one := T(1)
	if one<<31<<1 == 0 {
		return 32
	}
	return 64
}
