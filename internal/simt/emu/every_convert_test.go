package emu_test

import (
	"math"
	"math/big"
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
)

// conversion has what a cvt's modifiers say.
type conversionOf struct {
	to, from               string // without x2
	mode                   string
	ftz, sat, finite, relu bool
}

// conversions judges cvt.
func conversions(o *opcode) judge {
	if o.has("pack") {
		return packs(o)
	}
	to, from := o.types[0], o.types[1]
	if to == "ue8m0x2" || from == "ue8m0x2" {
		return factorConversions(o, to, from)
	}
	c := conversionOf{
		to: strings.TrimSuffix(to, "x2"), from: strings.TrimSuffix(from, "x2"),
		mode: o.take("rn", "rz", "rm", "rp", "rna", "rni", "rzi", "rmi", "rpi"),
		ftz:  o.has("ftz"), sat: o.has("sat"), finite: o.has("satfinite"), relu: o.has("relu"),
	}
	one := c.number()
	j := judge{near: c.to, want: func(v []uint64) uint64 { return one(v[0]) }}
	if isFloat(to) && strings.HasSuffix(to, "x2") {
		n, size := uint(simt.TypeBits(to))/2, uint(simt.TypeBits(from))/2
		if from == c.from { // two registers, of which the first gives the upper half
			j.want = func(v []uint64) uint64 { return one(v[0])<<n | one(v[1]) }
		} else {
			j.want = func(v []uint64) uint64 { return one(v[0]>>size)<<n | one(v[0]&(1<<size-1)) }
		}
	}
	if to == "f64" {
		j.same = sameNaN(to)
	}
	return j
}

// factorConversions judges cvt of powers of two, whose codes have no sign: of a number the exponent counts, and NaN is 255.
func factorConversions(o *opcode, to, from string) judge {
	up, finite := o.take("rz", "rp", "rn") == "rp", o.has("satfinite")
	if to == "bf16x2" {
		one := func(x uint64) uint64 {
			switch x {
			case 0:
				return 0x40 // the middle of the subnormal numbers
			case 255:
				return 0x7fff
			}
			return x << 7
		}
		return judge{want: func(v []uint64) uint64 { return one(v[0]>>8)<<16 | one(v[0]&0xff) }}
	}
	code := func(v float64) uint64 {
		v = math.Abs(v)
		largest := uint64(255)
		if finite {
			largest = 254
		}
		switch {
		case v != v:
			return 255
		case math.IsInf(v, 0):
			return largest
		}
		for n := range uint64(255) { // the first power that is not less, or the last that is not greater
			power := math.Ldexp(1, int(n)-127)
			switch {
			case power == v, power > v && (up || n == 0):
				return n
			case power > v:
				return n - 1
			}
		}
		if up {
			return largest
		}
		return 254
	}
	l := encodings[strings.TrimSuffix(from, "x2")]
	j := judge{near: "bf16", want: func(v []uint64) uint64 { return code(l.decode(v[0]))<<8 | code(l.decode(v[1])) }}
	if from == "bf16x2" {
		j.near = ""
		j.want = func(v []uint64) uint64 { return code(l.decode(v[0]>>16))<<8 | code(l.decode(v[0]&0xffff)) }
	}
	return j
}

// number converts one number.
func (c conversionOf) number() func(x uint64) uint64 {
	switch l := encodings[c.from]; {
	case !isFloat(c.from) && !isFloat(c.to):
		return func(x uint64) uint64 {
			v := integerOf(c.from, x)
			if c.sat {
				v = clampTo(c.to, v)
			}
			return register(c.to, v)
		}
	case !isFloat(c.from):
		return func(x uint64) uint64 {
			return c.out(real{x: new(big.Float).SetPrec(5000).SetInt(integerOf(c.from, x))})
		}
	case !isFloat(c.to):
		return func(x uint64) uint64 { return c.integer(c.in(l, x)) }
	default:
		return func(x uint64) uint64 { return c.out(exactly(c.in(l, x))) }
	}
}

// register is an integer as a register has it: one of 8 bits fills 16.
func register(typ string, v *big.Int) uint64 {
	bits := simt.TypeBits(typ)
	if bits == 8 {
		v = number(typ, 8, wrap(v, 8))
	}
	return wrap(v, max(bits, 16))
}

// in reads a float, and rounds it to an integer where the modifier says so. Subnormal numbers of f32 alone are flushed.
func (c conversionOf) in(l encoding, x uint64) float64 {
	if c.ftz && c.from == "f32" {
		x = l.flush(x)
	}
	v := l.decode(x)
	switch c.mode {
	case "rni":
		return math.RoundToEven(v)
	case "rzi":
		return math.Trunc(v)
	case "rmi":
		return math.Floor(v)
	case "rpi":
		return math.Ceil(v)
	}
	return v
}

// integer is a whole float as an integer: clamped, even without .sat, and of NaN what the PTX ISA says.
func (c conversionOf) integer(v float64) uint64 {
	low, high := rangeOf(c.to)
	bits := simt.TypeBits(c.to)
	switch {
	case v != v && (c.from == "f64" || bits == 64):
		return register(c.to, new(big.Int).Lsh(big.NewInt(1), uint(bits-1)))
	case v != v:
		return 0
	case math.IsInf(v, -1):
		return register(c.to, low)
	case math.IsInf(v, 1):
		return register(c.to, high)
	}
	whole, _ := exactFloat(v).Int(nil)
	return register(c.to, clampTo(c.to, whole))
}

// out writes a float.
func (c conversionOf) out(r real) uint64 {
	l := encodings[c.to]
	negative := r.x == nil && r.other < 0 || r.x != nil && (r.x.Sign() < 0 || r.x.Sign() == 0 && r.negative)
	if c.relu && negative {
		return 0
	}
	x := l.put(r, strings.TrimSuffix(c.mode, "i"), c.finite)
	if c.ftz && c.to == "f32" {
		x = l.flush(x)
	}
	switch v := l.decode(x); {
	case c.sat && !(v > 0):
		return 0
	case c.sat && v > 1:
		return l.put(exactly(1), "", false)
	}
	return x
}

// packs judges cvt.pack: two clamped numbers, the second one lowest, below what a third operand has there.
func packs(o *opcode) judge {
	o.take("sat")
	to := o.types[0]
	n := simt.TypeBits(to)
	return judge{want: func(v []uint64) uint64 {
		a, b := wrap(clampTo(to, integerOf("s32", v[0])), n), wrap(clampTo(to, integerOf("s32", v[1])), n)
		r := a<<n | b
		if len(v) == 3 {
			r |= v[2] << (2 * n)
		}
		return r & 0xffffffff
	}}
}
