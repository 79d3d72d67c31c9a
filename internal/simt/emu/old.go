package emu

import "math/bits"

// multiply24 decodes mul24 and mad24: the lower or upper 32 of the 48 bits of the product of two numbers of 24 bits.
func multiply24(d *decoder) exec {
	high := d.oneOf("lo", "hi") == "hi"
	t := d.typ()
	number := func(x uint64) uint64 {
		if t.kind == 's' {
			return uint64(signed(x, 24))
		}
		return cut(x, 24)
	}
	product := func(x, y uint64) uint64 {
		p := number(x) * number(y)
		if high {
			p >>= 16
		}
		return cut(p, 32)
	}
	if d.in.Op[:3] == "mad" {
		return d.ternary(32, 32, func(x, y, z uint64) uint64 { return cut(product(x, y)+z, 32) }, nil)
	}
	return d.binary(32, product, nil)
}

// dotHalves decodes dp2a: the sum of the products of two halves with two of four bytes, and a third operand.
func dotHalves(d *decoder) exec {
	shift := map[string]int{"lo": 0, "hi": 16}[d.oneOf("lo", "hi")]
	tb := d.typ()
	ta := d.typ()
	part := func(t typ, x uint64, n int) int64 {
		if t.kind == 's' {
			return signed(x, n)
		}
		return int64(cut(x, n))
	}
	return d.ternary(32, 32, func(x, y, z uint64) uint64 {
		sum := int64(z)
		for i := range 2 {
			sum += part(ta, x>>(16*i), 16) * part(tb, y>>(shift+8*i), 8)
		}
		return cut(uint64(sum), 32)
	}, nil)
}

// bitMask decodes bmsk: a number of ones from a bit on. Both numbers are limited to 32, or taken modulo 32.
func bitMask(d *decoder) exec {
	wrap := d.oneOf("clamp", "wrap") == "wrap"
	d.typ()
	return d.binary(32, func(from, width uint64) uint64 {
		if wrap {
			from, width = from&31, width&31
		}
		return cut((1<<min(width, 32)-1)<<min(from, 32), 32)
	}, nil)
}

// extend decodes szext: the lowest bits of a number, as many as the second operand says, with zeros or the sign above them.
func extend(d *decoder) exec {
	wrap := d.oneOf("clamp", "wrap") == "wrap"
	t := d.typ()
	return d.binary(32, func(x, n uint64) uint64 {
		if wrap {
			n &= 31
		}
		if n = min(n, 32); n > 0 && t.kind == 's' {
			return cut(uint64(signed(cut(x, int(n)), int(n))), 32)
		}
		return cut(x, int(n))
	}, nil)
}

// findNth decodes fns: the place of the n-th bit that is set, counted from a base upwards, or downwards where n is negative.
func findNth(d *decoder) exec {
	d.typ()
	return d.ternary(32, 32, func(mask, base, n uint64) uint64 { return nthSet(mask, int64(base), signed(n, 32)) }, nil)
}

// nthSet counts the bits of a mask from a base on: 0 asks whether the base itself is set. All ones stand for none. PTX does not say what a base
// beyond the mask gives: here there is no bit.
func nthSet(mask uint64, from, n int64) uint64 {
	step, left := int64(1), n
	switch {
	case n == 0:
		left = 1
		mask &= 1 << from
	case n < 0:
		step, left = -1, -n
	}
	for at := from; at >= 0 && at < 32; at += step {
		if mask>>at&1 == 1 {
			if left--; left == 0 {
				return uint64(at)
			}
		}
	}
	return full
}

// choose decodes slct: the first of two numbers where a third is not negative. A NaN chooses the second.
func choose(d *decoder) exec {
	by := d.typ()
	ftz := d.has("ftz")
	t := d.typ()
	return d.ternary(t.bits, by.bits, func(x, y, z uint64) uint64 {
		first := signed(z, 32) >= 0
		if by.kind == 'f' {
			magnitude := cut(z, 31)
			nan := magnitude > 0x7f800000
			zero := magnitude == 0 || ftz && magnitude < 0x00800000
			first = !nan && (first || zero)
		}
		if first {
			return x
		}
		return y
	}, nil)
}

// isSpace decodes isspacep: whether a generic address is in a space. The module's constants lie in global memory.
func isSpace(d *decoder) exec {
	s := d.oneOf("global", "shared", "local", "const")
	p, a := d.pdst(0), d.src(1, 64)
	return func(w *warp, m uint32) {
		var r uint32
		for k := m; k != 0; k &= k - 1 {
			i := bits.TrailingZeros32(k)
			in, _ := spaceOf(w.v[a][i])
			if in == global && w.isConst(w.v[a][i]) {
				r |= uint32(b2u(s == "const")) << i
			} else if s != "const" && in == spaceNames[s] {
				r |= 1 << i
			}
		}
		w.p[p] = w.p[p]&^m | r
	}
}

// isConst reports whether a constant of the module is at an address.
func (w *warp) isConst(addr uint64) bool {
	p := w.launch().Memory.find(addr, 1)
	return p != nil && p.constant
}

// packed decodes cvt.pack: two saturated numbers side by side, the second one lowest, above a third operand.
func packed(d *decoder) exec {
	d.has("sat")
	third := len(d.in.Src) == 3
	if third {
		d.typ()
	}
	d.typ()
	t := d.typ()
	number := func(x uint64) uint64 {
		low, high := int64(-1)<<(t.bits-1), int64(1)<<(t.bits-1)-1
		if t.kind == 'u' {
			low, high = 0, 1<<t.bits-1
		}
		return cut(uint64(min(max(signed(x, 32), low), high)), t.bits)
	}
	pair := func(x, y uint64) uint64 { return number(x)<<t.bits | number(y) }
	if third {
		return d.ternary(32, 32, func(x, y, z uint64) uint64 { return cut(z<<(2*t.bits)|pair(x, y), 32) }, nil)
	}
	return d.binary(32, pair, nil)
}
