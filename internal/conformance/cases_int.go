package conformance

import (
	"math/big"
	"math/rand/v2"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/tile"
)

// integers are the cases of what only integers have.
func integers() []Case {
	var all []Case
	all = append(all, intOnly[int8](bitwise[tile.I8T1[tile.D16]], assignBits[tile.I8T1[tile.D16]], shift[tile.I8T1[tile.D16]], remainder[tile.I8T1[tile.D16]], divCeil[tile.I8T1[tile.D16]], mulHi[tile.I8T1[tile.D16]])...)
	all = append(all, intOnly[int16](bitwise[tile.I16T1[tile.D16]], assignBits[tile.I16T1[tile.D16]], shift[tile.I16T1[tile.D16]], remainder[tile.I16T1[tile.D16]], divCeil[tile.I16T1[tile.D16]], mulHi[tile.I16T1[tile.D16]])...)
	all = append(all, intOnly[int32](bitwise[tile.I32T1[tile.D16]], assignBits[tile.I32T1[tile.D16]], shift[tile.I32T1[tile.D16]], remainder[tile.I32T1[tile.D16]], divCeil[tile.I32T1[tile.D16]], mulHi[tile.I32T1[tile.D16]])...)
	all = append(all, intOnly[int64](bitwise[tile.I64T1[tile.D16]], assignBits[tile.I64T1[tile.D16]], shift[tile.I64T1[tile.D16]], remainder[tile.I64T1[tile.D16]], divCeil[tile.I64T1[tile.D16]], mulHi[tile.I64T1[tile.D16]])...)
	all = append(all, intOnly[uint8](bitwise[tile.U8T1[tile.D16]], assignBits[tile.U8T1[tile.D16]], shift[tile.U8T1[tile.D16]], remainder[tile.U8T1[tile.D16]], divCeil[tile.U8T1[tile.D16]], mulHi[tile.U8T1[tile.D16]])...)
	all = append(all, intOnly[uint16](bitwise[tile.U16T1[tile.D16]], assignBits[tile.U16T1[tile.D16]], shift[tile.U16T1[tile.D16]], remainder[tile.U16T1[tile.D16]], divCeil[tile.U16T1[tile.D16]], mulHi[tile.U16T1[tile.D16]])...)
	all = append(all, intOnly[uint32](bitwise[tile.U32T1[tile.D16]], assignBits[tile.U32T1[tile.D16]], shift[tile.U32T1[tile.D16]], remainder[tile.U32T1[tile.D16]], divCeil[tile.U32T1[tile.D16]], mulHi[tile.U32T1[tile.D16]])...)
	all = append(all, intOnly[uint64](bitwise[tile.U64T1[tile.D16]], assignBits[tile.U64T1[tile.D16]], shift[tile.U64T1[tile.D16]], remainder[tile.U64T1[tile.D16]], divCeil[tile.U64T1[tile.D16]], mulHi[tile.U64T1[tile.D16]])...)
	all = append(all, signedOnly[int8](divRound[tile.I8T1[tile.D16]], magnitude[tile.I8T1[tile.D16]])...)
	all = append(all, signedOnly[int16](divRound[tile.I16T1[tile.D16]], magnitude[tile.I16T1[tile.D16]])...)
	all = append(all, signedOnly[int32](divRound[tile.I32T1[tile.D16]], magnitude[tile.I32T1[tile.D16]])...)
	all = append(all, signedOnly[int64](divRound[tile.I64T1[tile.D16]], magnitude[tile.I64T1[tile.D16]])...)
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
