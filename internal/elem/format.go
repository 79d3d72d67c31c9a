package elem

import (
	"math"
	"sync"
)

// Format says what the bits of a float mean: a sign where there is one, the exponent, the mantissa. Together these are the
// number's code; magnitudes are ordered as their codes are.
type Format struct {
	Exp, Man int  // bits of the exponent and of the mantissa
	Unsigned bool // without a sign: encoding drops it
	Inf      bool // the greatest exponent is for infinities and NaN, as in IEEE 754
	NaN      bool // without Inf: the code of ones is NaN
	Pad      int  // bits below the code in memory, which are zero

	largest uint64
	bias    int
	low     int // the least exponent of numbers with a leading one
	values  func() *[256]float64
}

// NewFormat prepares a format that says its bits and special numbers: Table has those of its rows.
func NewFormat(f Format) *Format {
	f.bias = 1<<(f.Exp-1) - 1
	f.low = 1 - f.bias
	if f.Man == 0 { // powers of two, without zero: no code is subnormal
		f.low--
	}
	switch f.largest = f.ones(); {
	case f.Inf:
		f.largest -= 1 << f.Man
	case f.NaN:
		f.largest--
	}
	f.values = sync.OnceValue(func() *[256]float64 {
		t := new([256]float64)
		for i := range t {
			t[i] = f.Decode(uint64(i))
		}
		return t
	})
	return &f
}

// ones is the code of ones alone, the sign aside: NaN where there is one.
func (f *Format) ones() uint64 { return 1<<(f.Exp+f.Man) - 1 }

// Largest is the code of the largest finite number. That of infinity follows, if there is one.
func (f *Format) Largest() uint64 { return f.largest }

// Quiet is the code of the NaN of IEEE 754's operations, for a format with infinities.
func (f *Format) Quiet() uint64 { return f.largest + 1 + 1<<f.Man>>1 }

// Sign is the code's bit for the sign: 0 where there is none.
func (f *Format) Sign() uint64 {
	if f.Unsigned {
		return 0
	}
	return 1 << (f.Exp + f.Man)
}

// HasNaN reports whether the format has NaN.
func (f *Format) HasNaN() bool { return f.Inf || f.NaN }

// Exponents gives the least and the greatest exponent of normal numbers.
func (f *Format) Exponents() (low, high int) {
	return f.low, int(f.largest>>f.Man) - f.bias
}

// Values gives the numbers of all codes of a format of at most eight bits; bits above the code mean nothing.
func (f *Format) Values() *[256]float64 { return f.values() }

// Decode gives the number of a code; bits above it mean nothing.
func (f *Format) Decode(code uint64) float64 {
	if f.Man == 52 {
		return math.Float64frombits(code)
	}
	size := code & f.ones()
	var v float64
	switch e := int(size >> f.Man); {
	case size > f.largest && f.Inf && size == f.largest+1:
		v = math.Inf(1)
	case size > f.largest:
		return math.NaN()
	case e == 0 && f.Man > 0:
		v = float64(size) * power(1-f.bias-f.Man)
	default:
		v = float64(size&(1<<f.Man-1)|1<<f.Man) * power(e-f.bias-f.Man)
	}
	if code&f.Sign() != 0 {
		return -v
	}
	return v
}

// power is a power of two that is a normal float64.
func power(e int) float64 { return math.Float64frombits(uint64(e+1023) << 52) }
