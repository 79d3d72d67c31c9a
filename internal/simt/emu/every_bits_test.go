package emu_test

import (
	"math/big"
	"math/rand/v2"

	"github.com/cutile-go/cutile/internal/simt"
)

// bitsOf makes a value bit by bit.
func bitsOf(n int, bit func(i int) uint64) (r uint64) {
	for i := range n {
		r |= bit(i) & 1 << i
	}
	return r
}

// bitAt gives a bit of a value, 0 beyond its end.
func bitAt(x uint64, n, i int) uint64 {
	if i < 0 || i >= n {
		return 0
	}
	return x >> i & 1
}

// bitwise judges the functions of single bits, of which lop3 has a table.
func bitwise(o *opcode) judge {
	n := simt.TypeBits(o.last())
	f := map[string]func(v []uint64, i int) uint64{
		"and":  func(v []uint64, i int) uint64 { return bitAt(v[0], n, i) * bitAt(v[1], n, i) },
		"or":   func(v []uint64, i int) uint64 { return max(bitAt(v[0], n, i), bitAt(v[1], n, i)) },
		"xor":  func(v []uint64, i int) uint64 { return bitAt(v[0], n, i) + bitAt(v[1], n, i) },
		"not":  func(v []uint64, i int) uint64 { return 1 - bitAt(v[0], n, i) },
		"cnot": func(v []uint64, i int) uint64 { return truthOf(v[0] == 0 && i == 0) },
		"lop3": func(v []uint64, i int) uint64 {
			return bitAt(v[3], 8, int(bitAt(v[0], n, i)*4+bitAt(v[1], n, i)*2+bitAt(v[2], n, i)))
		},
	}[o.head]
	j := judge{want: func(v []uint64) uint64 { return bitsOf(n, func(i int) uint64 { return f(v, i) }) }}
	if o.head == "lop3" {
		j.imm = []uint64{0, 0xff, 0x80, 0xfe, 0x96, 0xca, 0xe8, 0x1b, 0xf0, 0xcc, 0xaa}
	}
	return j
}

func truthOf(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// shifts judges shl and shr, whose distances end at the width, and shf, which shifts two words as one.
func shifts(o *opcode) judge {
	typ := o.last()
	n := simt.TypeBits(typ)
	left, mode := o.head == "shl" || o.head == "shf" && o.take("l", "r") == "l", o.take("clamp", "wrap")
	return judge{want: func(v []uint64) uint64 {
		d := v[len(v)-1]
		if mode == "wrap" {
			d %= 32
		}
		d = min(d, uint64(n))
		if o.head != "shf" {
			x := integerOf(typ, v[0])
			if left {
				return wrap(x.Lsh(x, uint(d)), n)
			}
			return wrap(x.Rsh(x, uint(d)), n)
		}
		both := new(big.Int).SetUint64(v[1]<<32 | v[0])
		if left {
			return wrap(both.Rsh(both.Lsh(both, uint(d)), 32), 32)
		}
		return wrap(both.Rsh(both, uint(d)), 32)
	}}
}

// permutations judges prmt: four of eight bytes. The table has, by mode and the lowest two bits of the third operand, the
// bytes of the result, highest first, as the PTX ISA prints it.
func permutations(o *opcode) judge {
	table := map[string][4]string{
		"f4e": {"3210", "4321", "5432", "6543"}, "b4e": {"5670", "6701", "7012", "0123"}, "rc8": {"0000", "1111", "2222", "3333"},
		"ecl": {"3210", "3211", "3222", "3333"}, "ecr": {"0000", "1110", "2210", "3210"}, "rc16": {"1010", "3232", "1010", "3232"},
	}[o.take("f4e", "b4e", "rc8", "ecl", "ecr", "rc16")]
	return judge{want: func(v []uint64) (r uint64) {
		bytes := v[1]<<32 | v[0]
		for i := range 4 {
			selector := v[2] >> (4 * i) & 15
			if table[0] != "" {
				selector = uint64(table[v[2]&3][3-i] - '0')
			}
			b := bytes >> (8 * (selector & 7)) & 0xff
			if selector&8 != 0 { // the sign alone
				b = b >> 7 * 0xff
			}
			r |= b << (8 * i)
		}
		return r
	}}
}

// counts judges what looks for bits.
func counts(o *opcode) judge {
	typ := o.last()
	n := simt.TypeBits(typ)
	amount := o.has("shiftamt")
	return judge{want: map[string]func(v []uint64) uint64{
		"popc": func(v []uint64) (r uint64) {
			for i := range n {
				r += bitAt(v[0], n, i)
			}
			return r
		},
		"clz": func(v []uint64) (r uint64) {
			for r < uint64(n) && bitAt(v[0], n, n-1-int(r)) == 0 {
				r++
			}
			return r
		},
		"brev": func(v []uint64) uint64 { return bitsOf(n, func(i int) uint64 { return bitAt(v[0], n, n-1-i) }) },
		"bfind": func(v []uint64) uint64 {
			sign := bitAt(v[0], n, n-1) * truthOf(typ[0] == 's')
			for i := n - 1; i >= 0; i-- {
				switch {
				case bitAt(v[0], n, i) == sign:
				case amount:
					return uint64(n - 1 - i)
				default:
					return uint64(i)
				}
			}
			return 0xffffffff
		},
	}[o.head]}
}

// fields judges bfe, bfi and bmsk. Of a position and a length of a field eight bits count.
func fields(o *opcode) judge {
	typ := o.last()
	n := simt.TypeBits(typ)
	wraps := o.take("clamp", "wrap") == "wrap"
	j := judge{tune: func(rng *rand.Rand, v []uint64) {
		for i := len(v) - 2; i < len(v); i++ {
			if rng.IntN(2) == 0 {
				v[i] = v[i]&^0xff | uint64(rng.IntN(n+4)) // also with bits above
			}
		}
	}}
	switch o.head {
	case "bfe":
		j.want = func(v []uint64) uint64 {
			at, length := int(v[1]&0xff), int(v[2]&0xff)
			sign := uint64(0)
			if typ[0] == 's' && length > 0 {
				sign = bitAt(v[0], n, min(at+length-1, n-1))
			}
			return bitsOf(n, func(i int) uint64 {
				if i < length && at+i < n {
					return bitAt(v[0], n, at+i)
				}
				return sign
			})
		}
	case "bfi":
		j.want = func(v []uint64) uint64 {
			at, length := int(v[2]&0xff), int(v[3]&0xff)
			return bitsOf(n, func(i int) uint64 {
				if i >= at && i < at+length {
					return bitAt(v[0], n, i-at)
				}
				return bitAt(v[1], n, i)
			})
		}
	case "bmsk":
		j.want = func(v []uint64) uint64 {
			at, length := min(v[0], 32), min(v[1], 32)
			if wraps {
				at, length = v[0]%32, v[1]%32
			}
			return bitsOf(n, func(i int) uint64 { return truthOf(uint64(i) >= at && uint64(i) < at+length) })
		}
	}
	return j
}
