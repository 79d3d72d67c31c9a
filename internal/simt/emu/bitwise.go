package emu

import (
	"math/bits"
)

// logic decodes and, or, xor, of bits and of predicates.
func logic(name string) func(d *decoder) exec {
	f := map[string]fn2{
		"and": func(x, y uint64) uint64 { return x & y },
		"or":  func(x, y uint64) uint64 { return x | y },
		"xor": func(x, y uint64) uint64 { return x ^ y },
	}[name]
	return func(d *decoder) exec {
		t := d.typ()
		if t.kind != 'p' {
			return d.binary(t.bits, f, fast2[name])
		}
		p, a, b := d.pdst(0), d.psrc(1), d.psrc(2)
		return func(w *warp, m uint32) {
			r := uint32(f(uint64(a.get(w)), uint64(b.get(w))))
			w.p[p] = w.p[p]&^m | r&m
		}
	}
}

func not(d *decoder) exec {
	t := d.typ()
	if t.kind != 'p' {
		return d.unary(t.bits, func(x uint64) uint64 { return cut(^x, t.bits) })
	}
	p, a := d.pdst(0), d.psrc(1)
	return func(w *warp, m uint32) { w.p[p] = w.p[p]&^m | ^a.get(w)&m }
}

func cnot(d *decoder) exec {
	t := d.typ()
	return d.unary(t.bits, func(x uint64) uint64 { return b2u(x == 0) })
}

// shift decodes shl and shr: distances beyond the width count as the width.
func shift(name string) func(d *decoder) exec {
	return func(d *decoder) exec {
		t := d.typ()
		n := t.bits
		f, fast := fn2(nil), fast2["shl."+map[int]string{32: "32", 64: "64"}[n]]
		switch {
		case name == "shl":
			f = func(x, y uint64) uint64 { return cut(x<<uint32(y), n) }
		case t.kind == 's':
			f, fast = func(x, y uint64) uint64 { return cut(uint64(signed(x, n)>>uint32(y)), n) }, nil
		default:
			f, fast = func(x, y uint64) uint64 { return cut(x, n) >> uint32(y) }, fast2["shr.u"]
		}
		return alu2(d.dst(0), d.src(1, n), d.src(2, 32), f, fast)
	}
}

// funnel decodes shf: 32 bits out of 64.
func funnel(d *decoder) exec {
	left, clamp := d.oneOf("l", "r") == "l", d.oneOf("clamp", "wrap") == "clamp"
	d.typ()
	return d.ternary(32, 32, func(x, y, z uint64) uint64 {
		n := z & 31
		if clamp {
			n = min(z, 32)
		}
		if left {
			return cut((y<<32|x)<<n>>32, 32)
		}
		return cut((y<<32|x)>>n, 32)
	}, nil)
}

// lop3 is any function of three bits, given by its table.
func lop3(d *decoder) exec {
	d.has("b32")
	if d.err != nil || len(d.ops) != 5 {
		return nil
	}
	table := d.op(4).Bits
	return d.ternary(32, 32, func(x, y, z uint64) uint64 {
		var r uint64
		for i := range uint64(8) {
			if table>>i&1 == 1 {
				r |= pickBits(x, i>>2) & pickBits(y, i>>1) & pickBits(z, i)
			}
		}
		return cut(r, 32)
	}, nil)
}

// pickBits gives x where the lowest bit of which is 1, else its complement.
func pickBits(x, which uint64) uint64 {
	if which&1 == 1 {
		return x
	}
	return ^x
}

// permute decodes prmt: bytes chosen from two registers.
func permute(d *decoder) exec {
	d.has("b32")
	mode := d.oneOf("f4e", "b4e", "rc8", "ecl", "ecr", "rc16")
	return d.ternary(32, 32, func(x, y, z uint64) uint64 {
		all := y<<32 | x
		var r uint64
		for i := range uint64(4) {
			sel := z >> (4 * i) & 15
			if mode != "" {
				sel = permuteMode(mode, i, z&3)
			}
			b := all >> (8 * (sel & 7)) & 0xff
			if sel&8 != 0 {
				b = uint64(int8(b)>>7) & 0xff
			}
			r |= b << (8 * i)
		}
		return r
	}, nil)
}

// permuteMode gives the byte that a mode of prmt chooses for byte i of the result.
func permuteMode(mode string, i, s uint64) uint64 {
	switch mode {
	case "f4e":
		return s + i
	case "b4e":
		return (s - i) & 7
	case "rc8":
		return s
	case "ecl":
		return max(i, s)
	case "ecr":
		return min(i, s)
	}
	return s&1*2 + i&1 // rc16
}

// counting decodes popc, clz and brev, which have results of 32 bits but for brev.
func counting(name string) func(d *decoder) exec {
	return func(d *decoder) exec {
		n := d.typ().bits
		return d.unary(n, map[string]fn1{
			"popc": func(x uint64) uint64 { return uint64(bits.OnesCount64(x)) },
			"clz":  func(x uint64) uint64 { return uint64(bits.LeadingZeros64(x) - (64 - n)) },
			"brev": func(x uint64) uint64 { return bits.Reverse64(x) >> (64 - n) },
		}[name])
	}
}

// bfind finds the highest bit that is not the sign: all ones if there is none.
func bfind(d *decoder) exec {
	amount := d.has("shiftamt")
	t := d.typ()
	return d.unary(t.bits, func(x uint64) uint64 {
		if t.kind == 's' && signed(x, t.bits) < 0 {
			x = cut(^x, t.bits)
		}
		if x == 0 {
			return full
		}
		at := uint64(bits.Len64(x) - 1)
		if amount {
			return uint64(t.bits-1) - at
		}
		return at
	})
}

// bfe extracts a field of bits.
func bfe(d *decoder) exec {
	t := d.typ()
	n := uint64(t.bits)
	return alu3(d.dst(0), d.src(1, t.bits), d.src(2, 32), d.src(3, 32), func(x, pos, length uint64) uint64 {
		pos, length = pos&0xff, length&0xff
		if length == 0 {
			return 0
		}
		sign := uint64(0)
		if t.kind == 's' {
			sign = x >> min(pos+length-1, n-1) & 1
		}
		r := cut(x>>pos, int(min(length, 64)))
		if have := min(length, n-min(pos, n)); sign == 1 {
			r |= ^uint64(0) << have
		}
		return cut(r, t.bits)
	}, nil)
}

// bfi inserts a field of bits.
func bfi(d *decoder) exec {
	n := d.typ().bits
	a, b, pos, length := d.src(1, n), d.src(2, n), d.src(3, 32), d.src(4, 32)
	dst := d.dst(0)
	return func(w *warp, m uint32) {
		w.each(m, func(i int) {
			p, l := w.v[pos][i]&0xff, w.v[length][i]&0xff
			field := cut(^uint64(0), int(min(l, 64))) << p
			w.v[dst][i] = cut(w.v[b][i]&^field|w.v[a][i]<<p&field, n)
		})
	}
}
