package emu

import "math"

// convert decodes cvt.
func convert(d *decoder) exec {
	if d.has("pack") {
		return packed(d)
	}
	from := d.typ()
	to := d.typ()
	c := conversion{from: from, to: to}
	c.mode = d.oneOf("rn", "rz", "rm", "rp", "rna", "rni", "rzi", "rmi", "rpi")
	c.ftz, c.sat, c.finite, c.relu = d.has("ftz"), d.has("sat"), d.has("satfinite"), d.has("relu")
	if _, pair := to.pair(); pair {
		return c.pair(d)
	}
	f := c.function()
	if f == nil {
		return nil
	}
	var fast func(d, a *vec)
	if from.name == to.name && from.kind != 'f' || from.kind == 'u' && to.kind != 'f' && from.bits < to.bits && !c.sat {
		fast = func(d, a *vec) { *d = *a }
		if from.bits < 32 {
			fast = nil
		}
	}
	n := d.width(d.op(0))
	g := f
	if to.kind == 's' && n > to.bits { // a narrow result fills its register
		g = func(x uint64) uint64 { return cut(uint64(signed(f(x), to.bits)), n) }
	}
	return alu1(d.dst(0), d.src(1, from.bits), g, fast)
}

// conversion is a cvt.
type conversion struct {
	from, to               typ
	mode                   string
	ftz, sat, finite, relu bool
}

// function is the conversion of one number: nil if there is none.
func (c conversion) function() fn1 {
	switch fromFloat, toFloat := c.from.kind == 'f', c.to.kind == 'f'; {
	case fromFloat && toFloat:
		return c.floatFloat()
	case fromFloat:
		return c.floatInteger()
	case toFloat:
		return c.integerFloat()
	}
	return c.integerInteger()
}

// integer reads an operand as an integer.
func (t typ) integer(x uint64) int64 {
	if t.kind == 's' {
		return signed(x, t.bits)
	}
	return int64(cut(x, t.bits))
}

// limits gives the least and the greatest integer of a type, as floats.
func (t typ) limits() (lo, hi float64) {
	if t.kind == 's' {
		return -math.Ldexp(1, t.bits-1), math.Ldexp(1, t.bits-1)
	}
	return 0, math.Ldexp(1, t.bits)
}

func (c conversion) integerInteger() fn1 {
	from, to := c.from, c.to
	return func(x uint64) uint64 {
		v := from.integer(x)
		if !c.sat {
			return cut(uint64(v), to.bits)
		}
		huge := from.kind != 's' && v < 0 // of 64 bits
		switch {
		case to.kind == 's' && (huge || v > 1<<(to.bits-1)-1):
			v = 1<<(to.bits-1) - 1
		case to.kind == 's':
			v = max(v, -1<<(to.bits-1))
		case v < 0 && !huge:
			v = 0
		case to.bits < 64 && (huge || v > 1<<to.bits-1):
			v = -1 // all ones, of which as many stay as there are bits
		}
		return cut(uint64(v), to.bits)
	}
}

func (c conversion) integerFloat() fn1 {
	from, t := c.from, floatTypes[c.to.name]
	if t == nil {
		return nil
	}
	mode := roundings[c.mode]
	return func(x uint64) uint64 {
		v := from.integer(x)
		hi := float64(v >> 32) // both halves are exact
		if from.kind != 's' {
			hi = float64(uint64(v) >> 32)
		}
		hi *= 1 << 32
		lo := float64(uint32(v))
		var r uint64
		if t.bits == 64 {
			r = bits64(directed2("add", mode)(hi, lo))
		} else {
			r = t.result(addOdd(hi, lo), mode)
		}
		return style{sat: c.sat}.out(t, r)
	}
}

// integral rounds to an integer.
func integral(x float64, mode rounding) float64 {
	switch mode {
	case toZero:
		return math.Trunc(x)
	case down:
		return math.Floor(x)
	case up:
		return math.Ceil(x)
	}
	return math.RoundToEven(x)
}

// floatInteger clamps to the range of the result; NaN becomes 0, and in 64-bit results and from f64 the highest bit.
func (c conversion) floatInteger() fn1 {
	t, to := floatTypes[c.from.name], c.to
	if t == nil {
		return nil
	}
	lo, hi := to.limits()
	s, mode := c.input(), roundings[c.mode]
	nan := uint64(0)
	if t.bits == 64 || to.bits == 64 {
		nan = 1 << (to.bits - 1)
	}
	return func(x uint64) uint64 {
		v := integral(t.value(s.in(t, x)), mode)
		switch {
		case v != v:
			return nan
		case v <= lo && to.kind == 's':
			return 1 << (to.bits - 1)
		case v <= lo:
			return 0
		case v >= hi:
			return cut(^uint64(0), to.bits) >> b2u(to.kind == 's')
		case v >= 1<<63:
			return uint64(v)
		}
		return cut(uint64(int64(v)), to.bits)
	}
}

// input is the style of operands: only those of 32 bits are flushed.
func (c conversion) input() style {
	return style{ftz: c.ftz && c.from.bits == 32}
}

func (c conversion) floatFloat() fn1 {
	from, mode := floatTypes[c.from.name], roundings[c.mode]
	toInteger := len(c.mode) == 3 && c.mode[2] == 'i'
	to := c.result()
	if from == nil || to == nil {
		return nil
	}
	s := c.input()
	return func(x uint64) uint64 {
		v := from.value(s.in(from, x))
		if toInteger {
			v = integral(v, mode)
		}
		return to(canonical(v), mode)
	}
}

// result makes a number of the type that is converted to: nil if there is none.
func (c conversion) result() func(v float64, mode rounding) uint64 {
	if f := formats[c.to.name]; f != nil {
		t := floatTypes[c.to.name]
		return func(v float64, mode rounding) uint64 {
			if c.relu && v <= 0 {
				v = 0
			}
			r := f.round(v, mode, c.finite)
			if t != nil {
				r = style{ftz: c.ftz && t.bits == 32, sat: c.sat}.out(t, r)
			}
			return r
		}
	}
	if t := floatTypes[c.to.name]; t != nil {
		return func(v float64, mode rounding) uint64 { return style{sat: c.sat}.out(t, t.result(v, mode)) }
	}
	return nil
}

// pair decodes conversions to two numbers in one register: from two registers, of which the first gives the upper half, or
// from another pair.
func (c conversion) pair(d *decoder) exec {
	to, _ := c.to.pair()
	from, fromPair := c.from.pair()
	c.to = to
	result := c.result()
	if result == nil {
		return nil
	}
	mode := roundings[c.mode]
	if fromPair {
		f := formats[from.name]
		return alu1(d.dst(0), d.src(1, 32), func(x uint64) uint64 {
			lo, hi := f.value(cut(x, from.bits)), f.value(cut(x>>from.bits, from.bits))
			return result(lo, mode) | result(hi, mode)<<to.bits
		}, nil)
	}
	t := floatTypes[from.name]
	if t == nil {
		return nil
	}
	s := c.input()
	return alu2(d.dst(0), d.src(1, 32), d.src(2, 32), func(x, y uint64) uint64 {
		return result(t.value(s.in(t, y)), mode) | result(t.value(s.in(t, x)), mode)<<to.bits
	}, nil)
}
