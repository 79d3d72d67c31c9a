package emu

import "math/bits"

// The element-wise functions: what an instruction does in one lane.
type (
	fn1 = func(x uint64) uint64
	fn2 = func(x, y uint64) uint64
	fn3 = func(x, y, z uint64) uint64
)

// alu1 makes an instruction of one operand. fast, if any, does all lanes at once.
func alu1(d, a int, f fn1, fast func(d, a *vec)) exec {
	return func(w *warp, m uint32) {
		vd, va := &w.v[d], &w.v[a]
		switch {
		case m != full:
			for ; m != 0; m &= m - 1 {
				i := bits.TrailingZeros32(m) & (lanes - 1)
				vd[i] = f(va[i])
			}
		case fast != nil:
			fast(vd, va)
		default:
			for i := range vd {
				vd[i] = f(va[i])
			}
		}
	}
}

// alu2 makes an instruction of two operands.
func alu2(d, a, b int, f fn2, fast func(d, a, b *vec)) exec {
	return func(w *warp, m uint32) {
		vd, va, vb := &w.v[d], &w.v[a], &w.v[b]
		switch {
		case m != full:
			for ; m != 0; m &= m - 1 {
				i := bits.TrailingZeros32(m) & (lanes - 1)
				vd[i] = f(va[i], vb[i])
			}
		case fast != nil:
			fast(vd, va, vb)
		default:
			for i := range vd {
				vd[i] = f(va[i], vb[i])
			}
		}
	}
}

// alu3 makes an instruction of three operands.
func alu3(d, a, b, c int, f fn3, fast func(d, a, b, c *vec)) exec {
	return func(w *warp, m uint32) {
		vd, va, vb, vc := &w.v[d], &w.v[a], &w.v[b], &w.v[c]
		switch {
		case m != full:
			for ; m != 0; m &= m - 1 {
				i := bits.TrailingZeros32(m) & (lanes - 1)
				vd[i] = f(va[i], vb[i], vc[i])
			}
		case fast != nil:
			fast(vd, va, vb, vc)
		default:
			for i := range vd {
				vd[i] = f(va[i], vb[i], vc[i])
			}
		}
	}
}

// each calls do for every lane of a mask until there is a mistake.
func (w *warp) each(m uint32, do func(lane int)) {
	for ; m != 0 && w.event != failed; m &= m - 1 {
		do(bits.TrailingZeros32(m))
	}
}

// The first result is operand 0; the operands follow it.
func (d *decoder) unary(n int, f fn1) exec {
	if f == nil {
		return nil
	}
	return alu1(d.dst(0), d.src(1, n), f, nil)
}

func (d *decoder) binary(n int, f fn2, fast func(d, a, b *vec)) exec {
	if f == nil {
		return nil
	}
	return alu2(d.dst(0), d.src(1, n), d.src(2, n), f, fast)
}

// ternary has a third operand of its own width.
func (d *decoder) ternary(n, third int, f fn3, fast func(d, a, b, c *vec)) exec {
	if f == nil {
		return nil
	}
	return alu3(d.dst(0), d.src(1, n), d.src(2, n), d.src(3, third), f, fast)
}

// pairwise1 applies a function to both halves of a register.
func pairwise1(f fn1) fn1 {
	return func(x uint64) uint64 { return f(x&0xffff) | f(x>>16&0xffff)<<16 }
}

func pairwise2(f fn2) fn2 {
	return func(x, y uint64) uint64 {
		return f(x&0xffff, y&0xffff) | f(x>>16&0xffff, y>>16&0xffff)<<16
	}
}

func pairwise3(f fn3) fn3 {
	return func(x, y, z uint64) uint64 {
		return f(x&0xffff, y&0xffff, z&0xffff) | f(x>>16&0xffff, y>>16&0xffff, z>>16&0xffff)<<16
	}
}
