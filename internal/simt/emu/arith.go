package emu

import "math"

// arithmetic decodes add, sub and div of any type.
func arithmetic(name string) func(d *decoder) exec {
	return func(d *decoder) exec {
		if name != "div" && (d.peek("cc")) {
			return carried(d, name, false)
		}
		t := d.typ()
		if t.kind != 'f' {
			return integerBinary(d, name, t)
		}
		if name == "div" {
			d.ignore("approx", "full")
		}
		return floatBinary(d, name, t)
	}
}

// peek reports whether a modifier is there, and leaves it.
func (d *decoder) peek(name string) bool {
	for _, m := range d.mods {
		if m == name {
			return true
		}
	}
	return false
}

func floatBinary(d *decoder, name string, t typ) exec {
	s := d.style()
	e, pair := t.pair()
	ft := floatTypes[e.name]
	if ft == nil {
		return nil
	}
	f := float2(name, ft, s)
	if f == nil {
		return nil
	}
	fast := fast2[name+"."+t.name]
	if !s.plain() {
		fast = nil
	}
	return d.binary(t.bits, each2(f, e, pair), fast)
}

// each2 applies a function to one number, or to both of a pair.
func each2(f fn2, element typ, pair bool) fn2 {
	switch {
	case !pair:
		return f
	case element.bits == 32:
		return func(x, y uint64) uint64 { return f(cut(x, 32), cut(y, 32)) | f(x>>32, y>>32)<<32 }
	}
	return pairwise2(f)
}

func each1(f fn1, pair bool) fn1 {
	if pair {
		return pairwise1(f)
	}
	return f
}

func each3(f fn3, element typ, pair bool) fn3 {
	switch {
	case !pair:
		return f
	case element.bits == 32:
		return func(x, y, z uint64) uint64 {
			return f(cut(x, 32), cut(y, 32), cut(z, 32)) | f(x>>32, y>>32, z>>32)<<32
		}
	}
	return pairwise3(f)
}

// multiply decodes mul.
func multiply(d *decoder) exec {
	t := d.typ()
	if part := d.oneOf("lo", "hi", "wide"); part != "" {
		return integerBinary(d, "mul."+part, t)
	}
	return floatBinary(d, "mul", t)
}

// multiplyAdd decodes mad and fma.
func multiplyAdd(d *decoder) exec {
	if d.peek("cc") {
		return carried(d, "mad", false)
	}
	t := d.typ()
	if part := d.oneOf("lo", "hi", "wide"); part != "" {
		return integerMad(d, part, t)
	}
	s := d.style()
	e, pair := t.pair()
	ft := floatTypes[e.name]
	if ft == nil {
		return nil
	}
	fast := fast3["fma."+t.name]
	if !s.plain() {
		fast = nil
	}
	return d.ternary(t.bits, t.bits, each3(float3(ft, s), e, pair), fast)
}

// withCarry decodes addc, subc and madc.
func withCarry(name string) func(d *decoder) exec {
	return func(d *decoder) exec { return carried(d, name, true) }
}

// extremes decodes min and max, of two operands or three.
func extremes(name string) func(d *decoder) exec {
	return func(d *decoder) exec {
		t := d.typ()
		if t.kind != 'f' {
			return integerBinary(d, name, t)
		}
		s, nan, xorsign := d.style(), d.has("NaN"), d.has("xorsign")
		if d.has("abs") && !xorsign {
			return nil
		}
		e, pair := t.pair()
		ft := floatTypes[e.name]
		if ft == nil {
			return nil
		}
		f := each2(extreme(ft, s, name == "min", nan, xorsign), e, pair)
		if len(d.ops) == 4 {
			return d.ternary(t.bits, t.bits, func(x, y, z uint64) uint64 { return f(f(x, y), z) }, nil)
		}
		return d.binary(t.bits, f, nil)
	}
}

// signs decodes abs and neg.
func signs(name string) func(d *decoder) exec {
	return func(d *decoder) exec {
		t := d.typ()
		if t.kind == 's' {
			return d.unary(t.bits, func(x uint64) uint64 {
				if v := signed(x, t.bits); v < 0 || name == "neg" {
					return cut(uint64(-v), t.bits)
				}
				return x
			})
		}
		e, pair := t.pair()
		s, ft := d.style(), floatTypes[e.name]
		if ft == nil {
			return nil
		}
		return d.unary(t.bits, each1(func(x uint64) uint64 {
			if x = s.in(ft, x); name == "neg" {
				return x ^ ft.sign
			}
			return x &^ ft.sign
		}, pair))
	}
}

// functions are those of one float that are not exact: PTX leaves them some error, and here they are rounded once.
var functions = map[string]func(x float64) float64{
	"rcp":   func(x float64) float64 { return 1 / x },
	"sqrt":  math.Sqrt,
	"rsqrt": func(x float64) float64 { return 1 / math.Sqrt(x) },
	"sin":   math.Sin,
	"cos":   math.Cos,
	"lg2":   math.Log2,
	"ex2":   math.Exp2,
	"tanh":  math.Tanh,
}

// analytic decodes rcp, sqrt, sin and the like.
func analytic(name string) func(d *decoder) exec {
	return func(d *decoder) exec {
		t := d.typ()
		e, pair := t.pair()
		approx, s, ft := d.has("approx"), d.style(), floatTypes[e.name]
		if ft == nil {
			return nil
		}
		f := functions[name]
		if !approx {
			f = exact1(name, t, s.mode)
		}
		if f == nil {
			return nil
		}
		return d.unary(t.bits, each1(func(x uint64) uint64 {
			r := s.out(ft, ft.result(canonical(f(ft.value(s.in(ft, x)))), s.mode))
			if s.ftz && t.bits == 64 {
				r &^= full // the lower half is 0; rsqrt.approx.f64, without .ftz, has all digits
			}
			return r
		}, pair))
	}
}

// canonical is x, and one NaN for all.
func canonical(x float64) float64 {
	if x != x {
		return f64(0x7ff8000000000000)
	}
	return x
}

// exact1 is rcp or sqrt, rounded as IEEE 754 has it: nil for others.
func exact1(name string, t typ, mode rounding) func(x float64) float64 {
	switch {
	case name == "rcp" && t.bits == 64:
		f := directed2("div", mode)
		return func(x float64) float64 { return f(1, x) }
	case name == "rcp":
		return func(x float64) float64 { return divOdd(1, x) }
	case name == "sqrt" && t.bits == 64:
		return sqrt64(mode)
	case name == "sqrt":
		return sqrtOdd
	}
	return nil
}

// sqrt64 is the square root of float64 in a direction of rounding.
func sqrt64(mode rounding) func(x float64) float64 {
	return func(x float64) float64 {
		r := math.Sqrt(x)
		if mode == nearest || r != r || r == 0 || math.IsInf(r, 0) {
			return r
		}
		const scale = 1 << 300 // keeps the square of a small root
		rest := math.FMA(-r, r, x)
		if x < 1/float64(scale) {
			rest = math.FMA(-r*scale, r*scale, x*scale*scale)
		}
		switch {
		case rest > 0 && mode == up:
			return math.Nextafter(r, math.Inf(1))
		case rest < 0 && mode != up:
			return math.Nextafter(r, 0)
		}
		return r
	}
}

func copysign(d *decoder) exec {
	t := d.typ()
	ft := floatTypes[t.name]
	if ft == nil {
		return nil
	}
	return d.binary(t.bits, func(x, y uint64) uint64 { return x&ft.sign | y&^ft.sign }, nil)
}

// testp asks what kind of number a float is. Zeros are normal numbers there.
func testp(d *decoder) exec {
	what := d.oneOf("finite", "infinite", "number", "notanumber", "normal", "subnormal")
	t := d.typ()
	ft := floatTypes[t.name]
	if ft == nil {
		return nil
	}
	p, a := d.pdst(0), d.src(1, t.bits)
	return func(w *warp, m uint32) {
		var r uint32
		for i, x := range w.v[a] {
			v, size := ft.value(x), x&^ft.sign
			is := map[string]bool{
				"finite": v-v == 0, "infinite": math.IsInf(v, 0), "number": v == v, "notanumber": v != v,
				"normal": v-v == 0 && (size >= ft.tiny || size == 0), "subnormal": size > 0 && size < ft.tiny,
			}[what]
			r |= uint32(b2u(is)) << i
		}
		w.p[p] = w.p[p]&^m | r&m
	}
}
