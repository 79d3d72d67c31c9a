package cpu

import (
	"math"

	"github.com/cutile-go/cutile/tileir"
)

// smallFloat describes a float of at most eight bits. Conversions to one saturate, as the hardware's do: what is too
// large becomes the largest finite number.
type smallFloat struct {
	exp, man  int
	bias      int
	signed    bool
	nan       uint8 // the bits of NaN; for a format without one what NaN becomes
	hasNaN    bool
	inf       uint8 // the bits of infinity, 0 for none
	largest   uint8 // the bits of the largest finite number
	subnormal bool
	values    [256]float64 // of all bits
}

var smallFloats = map[tileir.Elem]*smallFloat{
	tileir.F8E4M3FN: {exp: 4, man: 3, bias: 7, signed: true, nan: 0x7f, hasNaN: true, largest: 0x7e, subnormal: true},
	tileir.F8E5M2:   {exp: 5, man: 2, bias: 15, signed: true, nan: 0x7f, hasNaN: true, inf: 0x7c, largest: 0x7b, subnormal: true},
	// The unsigned formats are those of CUDA's cuda_fp8.h, e8m0 and ue5m3: conversions take the magnitude, and saturate
	// as tileiras asks for.
	tileir.F8E8M0FNU:   {exp: 8, man: 0, bias: 127, nan: 0xff, hasNaN: true, largest: 0xfe},
	tileir.FNV8E5M3FNU: {exp: 5, man: 3, bias: 15, nan: 0xff, hasNaN: true, largest: 0xfe, subnormal: true},
	tileir.F4E2M1FN:    {exp: 2, man: 1, bias: 1, signed: true, nan: 0x7, largest: 0x7, subnormal: true},
}

func init() {
	for e, s := range smallFloats {
		table := new([256]float32)
		for i := range table {
			s.values[i] = s.decode(uint8(i))
			table[i] = float32(s.values[i])
		}
		widening[e] = unary(func(d []float32, a []uint8) {
			a = a[:len(d)]
			for i := range d {
				d[i] = table[a[i]]
			}
		})
		toFloat64[e] = unary(func(d []float64, a []uint8) {
			a = a[:len(d)]
			for i := range d {
				d[i] = float64(table[a[i]])
			}
		})
	}
}

// decode gives the value of bits; bits above the width mean nothing.
func (s *smallFloat) decode(bits uint8) float64 {
	width := s.exp + s.man
	magnitude := int(bits) & (1<<width - 1)
	sign := 1.0
	if s.signed && bits>>width&1 == 1 {
		sign = -1
	}
	switch {
	case s.hasNaN && magnitude == int(s.nan)&(1<<width-1), s.inf != 0 && magnitude > int(s.inf):
		return math.NaN()
	case s.inf != 0 && magnitude == int(s.inf):
		return sign * math.Inf(1)
	}
	e, m := magnitude>>s.man, magnitude&(1<<s.man-1)
	if e == 0 && s.subnormal {
		return sign * math.Ldexp(float64(m), 1-s.bias-s.man)
	}
	return sign * math.Ldexp(float64(m+1<<s.man), e-s.bias-s.man)
}

// encode rounds a float32. Magnitudes are ordered as their bits are, so a search finds the neighbours.
func (s *smallFloat) encode(x float32, mode rounding) uint8 {
	width := s.exp + s.man
	if x != x {
		return s.nan
	}
	var sign uint8
	if s.signed && math.Signbit(float64(x)) {
		sign = 1 << width
	}
	a := math.Abs(float64(x))
	if a >= s.values[s.largest] {
		return sign | s.largest
	}
	lo, hi := 0, int(s.largest) // decode(lo) <= a < decode(hi), except below the least number
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; s.values[mid] <= a {
			lo = mid
		} else {
			hi = mid
		}
	}
	low, high := s.values[lo], s.values[hi]
	up := a-low > high-a || a-low == high-a && lo&1 == 1
	switch mode {
	case tileir.RoundingZero:
		up = false
	case tileir.RoundingPositiveInf:
		up = a > low
	}
	if up {
		lo = hi
	}
	return sign | uint8(lo)
}

// narrowing makes the kernel that rounds float32 to the format.
func (s *smallFloat) narrowing(mode rounding) kernel {
	return unary(func(d []uint8, a []float32) {
		a = a[:len(d)]
		for i := range d {
			d[i] = s.encode(a[i], mode)
		}
	})
}
