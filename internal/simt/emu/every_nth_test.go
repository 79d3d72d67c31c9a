package emu_test

import (
	"math/rand/v2"
)

// extensions judges szext by the formula of the PTX ISA: a mask of the bits above those that are kept, and the sign's bit.
func extensions(o *opcode) judge {
	signed := o.last() == "s32"
	wraps := o.take("clamp", "wrap") == "wrap"
	return judge{
		tune: func(rng *rand.Rand, v []uint64) {
			if rng.IntN(4) > 0 {
				v[1] = uint64(rng.IntN(70))
			}
		},
		want: func(v []uint64) uint64 {
			a, b := uint32(v[0]), uint32(v[1])
			kept := b & 31
			tooLarge := b >= 32 && !wraps
			above := ^uint32(0) << kept
			if tooLarge {
				above = 0
			}
			r := a &^ above
			if kept != 0 && !tooLarge && signed && a>>((kept-1)&31)&1 == 1 {
				r |= above
			}
			return uint64(r)
		},
	}
}

// nthOf judges fns by the loop of the PTX ISA.
func nthOf(*opcode) judge {
	return judge{
		tune: func(rng *rand.Rand, v []uint64) {
			v[1] &= 63
			if rng.IntN(8) > 0 {
				v[2] = uint64(uint32(rng.IntN(41) - 20))
			}
		},
		want: func(v []uint64) uint64 {
			mask, base, offset := uint32(v[0]), int64(v[1]), int64(int32(v[2]))
			if offset == 0 {
				if mask>>base&1 == 1 {
					return uint64(base)
				}
				return 0xffffffff
			}
			count, step := offset-1, int64(1)
			if offset < 0 {
				count, step = -offset-1, -1
			}
			for at := base; at >= 0 && at < 32; at += step {
				if mask>>at&1 == 1 {
					if count == 0 {
						return uint64(at)
					}
					count--
				}
			}
			return 0xffffffff
		},
	}
}
