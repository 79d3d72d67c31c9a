package emu

import (
	"math"
	"math/big"
)

// floatType knows how numbers of a type are read and made.
type floatType struct {
	bits   int
	value  func(x uint64) float64
	result func(x float64, mode rounding) uint64
	sign   uint64 // the bit
	nan    uint64
	tiny   uint64 // magnitudes below are subnormal
}

var floatTypes = map[string]*floatType{
	"f16": newFloatType(16, fmt16), "bf16": newFloatType(16, formats["bf16"]), "f32": newFloatType(32, formats["f32"]),
	"f64": {
		bits: 64, value: f64, sign: 1 << 63, nan: 0x7ff8000000000000, tiny: 1 << 52,
		result: func(x float64, _ rounding) uint64 { return bits64(x) },
	},
}

func newFloatType(n int, f *format) *floatType {
	return &floatType{
		bits: n, value: f.value, sign: 1 << (n - 1), nan: f.round(math.NaN(), nearest, false), tiny: 1 << f.Man,
		result: func(x float64, mode rounding) uint64 { return f.round(x, mode, false) },
	}
}

// exact2 are operations whose result is exact, or rounded to odd, for operands of at most 32 bits. For those of 64 bits they
// would round to odd, too, so f64 has its own.
var exact2 = map[string]func(x, y float64) float64{
	"add": addOdd,
	"sub": func(x, y float64) float64 { return addOdd(x, -y) },
	"mul": func(x, y float64) float64 { return x * y },
	"div": divOdd,
}

// plain2 are the same operations, rounded to the nearest float64.
var plain2 = map[string]func(x, y float64) float64{
	"add": func(x, y float64) float64 { return x + y },
	"sub": func(x, y float64) float64 { return x - y },
	"mul": func(x, y float64) float64 { return x * y },
	"div": func(x, y float64) float64 { return x / y },
}

// style is the modifiers that change operands and results of floats.
type style struct {
	mode           rounding
	ftz, sat, relu bool
}

func (d *decoder) style() style {
	return style{
		mode: roundings[d.oneOf("rn", "rz", "rm", "rp")],
		ftz:  d.has("ftz"), sat: d.has("sat"), relu: d.has("relu"),
	}
}

// plain reports whether the style changes nothing.
func (s style) plain() bool { return s == style{} }

// in gives an operand as the style wants it.
func (s style) in(t *floatType, x uint64) uint64 {
	if s.ftz && x&^t.sign < t.tiny {
		return x & t.sign
	}
	return x
}

// out gives a result as the style wants it.
func (s style) out(t *floatType, x uint64) uint64 {
	v := s.in(t, x)
	if s.sat || s.relu {
		switch f := t.value(v); {
		case f != f && s.sat:
			return 0
		case f != f:
			return t.nan
		case f <= 0:
			return 0
		case f > 1 && s.sat:
			return t.result(1, nearest)
		}
	}
	return v
}

// float2 is an operation of two floats in a style.
func float2(name string, t *floatType, s style) fn2 {
	f := exact2[name]
	if t.bits == 64 {
		f = directed2(name, s.mode)
	}
	if f == nil {
		return nil
	}
	if g := f; s.mode == down && (name == "add" || name == "sub") {
		f = func(x, y float64) float64 {
			if name == "sub" {
				return zeroDown(g(x, y), x, -y)
			}
			return zeroDown(g(x, y), x, y)
		}
	}
	return func(x, y uint64) uint64 {
		return s.out(t, t.result(f(t.value(s.in(t, x)), t.value(s.in(t, y))), s.mode))
	}
}

// float3 is a multiplication and an addition, rounded once.
func float3(t *floatType, s style) fn3 {
	f := fmaOdd
	if t.bits == 64 {
		f = directed3(s.mode)
	}
	if s.mode == down && t.bits < 64 {
		f = func(x, y, z float64) float64 { return zeroDown(fmaOdd(x, y, z), x*y, z) }
	}
	return func(x, y, z uint64) uint64 {
		return s.out(t, t.result(f(t.value(s.in(t, x)), t.value(s.in(t, y)), t.value(s.in(t, z))), s.mode))
	}
}

// zeroDown gives a sum that is rounded down: where it is zero, it is -0, unless both terms were +0.
func zeroDown(sum, x, y float64) float64 {
	if sum == 0 && (bits64(x) != 0 || bits64(y) != 0) {
		return math.Copysign(0, -1)
	}
	return sum
}

// directed2 is an operation on float64 in any direction of rounding.
func directed2(name string, mode rounding) func(x, y float64) float64 {
	near := plain2[name]
	if mode == nearest || near == nil {
		return near
	}
	return func(x, y float64) float64 {
		r := near(x, y)
		if special(r, x, y) || name == "div" && y == 0 {
			return r
		}
		a, b, z := wide(x), wide(y), new(big.Float).SetPrec(4200)
		switch name {
		case "add":
			z.Add(a, b)
		case "sub":
			z.Sub(a, b)
		case "mul":
			z.Mul(a, b)
		case "div":
			z.Quo(a, b)
		}
		return direct(r, z, mode)
	}
}

// directed3 is x*y+z on float64 in any direction of rounding.
func directed3(mode rounding) func(x, y, z float64) float64 {
	if mode == nearest {
		return math.FMA
	}
	return func(x, y, z float64) float64 {
		r := math.FMA(x, y, z)
		if special(r, x, y, z) {
			return r
		}
		sum := new(big.Float).SetPrec(4200)
		if sum.Mul(wide(x), wide(y)).Add(sum, wide(z)).Sign() == 0 && mode == down {
			return zeroDown(r, x*y, z)
		}
		return direct(r, sum, mode)
	}
}

// special says that operands are infinite, or not numbers, so that nothing is rounded.
func special(r float64, operands ...float64) bool {
	for _, x := range operands {
		if x != x || math.IsInf(x, 0) {
			return true
		}
	}
	return r != r
}

func wide(x float64) *big.Float { return new(big.Float).SetPrec(4200).SetFloat64(x) }

// direct moves a result that was rounded to the nearest to the side of the exact one that the mode wants.
func direct(r float64, exact *big.Float, mode rounding) float64 {
	if exact.Sign() == 0 {
		return r
	}
	near, side := exact.Float64()
	switch {
	case side == big.Exact:
		return near
	case side == big.Above && (mode == down || mode == toZero && exact.Sign() > 0):
		return math.Nextafter(near, math.Inf(-1))
	case side == big.Below && (mode == up || mode == toZero && exact.Sign() < 0):
		return math.Nextafter(near, math.Inf(1))
	}
	return near
}

// extreme is min or max: -0 is less than +0; a NaN loses, or wins if nan is set.
func extreme(t *floatType, s style, smallest, nan, xorsign bool) fn2 {
	return func(x, y uint64) uint64 {
		x, y = s.in(t, x), s.in(t, y)
		sign := (x ^ y) & t.sign
		if xorsign {
			x, y = x&^t.sign, y&^t.sign
		}
		a, b := t.value(x), t.value(y)
		r := x
		switch {
		case a != a && b != b, nan && (a != a || b != b):
			return t.nan
		case a != a:
			r = y
		case b != b:
		case (b < a || a == b && y&t.sign != 0) == smallest && (a != b || x != y):
			r = y
		}
		if xorsign {
			r |= sign
		}
		return s.out(t, r)
	}
}
