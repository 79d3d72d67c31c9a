package dtype

import (
	"math"
	"sync"
)

// mini describes a float of at most eight bits.
type mini struct {
	exp, man, bias int
	signed         bool
	subnormal      bool
	nan            uint8 // the bits of NaN; for a format without one, what NaN becomes
	inf            uint8 // the bits of infinity, 0 for none
	largest        uint8 // the bits of the largest finite number
	hasNaN         bool
	values         func() *[256]float64
}

var (
	e4m3 = newMini(mini{exp: 4, man: 3, bias: 7, signed: true, subnormal: true, nan: 0x7f, largest: 0x7e, hasNaN: true})
	e5m2 = newMini(mini{exp: 5, man: 2, bias: 15, signed: true, subnormal: true, nan: 0x7f, inf: 0x7c, largest: 0x7b, hasNaN: true})
	e8m0 = newMini(mini{exp: 8, bias: 127, nan: 0xff, largest: 0xfe, hasNaN: true})
	e5m3 = newMini(mini{exp: 5, man: 3, bias: 15, subnormal: true, nan: 0xff, largest: 0xfe, hasNaN: true})
	e2m1 = newMini(mini{exp: 2, man: 1, bias: 1, signed: true, subnormal: true, nan: 0x7, largest: 0x7})
)

func newMini(m mini) *mini {
	m.values = sync.OnceValue(func() *[256]float64 {
		t := new([256]float64)
		for i := range t {
			t[i] = m.decode(uint8(i))
		}
		return t
	})
	return &m
}

// decode gives the number of some bits; those above the width mean nothing.
func (m *mini) decode(bits uint8) float64 {
	width := m.exp + m.man
	magnitude := int(bits) & (1<<width - 1)
	sign := 1.0
	if m.signed && bits>>width&1 == 1 {
		sign = -1
	}
	switch {
	case m.inf != 0 && magnitude == int(m.inf):
		return math.Inf(int(sign))
	case m.hasNaN && magnitude > int(m.largest):
		return math.NaN()
	}
	e, f := magnitude>>m.man, magnitude&(1<<m.man-1)
	if e == 0 && m.subnormal {
		return math.Copysign(math.Ldexp(float64(f), 1-m.bias-m.man), sign)
	}
	return math.Copysign(math.Ldexp(float64(f+1<<m.man), e-m.bias-m.man), sign)
}

// encode rounds to the nearest number, once; the magnitude where the format has no sign. Magnitudes are ordered as their bits are, so a search finds the neighbours.
func (m *mini) encode(f float64) uint8 {
	if f != f {
		return m.nan
	}
	var sign uint8
	if m.signed && math.Signbit(f) {
		sign = 1 << (m.exp + m.man)
	}
	values, a := m.values(), math.Abs(f)
	if a >= values[m.largest] {
		return sign | m.largest
	}
	lo, hi := 0, int(m.largest) // values[lo] <= a < values[hi], except below the least number
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; values[mid] <= a {
			lo = mid
		} else {
			hi = mid
		}
	}
	if below, above := a-values[lo], values[hi]-a; below > above || below == above && (lo&1 == 1 || m.man == 0) {
		lo = hi
	}
	return sign | uint8(lo)
}

// Float8E4M3FNFromFloat32 rounds f.
func Float8E4M3FNFromFloat32(f float32) Float8E4M3FN { return Float8E4M3FN(e4m3.encode(float64(f))) }

// Float8E4M3FNFromFloat64 rounds f once.
func Float8E4M3FNFromFloat64(f float64) Float8E4M3FN { return Float8E4M3FN(e4m3.encode(f)) }

// Float32 is h exactly.
func (h Float8E4M3FN) Float32() float32 { return float32(e4m3.values()[h]) }

// Float64 is h exactly.
func (h Float8E4M3FN) Float64() float64 { return e4m3.values()[h] }

// String is the shortest decimal number that rounds to h, as %g writes it.
func (h Float8E4M3FN) String() string {
	return shortest(h.Float64(), func(f float64) bool { return Float8E4M3FNFromFloat64(f) == h })
}

// Float8E5M2FromFloat32 rounds f.
func Float8E5M2FromFloat32(f float32) Float8E5M2 { return Float8E5M2(e5m2.encode(float64(f))) }

// Float8E5M2FromFloat64 rounds f once.
func Float8E5M2FromFloat64(f float64) Float8E5M2 { return Float8E5M2(e5m2.encode(f)) }

// Float32 is h exactly.
func (h Float8E5M2) Float32() float32 { return float32(e5m2.values()[h]) }

// Float64 is h exactly.
func (h Float8E5M2) Float64() float64 { return e5m2.values()[h] }

// String is the shortest decimal number that rounds to h, as %g writes it.
func (h Float8E5M2) String() string {
	return shortest(h.Float64(), func(f float64) bool { return Float8E5M2FromFloat64(f) == h })
}

// Float8E8M0FNUFromFloat32 rounds f, ties up; it takes the magnitude, and zero becomes the least number.
func Float8E8M0FNUFromFloat32(f float32) Float8E8M0FNU { return Float8E8M0FNU(e8m0.encode(float64(f))) }

// Float8E8M0FNUFromFloat64 rounds f once, ties up; it takes the magnitude, and zero becomes the least number.
func Float8E8M0FNUFromFloat64(f float64) Float8E8M0FNU { return Float8E8M0FNU(e8m0.encode(f)) }

// Float32 is h exactly.
func (h Float8E8M0FNU) Float32() float32 { return float32(e8m0.values()[h]) }

// Float64 is h exactly.
func (h Float8E8M0FNU) Float64() float64 { return e8m0.values()[h] }

// String is the shortest decimal number that rounds to h, as %g writes it.
func (h Float8E8M0FNU) String() string {
	return shortest(h.Float64(), func(f float64) bool { return Float8E8M0FNUFromFloat64(f) == h })
}

// Float8E5M3FNUFromFloat32 rounds f.
func Float8E5M3FNUFromFloat32(f float32) Float8E5M3FNU { return Float8E5M3FNU(e5m3.encode(float64(f))) }

// Float8E5M3FNUFromFloat64 rounds f once.
func Float8E5M3FNUFromFloat64(f float64) Float8E5M3FNU { return Float8E5M3FNU(e5m3.encode(f)) }

// Float32 is h exactly.
func (h Float8E5M3FNU) Float32() float32 { return float32(e5m3.values()[h]) }

// Float64 is h exactly.
func (h Float8E5M3FNU) Float64() float64 { return e5m3.values()[h] }

// String is the shortest decimal number that rounds to h, as %g writes it.
func (h Float8E5M3FNU) String() string {
	return shortest(h.Float64(), func(f float64) bool { return Float8E5M3FNUFromFloat64(f) == h })
}

// Float4E2M1FNFromFloat32 rounds f.
func Float4E2M1FNFromFloat32(f float32) Float4E2M1FN { return Float4E2M1FN(e2m1.encode(float64(f))) }

// Float4E2M1FNFromFloat64 rounds f once.
func Float4E2M1FNFromFloat64(f float64) Float4E2M1FN { return Float4E2M1FN(e2m1.encode(f)) }

// Float32 is h exactly.
func (h Float4E2M1FN) Float32() float32 { return float32(e2m1.values()[h]) }

// Float64 is h exactly.
func (h Float4E2M1FN) Float64() float64 { return e2m1.values()[h] }

// String is the shortest decimal number that rounds to h, as %g writes it.
func (h Float4E2M1FN) String() string {
	return shortest(h.Float64(), func(f float64) bool { return Float4E2M1FNFromFloat64(f) == h })
}
