package emu

import "math/bits"

// carried decodes the additions and multiplications that read or write the carry flag: add.cc, addc, sub.cc, subc, mad.cc
// and madc.
func carried(d *decoder, name string, in bool) exec {
	out := d.has("cc")
	part := d.oneOf("lo", "hi")
	t := d.typ()
	a, b := d.src(1, t.bits), d.src(2, t.bits)
	z := d.constant(0)
	product := integer2("mul."+part, t, t.bits)
	if name == "mad" {
		if product == nil {
			return nil
		}
		z = d.src(3, t.bits)
	}
	dst := d.dst(0)
	return func(w *warp, m uint32) {
		w.each(m, func(i int) {
			x, y := w.v[a][i], w.v[b][i]
			if name == "mad" {
				x, y = product(x, y), w.v[z][i]
			}
			flag := b2u(name == "sub")
			if in {
				flag = uint64(w.carry >> i & 1)
			}
			sum, over := addCarry(x, y, flag, t.bits, name == "sub")
			w.v[dst][i] = sum
			if out {
				w.carry = w.carry&^(1<<i) | over<<i
			}
		})
	}
}

// addCarry adds or subtracts numbers of the given width; the second result is the new flag. A subtraction is the addition of
// the complement, so that the flag it leaves is 0 where it borrows, as NVIDIA's GPUs have it (ZLUDA's test subc_cc_s32,
// which its authors run on them, reads the flag with addc); the PTX ISA speaks of a borrow only.
func addCarry(x, y, flag uint64, n int, minus bool) (uint64, uint32) {
	x, y = x<<(64-n), y<<(64-n) // at the upper end, where bits.Add64 and Sub64 see the carry
	if minus {
		r, borrow := bits.Sub64(x, y, 0)
		s, again := bits.Sub64(r, (1-flag)<<(64-n), 0)
		return s >> (64 - n), uint32(1 - (borrow | again))
	}
	r, over := bits.Add64(x, y, 0)
	s, again := bits.Add64(r, flag<<(64-n), 0)
	return s >> (64 - n), uint32(over | again)
}
