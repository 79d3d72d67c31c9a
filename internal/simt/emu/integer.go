package emu

import (
	"cmp"
	"math/bits"
	"strconv"
)

// signedOps and unsignedOps are the operations of two integers of n bits.
var signedOps = map[string]func(x, y int64, n int) int64{
	"add":      func(x, y int64, _ int) int64 { return x + y },
	"sub":      func(x, y int64, _ int) int64 { return x - y },
	"min":      func(x, y int64, _ int) int64 { return min(x, y) },
	"max":      func(x, y int64, _ int) int64 { return max(x, y) },
	"div":      func(x, y int64, _ int) int64 { return x / y },
	"rem":      func(x, y int64, _ int) int64 { return x % y },
	"mul.lo":   func(x, y int64, _ int) int64 { return x * y },
	"mul.hi":   func(x, y int64, n int) int64 { return mulHigh(x, y, n) },
	"mul.wide": func(x, y int64, _ int) int64 { return x * y },
}

var unsignedOps = map[string]func(x, y uint64, n int) uint64{
	"add":    func(x, y uint64, _ int) uint64 { return x + y },
	"sub":    func(x, y uint64, _ int) uint64 { return x - y },
	"min":    func(x, y uint64, _ int) uint64 { return min(x, y) },
	"max":    func(x, y uint64, _ int) uint64 { return max(x, y) },
	"div":    func(x, y uint64, _ int) uint64 { return x / y },
	"rem":    func(x, y uint64, _ int) uint64 { return x % y },
	"mul.lo": func(x, y uint64, _ int) uint64 { return x * y },
	"mul.hi": func(x, y uint64, n int) uint64 {
		if n < 64 {
			return x * y >> n
		}
		hi, _ := bits.Mul64(x, y)
		return hi
	},
	"mul.wide": func(x, y uint64, _ int) uint64 { return x * y },
}

// mulHigh is the upper half of a product.
func mulHigh(x, y int64, n int) int64 {
	if n < 64 {
		return x * y >> n
	}
	hi, _ := bits.Mul64(uint64(x), uint64(y))
	return int64(hi) - x>>63&y - y>>63&x
}

// integer2 is an operation of two integers of a type, with a result of the given width: nil if there is none.
func integer2(name string, t typ, result int) fn2 {
	n := t.bits
	if f := signedOps[name]; f != nil && t.kind == 's' {
		return func(x, y uint64) uint64 { return cut(uint64(f(signed(x, n), signed(y, n), n)), result) }
	}
	if f := unsignedOps[name]; f != nil && (t.kind == 'u' || t.kind == 'b') {
		return func(x, y uint64) uint64 { return cut(f(cut(x, n), cut(y, n), n), result) }
	}
	return nil
}

// integerBinary decodes add, sub, mul and the like.
func integerBinary(d *decoder, name string, t typ) exec {
	if e, ok := t.pair(); ok {
		f := integer2(name, e, e.bits)
		if f == nil {
			return nil
		}
		if d.has("relu") {
			f = clampBelow(f)
		}
		return d.binary(32, pairwise2(f), nil)
	}
	result := t.bits
	if name == "mul.wide" {
		result *= 2
	}
	if d.has("sat") {
		return d.binary(t.bits, saturating(name, t), nil)
	}
	f := integer2(name, t, result)
	if d.has("relu") && f != nil {
		g := f
		f = func(x, y uint64) uint64 { return uint64(max(0, signed(g(x, y), t.bits))) }
	}
	if f != nil && (name == "div" || name == "rem") {
		return d.divide(t.bits, f)
	}
	fast := fast2[name+"."+strconv.Itoa(t.bits)]
	if fast == nil {
		fast = fast2[name+"."+t.name]
	}
	return d.binary(t.bits, f, fast)
}

// divide is a division or its remainder. PTX leaves open what one by zero gives, so it is a mistake of the kernel.
func (d *decoder) divide(n int, f fn2) exec {
	dst, x, y := d.dst(0), d.src(1, n), d.src(2, n)
	return func(w *warp, m uint32) {
		vd, vx, vy := &w.v[dst], &w.v[x], &w.v[y]
		w.each(m, func(lane int) {
			if cut(vy[lane], n) == 0 {
				w.fault(lane, "%s: division by zero", w.op())
				return
			}
			vd[lane] = f(vx[lane], vy[lane])
		})
	}
}

// clampBelow makes negative results of 16 bits 0.
func clampBelow(f fn2) fn2 {
	return func(x, y uint64) uint64 { return uint64(max(0, signed(f(x, y), 16))) }
}

// saturating is add or sub of s32 with the nearest number of s32 as its result.
func saturating(name string, t typ) fn2 {
	f := signedOps[name]
	if t.name != "s32" || f == nil {
		return nil
	}
	return func(x, y uint64) uint64 { return saturate32(f(signed(x, 32), signed(y, 32), 32)) }
}

func saturate32(x int64) uint64 { return cut(uint64(min(max(x, -1<<31), 1<<31-1)), 32) }

// integerMad decodes mad of integers.
func integerMad(d *decoder, part string, t typ) exec {
	mul := "mul." + part
	n := t.bits
	if part == "wide" {
		n *= 2
	}
	if d.has("sat") {
		product := signedOps[mul]
		return d.ternary(t.bits, n, func(x, y, z uint64) uint64 {
			return saturate32(product(signed(x, 32), signed(y, 32), 32) + signed(z, 32))
		}, nil)
	}
	product := integer2(mul, t, n)
	if product == nil {
		return nil
	}
	fast := fast3["mad."+part+"."+strconv.Itoa(t.bits)]
	if fast == nil {
		fast = fast3["mad."+part+"."+t.name]
	}
	return d.ternary(t.bits, n, func(x, y, z uint64) uint64 { return cut(product(x, y)+z, n) }, fast)
}

// sad is the absolute difference plus a third operand.
func sad(d *decoder) exec {
	t := d.typ()
	n := t.bits
	return d.ternary(n, n, func(x, y, z uint64) uint64 {
		if order(t, x, y) < 0 {
			x, y = y, x
		}
		return cut(x-y+z, n)
	}, nil)
}

// order compares two integers.
func order(t typ, x, y uint64) int {
	if t.kind == 's' {
		return cmp.Compare(signed(x, t.bits), signed(y, t.bits))
	}
	return cmp.Compare(cut(x, t.bits), cut(y, t.bits))
}

// dot decodes dp4a: the sum of the products of four bytes each and a third operand.
func dot(d *decoder) exec {
	tb := d.typ()
	ta := d.typ()
	part := func(t typ, x uint64, i int) int64 {
		if t.kind == 's' {
			return int64(int8(x >> (8 * i)))
		}
		return int64(uint8(x >> (8 * i)))
	}
	return d.ternary(32, 32, func(x, y, z uint64) uint64 {
		sum := int64(z)
		for i := range 4 {
			sum += part(ta, x, i) * part(tb, y, i)
		}
		return cut(uint64(sum), 32)
	}, nil)
}
