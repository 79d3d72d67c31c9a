package conformance

import (
	"math/big"
	"math/rand/v2"

	"github.com/cutile-go/cutile/dtype"
)

// integers are the cases of what only integers have.
func integers() []Case {
	var all []Case
	all = append(all, intOnly[int8](inst("bitwise", "I8T1[D16]"), inst("assignBits", "I8T1[D16]"), inst("shift", "I8T1[D16]"), inst("remainder", "I8T1[D16]"), inst("divCeil", "I8T1[D16]"), inst("mulHi", "I8T1[D16]"))...)
	all = append(all, intOnly[int16](inst("bitwise", "I16T1[D16]"), inst("assignBits", "I16T1[D16]"), inst("shift", "I16T1[D16]"), inst("remainder", "I16T1[D16]"), inst("divCeil", "I16T1[D16]"), inst("mulHi", "I16T1[D16]"))...)
	all = append(all, intOnly[int32](inst("bitwise", "I32T1[D16]"), inst("assignBits", "I32T1[D16]"), inst("shift", "I32T1[D16]"), inst("remainder", "I32T1[D16]"), inst("divCeil", "I32T1[D16]"), inst("mulHi", "I32T1[D16]"))...)
	all = append(all, intOnly[int64](inst("bitwise", "I64T1[D16]"), inst("assignBits", "I64T1[D16]"), inst("shift", "I64T1[D16]"), inst("remainder", "I64T1[D16]"), inst("divCeil", "I64T1[D16]"), inst("mulHi", "I64T1[D16]"))...)
	all = append(all, intOnly[uint8](inst("bitwise", "U8T1[D16]"), inst("assignBits", "U8T1[D16]"), inst("shift", "U8T1[D16]"), inst("remainder", "U8T1[D16]"), inst("divCeil", "U8T1[D16]"), inst("mulHi", "U8T1[D16]"))...)
	all = append(all, intOnly[uint16](inst("bitwise", "U16T1[D16]"), inst("assignBits", "U16T1[D16]"), inst("shift", "U16T1[D16]"), inst("remainder", "U16T1[D16]"), inst("divCeil", "U16T1[D16]"), inst("mulHi", "U16T1[D16]"))...)
	all = append(all, intOnly[uint32](inst("bitwise", "U32T1[D16]"), inst("assignBits", "U32T1[D16]"), inst("shift", "U32T1[D16]"), inst("remainder", "U32T1[D16]"), inst("divCeil", "U32T1[D16]"), inst("mulHi", "U32T1[D16]"))...)
	all = append(all, intOnly[uint64](inst("bitwise", "U64T1[D16]"), inst("assignBits", "U64T1[D16]"), inst("shift", "U64T1[D16]"), inst("remainder", "U64T1[D16]"), inst("divCeil", "U64T1[D16]"), inst("mulHi", "U64T1[D16]"))...)
	all = append(all, signedOnly[int8](inst("divRound", "I8T1[D16]"), inst("magnitude", "I8T1[D16]"))...)
	all = append(all, signedOnly[int16](inst("divRound", "I16T1[D16]"), inst("magnitude", "I16T1[D16]"))...)
	all = append(all, signedOnly[int32](inst("divRound", "I32T1[D16]"), inst("magnitude", "I32T1[D16]"))...)
	all = append(all, signedOnly[int64](inst("divRound", "I64T1[D16]"), inst("magnitude", "I64T1[D16]"))...)
	return all
}

func intOnly[E intElem](bitwise, assignBits, shift, remainder, divCeil, mulHi any) []Case {
	data := func(r *rand.Rand) (x, y []E) { return pairs[E](r, 45) }
	return []Case{
		exact2("int/bitwise", bitwise, data,
			func(x, y E) E { return x & y }, func(x, y E) E { return x | y }, func(x, y E) E { return x ^ y },
			func(x, y E) E { return x &^ y }, func(x, _ E) E { return ^x }),
		exact2("int/assign", assignBits, data, func(v, y E) E {
			v &= 0x3f
			v |= y
			v ^= 0x11
			v &^= 6
			v <<= 2
			v >>= 1
			v %= 23
			v /= 3
			return v
		}),
		exact2("int/shift", shift, func(r *rand.Rand) (x, n []E) {
			x = edged[E](r, 200)
			for range x {
				n = append(n, E(r.IntN(8*dtype.Of[E]().Size())))
			}
			return x, n
		}, func(x, n E) E { return x << n }, func(x, n E) E { return x >> n }, func(x, _ E) E { return x>>3 + x<<1 }),
		exact2("int/remainder", remainder, divisors[E], func(x, y E) E { return x % y }),
		exact2("int/divCeil", divCeil, divisors[E], func(x, y E) E { return divided(x, y, 1) }),
		exact2("int/mulHi", mulHi, data, upper[E]),
	}
}

func signedOnly[E intElem](divRound, magnitude any) []Case {
	return []Case{
		exact2("int/divRound", divRound, divisors[E],
			func(x, y E) E { return divided(x, y, -1) }, func(x, y E) E { return divided(x, y, 1) }),
		exact1("int/abs", magnitude, func(r *rand.Rand) []E { return edged[E](r, 45) }, func(x E) E { return max(x, -x) }),
	}
}

// divided is the quotient rounded up or down.
func divided[E intElem](x, y E, towards int) E {
	q := x / y
	if r := x % y; r != 0 && ((r < 0) == (y < 0)) == (towards > 0) {
		q += fromF64[E](float64(towards))
	}
	return q
}

// upper is the upper half of the unsigned product.
func upper[E intElem](x, y E) E {
	bits := uint(8 * dtype.Of[E]().Size())
	p := new(big.Int).Mul(unsigned(x), unsigned(y))
	return fromBits[E](p.Rsh(p, bits).Uint64())
}

// unsigned is the value of the bits of x.
func unsigned[E intElem](x E) *big.Int {
	bits := uint(8 * dtype.Of[E]().Size())
	return new(big.Int).SetUint64(uint64(x) & (1<<(bits-1)<<1 - 1))
}
